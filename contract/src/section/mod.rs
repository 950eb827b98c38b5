//! The `djo:contract` custom section: a [`Contract`] as JSON. What a build writes is deterministic; what is read may come from strangers,
//! so that nothing is tolerated: no unknown member, no missing one, no index that points nowhere, no size without a bound.

mod read;
mod types;
mod write;

use alloc::string::String;
use core::fmt;

use crate::{json::SyntaxIssue, model::Contract};

/// The section's name in the component.
pub const NAME: &str = "djo:contract";
/// The version of its format, the member `djo_contract`.
pub const VERSION: i64 = 1;
/// Bytes that a section may have.
pub const SIZE_LIMIT: usize = 4 << 20;

/// Why a section is not a contract.
#[derive(Clone, Debug, PartialEq)]
pub enum SectionError {
    /// More than [`SIZE_LIMIT`] bytes.
    TooLarge,
    /// Not JSON.
    Syntax(SyntaxIssue),
    /// Of another version of the format, or none at all.
    Version,
    /// Something in it does not fit.
    Invalid {
        /// Where, as a JSON pointer.
        pointer: String,
        /// What is wrong.
        reason: String,
    },
}

impl fmt::Display for SectionError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLarge => write!(out, "o contrato tem mais de {SIZE_LIMIT} bytes"),
            Self::Syntax(issue) => write!(out, "o contrato não é JSON: {issue}"),
            Self::Version => write!(out, "o contrato não é da versão {VERSION}"),
            Self::Invalid { pointer, reason } => write!(out, "contrato inválido em {pointer}: {reason}"),
        }
    }
}

impl core::error::Error for SectionError {}

/// The section's content. The same contract gives the same text.
pub fn encode(contract: &Contract) -> String {
    write::contract(contract)
}

/// Reads a section's content.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn decode(bytes: &[u8]) -> Result<Contract, SectionError> {
    read::contract(bytes)
}

#[cfg(test)]
mod tests;
