//! A site from its folder to what it compiles to, for `build` and `check`: sources and `site.toml` in one list of diagnostics.

use std::path::Path;

use djo_contract::model::Wanted;
use djo_lang::{
    Compiled, Diagnostic, Failed, Severity, Sources,
    ast::{FileId, Span},
    diagnostic,
    program::SourceFile,
};

use crate::{
    cli::{Failure, language::Language, messages, terminal},
    site::{ConfigError, EntryError, SiteCode, SiteEntry, SiteSources, config, discover},
};

/// The code of everything that is wrong with a `site.toml`.
const CODE: &str = "site-toml";

/// A site that was compiled, or was tried to.
pub(super) struct Outcome {
    /// What it compiled to; `None` when anything is an error.
    pub(super) compiled: Option<Compiled>,
    /// All errors and warnings.
    pub(super) diagnostics: Vec<Diagnostic>,
    /// What they point into.
    pub(super) files: Vec<SourceFile>,
}

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
    let sources =
        SiteSources::read(folder).map_err(|error| Failure::new(messages::cannot_read(language, &folder.display().to_string(), &error)))?;
    let mut outcome = match djo_lang::compile(&Sources { files: sources.files }) {
        Ok(mut compiled) => {
            compiled.contract.wanted = wanted;
            let (diagnostics, files) = (std::mem::take(&mut compiled.diagnostics), std::mem::take(&mut compiled.files));
            Outcome { compiled: Some(compiled), diagnostics, files }
        }
        Err(Failed { diagnostics, files }) => Outcome { compiled: None, diagnostics, files },
    };
    if !settings.is_empty() {
        outcome.add_settings(&settings, &config::text(folder).ok().flatten().unwrap_or_default());
    }
    Ok(outcome)
}

impl Outcome {
    fn add_settings(&mut self, problems: &[config::ConfigProblem], text: &str) {
        let offset = |offset: usize| u32::try_from(offset).unwrap_or(u32::MAX);
        let file = FileId(offset(self.files.len()));
        self.files.push(SourceFile { path: config::FILE_NAME.into(), text: text.into() });
        self.diagnostics.extend(problems.iter().map(|problem| {
            let span = Span { file, start: offset(problem.span.start), end: offset(problem.span.end) };
            Diagnostic::error(CODE, span, problem.message.clone()).maybe_hint(problem.hint.clone())
        }));
        self.compiled = None;
    }

    /// How many errors there are, warnings aside.
    pub(super) fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    /// Shows all diagnostics on standard error.
    pub(super) fn show(&self) {
        if !self.diagnostics.is_empty() {
            terminal::note(&diagnostic::render(&self.files, &self.diagnostics, terminal::stderr_has_color()));
        }
    }
}
