//! Bounded results: a list that says whether there is more. Source: the tool boundary, §4.

use alloc::{string::String, vec::Vec};

use crate::site::PageBounds;
use crate::store::Items;

/// A part of a list. The body is the list itself; its bounds travel beside it.
#[derive(Clone, Debug, PartialEq)]
pub struct Page<T> {
    /// The items of this page.
    pub items: Vec<T>,
    /// Asks for the next page: what [`Context::cursor`](crate::Context::cursor) then gives.
    pub next_cursor: Option<String>,
    /// How many there are in all, when that is known.
    pub total: Option<u64>,
    /// How to ask for less, where there is more and no next page.
    pub refinement_hint: Option<String>,
}

impl<T> Page<T> {
    /// A list that is whole.
    #[must_use]
    pub fn whole(items: Vec<T>) -> Self {
        Self { items, next_cursor: None, total: None, refinement_hint: None }
    }

    /// The same, with the number that there are in all.
    #[must_use]
    pub fn of(mut self, total: u64) -> Self {
        self.total = Some(total);
        self
    }

    pub(crate) fn bounds(&self) -> PageBounds {
        PageBounds {
            returned: self.items.len() as u64,
            truncated: self.next_cursor.is_some() || self.refinement_hint.is_some(),
            total: self.total,
            refinement_hint: self.refinement_hint.clone(),
            next_cursor: self.next_cursor.clone(),
        }
    }
}

/// A page of a collection.
impl<T> From<Items<T>> for Page<T> {
    fn from(mut items: Items<T>) -> Self {
        let next_cursor = items.cursor.take();
        Self { next_cursor, ..Self::whole(items.into_values()) }
    }
}
