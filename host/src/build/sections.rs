//! The top level of a WebAssembly file, one section after the other; what is nested is stepped over, not entered.

use std::ops::ControlFlow;

use wasmparser::{Chunk, Parser, Payload};

use super::error::{BuildError, Part};

/// Sections at the top level of one file: more are an attack on the reader.
const MAX_SECTIONS: usize = 100_000;

/// Shows each section to `visit` until it breaks off or the file ends.
pub(super) fn walk<'a, B>(
    bytes: &'a [u8],
    mut visit: impl FnMut(&Payload<'a>) -> Result<ControlFlow<B>, BuildError>,
) -> Result<Option<B>, BuildError> {
    let mut parser = Parser::new(0);
    let mut rest = bytes;
    let mut seen = 0;
    loop {
        // With all the data given there is never a need for more: a file that ends too early is an error.
        let Chunk::Parsed { consumed, payload } = parser.parse(rest, true)? else { return Err(BuildError::NotAComponent) };
        rest = rest.get(consumed..).unwrap_or_default();
        seen += 1;
        if seen > MAX_SECTIONS {
            return Err(BuildError::TooMany { what: Part::Sections, found: seen, most: MAX_SECTIONS });
        }
        if let ControlFlow::Break(found) = visit(&payload)? {
            return Ok(Some(found));
        }
        match payload {
            Payload::ModuleSection { unchecked_range, .. } | Payload::ComponentSection { unchecked_range, .. } => {
                rest = rest.get(unchecked_range.len()..).ok_or(BuildError::NotAComponent)?;
            }
            Payload::CodeSectionStart { size, .. } => {
                parser.skip_section();
                rest = rest.get(size as usize..).ok_or(BuildError::NotAComponent)?;
            }
            Payload::End(_) => return Ok(None),
            _ => {}
        }
    }
}

/// The first thing that `pick` makes of a section; `None` also for a malformed file.
pub(super) fn find<'a, T>(bytes: &'a [u8], mut pick: impl FnMut(&Payload<'a>) -> Option<T>) -> Option<T> {
    walk(bytes, |payload| Ok(pick(payload).map_or(ControlFlow::Continue(()), ControlFlow::Break))).ok().flatten()
}
