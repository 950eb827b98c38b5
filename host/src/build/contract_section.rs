//! What a component says of itself: the `djo:contract` custom section.

use std::ops::ControlFlow;

use wasmparser::Payload;

use super::program::MAX_CONTRACT_BYTES;
use super::sections;

/// The custom section's name.
pub const SECTION: &str = "djo:contract";

/// The content of a component's contract section, or `None`: there is none, there are two, it is too large, or the file is malformed.
/// Nothing is said about what is in it.
#[must_use]
pub fn read_contract(component: &[u8]) -> Option<&[u8]> {
    let mut found = None;
    let mut twice = false;
    sections::walk(component, |payload| {
        if let Payload::CustomSection(section) = payload
            && section.name() == SECTION
        {
            twice |= found.replace(section.data()).is_some();
        }
        Ok(ControlFlow::<()>::Continue(()))
    })
    .ok()?;
    found.filter(|contract| !twice && contract.len() <= MAX_CONTRACT_BYTES)
}
