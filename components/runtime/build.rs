//! Fixes the guest's memory layout when it is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        // A small stack lies first, then data, then the heap. The initial memory holds what a usual request needs, so that none grows it;
        // it is not larger, since what a host keeps resident it also clears after each request.
        println!("cargo:rustc-link-arg=-zstack-size=65536");
        println!("cargo:rustc-link-arg=--initial-memory=393216");
    }
}
