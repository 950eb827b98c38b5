//! What a site offers, as data: the content of the `djo:contract` custom section.

use alloc::{string::String, vec::Vec};

use crate::types::{Struct, Type, Types};

/// Everything a host needs to know of a site without running it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contract {
    /// `Route.site`.
    pub site: Option<Site>,
    /// The struct table that every type below indexes.
    pub types: Types,
    /// The lines of `rotas.djo`, in order. A request is matched to an index of this list.
    pub routes: Vec<Route>,
    /// The published actions, in the order in which routes name them first; then those that only the site's own code
    /// calls, whose arguments are checked all the same. What is offered is what a route names.
    pub actions: Vec<Action>,
    /// Statuses for which the site has a page of its own (404, 500).
    pub error_pages: Vec<u16>,
    /// What the site asks of its host.
    pub wanted: Wanted,
}

/// What a site asks of its host, as its settings had it when it was built. A host decides what it gives.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Wanted {
    /// Host names to answer to.
    pub hosts: Vec<String>,
    /// Limits other than the usual: their names in `[limits]` of `site.toml`, sizes in bytes.
    pub limits: Vec<(String, u64)>,
    /// Seconds that caches may keep a static file, at most [`Wanted::MOST_MAX_AGE`]; `None`: the usual.
    pub max_age: Option<u32>,
}

impl Wanted {
    /// Seconds that caches may keep a static file where nothing else is said.
    pub const MAX_AGE: u32 = 3600;
    /// And at most: a year.
    pub const MOST_MAX_AGE: u32 = 31_536_000;

    /// What holds of a limit where a host has nothing to say but the usual: a site may ask for less of it, not for more.
    pub fn limit(&self, name: &str, usual: u64) -> u64 {
        self.limits.iter().find(|(held, _)| held == name).map_or(usual, |(_, wanted)| usual.min(*wanted))
    }
}

/// How the site presents itself to agents.
#[derive(Clone, Debug, PartialEq)]
pub struct Site {
    /// Its name, at most 300 characters.
    pub nome: String,
    /// What it is, at most 300 characters.
    pub about: String,
}

/// An HTTP method that a route can declare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs)]
pub enum Method {
    Get,
    Post,
    Put,
    Patch,
    Delete,
}

impl Method {
    /// All of them, in the order in which `Allow` lists them.
    pub const ALL: [Self; 5] = [Self::Get, Self::Post, Self::Put, Self::Patch, Self::Delete];

    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
            Self::Put => "PUT",
            Self::Patch => "PATCH",
            Self::Delete => "DELETE",
        }
    }

    /// The method of that name, in upper case.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.as_str() == name)
    }
}

/// One line of `rotas.djo`.
#[derive(Clone, Debug, PartialEq)]
pub struct Route {
    /// The method it answers.
    pub method: Method,
    /// As written: `/posts/{id}`.
    pub path: String,
    /// Description for the manifest.
    pub about: Option<String>,
    /// Has a screen face (`html`).
    pub screen: bool,
    /// Has an agent face (`agent`).
    pub agent: bool,
    /// The action it publishes: an index into [`Contract::actions`]. Then `screen` and `agent` are false.
    pub action: Option<usize>,
    /// The declared type of the agent face's or the action's result.
    pub returns: Option<Type>,
    /// Seconds that a response may be kept.
    pub cache: Option<u32>,
    /// The tool's name, where it is declared.
    pub tool: Option<String>,
    /// Declared query parameters, checked and converted; others are ignored. All optional.
    pub query: Vec<(String, Type)>,
    /// Options of an action's route.
    pub options: ActionOptions,
}

impl Route {
    /// A route with nothing declared yet.
    pub fn new(method: Method, path: impl Into<String>) -> Self {
        Self {
            method,
            path: path.into(),
            about: None,
            screen: false,
            agent: false,
            action: None,
            returns: None,
            cache: None,
            tool: None,
            query: Vec::new(),
            options: ActionOptions::default(),
        }
    }
}

/// What the options of `Route.action` say.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ActionOptions {
    /// none, read, write, external_write, destructive.
    pub effect: Option<String>,
    /// Running it twice is as running it once.
    pub idempotent: Option<bool>,
    /// `required` or `none`.
    pub confirmation: Option<String>,
    /// Milliseconds; lowers the site's own time-out.
    pub timeout_ms: Option<u32>,
    /// The action that this one continues.
    pub continues: Option<String>,
    /// An example input.
    pub example: Option<crate::value::Value>,
}

/// The input of what takes `{}` and nothing else.
pub static NOTHING: Action =
    Action { name: String::new(), description: None, input: Struct { name: String::new(), description: None, fields: Vec::new() } };

/// A typed POST.
#[derive(Clone, Debug, PartialEq)]
pub struct Action {
    /// Its name in `core/`.
    pub name: String,
    /// Its description.
    pub description: Option<String>,
    /// All its parameters, in order, with their sources.
    pub input: Struct,
}
