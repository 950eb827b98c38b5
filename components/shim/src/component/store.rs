//! The site's store, over data in memory.
#![allow(unsafe_code)] // One static that changes; the reason stands beside it.

use alloc::{string::String, vec::Vec};
use core::cell::RefCell;

use super::bindings::exports::djo::site::store::{Guest, Item, Page};
use super::exports::Shim;
use crate::data::Data;

struct Held(RefCell<Data>);

// SAFETY: a component instance runs one call at a time on one thread.
unsafe impl Sync for Held {}

static HELD: Held = Held(RefCell::new(Data::new()));

impl Guest for Shim {
    fn get(collection: String, key: String) -> Result<Option<Vec<u8>>, String> {
        HELD.0.borrow().get(&collection, &key)
    }

    fn set(collection: String, key: String, value: Vec<u8>) -> Result<(), String> {
        HELD.0.borrow_mut().set(&collection, &key, value)
    }

    fn delete(collection: String, key: String) -> Result<bool, String> {
        HELD.0.borrow_mut().delete(&collection, &key)
    }

    fn list(collection: String, prefix: String, limit: u32, cursor: Option<String>) -> Result<Page, String> {
        let (items, cursor) = HELD.0.borrow().list(&collection, &prefix, limit, cursor.as_deref())?;
        Ok(Page { items: items.into_iter().map(|(key, value)| Item { key, value }).collect(), cursor })
    }

    fn count(collection: String) -> Result<u64, String> {
        HELD.0.borrow().count(&collection)
    }

    fn increment(collection: String, key: String, delta: i64) -> Result<i64, String> {
        HELD.0.borrow_mut().increment(&collection, &key, delta)
    }

    fn compare_and_swap(collection: String, key: String, old: Option<Vec<u8>>, new: Option<Vec<u8>>) -> Result<bool, String> {
        HELD.0.borrow_mut().compare_and_swap(&collection, &key, old.as_deref(), new)
    }

    fn next_id(collection: String) -> Result<i64, String> {
        HELD.0.borrow_mut().next_id(&collection)
    }
}
