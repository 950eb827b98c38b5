//! Fixes the guest's memory layout when it is linked.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "wasm32") {
        // A small stack and little memory: a store that grows asks for more.
        println!("cargo:rustc-link-arg=-zstack-size=16384");
        println!("cargo:rustc-link-arg=--initial-memory=131072");
    }
}
