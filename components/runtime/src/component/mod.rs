//! What touches the component's imports and exports; all else is pure.

mod doors;
mod http;
mod machine;
mod outside;
mod panic;
mod typed;

mod bindings {
    #![allow(missing_docs, unsafe_code, unreachable_pub, unused_qualifications, clippy::all)] // Generated.
    wit_bindgen::generate!({
        path: "../../wit",
        world: "runtime",
        generate_all,
        pub_export_macro: true,
        default_bindings_module: "crate::component::bindings",
    });
}

#[global_allocator]
static HEAP: djo_guest_sdk::Heap = djo_guest_sdk::Heap::new();
