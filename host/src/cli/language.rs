//! The language of whoever sits at the terminal.

use std::ffi::OsString;

/// A language that messages come in. What HTTP clients see is Portuguese whatever this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Language {
    /// Any locale that is not Portuguese.
    English,
    /// A locale that starts with `pt`.
    Portuguese,
}

impl Language {
    /// By the first of `LC_ALL`, `LC_MESSAGES` and `LANG` that is set to something.
    pub(crate) fn of_environment() -> Self {
        Self::of(|name| std::env::var_os(name))
    }

    fn of(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let locale = ["LC_ALL", "LC_MESSAGES", "LANG"].into_iter().filter_map(variable).find(|value| !value.is_empty());
        let is_portuguese = locale.is_some_and(|locale| {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            // `pt`, `pt_BR.UTF-8`, but no language whose name is longer.
            locale.strip_prefix("pt").is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_alphanumeric()))
        });
        if is_portuguese { Self::Portuguese } else { Self::English }
    }

    /// Chooses between two texts.
    pub(crate) fn pick<'t>(self, english: &'t str, portuguese: &'t str) -> &'t str {
        match self {
            Self::English => english,
            Self::Portuguese => portuguese,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Language {
        Language::of(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into()))
    }

    #[test]
    fn the_first_variable_that_says_something_decides() {
        assert_eq!(of(&[]), Language::English);
        assert_eq!(of(&[("LANG", "pt_BR.UTF-8")]), Language::Portuguese);
        assert_eq!(of(&[("LANG", "pt")]), Language::Portuguese);
        assert_eq!(of(&[("LANG", "PT-pt")]), Language::Portuguese);
        assert_eq!(of(&[("LANG", "ptx")]), Language::English);
        assert_eq!(of(&[("LANG", "C.UTF-8")]), Language::English);
        assert_eq!(of(&[("LANG", "pt_BR"), ("LC_MESSAGES", "en_US")]), Language::English);
        assert_eq!(of(&[("LANG", "en"), ("LC_MESSAGES", "en"), ("LC_ALL", "pt_PT")]), Language::Portuguese);
        assert_eq!(of(&[("LANG", "pt_BR"), ("LC_ALL", "")]), Language::Portuguese);
    }
}
