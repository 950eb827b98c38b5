//! Components: how one is made of a compiled site, recognised as ours, and read without being run.

mod runtime;

pub use runtime::RUNTIME;
