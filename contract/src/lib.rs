//! The vocabulary of a djo site: values, types, routes, actions, and what follows from them.
//!
//! Pure: no I/O, no async, no wasm. `no_std`, so that the host and the runtime component decode,
//! route and negotiate by the same code. Source of every rule: the HTTP contract and the tool boundary.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

#[cfg(test)]
mod arbitrary;
pub mod bounds;
pub mod cookie;
pub mod decode;
pub mod fetch;
pub mod field;
#[cfg(test)]
mod fixture;
pub mod form;
pub mod format;
pub mod issue;
pub mod json;
pub mod link;
pub mod manifest;
pub mod media;
pub mod model;
pub mod negotiate;
pub mod path;
pub mod pattern;
pub mod range;
pub mod refusal;
pub mod route;
pub mod schema;
pub mod section;
pub mod select;
pub mod session;
pub mod strict;
pub mod table;
pub mod tool;
pub mod types;
pub mod value;
pub mod wire;
