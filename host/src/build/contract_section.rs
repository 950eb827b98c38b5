//! What a component says of itself: the `djo:contract` custom section.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufReader, Read};
use std::ops::ControlFlow;

use wasm_encoder::{ComponentSection, CustomSection};
use wasmparser::{Encoding, Payload};

use super::error::{BuildError, Part};
use super::program::MAX_CONTRACT_BYTES;
use super::sections;

/// The custom section's name.
pub const SECTION: &str = "djo:contract";

/// Writes a contract at a component's top level, where it comes before one that a module in it has.
pub fn append_contract(component: &mut Vec<u8>, contract: &[u8]) {
    CustomSection { name: Cow::Borrowed(SECTION), data: Cow::Borrowed(contract) }.append_to_component(component);
}

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

/// The content of the contract section that a component's file, just opened, has at its top level, where `build` writes it; `None` also for what is no
/// component. The rest of the file is stepped over, not read.
///
/// # Errors
/// When the file cannot be read.
pub fn peek_contract(file: File) -> io::Result<Option<Vec<u8>>> {
    let mut file = BufReader::new(file);
    let mut header = [0; 8];
    if file.read_exact(&mut header).is_err() || header != *COMPONENT {
        return Ok(None);
    }
    for _ in 0..MAX_SECTIONS {
        let mut id = [0];
        if file.read(&mut id)? == 0 {
            return Ok(None);
        }
        let Some(size) = leb128(&mut file)? else { return Ok(None) };
        if id == [0] {
            let mut content = Vec::new();
            let mut section = file.by_ref().take(size);
            let name_size = leb128(&mut section)?;
            if name_size == Some(SECTION.len() as u64) && section.limit() <= (SECTION.len() + MAX_CONTRACT_BYTES) as u64 {
                section.read_to_end(&mut content)?;
                if let Some(contract) = content.strip_prefix(SECTION.as_bytes()) {
                    return Ok(Some(contract.to_vec()));
                }
            } else {
                let rest = section.limit();
                file.seek_relative(i64::try_from(rest).unwrap_or(i64::MAX))?;
            }
        } else {
            file.seek_relative(i64::from(size as u32))?;
        }
    }
    Ok(None)
}

/// What every component starts with.
const COMPONENT: &[u8; 8] = b"\0asm\x0d\0\x01\0";
/// Sections that are stepped over.
const MAX_SECTIONS: usize = 10_000;

/// A number of 32 bits; `None` where there is none.
fn leb128(file: &mut impl Read) -> io::Result<Option<u64>> {
    let mut number = 0;
    for shift in (0..35).step_by(7) {
        let mut byte = [0];
        if file.read(&mut byte)? == 0 {
            return Ok(None);
        }
        number |= u64::from(byte[0] & 127) << shift;
        if byte[0] < 128 {
            return Ok(Some(number).filter(|number| u32::try_from(*number).is_ok()));
        }
    }
    Ok(None)
}

/// The one section of a level.
#[derive(Default)]
struct Found<'a>(Option<&'a [u8]>);

impl<'a> Found<'a> {
    fn add(&mut self, content: &'a [u8]) -> Result<(), BuildError> {
        if content.len() > MAX_CONTRACT_BYTES {
            return Err(BuildError::TooLarge { what: Part::Contract, found: content.len(), most: MAX_CONTRACT_BYTES });
        }
        match self.0.replace(content) {
            None => Ok(()),
            Some(_) => Err(BuildError::TooMany { what: Part::Contracts, found: 2, most: 1 }),
        }
    }
}
