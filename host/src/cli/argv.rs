//! `-dev` for `--dev`: the flags of djo's first server are accepted with one dash, as they were there.

use std::ffi::OsString;

/// The flags that had one dash.
const SINGLE_DASH: [&str; 5] = ["dev", "agent-conc", "agent-rate", "post", "raw"];

/// Gives these flags their second dash, up to a `--`. Everything else stays as it is.
pub(super) fn accept_single_dashes(arguments: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
    let mut literal = false;
    arguments
        .into_iter()
        .map(|argument| {
            literal |= argument == "--";
            match argument.to_str() {
                Some(text) if !literal && is_single_dash_flag(text) => format!("-{text}").into(),
                _ => argument,
            }
        })
        .collect()
}

fn is_single_dash_flag(text: &str) -> bool {
    let name = text.strip_prefix('-').map(|rest| rest.split_once('=').map_or(rest, |(name, _)| name));
    name.is_some_and(|name| SINGLE_DASH.contains(&name))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn accepted(arguments: &[&str]) -> Vec<String> {
        let accepted = accept_single_dashes(arguments.iter().map(OsString::from));
        accepted.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn the_flags_of_the_first_server_have_one_dash_or_two() {
        assert_eq!(
            accepted(&["djo-host", "serve", "-agent-conc", "16", "-agent-rate=50", "-dev", "sites"]),
            ["djo-host", "serve", "--agent-conc", "16", "--agent-rate=50", "--dev", "sites"]
        );
        let same = ["djo-host", "--dev", "-o", "x", "-d", "-", "-devs", "-h", "--", "-dev"];
        assert_eq!(accepted(&same), same);
    }
}
