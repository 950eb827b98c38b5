//! `check`: what is wrong with a site, all of it at once.

use djo_lang::diagnostic;

use super::compile::{compile, show};
use crate::{
    cli::{Failure, args::CheckArgs, language::Language, messages, terminal},
    site::compile::Outcome,
};

pub(crate) fn run(args: &CheckArgs, language: Language) -> Result<(), Failure> {
    // Diagnostics are Portuguese, whoever asks.
    let told = if args.json { Language::Portuguese } else { language };
    let outcome = match terminal::with_progress(messages::checking(language, &args.site), || compile(&args.site, told)) {
        // Whoever reads the result reads nothing else.
        Err(Failure(Some(why))) if args.json => Outcome::none(&args.site, why),
        outcome => outcome?,
    };
    let errors = outcome.errors();
    if args.json {
        terminal::line(&diagnostic::to_json(&outcome.files, &outcome.diagnostics));
        return if errors == 0 { Ok(()) } else { Err(Failure::said()) };
    }
    show(&outcome);
    if errors > 0 {
        return Err(Failure::new(messages::problems(language, &args.site, errors)));
    }
    terminal::line(&messages::sound(language, &args.site, outcome.files.len()));
    Ok(())
}
