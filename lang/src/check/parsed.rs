//! All files of a site, parsed.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    ast::{Block, FileId, Item},
    diagnostic::Diagnostic,
    source::{CORE, Files, ROUTES, is_source},
    syntax::parser::{parse_items, parse_statements},
    template::{Template, parse_template},
};

#[derive(Default)]
pub(super) struct Parsed {
    /// Declarations of `core/`, in order of path and place.
    pub(super) items: Vec<Item>,
    /// Names whose declaration could not be read whole.
    pub(super) broken_names: BTreeSet<String>,
    /// The lines of `rotas.djo`.
    pub(super) routes: Block,
    /// Other `.djo` files.
    pub(super) pages: BTreeMap<FileId, Block>,
    pub(super) templates: BTreeMap<FileId, Template>,
    /// Files that could not be read whole.
    pub(super) broken: BTreeSet<FileId>,
}

impl Parsed {
    /// Parses every file, whether anything refers to it or not: what does not parse is an error anywhere.
    pub(super) fn read(files: &Files, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut parsed = Self::default();
        for file in files.ids() {
            if !files.is_readable(file) {
                parsed.broken.insert(file);
                continue;
            }
            let (path, text) = (files.path(file), files.text(file));
            let mut complete = true;
            if !is_source(path) {
                continue;
            }
            if path.ends_with(".djo.html") {
                let before = diagnostics.len();
                parsed.templates.insert(file, parse_template(file, text, diagnostics));
                complete = diagnostics.len() == before;
            } else if path.starts_with(CORE) {
                let (items, broken) = parse_items(file, text, diagnostics);
                parsed.items.extend(items);
                parsed.broken_names.extend(broken);
            } else {
                let (block, whole) = parse_statements(file, text, diagnostics);
                complete = whole;
                if path == ROUTES {
                    parsed.routes = block;
                } else {
                    parsed.pages.insert(file, block);
                }
            }
            if !complete {
                parsed.broken.insert(file);
            }
        }
        parsed
    }
}
