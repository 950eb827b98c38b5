//! The names of `core/`: one namespace for functions, actions, structs and constants.

use std::collections::{BTreeMap, BTreeSet};

use djo_vm::builtins::is_reserved;

use crate::{
    ast::{ConstDecl, FunctionDecl, Item, Name, Span, StructDecl},
    diagnostic::{Diagnostic, codes},
};

/// What a name of `core/` stands for; indices into [`Declarations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Symbol {
    Function(usize),
    Struct(usize),
    Const(usize),
}

/// The declarations of `core/`, each under its name.
#[derive(Debug, Default)]
pub(crate) struct Declarations {
    pub(crate) functions: Vec<FunctionDecl>,
    pub(crate) structs: Vec<StructDecl>,
    pub(crate) consts: Vec<ConstDecl>,
    symbols: BTreeMap<String, (Symbol, Span)>,
    /// Names whose declaration could not be read: nothing more is said about them.
    pub(crate) broken: BTreeSet<String>,
    /// Some file of `core/` could not be read: any name may be declared there.
    pub(crate) incomplete: bool,
}

/// Whether the language itself has this name: a module, a builtin, a type.
pub(crate) fn is_language_name(name: &str) -> bool {
    is_reserved(name) || matches!(name, "Bool" | "Route")
}

impl Declarations {
    pub(crate) fn collect(items: Vec<Item>, broken: BTreeSet<String>, incomplete: bool, diagnostics: &mut Vec<Diagnostic>) -> Self {
        let mut declarations = Self { broken, incomplete, ..Self::default() };
        for item in items {
            let (name, symbol) = match &item {
                Item::Const(decl) => (&decl.name, Symbol::Const(declarations.consts.len())),
                Item::Struct(decl) => (&decl.name, Symbol::Struct(declarations.structs.len())),
                Item::Function(decl) => (&decl.name, Symbol::Function(declarations.functions.len())),
            };
            declarations.declare(name, symbol, diagnostics);
            match item {
                Item::Const(decl) => declarations.consts.push(decl),
                Item::Struct(decl) => declarations.structs.push(decl),
                Item::Function(decl) => declarations.functions.push(decl),
            }
        }
        declarations
    }

    fn declare(&mut self, name: &Name, symbol: Symbol, diagnostics: &mut Vec<Diagnostic>) {
        if is_language_name(&name.text) {
            let message = format!("`{}` já é um nome da linguagem", name.text);
            diagnostics.push(Diagnostic::error(codes::RESERVED_NAME, name.span, message).hint("escolha outro nome"));
            return;
        }
        if let Some((_, first)) = self.symbols.get(&name.text) {
            let message = format!("`{}` já foi declarado", name.text);
            let diagnostic = Diagnostic::error(codes::DUPLICATE_NAME, name.span, message).related(*first, "a primeira declaração");
            diagnostics.push(diagnostic.hint("os arquivos de `core/` dividem um só espaço de nomes"));
            return;
        }
        self.symbols.insert(name.text.clone(), (symbol, name.span));
    }

    /// Whether nothing can be said about a name, since its declaration could not be read.
    pub(crate) fn is_broken(&self, name: &str) -> bool {
        self.incomplete || self.broken.contains(name)
    }

    pub(crate) fn find(&self, name: &str) -> Option<Symbol> {
        self.symbols.get(name).map(|(symbol, _)| *symbol)
    }

    /// Where a name is declared.
    pub(crate) fn span(&self, name: &str) -> Option<Span> {
        self.symbols.get(name).map(|(_, span)| *span)
    }

    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.symbols.keys().map(String::as_str)
    }

    pub(crate) fn struct_names(&self) -> impl Iterator<Item = &str> {
        self.structs.iter().map(|decl| decl.name.text.as_str())
    }

    pub(crate) fn action_names(&self) -> impl Iterator<Item = &str> {
        self.functions.iter().filter(|decl| decl.action).map(|decl| decl.name.text.as_str())
    }
}
