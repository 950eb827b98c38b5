//! Sites for `djo-host`, written in Rust. `docs/rust.md` tells how, `sites/loja` is one.
//!
//! A site is a module: its structs are the contract's types, its functions pages, agent faces and actions. `#[djo::site]` computes the
//! contract while compiling, by the same crate that hosts go by, and makes the component's two doors.
#![no_std]

extern crate alloc;
#[cfg(not(target_arch = "wasm32"))]
extern crate std;

#[doc(hidden)]
pub mod bindings;
pub mod content;
mod context;
mod cookie;
pub mod data;
mod error;
mod html;
pub mod http;
#[doc(hidden)]
pub mod incoming;
pub mod log;
mod outside;
mod page;
pub mod prelude;
pub mod random;
#[doc(hidden)]
pub mod respond;
#[doc(hidden)]
pub mod rt;
mod session;
mod site;
mod store;
#[cfg(not(target_arch = "wasm32"))]
pub mod testing;
pub mod time;
mod web;

pub use content::Content;
pub use context::Context;
pub use cookie::{Cookie, SameSite};
pub use data::{Data, Value};
#[cfg(feature = "macros")]
#[cfg(feature = "macros")]
pub use djo_guest_macros::{action, agent, data, error_page, html, screen, site};
pub use error::{Directive, Error, Refusal, Result};
pub use html::{Html, Place, Render, UrlPlace};
pub use page::Page;
pub use respond::{Redirect, Respond};
pub use session::Session;
pub use site::{Around, Entry, Failure, File, Frame, Hosted, PageBounds, Request, Response, Site};
pub use store::{Collection, Items, Key, List, StoreError};
