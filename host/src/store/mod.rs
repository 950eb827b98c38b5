//! Durable data of the sites: one SQLite file each, opened at first use and closed when idle.
//!
//! What a site sees is the `store` interface of `wit/site.wit`: collections of keys with opaque values, atomic per key.
//! [`Stores`] belongs to the host, [`SiteStore`] to one site. Every operation is short and blocking: microseconds for a read,
//! tens of microseconds for a write, which is committed (and survives the process) when the call returns.

mod connections;
mod continuations;
mod error;
mod executions;
mod limits;
mod registry;
mod schema;
mod share;
mod site_store;

pub use continuations::Retained;
pub use error::StoreError;
pub use executions::{Claim, MAX_BODY, NewExecution, Outcome, Scope, Standing};
pub use limits::{MAX_COLLECTION_BYTES, MAX_KEY_BYTES, MAX_LIST_LIMIT, MAX_PAGE_BYTES, MAX_VALUE_BYTES};
pub use registry::{StoreSettings, Stores};
pub use site_store::{Page, SiteStore};

#[cfg(test)]
mod tests;
