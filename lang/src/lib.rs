//! The djo language: source to a checked program to bytecode.

pub mod ast;
mod check;
pub mod diagnostic;
pub mod lower;
pub mod program;
mod routes;
pub mod source;
mod syntax;
mod template;

pub use crate::{
    check::{Checked, check},
    diagnostic::{Diagnostic, Severity},
    source::Sources,
};
