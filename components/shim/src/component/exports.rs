//! The component's exports.
#![allow(unsafe_code, unreachable_pub)] // The export macro makes the entry points that the canonical ABI calls.

use super::bindings;

/// Implements each exported interface, each in the module of its name.
pub(crate) struct Shim;

bindings::export!(Shim with_types_in bindings);
