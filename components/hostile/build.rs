//! Fixes the guest's memory layout when it is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        // A stack that one runs out of soon.
        println!("cargo:rustc-link-arg=-zstack-size=65536");
        println!("cargo:rustc-link-arg=--initial-memory=262144");
    }
}
