//! What was asked but not understood: exit code 2, in the language of who asked. `--help` and `--version` come this way, too.

use std::{
    error::Error as _,
    num::{IntErrorKind, ParseIntError},
    process::ExitCode,
};

use clap::error::{ContextKind, ContextValue, Error, ErrorKind};

use super::{language::Language, terminal};

/// The exit code of a command line that was not understood.
const USAGE: u8 = 2;

/// Shows what the parser has to say, and tells how the program ends.
pub(super) fn report(error: &Error, language: Language) -> ExitCode {
    match error.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            terminal::wrote(error.print());
            if terminal::unwritten().is_none() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            let _ = error.print();
            ExitCode::from(USAGE)
        }
        _ if language == Language::English => {
            let _ = error.print();
            ExitCode::from(USAGE)
        }
        _ => {
            terminal::error(language, &portuguese(error));
            ExitCode::from(USAGE)
        }
    }
}

fn portuguese(error: &Error) -> String {
    let argument = context(error, ContextKind::InvalidArg).unwrap_or_default();
    let value = context(error, ContextKind::InvalidValue).unwrap_or_default();
    let mut text = match error.kind() {
        ErrorKind::UnknownArgument => format!("argumento desconhecido `{argument}`"),
        ErrorKind::InvalidSubcommand => {
            format!("comando desconhecido `{}`", context(error, ContextKind::InvalidSubcommand).unwrap_or_default())
        }
        ErrorKind::MissingSubcommand => "falta o comando".into(),
        ErrorKind::MissingRequiredArgument => format!("falta {argument}"),
        ErrorKind::InvalidValue if value.is_empty() => format!("falta o valor de `{argument}`"),
        ErrorKind::InvalidValue => format!("`{value}` não é um valor de `{argument}`"),
        ErrorKind::ValueValidation => format!("`{value}` não serve para `{argument}`{}", cause(error)),
        ErrorKind::NoEquals => format!("`{argument}` precisa de um valor com `=`"),
        ErrorKind::TooManyValues => format!("valor a mais para `{argument}`: `{value}`"),
        ErrorKind::TooFewValues | ErrorKind::WrongNumberOfValues => format!("faltam valores para `{argument}`"),
        ErrorKind::ArgumentConflict if context(error, ContextKind::PriorArg).is_none_or(|prior| prior == argument) => {
            format!("`{argument}` só pode vir uma vez")
        }
        ErrorKind::ArgumentConflict => {
            format!("`{argument}` não pode vir com {}", context(error, ContextKind::PriorArg).unwrap_or_else(|| "outro argumento".into()))
        }
        ErrorKind::InvalidUtf8 => "há um argumento que não é UTF-8".into(),
        _ => error.to_string(),
    };
    if let Some(valid) = context(error, ContextKind::ValidValue) {
        text.push_str(&format!("\n  valores: {valid}"));
    }
    let suggestion = [ContextKind::SuggestedArg, ContextKind::SuggestedSubcommand, ContextKind::SuggestedValue];
    if let Some(near) = suggestion.into_iter().find_map(|kind| context(error, kind)) {
        text.push_str(&format!("\n  você quis dizer `{near}`?"));
    }
    text.push_str("\n  ajuda: --help");
    text
}

/// Our own value parsers say why in the language of the environment; the few of the library are put into words here.
fn cause(error: &Error) -> String {
    let Some(cause) = error.source() else { return String::new() };
    let text = cause.to_string();
    let said = match cause.downcast_ref::<ParseIntError>().map(ParseIntError::kind) {
        Some(IntErrorKind::PosOverflow | IntErrorKind::NegOverflow) => "não cabe em 32 bits".to_owned(),
        Some(_) => "deve ser um número inteiro".to_owned(),
        None if text.contains("boolean") => "deve ser true ou false".to_owned(),
        None => match text.split_once(" is not in ") {
            Some((_, range)) => format!("deve estar em {range}"),
            None => text,
        },
    };
    format!(": {said}")
}

fn context(error: &Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        ContextValue::Strings(texts) if texts.is_empty() => None,
        ContextValue::Strings(texts) => Some(texts.join(", ")),
        ContextValue::Number(number) => Some(number.to_string()),
        ContextValue::Bool(_) | ContextValue::None => None,
        ContextValue::StyledStr(text) => Some(text.to_string()),
        ContextValue::StyledStrs(texts) => Some(texts.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")),
        _ => None,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;
    use crate::cli::{args::Args, localize::localize};

    fn said(arguments: &[&str]) -> String {
        let mut command = localize(Args::command(), Language::Portuguese);
        let error = command.try_get_matches_from_mut(["djo-host"].iter().chain(arguments)).unwrap_err();
        portuguese(&error)
    }

    #[test]
    fn mistakes_are_told_in_portuguese() {
        let cases: [(&[&str], &str); 11] = [
            (&["serv"], "comando desconhecido `serv`\n  você quis dizer `serve`?"),
            (&["serve", "--addres", "x"], "argumento desconhecido `--addres`\n  você quis dizer `--addr`?"),
            (&["validate"], "falta --schema <FILE>"),
            (&["serve", "--addr", "8080"], "`8080` não serve para `--addr <ADDR>`: "),
            (&["serve", "--addr"], "falta o valor de `--addr <ADDR>`"),
            (&["serve", "--log", "xml"], "`xml` não é um valor de `--log <FORMAT>`\n  valores: text, json"),
            (&["serve", "--agent-conc", "0"], "`0` não serve para `--agent-conc <N>`: deve estar em 1..=4294967295"),
            (&["serve", "--agent-rate", "x"], "`x` não serve para `--agent-rate <N>`: deve ser um número inteiro"),
            (&["serve", "--data", "a", "--data", "b"], "`--data <DIR>` só pode vir uma vez"),
            (&["validate", "--schema", "a", "b", "c"], "argumento desconhecido `c`"),
            (&["inspect", "a", "b"], "argumento desconhecido `b`"),
        ];
        for (arguments, start) in cases {
            let said = said(arguments);
            assert!(said.starts_with(start), "{arguments:?}: {said}");
            assert!(said.ends_with("ajuda: --help"));
        }
    }

    #[test]
    fn mistakes_have_their_own_exit_code() {
        let error = Args::try_parse_from(["djo-host", "serv"]).unwrap_err();
        assert_eq!(report(&error, Language::Portuguese), ExitCode::from(2));
        let error = Args::try_parse_from(["djo-host", "--version"]).unwrap_err();
        assert_eq!(report(&error, Language::Portuguese), ExitCode::SUCCESS);
    }
}
