//! The djo machine as a component: one runtime for every djo site, with two doors.
//!
//! The typed door (`djo:site/handler`) trusts the host that calls it; the `wasi:http` door trusts nobody and matches, negotiates and decodes
//! for itself by the same `djo_contract`. Written straight on the bindings, without std: what is not imported cannot be reached, and
//! what does not run cannot slow an instance that lives for one request.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![cfg(target_arch = "wasm32")]

extern crate alloc;

mod doors;
mod machine;
mod outside;
mod panic;
mod typed;

mod bindings {
    #![allow(missing_docs, unsafe_code, unreachable_pub, unused_qualifications, clippy::all)] // Generated.
    wit_bindgen::generate!({ path: "../../wit", world: "runtime", generate_all, pub_export_macro: true, default_bindings_module: "crate::bindings" });
}

#[global_allocator]
static HEAP: djo_heap::Heap = djo_heap::Heap::new();
