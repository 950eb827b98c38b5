//! The command line of `djo-host`: what can be asked, in the language of who asks, and how it ends.

mod args;
mod argv;
mod commands;
mod files;
mod language;
mod localize;
mod log;
mod messages;
mod terminal;
mod usage;

use std::{ffi::OsString, process::ExitCode};

use args::{Args, Command};
use clap::{CommandFactory as _, FromArgMatches as _};
use language::Language;

/// How a command ended when it did not succeed: exit code 1, with a message unless all has been said.
#[derive(Debug)]
pub(crate) struct Failure(Option<String>);

impl Failure {
    fn new(message: impl Into<String>) -> Self {
        Self(Some(message.into()))
    }

    /// What is wrong has been printed as the command's result.
    fn said() -> Self {
        Self(None)
    }
}

/// Runs the program: `arguments` start with its name. 0: it succeeded; 1: it failed; 2: it was not understood.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let language = Language::of_environment();
    let mut command = localize::localize(Args::command(), language);
    let parsed = command
        .try_get_matches_from_mut(argv::in_our_spelling(arguments, &Args::command()))
        .and_then(|matches| Args::from_arg_matches(&matches));
    let args = match parsed {
        Ok(args) => args,
        Err(error) => return usage::report(&error, language),
    };
    let code = match dispatch(args, language).and_then(|()| written(language)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(Failure(message)) => {
            if let Some(message) = message {
                terminal::error(language, &message);
            }
            ExitCode::FAILURE
        }
    };
    log::end();
    code
}

/// What a command writes is its result: without it, it has failed.
fn written(language: Language) -> Result<(), Failure> {
    terminal::unwritten().map_or(Ok(()), |error| Err(Failure::new(messages::cannot_write_output(language, error))))
}

fn dispatch(args: Args, language: Language) -> Result<(), Failure> {
    log::start(args.log, matches!(args.command, Command::Serve(_)));
    match args.command {
        Command::Serve(args) => commands::serve::run(args, language),
        Command::Build(args) => commands::build::run(&args, language),
        Command::Check(args) => commands::check::run(&args, language),
        Command::Inspect(args) => commands::inspect::run(&args, language),
        Command::Validate(args) => commands::validate::run(&args, language),
        Command::Agent(args) => commands::agent::run(&args, language),
        Command::Mcp(args) => commands::mcp::run(&args, language),
        Command::New(args) => commands::new::run(&args, language),
    }
}
