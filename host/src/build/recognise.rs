//! Tells a component that this very host could have written, byte for byte, and takes out of it what need not run here: the runtime,
//! which all djo sites share, and what stands in for this host on another one.

use std::ops::{ControlFlow, Range};

use wasmparser::Payload;

use super::compose::{Reach, compose, make_portable};
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
    let nested = nested(component)?;
    if !nested.iter().any(|range| component[range.clone()] == *RUNTIME) {
        return None;
    }
    // The wiring is part of the bytes: only what composes to the same bytes is wired as ours is.
    nested.into_iter().map(|range| &component[range]).filter(|part| **part != *RUNTIME && **part != *SHIM).find_map(|part| {
        let parts = program::extract(part)?;
        let reach = Reach::ALL.into_iter().find(|reach| compose(&parts, *reach).is_ok_and(|ours| ours == component))?;
        Some(Recognised { parts, reach })
    })
}

/// Where in a component that was [made portable](make_portable) by this very host its site lies: here it needs no stand-in.
#[must_use]
pub fn site_of_portable(component: &[u8]) -> Option<Range<usize>> {
    let nested = nested(component)?;
    let shim = nested.iter().position(|range| component[range.clone()] == *SHIM)?;
    let mut others = nested.into_iter().enumerate().filter(|(index, _)| *index != shim).map(|(_, range)| range);
    let (Some(site), None) = (others.next(), others.next()) else { return None };
    make_portable(component[site.clone()].to_vec()).is_ok_and(|ours| ours == component).then_some(site)
}

/// The components at the top level of one, if those are no more than we would write.
fn nested(component: &[u8]) -> Option<Vec<Range<usize>>> {
    let mut nested = Vec::new();
    sections::walk(component, |payload| {
        if let Payload::ComponentSection { unchecked_range, .. } = payload
            && component.get(unchecked_range.clone()).is_some()
        {
            nested.push(unchecked_range.clone());
        }
        Ok(if nested.len() > MAX_NESTED { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
    })
    .ok()?;
    (nested.len() <= MAX_NESTED).then_some(nested)
}
