//! The whole way: sources to the image that the machine runs, and the contract that the host reads.

use djo_contract::model::Contract;

use crate::{
    ast::{FileId, Span},
    check::check,
    diagnostic::{Diagnostic, codes},
    lower::{LowerError, lower},
    program::{Program, SourceFile},
    source::Sources,
};

/// A site, compiled.
#[derive(Debug)]
pub struct Compiled {
    /// The program image.
    pub image: Vec<u8>,
    /// What the site offers.
    pub contract: Contract,
    /// Warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// What their spans point into.
    pub files: Vec<SourceFile>,
}

/// Why a site does not compile.
#[derive(Debug, thiserror::Error)]
#[error("o site não compila")]
pub struct Failed {
    /// All errors and warnings; there is at least one error.
    pub diagnostics: Vec<Diagnostic>,
    /// What their spans point into.
    pub files: Vec<SourceFile>,
}

/// Compiles a site. Same sources, same bytes.
///
/// # Errors
/// Everything that is wrong with it.
pub fn compile(sources: &Sources) -> Result<Compiled, Failed> {
    let checked = check(sources);
    let mut diagnostics = checked.diagnostics;
    let Some(program) = checked.program else {
        return Err(Failed { diagnostics, files: checked.files });
    };
    match lower(&program) {
        Ok(image) => Ok(Compiled { image, contract: program.contract, diagnostics, files: checked.files }),
        Err(error) => {
            diagnostics.push(Diagnostic::error(codes::TOO_DEEP, place(&program, &error), error.to_string()));
            Err(Failed { diagnostics, files: checked.files })
        }
    }
}

/// Where a limit was passed, as far as the error names it.
fn place(program: &Program, error: &LowerError) -> Span {
    let (LowerError::Registers(name) | LowerError::Arguments(name)) = error else { return Span::default() };
    if let Some(function) = program.functions.iter().find(|function| function.name.text == *name) {
        return function.name.span;
    }
    let file = program.files.iter().position(|file| file.path == *name).unwrap_or(0);
    Span { file: FileId(file as u32), start: 0, end: 0 }
}
