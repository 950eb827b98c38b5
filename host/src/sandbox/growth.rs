//! What a guest may grow to: all its memories together, and each of its tables.

use wasmtime::{Error, ResourceLimiter, Result};

use super::engine::{KEPT_RESIDENT, MOST_ELEMENTS};
use super::guest::Guest;
use crate::memory::Held;

/// How far a guest has grown, and may grow yet.
#[derive(Debug)]
pub(super) struct Growth {
    /// Bytes that its site lets it have.
    left: usize,
    /// The most that one of its memories has grown to in this run.
    largest: usize,
    /// It asked for more than its site lets it have: a trap that follows is put down to it.
    refused: bool,
    /// What it has of the memory of all. It stays with the instance.
    held: Held,
    /// What was granted last: bytes of its own, of all, and what was the largest before.
    last: (usize, usize, usize),
}

impl Growth {
    pub(super) fn new(most: usize) -> Self {
        Self { left: most, largest: 0, refused: false, held: Held::default(), last: (0, 0, 0) }
    }

    pub(super) fn is_refused(&self) -> bool {
        self.refused
    }

    pub(super) fn largest(&self) -> usize {
        self.largest
    }

    /// Goes on with what an instance holds already.
    pub(super) fn take_over(&mut self, before: &mut Self) {
        self.held = std::mem::take(&mut before.held);
    }
}

impl ResourceLimiter for Guest {
    fn memory_growing(&mut self, current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        let Some(left) = self.growth.left.checked_sub(desired.saturating_sub(current)) else {
            self.growth.refused = true;
            self.growth.last = (0, 0, 0);
            return Ok(false);
        };
        // So much each place of the pool has anyway.
        let beyond = desired.saturating_sub(current.max(KEPT_RESIDENT));
        if beyond > 0 {
            // The guest ends here: to be refused memory that its site may have is nothing that its code could be prepared for.
            self.growth.held.grow(&self.tenant.share.memory, beyond)?;
        }
        self.growth.last = (self.growth.left - left, beyond, self.growth.largest);
        self.growth.left = left;
        self.growth.largest = self.growth.largest.max(desired);
        Ok(true)
    }

    /// What was granted was not to be had: the memory's own maximum, of which the engine sees only then.
    fn memory_grow_failed(&mut self, _error: Error) -> Result<()> {
        let (own, of_all, largest) = std::mem::take(&mut self.growth.last);
        self.growth.left += own;
        self.growth.held.shrink(of_all);
        if own > 0 {
            self.growth.largest = largest;
        }
        Ok(())
    }

    fn table_growing(&mut self, _current: usize, desired: usize, _maximum: Option<usize>) -> Result<bool> {
        let fits = desired <= MOST_ELEMENTS;
        self.growth.refused |= !fits;
        Ok(fits)
    }
}
