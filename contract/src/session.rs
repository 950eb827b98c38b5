//! The names that everybody who reads a session agrees on: guests that keep one, doors and hosts that fill parameters out of it.

/// The cookie that holds a session's id.
pub const COOKIE: &str = "djo_sessao";
/// The store's collection that holds sessions, by id: each a Map in the store's wire format.
pub const COLLECTION: &str = "_djo.sessao";
/// Collections of the product itself begin so; a site's code cannot name them.
pub const RESERVED_PREFIX: &str = "_djo.";
