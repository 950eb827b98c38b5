//! A checked program: what the checker hands to lowering. Every name in it resolves, every literal fits.
//!
//! Names resolve without scopes, since a local may not take the name of a function, struct, constant or module:
//! a name is the function, struct or constant of that name when there is one, else a local. A call on a member chain
//! whose base is no local is a builtin, `Module.name`.

use djo_contract::{model::Contract, types::Field, value::Value};

use crate::ast::{Block, FileId, Name};

/// A site, checked.
#[derive(Debug, Default)]
pub struct Program {
    /// The files that spans point into, with paths relative to the site's root.
    pub files: Vec<SourceFile>,
    /// Routes, actions, and the struct table ([`Contract::types`]), which also holds structs that no route shows.
    pub contract: Contract,
    /// Constants, in order of declaration.
    pub consts: Vec<(String, Value)>,
    /// Functions and actions of `core/`, in order of file path and declaration.
    pub functions: Vec<Function>,
    /// Pages, agent faces and error pages that routes name, each once.
    pub pages: Vec<Page>,
    /// For each route of the contract, in its order: what runs for each face.
    pub entries: Vec<Entry>,
    /// The site's own error pages: status and index into `pages`.
    pub error_pages: Vec<(u16, usize)>,
}

/// A source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// Relative to the site's root, with `/`.
    pub path: String,
    /// Its text, without a BOM.
    pub text: String,
}

/// A function or action.
#[derive(Debug)]
pub struct Function {
    /// Declared with `action`.
    pub action: bool,
    /// Its name.
    pub name: Name,
    /// Parameters; an untyped one has [`djo_contract::types::Kind::Any`]. Defaults are complete values.
    pub params: Vec<Field>,
    /// Its statements.
    pub body: Block,
}

/// A page or agent face: code without parameters.
#[derive(Debug)]
pub struct Page {
    /// Its file, for traces.
    pub file: FileId,
    /// Its statements, with layout and includes already in place.
    pub body: Block,
    /// Written as a template (`.djo.html`): what it writes is an HTML body.
    pub template: bool,
}

/// What runs for a route; indices into `pages` and `functions`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Entry {
    /// The screen's page.
    pub screen: Option<usize>,
    /// The agent's page.
    pub agent: Option<usize>,
    /// The action's function.
    pub action: Option<usize>,
}
