//! The djo machine as a component: one runtime for every djo site, with the two doors of `djo_guest_sdk`.
//!
//! Written straight on the bindings, without std: what is not imported cannot be reached, and what does not run cannot slow an instance
//! that lives for one request.
#![no_std]
#![cfg(target_arch = "wasm32")]

extern crate alloc;

mod component;
