//! Tells whether a component is our runtime with a program, so that the shared runtime can run the program alone.

use std::ops::ControlFlow;

use wasmparser::Payload;

use super::compose::{Reach, compose};
use super::program::{self, Parts};
use super::runtime::{RUNTIME, SHIM};
use super::sections;

/// Nested components at the top level of what we write: runtime, program, shim.
const MAX_NESTED: usize = 3;

/// A djo site taken out of its component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised<'a> {
    /// What it is made of; points into the component's bytes.
    pub parts: Parts<'a>,
    /// What it was built for.
    pub reach: Reach,
}

/// Takes the site out of a component that this very host could have written, byte for byte. Anything else, a component of another
/// version of the runtime included, is `None`: it runs as what it is, a component of its own.
#[must_use]
pub fn recognise(component: &[u8]) -> Option<Recognised<'_>> {
    let mut nested = Vec::new();
    sections::walk(component, |payload| {
        if let Payload::ComponentSection { unchecked_range, .. } = payload {
            nested.push(component.get(unchecked_range.clone()).unwrap_or_default());
        }
        Ok(if nested.len() > MAX_NESTED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })
    .ok()?;
    if nested.len() > MAX_NESTED || !nested.contains(&RUNTIME) {
        return None;
    }
    // The wiring is part of the bytes: only what composes to the same bytes is wired as ours is.
    nested.iter().filter(|part| **part != RUNTIME && **part != SHIM).find_map(|part| {
        let parts = program::extract(part)?;
        let reach = Reach::ALL.into_iter().find(|reach| compose(&parts, *reach).is_ok_and(|ours| ours == component))?;
        Some(Recognised { parts, reach })
    })
}
