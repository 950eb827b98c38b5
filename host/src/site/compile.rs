//! A djo site from its folder to what it compiles to, with all that is wrong in it: sources and `site.toml` in one list of diagnostics.

use std::io;
use std::path::Path;

use djo_lang::{
    Compiled, Diagnostic, Failed, Severity, Sources,
    ast::{FileId, Span},
    diagnostic,
    program::SourceFile,
};

use super::config::{self, ConfigProblem};
use super::discover::ROUTES;
use super::file::shown;
use super::sources::SiteSources;

/// The code of everything that is wrong with a `site.toml`.
const CODE: &str = "site-toml";
/// The code of what keeps a site from being compiled at all.
const NO_SITE: &str = "site";

/// Diagnostics that are shown at once; `check --json` gives all.
const MOST_SHOWN: usize = 200;

/// A site that was compiled, or was tried to.
#[derive(Debug, Default)]
pub struct Outcome {
    /// What it compiled to; `None` when anything is an error.
    pub compiled: Option<Compiled>,
    /// All errors and warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What they point into.
    pub files: Vec<SourceFile>,
}

/// Compiles the sources in a folder, where it has any. `settings` is what is wrong with its `site.toml`: then there is nothing to be had, but
/// all errors are told at once.
///
/// # Errors
/// When the files cannot be read.
pub fn compile(folder: &Path, settings: &[ConfigProblem]) -> io::Result<Outcome> {
    let mut outcome = if folder.join(ROUTES).is_file() { Outcome::of(SiteSources::read(folder)?) } else { Outcome::default() };
    if !settings.is_empty() {
        outcome.add_settings(settings, &config::text(folder).ok().flatten().unwrap_or_default());
    }
    Ok(outcome)
}

impl Outcome {
    /// Where there is nothing to compile: why, as the one diagnostic of the whole place.
    pub fn none(place: &Path, why: String) -> Self {
        let file = SourceFile { path: shown(place), text: String::new() };
        let diagnostic = Diagnostic::error(NO_SITE, Span { file: FileId(0), start: 0, end: 0 }, why);
        Self { compiled: None, diagnostics: vec![diagnostic], files: vec![file] }
    }

    fn of(sources: SiteSources) -> Self {
        match djo_lang::compile(&Sources { files: sources.files }) {
            Ok(mut compiled) => {
                let (diagnostics, files) = (std::mem::take(&mut compiled.diagnostics), std::mem::take(&mut compiled.files));
                Self { compiled: Some(compiled), diagnostics, files }
            }
            Err(Failed { diagnostics, files }) => Self { compiled: None, diagnostics, files },
        }
    }

    fn add_settings(&mut self, problems: &[ConfigProblem], text: &str) {
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
    pub fn errors(&self) -> usize {
        self.diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error).count()
    }

    /// The diagnostics as an author reads them: of more than anybody would read the first.
    pub fn render(&self, has_color: bool) -> String {
        diagnostic::render_first(&self.files, &self.diagnostics, has_color, MOST_SHOWN)
    }

    /// The first of them, at most so many, and how many more errors there are.
    pub fn render_first(&self, most: usize) -> String {
        diagnostic::render_first(&self.files, &self.diagnostics, false, most)
    }
}
