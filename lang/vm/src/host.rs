//! The machine's whole outside: what it asks of its host, what it is given and what it answers.

use alloc::{string::String, vec::Vec};

/// One request, matched and decoded.
#[derive(Clone, Debug, Default)]
pub struct Request {
    /// Upper case.
    pub method: String,
    /// As sent, still percent-encoded, without the query.
    pub path: String,
    /// The raw query, without `?`.
    pub query: String,
    /// The body as sent. Of an action: empty when `arguments` says it all.
    pub body: Vec<u8>,
    /// Values of the path's `{names}`, decoded.
    pub params: Vec<(String, String)>,
    /// The decoded arguments of an action (or the declared query parameters of a GET route): a JSON object,
    /// defaults filled, checked against the contract. Empty when there are none.
    pub arguments: Vec<u8>,
    /// What to run.
    pub entry: Entry,
}

/// What to run, by the contract's order of routes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    /// The screen face of a route.
    Screen(u32),
    /// The agent face of a route.
    Agent(u32),
    /// The action that a route publishes.
    Action(u32),
    /// The site's own page for a status.
    ErrorPage(u16),
}

impl Default for Entry {
    fn default() -> Self {
        Self::ErrorPage(404)
    }
}

/// What a run answered.
#[derive(Clone, Debug, Default)]
pub struct Response {
    /// HTTP status.
    pub status: u16,
    /// Headers in the order set: `content-type` when there is a body, `location`, `set-cookie`, the site's own.
    /// Names are lower case and checked; values hold no control characters.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// The bounds of a `Pagina` result.
    pub page: Option<PageBounds>,
}

/// What `Pagina:{…}` says beside its items.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PageBounds {
    /// Items in this page.
    pub returned: u64,
    /// There is more.
    pub truncated: bool,
    /// How many there are in all.
    pub total: Option<u64>,
    /// How to ask for less.
    pub refinement_hint: Option<String>,
    /// Asks for the next page.
    pub next_cursor: Option<String>,
}

/// Why a run ended without an answer: an uncaught error of the site's code.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Failure {
    /// What went wrong, in Portuguese; may hold the site's own data: for the log and `--dev` only.
    pub message: String,
    /// `erro` (raised by `fail:`), `tipo`, `nome`, `indice`, `conta`, `limite`, `entrada`, `store`, `http`, or a tool's kind of refusal;
    /// `imagem` (the program is not what lowering writes) and `tempo` (the step budget of `run_within`), which code cannot catch.
    pub kind: String,
    /// Relative to the site's root.
    pub file: String,
    /// From 1; 0 when it is not known.
    pub line: u32,
    /// The calls that led there, innermost first: function, file, line.
    pub trace: Vec<(String, String, u32)>,
    /// What `fail:` was given beside the message, as JSON: a tool's own refusal.
    pub refusal: Option<Vec<u8>>,
}

/// A call to another server, as the site's code asks for it: whoever makes it checks it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Call {
    /// Upper case.
    pub method: String,
    /// Absolute.
    pub url: String,
    /// As given.
    pub headers: Vec<(String, String)>,
    /// Empty for none.
    pub body: Vec<u8>,
    /// The most that it may take; `None` for as long as the run may wait.
    pub timeout_ms: Option<u32>,
}

/// What the other server answered, after redirects.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reply {
    /// HTTP status.
    pub status: u16,
    /// Names in lower case; of one name there may be several.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// How loud a log line is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Level {
    /// `print:`
    Print,
    Info,
    Warn,
    Error,
}

/// An answer of a host call: the error is a message for the site's code, which may catch it.
pub type HostResult<T> = Result<T, String>;

/// A page of a listing: keys with their encoded values, by key, and where the next page starts.
pub type StorePage = (Vec<(String, Vec<u8>)>, Option<String>);

/// What the machine asks of whoever runs it. Values of the store are opaque bytes (`djo_contract::wire`).
pub trait Host {
    /// The site's contract as JSON (`djo_contract::section`), asked for only where a call from code injects the site's name.
    fn contract(&mut self) -> Vec<u8>;
    /// A request header by lower-case name; several of one name are joined by `, `, cookies by `; `.
    fn header(&mut self, name: &str) -> Option<String>;
    /// The client's address as text.
    fn client_ip(&mut self) -> String;
    /// The request came over TLS.
    fn secure(&mut self) -> bool;
    /// The request's id.
    fn request_id(&mut self) -> String;
    /// Milliseconds since 1970.
    fn now(&mut self) -> i64;
    /// Fills the buffer from a source fit for secrets.
    fn random(&mut self, buffer: &mut [u8]);
    /// One line into the site's log.
    fn log(&mut self, level: Level, message: &str);
    /// Reports progress of a tool.
    fn progress(&mut self, done: f64, total: Option<f64>, message: Option<&str>);
    /// Calls another server.
    fn fetch(&mut self, call: Call) -> HostResult<Reply>;
    /// The value under a key.
    fn store_get(&mut self, collection: &str, key: &str) -> HostResult<Option<Vec<u8>>>;
    /// Writes a value.
    fn store_set(&mut self, collection: &str, key: &str, value: &[u8]) -> HostResult<()>;
    /// Removes a key; tells whether it was there.
    fn store_delete(&mut self, collection: &str, key: &str) -> HostResult<bool>;
    /// Keys that start with `prefix`, after `cursor`, at most `limit`.
    fn store_list(&mut self, collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> HostResult<StorePage>;
    /// How many keys a collection has.
    fn store_count(&mut self, collection: &str) -> HostResult<u64>;
    /// Adds to a number (an absent one is 0) and answers the sum.
    fn store_increment(&mut self, collection: &str, key: &str, delta: i64) -> HostResult<i64>;
    /// Writes `new` (`None` removes) only when the key holds `old` (`None`: is absent), byte for byte; tells whether it did.
    fn store_compare_and_swap(&mut self, collection: &str, key: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> HostResult<bool>;
    /// The next number of a collection's own sequence, from 1.
    fn store_next_id(&mut self, collection: &str) -> HostResult<i64>;
}
