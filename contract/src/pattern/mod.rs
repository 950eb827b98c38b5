//! Patterns of Strings: RE2 syntax, matched in linear time, meaning what the published JSON Schema says.
//!
//! A pattern is compiled where sites are built and hosted (the feature `compile`); what guests get is the program, so that they
//! carry neither a parser nor the tables of Unicode, and spend nothing on compiling.

#[cfg(feature = "compile")]
mod compile;
#[cfg(feature = "compile")]
mod problem;
mod program;
mod run;
mod text;
#[cfg(feature = "compile")]
mod translate;

use alloc::boxed::Box;
#[cfg(feature = "compile")]
use alloc::string::String;
use core::fmt;

use once_cell::race::OnceBox;
pub use program::Program;

/// Longest pattern, in bytes.
pub const LIMIT: usize = 4096;

/// A pattern's program, made when it is first needed and kept as long as the type it belongs to.
#[derive(Default)]
pub struct Compiled(OnceBox<Option<Program>>);

impl Compiled {
    /// The program that came with a contract.
    pub fn from_program(program: Program) -> Self {
        Self(OnceBox::with_value(Box::new(Some(program))))
    }

    /// The program of `pattern`, which must be the same each time. `None` for an invalid pattern, which no checked contract has,
    /// and where there is no compiler and none came with the contract.
    pub fn program(&self, pattern: &str) -> Option<&Program> {
        self.0.get_or_init(|| Box::new(compiled(pattern))).as_ref()
    }

    /// Whether the text matches somewhere. Without a program nothing matches.
    pub fn is_match(&self, pattern: &str, text: &str) -> bool {
        self.program(pattern).is_some_and(|program| program.is_match(text))
    }
}

impl Clone for Compiled {
    fn clone(&self) -> Self {
        self.0.get().map_or_else(Self::default, |program| Self(OnceBox::with_value(Box::new(program.clone()))))
    }
}

/// Two types are equal by their patterns, whether these were needed yet or not.
impl PartialEq for Compiled {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Compiled")
    }
}

/// Checks a pattern.
///
/// # Errors
/// Why it cannot be used, in one line.
#[cfg(feature = "compile")]
pub fn check(pattern: &str) -> Result<(), String> {
    compile::compile(pattern).map(|_| ())
}

#[cfg(feature = "compile")]
fn compiled(pattern: &str) -> Option<Program> {
    compile::compile(pattern).ok()
}

#[cfg(not(feature = "compile"))]
fn compiled(_: &str) -> Option<Program> {
    None
}

#[cfg(all(test, feature = "compile"))]
mod tests;
