//! The djo machine as a component: one runtime for every djo site, with two doors.
//!
//! The typed door (`djo:site/handler`) trusts the host that calls it; the `wasi:http` door trusts nobody and matches, negotiates and decodes
//! for itself by the same `djo_contract`. Written straight on the bindings, without std: what is not imported cannot be reached, and
//! what does not run cannot slow an instance that lives for one request.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![cfg(any(target_arch = "wasm32", test))]

extern crate alloc;

#[cfg(target_arch = "wasm32")]
mod component;
mod web;
