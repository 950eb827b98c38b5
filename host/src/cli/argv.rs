//! Spellings that people bring with them: `-dev` for `--dev`, as djo's first server had it, and `help COMMAND` for `COMMAND --help`.

use std::ffi::OsString;

use clap::Command;

/// Puts arguments into the spelling that the parser knows: each long flag with both of its dashes, up to a `--`, and a request for help as
/// a flag. Everything else stays as it is.
pub(super) fn in_our_spelling(arguments: impl IntoIterator<Item = OsString>, command: &Command) -> Vec<OsString> {
    let flags = long_flags(command);
    let mut literal = false;
    let mut all: Vec<OsString> = arguments
        .into_iter()
        .map(|argument| {
            literal |= argument == "--";
            match argument.to_str() {
                Some(text) if !literal && has_one_dash(text, &flags) => format!("-{text}").into(),
                _ => argument,
            }
        })
        .collect();
    if all.get(1).is_some_and(|word| word == "help") {
        all.remove(1);
        all.push("--help".into());
    }
    all
}

fn long_flags(command: &Command) -> Vec<&str> {
    let of_commands = command.get_subcommands().flat_map(Command::get_arguments);
    command.get_arguments().chain(of_commands).filter_map(|argument| argument.get_long()).chain(["help", "version"]).collect()
}

fn has_one_dash(text: &str, flags: &[&str]) -> bool {
    let name = text.strip_prefix('-').map(|rest| rest.split_once('=').map_or(rest, |(name, _)| name));
    name.is_some_and(|name| flags.contains(&name))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;
    use crate::cli::args::Args;

    fn accepted(arguments: &[&str]) -> Vec<String> {
        let accepted = in_our_spelling(arguments.iter().map(OsString::from), &Args::command());
        accepted.into_iter().map(|argument| argument.to_string_lossy().into_owned()).collect()
    }

    #[test]
    fn flags_have_one_dash_or_two() {
        assert_eq!(
            accepted(&["djo-host", "serve", "-agent-conc", "16", "-agent-rate=50", "-dev", "-addr", ":1", "sites"]),
            ["djo-host", "serve", "--agent-conc", "16", "--agent-rate=50", "--dev", "--addr", ":1", "sites"]
        );
        let same = ["djo-host", "--dev", "-o", "x", "-d", "-", "-devs", "-h", "--", "-dev"];
        assert_eq!(accepted(&same), same);
    }

    #[test]
    fn help_may_be_asked_for_as_a_command() {
        assert_eq!(accepted(&["djo-host", "help"]), ["djo-host", "--help"]);
        assert_eq!(accepted(&["djo-host", "help", "serve"]), ["djo-host", "serve", "--help"]);
        assert_eq!(accepted(&["djo-host", "check", "help"]), ["djo-host", "check", "help"]);
    }
}
