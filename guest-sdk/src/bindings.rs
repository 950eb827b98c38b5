//! What wit-bindgen makes of `wit/site.wit`: the imports of any site, and its two doors.
#![allow(missing_docs, unsafe_code, unreachable_pub, unused_qualifications, clippy::all)] // Generated.

wit_bindgen::generate!({
    path: "../wit",
    world: "site",
    generate_all,
    pub_export_macro: true,
    default_bindings_module: "djo_guest_sdk::bindings",
});
