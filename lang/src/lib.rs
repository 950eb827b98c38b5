//! The djo language: source to a checked program to bytecode.

pub mod ast;
mod check;
mod compile;
pub mod diagnostic;
pub mod lower;
pub mod program;
mod routes;
pub mod source;
mod syntax;
mod template;

pub use crate::{
    check::{Checked, check},
    compile::{Compiled, Failed, compile},
    diagnostic::{Diagnostic, Severity},
    source::Sources,
};
