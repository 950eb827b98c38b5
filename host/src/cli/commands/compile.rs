//! The djo site in a folder, for `build` and `check`.

use std::path::Path;

use djo_contract::model::Wanted;

use crate::{
    cli::{Failure, language::Language, messages, terminal},
    site::{
        ConfigError, EntryError, SiteCode, SiteEntry,
        compile::{self, Outcome},
        discover,
    },
};

/// Compiles the djo site in a folder.
///
/// # Errors
/// When there is none, or its files cannot be read. What is wrong inside them is in the outcome.
pub(super) fn compile(folder: &Path, language: Language) -> Result<Outcome, Failure> {
    let mut wanted = Wanted::default();
    let settings = match SiteEntry::at(folder) {
        Ok(SiteEntry { code: SiteCode::Sources, config, .. }) => {
            wanted = config.wanted();
            Vec::new()
        }
        Ok(SiteEntry { code: SiteCode::Component(_), .. }) => return Err(Failure::new(messages::not_sources(language, folder))),
        Err(EntryError::Config { source: ConfigError::Problems(problems), .. }) if folder.join(discover::ROUTES).is_file() => problems,
        Err(error) => return Err(Failure::new(messages::entry_error(language, &error))),
    };
    let mut outcome = compile::compile(folder, &settings)
        .map_err(|error| Failure::new(messages::cannot_read(language, &folder.display().to_string(), &error)))?;
    if let Some(compiled) = &mut outcome.compiled {
        compiled.contract.wanted = wanted;
    }
    Ok(outcome)
}

/// Shows all diagnostics on standard error.
pub(super) fn show(outcome: &Outcome) {
    if !outcome.diagnostics.is_empty() {
        terminal::note(&outcome.render(terminal::stderr_has_color()));
    }
}
