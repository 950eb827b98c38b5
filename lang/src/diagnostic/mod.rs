//! What the compiler has to say to a site's author: a place, a message, and what to do about it.

pub mod codes;
mod json;
mod render;
mod suggest;
mod texts;

pub(crate) use self::suggest::{nearest, quoted_list};
pub use self::{
    json::to_json,
    render::{render, render_first},
};

use crate::ast::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The site does not build.
    Error,
    /// It builds; something looks wrong.
    Warning,
}

/// One finding. Messages start in lower case, quote code with backticks and end without a full stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    pub span: Span,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub hints: Vec<String>,
    /// Other places that belong to it, each with what it is.
    pub related: Vec<(Span, String)>,
    /// One of [`codes::ALL`], for tools and tests.
    pub code: &'static str,
}

impl Diagnostic {
    /// An error without hints.
    pub fn error(code: &'static str, span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Error, span, message: message.into(), hints: Vec::new(), related: Vec::new(), code }
    }

    /// Adds what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }

    /// Adds what to do, where there is something.
    #[must_use]
    pub fn maybe_hint(mut self, hint: Option<String>) -> Self {
        self.hints.extend(hint);
        self
    }

    /// Adds another place.
    #[must_use]
    pub fn related(mut self, span: Span, label: impl Into<String>) -> Self {
        self.related.push((span, label.into()));
        self
    }
}

/// How many findings get a suggestion: looking for the nearest name costs as much as there are names, and whoever has
/// more errors than this is not helped by one more guess.
pub(crate) const MAX_SUGGESTIONS: usize = 200;

/// Most places that a finding names: a layout's mistake belongs to every page.
const MAX_RELATED: usize = 4;

/// Puts diagnostics in reading order, each once, with the places of all that say the same: a partial that many pages
/// include repeats its own.
pub(crate) fn finish(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.sort_by(|a, b| {
        let key = |d: &Diagnostic| (d.span.file, d.span.start, d.span.end);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message))
    });
    diagnostics.dedup_by(|repeated, kept| {
        let same = repeated.span == kept.span && repeated.message == kept.message;
        if same {
            for place in repeated.related.drain(..) {
                if kept.related.len() < MAX_RELATED && !kept.related.contains(&place) {
                    kept.related.push(place);
                }
            }
        }
        same
    });
}
