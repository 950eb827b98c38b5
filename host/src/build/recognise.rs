//! Tells whether a component is our runtime with a program, so that the shared runtime can run the program alone.

use std::ops::ControlFlow;

use wasmparser::Payload;

use super::compose::{Reach, compose};
use super::{program, runtime::RUNTIME, sections};

/// Nested components at the top level of what we write: runtime, program, shim.
const MAX_PARTS: usize = 3;

/// A djo site taken out of its component.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recognised {
    /// The program image.
    pub image: Vec<u8>,
    /// The contract as JSON.
    pub contract: Vec<u8>,
    /// What it was built for.
    pub reach: Reach,
}

/// Takes image and contract out of a component that this very host could have written, byte for byte. Anything else, a component of another
/// version of the runtime included, is `None`: it runs as what it is, a component of its own.
#[must_use]
pub fn recognise(component: &[u8]) -> Option<Recognised> {
    let mut parts = Vec::new();
    sections::walk(component, |payload| {
        if let Payload::ComponentSection { unchecked_range, .. } = payload {
            parts.push(component.get(unchecked_range.clone()).unwrap_or_default());
        }
        Ok(if parts.len() > MAX_PARTS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })
    .ok()?;
    if parts.len() > MAX_PARTS || !parts.contains(&RUNTIME) {
        return None;
    }
    // The wiring is part of the bytes: only what composes to the same bytes is wired as ours is.
    parts.iter().filter(|part| **part != RUNTIME).find_map(|part| {
        let (image, contract) = program::extract(part)?;
        Reach::ALL.into_iter().find_map(|reach| {
            let ours = compose(image, contract, reach).is_ok_and(|ours| ours == component);
            ours.then(|| Recognised { image: image.to_vec(), contract: contract.to_vec(), reach })
        })
    })
}
