//! Fixes the guest's memory layout when it is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        // A small stack lies first, then data, then the heap. The initial memory holds what a large request needs, so that few grow it;
        // a host need not keep all of it resident.
        println!("cargo:rustc-link-arg=-zstack-size=65536");
        println!("cargo:rustc-link-arg=--initial-memory=524288");
        // For hosts without a limit of their own.
        println!("cargo:rustc-link-arg=--max-memory=268435456");
    }
}
