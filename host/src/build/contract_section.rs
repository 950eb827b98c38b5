//! What a component says of itself: the `djo:contract` custom section.

use std::ops::ControlFlow;

use wasmparser::{Encoding, Payload};

use super::error::BuildError;
use super::program::MAX_CONTRACT_BYTES;
use super::sections;

/// The custom section's name.
pub const SECTION: &str = "djo:contract";

/// The content of a component's contract section, `None` where there is none. It stands in the component itself or, where a compiler
/// put it, in one of its modules; not in a component inside it, which does not speak for the whole. Nothing is said about what is in it.
///
/// # Errors
/// There are two, it is too large, or the file is malformed.
pub fn read_contract(file: &[u8]) -> Result<Option<&[u8]>, BuildError> {
    let mut own = Found::default();
    let mut nested = Found::default();
    let mut is_component = false;
    sections::walk(file, |payload| {
        match payload {
            Payload::Version { encoding, .. } => is_component = *encoding == Encoding::Component,
            Payload::CustomSection(section) if section.name() == SECTION => own.add(section.data())?,
            // What is no well-formed module is left to whoever compiles it.
            Payload::ModuleSection { unchecked_range, .. } => {
                let module = file.get(unchecked_range.clone()).unwrap_or_default();
                sections::walk(module, |payload| {
                    if let Payload::CustomSection(section) = payload
                        && section.name() == SECTION
                    {
                        nested.add(section.data())?;
                    }
                    Ok(ControlFlow::<()>::Continue(()))
                })?;
            }
            _ => {}
        }
        Ok(ControlFlow::<()>::Continue(()))
    })?;
    // A composition says in its own section what it is as a whole.
    Ok(own.0.or(nested.0).filter(|_| is_component))
}

/// The one section of a level.
#[derive(Default)]
struct Found<'a>(Option<&'a [u8]>);

impl<'a> Found<'a> {
    fn add(&mut self, content: &'a [u8]) -> Result<(), BuildError> {
        if content.len() > MAX_CONTRACT_BYTES {
            return Err(BuildError::TooLarge { what: "contract", found: content.len(), most: MAX_CONTRACT_BYTES });
        }
        match self.0.replace(content) {
            None => Ok(()),
            Some(_) => Err(BuildError::TooMany { what: "contracts", found: 2, most: 1 }),
        }
    }
}
