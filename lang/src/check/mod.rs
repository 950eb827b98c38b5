//! From sources to a checked program: everything the build can know is checked here, all of it at once.

mod assignments;
mod builtin;
mod call;
mod constraints;
mod defaults;
mod expr;
mod functions;
mod lambda;
mod library;
pub(crate) mod literal;
mod parsed;
mod recursion;
mod settled;
mod shape;
pub(crate) mod symbols;
pub(crate) mod types;
mod unit;

use std::{cell::RefCell, collections::BTreeMap};

use djo_contract::{
    model::{Action, Contract, Wanted},
    types::Struct,
    value::Value,
};

pub(crate) use self::unit::Signature as FunctionSignature;
use self::{
    parsed::Parsed,
    symbols::Declarations,
    unit::{Signature, World, check_unit},
};
use crate::{
    ast::{Block, FileId, Span},
    diagnostic::{self, Diagnostic, Severity},
    program::{Function, Page, Program, SourceFile},
    routes,
    source::{CORE, Files, Sources},
    template::Expander,
};

/// Pages of the site's own for these statuses.
const ERROR_PAGES: &[(u16, &str)] = &[(404, "paginas/404.djo.html"), (500, "paginas/500.djo.html")];

/// What a check found.
#[derive(Debug)]
pub struct Checked {
    /// The program; `None` when there is any error.
    pub program: Option<Program>,
    /// Everything found, in the order of files and places.
    pub diagnostics: Vec<Diagnostic>,
    /// What spans point into.
    pub files: Vec<SourceFile>,
}

/// Checks a site.
pub fn check(sources: &Sources) -> Checked {
    let mut diagnostics = Vec::new();
    let files = Files::decode(sources, &mut diagnostics);
    let parsed = Parsed::read(&files, &mut diagnostics);
    let program = assemble(&files, parsed, &mut diagnostics);
    diagnostic::finish(&mut diagnostics);
    let failed = diagnostics.iter().any(|diagnostic| diagnostic.severity == Severity::Error);
    let program = if failed { None } else { Some(Program { files: files.list.clone(), ..program }) };
    Checked { program, diagnostics, files: files.list }
}

fn assemble(files: &Files, parsed: Parsed, diagnostics: &mut Vec<Diagnostic>) -> Program {
    let Parsed { items, orphans, broken_names, routes, pages, templates, broken } = parsed;
    let incomplete = files.ids().any(|file| files.path(file).starts_with(CORE) && !files.is_readable(file));
    let declarations = Declarations::collect(items, broken_names, incomplete, diagnostics);
    let mut types = types::struct_table(&declarations, diagnostics);
    recursion::check(&declarations, &types, diagnostics);
    types::fill_struct_defaults(&declarations, &mut types, diagnostics);
    let consts = constants(&declarations, diagnostics);
    let signatures = functions::signatures(&declarations, &types, diagnostics);

    let known = routes::Known { files, declarations: &declarations, types: &types, signatures: &signatures };
    let table = routes::read(&known, &routes, diagnostics);
    let mut page_files: Vec<FileId> = table.pages.clone();
    let mut error_pages = Vec::new();
    for (status, path) in ERROR_PAGES {
        if let Some(file) = files.find(path) {
            let index = page_files.iter().position(|page| *page == file).unwrap_or_else(|| {
                page_files.push(file);
                page_files.len() - 1
            });
            error_pages.push((*status, index));
        }
    }

    let mut expander = Expander::new(files, &templates, &broken, diagnostics);
    let mut built = Vec::new();
    for file in page_files {
        let template = templates.contains_key(&file);
        let before = expander.diagnostics.len();
        let body: Block = if template { expander.page(file) } else { pages.get(&file).cloned().unwrap_or_default() };
        name_page(file, &mut expander.diagnostics[before..]);
        built.push(Page { file, body, template });
    }

    let world =
        World { files, declarations: &declarations, types: &types, signatures: &signatures, consts: &consts, used: RefCell::default() };
    check_bodies(&world, &orphans, &built, diagnostics);
    let mut actions = table.actions;
    add_called(&mut actions, &world);
    // Behind what the program is made of: no action is called by code that nothing runs.
    for (_, body) in pages.iter().filter(|(file, _)| !built.iter().any(|page| page.file == **file)) {
        check_unit(&world, &[], body, diagnostics);
    }
    let functions = into_functions(declarations, signatures);
    let contract = Contract {
        site: table.site,
        types,
        routes: table.routes,
        actions,
        error_pages: error_pages.iter().map(|(status, _)| *status).collect(),
        wanted: Wanted::default(),
    };
    Program { files: Vec::new(), contract, consts, functions, pages: built, entries: table.entries, error_pages }
}

/// Bodies of functions and pages. What could not be read of them hides no error of the rest.
fn check_bodies(world: &World<'_>, orphans: &[Block], pages: &[Page], diagnostics: &mut Vec<Diagnostic>) {
    for (decl, signature) in world.declarations.functions.iter().zip(world.signatures) {
        check_unit(world, &functions::locals(decl, signature), &decl.body, diagnostics);
    }
    for body in orphans {
        check_unit(world, &[], body, diagnostics);
    }
    for page in pages {
        let before = diagnostics.len();
        check_unit(world, &[], &page.body, diagnostics);
        name_page(page.file, &mut diagnostics[before..]);
    }
}

/// Adds the actions that no route publishes and code calls: their arguments are checked by the contract as well.
fn add_called(actions: &mut Vec<Action>, world: &World<'_>) {
    for &index in &*world.used.borrow() {
        let (Some(decl), Some(signature)) = (world.declarations.functions.get(index), world.signatures.get(index)) else { continue };
        if !decl.action || actions.iter().any(|action| action.name == decl.name.text) {
            continue;
        }
        let input = Struct { name: String::new(), description: None, fields: signature.params.clone() };
        actions.push(Action { name: decl.name.text.clone(), description: decl.description.clone(), input });
    }
}

/// What is wrong in a layout or partial may be so for one page only: names the page.
fn name_page(page: FileId, diagnostics: &mut [Diagnostic]) {
    for diagnostic in diagnostics {
        if diagnostic.span.file != page && !diagnostic.related.iter().any(|(span, _)| span.file == page) {
            diagnostic.related.push((Span { file: page, start: 0, end: 0 }, "na página que começa aqui".into()));
        }
    }
}

fn constants(declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Vec<(String, Value)> {
    let mut values: BTreeMap<&str, ()> = BTreeMap::new();
    let mut consts = Vec::new();
    for decl in &declarations.consts {
        let value = literal::literal_value(&decl.value, diagnostics);
        if let Some(value) = value
            && values.insert(&decl.name.text, ()).is_none()
        {
            consts.push((decl.name.text.clone(), value));
        }
    }
    consts
}

fn into_functions(declarations: Declarations, signatures: Vec<Signature>) -> Vec<Function> {
    let pairs = declarations.functions.into_iter().zip(signatures);
    pairs.map(|(decl, signature)| Function { action: decl.action, name: decl.name, params: signature.params, body: decl.body }).collect()
}
