//! A guest that does what a site must not, one way for each path: the tests run it beside a site that behaves.
//!
//! Without a contract it is a plain wasi:http application; with one, which the tests write into it, it is called through the typed door.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![cfg(target_arch = "wasm32")]
#![allow(unsafe_code, unreachable_pub)] // The export macro makes the entry points that the canonical ABI calls.

extern crate alloc;

mod exhaust;
mod streamed;
mod typed;

mod bindings {
    #![allow(missing_docs, unsafe_code, unreachable_pub, unused_qualifications, clippy::all)] // Generated.
    wit_bindgen::generate!({
        path: "../../wit",
        inline: "
            package djo:hostile;
            world hostile {
                include djo:site/site@0.1.0;
                import wasi:clocks/monotonic-clock@0.2.12;
            }
        ",
        world: "djo:hostile/hostile",
        generate_all,
        pub_export_macro: true,
        default_bindings_module: "crate::bindings",
    });
}

/// Implements each exported interface, each in the module of its name.
struct Hostile;

bindings::export!(Hostile with_types_in bindings);

#[global_allocator]
static HEAP: djo_guest_sdk::rt::Heap = djo_guest_sdk::rt::Heap::new();

/// What an instance does before it is called at all: the request says what in a header.
#[unsafe(no_mangle)]
extern "C" fn _initialize() {
    if let Some(how) = bindings::djo::site::context::header("x-hostile-start") {
        exhaust::exhaust(&how);
    }
}

#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}
