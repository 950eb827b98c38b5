//! The djo language: source to a checked program to bytecode.

pub mod ast;
pub mod program;
