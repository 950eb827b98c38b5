//! The name of a site: of its folder in the data folder, and of its host `NAME.localhost`.

use std::{fmt, path::Path};

/// Longest name: that of the longest label of a host name.
const MAX_LEN: usize = 63;

/// A checked name: labels of letters a–z, digits, `-` and `_`, lower case, each with a letter or digit at both ends, joined by dots;
/// at most 63 characters. So it is safe as a folder's name, too.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SiteName(String);

/// A name that no site can have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "{0:?} is not a site name: use letters a-z, digits, `-`, `_` and single dots, at most {MAX_LEN}, with a letter or digit at both ends"
)]
pub struct BadSiteName(pub String);

impl SiteName {
    /// Checks a name; upper case becomes lower, since hosts know no case.
    pub fn new(name: &str) -> Result<Self, BadSiteName> {
        let good = name.len() <= MAX_LEN && name.split('.').all(is_label);
        if good { Ok(Self(name.to_ascii_lowercase())) } else { Err(BadSiteName(name.to_owned())) }
    }

    /// The name of the site at a path: its folder's, or its file's without the extension. `.` is resolved first.
    pub fn of_path(path: &Path) -> Result<Self, BadSiteName> {
        let resolved = path.canonicalize().unwrap_or_else(|_| path.to_path_buf());
        // The extension is the given file's, which may be a link to a file of another kind.
        let named = if path.file_name().is_some() { path } else { resolved.as_path() };
        let name = if resolved.is_dir() { named.file_name() } else { named.file_stem() };
        Self::new(&name.unwrap_or_default().to_string_lossy())
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The host that every site answers to.
    pub fn localhost(&self) -> String {
        format!("{}.localhost", self.0)
    }
}

fn is_label(label: &str) -> bool {
    let bytes = label.as_bytes();
    let inner = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    let ends = [bytes.first(), bytes.last()];
    bytes.iter().all(inner) && ends.iter().all(|end| end.is_some_and(u8::is_ascii_alphanumeric))
}

impl fmt::Display for SiteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn names_are_labels() {
        for good in ["exemplo", "a", "loja-2", "meu_site", "9", "exemplo.com.br", "loja-1.0"] {
            assert_eq!(SiteName::new(good).unwrap().as_str(), good);
        }
        assert_eq!(SiteName::new("Loja").unwrap().as_str(), "loja");
        for bad in ["", ".", "..", "-a", "a-", "_", "a/b", "a..b", ".a", "a.", "são", "a b", "a\0", &"a".repeat(64)] {
            assert!(SiteName::new(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_path_gives_its_last_part() {
        assert_eq!(SiteName::of_path(Path::new("sites/Exemplo")).unwrap().as_str(), "exemplo");
        assert_eq!(SiteName::of_path(Path::new("out/loja.wasm")).unwrap().as_str(), "loja");
        let here = std::env::current_dir().unwrap();
        assert_eq!(SiteName::of_path(Path::new(".")), SiteName::of_path(&here));
        assert_eq!(SiteName::of_path(Path::new("..")), SiteName::of_path(here.parent().unwrap()));
    }
}
