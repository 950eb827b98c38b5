//! The tools of a site, as data: what every door for agents lists and calls. Source: agent execution §1, the tool boundary §3.
//!
//! A tool is an action's route or the agent face of a GET route. It has two contracts: the *model input*, which callers send and schemas
//! publish, and the *execution input*, which the code receives: defaults, path parameters, injected parameters, the retained request.

mod catalogue;
mod example;
mod name;
mod refusal;

use alloc::{string::String, vec::Vec};

pub use catalogue::{Catalogue, ToolError};
pub use name::{derived_name, is_valid_name};
pub use refusal::{RefusalKind, ToolRefusal};

use crate::{
    decode::decode_arguments,
    issue::{Issue, Issues},
    model::{Action, Contract, NOTHING, Route},
    path::Path,
    schema::{returns_schema, tool_schema},
    types::{Field, Kind, Presence, Struct, Types},
    value::Value,
};

/// The query parameter, or the parameter of an action, that says which page is asked for.
pub const CURSOR: &str = "cursor";
/// The query parameter of a continuation's route that names the request whose next page is asked for.
pub const CONTINUATION: &str = "continuation";
/// The argument of a GET tool that chooses fields of its result.
pub const SELECTION: &str = "campos";

/// What a call may do beyond answering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Nothing: the answer follows from the arguments.
    None,
    /// It reads data of the site.
    Read,
    /// It writes data of the site.
    Write,
    /// It changes something outside the site.
    ExternalWrite,
    /// It destroys what cannot be had again.
    Destructive,
}

impl Effect {
    /// All of them, the harmless first.
    pub const ALL: [Self; 5] = [Self::None, Self::Read, Self::Write, Self::ExternalWrite, Self::Destructive];

    /// As catalogues write it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Read => "read",
            Self::Write => "write",
            Self::ExternalWrite => "external_write",
            Self::Destructive => "destructive",
        }
    }

    /// The effect of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|effect| effect.as_str() == name)
    }

    /// Whether a call changes nothing.
    pub fn is_harmless(self) -> bool {
        self <= Self::Read
    }
}

/// One tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    /// Unique in its site: 1 to 64 of `A-Za-z0-9_-`.
    pub name: String,
    /// What it does; empty when nobody said.
    pub description: String,
    /// The route it runs by: an index into [`Contract::routes`].
    pub route: usize,
    /// The action it runs, by its index in [`Contract::actions`]; `None` runs the agent face of a GET route.
    pub action: Option<usize>,
    /// What a call may do.
    pub effect: Effect,
    /// Running it twice is as running it once.
    pub idempotent: bool,
    /// Calls may run beside each other: always, since each has an instance of its own.
    pub parallel_safe: bool,
    /// A person must confirm each call.
    pub confirmation: bool,
    /// Milliseconds; lowers the site's own time-out.
    pub timeout_ms: Option<u32>,
    /// The tool whose results this one continues: it takes `{}` and nothing else.
    pub continues: Option<String>,
    /// The route by which a next page of its results is asked for.
    pub next_page: usize,
    /// An input that it takes.
    pub example: Option<Value>,
    /// The model input. Its name is empty.
    input: Action,
}

impl Tool {
    /// What a caller may send.
    pub fn input(&self) -> &Struct {
        &self.input.input
    }

    /// The model input as what an action takes.
    pub fn model(&self) -> &Action {
        &self.input
    }

    /// The schema of what a caller may send.
    pub fn input_schema(&self, types: &Types) -> Value {
        tool_schema(types, &self.input)
    }

    /// The schema of what it answers; `{}` when nothing is declared.
    pub fn output_schema(&self, contract: &Contract) -> Value {
        let returns = contract.routes.get(self.route).and_then(|route| route.returns.as_ref());
        returns.map_or_else(|| Value::Map(Vec::new()), |returns| returns_schema(&contract.types, returns))
    }

    /// Whether a call may be sent again without harm, whatever became of the first.
    pub fn is_repeatable(&self) -> bool {
        self.idempotent || self.effect.is_harmless()
    }

    /// Whether its answer may be kept for the same arguments.
    pub fn is_cacheable(&self) -> bool {
        self.idempotent && self.effect.is_harmless()
    }

    /// Whether what was sent is `{}`, all that a next page takes.
    ///
    /// # Errors
    /// What else it is.
    pub fn takes_nothing(arguments: &Value) -> Result<(), Issues> {
        decode_arguments(&Types::default(), &NOTHING, None, arguments.clone()).map(drop)
    }

    /// Decodes what a caller sent: the model input with its defaults filled.
    ///
    /// # Errors
    /// All issues, in the order of the parameters.
    pub fn decode(&self, types: &Types, arguments: Value) -> Result<Value, Issues> {
        decode_arguments(types, &self.input, None, arguments)
    }
}

/// What a first request of an action may send, where its next pages are a continuation's to give: all but the cursor. `None` where all that
/// it takes may be sent.
pub fn first_input(contract: &Contract, route: &Route, action: &Action) -> Option<Action> {
    let name = route.tool.as_ref().unwrap_or(&action.name);
    if !contract.routes.iter().any(|other| other.options.continues.as_ref() == Some(name)) {
        return None;
    }
    let mut first = action.clone();
    first.input.fields.retain(|field| !is_cursor(field));
    Some(first)
}

/// What is wrong with a first request that says in its query which page it wants.
pub fn cursor_in_query() -> Issues {
    let mut issues = Issues::default();
    issues.add(|| Issue::unknown(&Path::ROOT.name(CURSOR), CURSOR, &[], "o cursor é da continuação, não do primeiro pedido"));
    issues
}

/// A parameter that continuations fill: it is in the execution input alone.
pub(crate) fn is_cursor(field: &Field) -> bool {
    field.name == CURSOR && field.ty.kind == Kind::String && field.presence != Presence::Required
}

#[cfg(test)]
mod tests;
