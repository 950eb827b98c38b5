//! The data as a component.

mod context;
mod exports;
mod log;
mod outbound;
mod store;

mod bindings {
    #![allow(missing_docs, unsafe_code, unreachable_pub, unused_qualifications, clippy::all)] // Generated.
    wit_bindgen::generate!({ path: "../../wit", world: "portable", generate_all, pub_export_macro: true, default_bindings_module: "crate::component::bindings" });
}

#[global_allocator]
static HEAP: djo_guest_sdk::rt::Heap = djo_guest_sdk::rt::Heap::new();

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
