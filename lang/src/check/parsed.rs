//! All files of a site, parsed.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ast::{Block, FileId, Item},
    diagnostic::{Diagnostic, codes},
    source::{CORE, Files, ROUTES, is_source},
    syntax::parser::{parse_items, parse_statements},
    template::{Template, parse_template},
};

/// Errors after which it is a guess which text of a template stands in which branch, or is text at all.
const UNTOLD: &[&str] =
    &[codes::UNCLOSED_TAG, codes::WRONG_TAG_END, codes::STRAY_BRANCH, codes::MISPLACED_TAG, codes::FOREIGN_SYNTAX, codes::TOO_DEEP];

#[derive(Default)]
pub(super) struct Parsed {
    /// Declarations of `core/`, in order of path and place.
    pub(super) items: Vec<Item>,
    /// Lines of functions whose declaration could not be read.
    pub(super) orphans: Vec<Block>,
    /// Names whose declaration could not be read whole.
    pub(super) broken_names: BTreeSet<String>,
    /// The lines of `rotas.djo`.
    pub(super) routes: Block,
    /// Other `.djo` files.
    pub(super) pages: BTreeMap<FileId, Block>,
    pub(super) templates: BTreeMap<FileId, Template>,
    /// Templates whose tags could not be read whole: where a value stands in them cannot be told.
    pub(super) broken: BTreeSet<FileId>,
}

impl Parsed {
    /// Parses every file, whether anything refers to it or not: what does not parse is an error anywhere.
    pub(super) fn read(files: &Files, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut parsed = Self::default();
        for file in files.ids() {
            let (path, text) = (files.path(file), files.text(file));
            if !files.is_readable(file) || !is_source(path) {
                continue;
            }
            if path.ends_with(".djo.html") {
                let before = diagnostics.len();
                parsed.templates.insert(file, parse_template(file, text, diagnostics));
                if diagnostics[before..].iter().any(|found| UNTOLD.contains(&found.code)) {
                    parsed.broken.insert(file);
                }
            } else if path.starts_with(CORE) {
                let declared = parse_items(file, text, diagnostics);
                parsed.items.extend(declared.items);
                parsed.broken_names.extend(declared.broken);
                parsed.orphans.extend(declared.orphans);
            } else if path == ROUTES {
                parsed.routes = parse_statements(file, text, diagnostics);
            } else {
                parsed.pages.insert(file, parse_statements(file, text, diagnostics));
            }
        }
        parsed
    }
}
