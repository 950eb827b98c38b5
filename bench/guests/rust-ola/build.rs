//! What makes a guest quick to start: a small stack, and a heap that is there from the beginning.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-link-arg=-zstack-size=65536");
    println!("cargo:rustc-link-arg=--initial-memory=262144");
}
