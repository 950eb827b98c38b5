//! How large the parts of a store may be. Checked before the database is touched.

use super::error::StoreError;

/// Bytes of a collection's name.
pub const MAX_COLLECTION_BYTES: usize = 256;
/// Bytes of a key.
pub const MAX_KEY_BYTES: usize = 1024;
/// Bytes of an encoded value.
pub const MAX_VALUE_BYTES: usize = 1024 * 1024;
/// Items of one page of a listing.
pub const MAX_LIST_LIMIT: u32 = 1000;
/// Bytes of keys and values after which a page of a listing ends early: a page of 1000 items of 1 MiB would not fit the guest.
pub const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;

pub(super) fn check_collection(collection: &str) -> Result<(), StoreError> {
    match collection.len() {
        0 => Err(StoreError::EmptyCollection),
        n if n > MAX_COLLECTION_BYTES => Err(StoreError::CollectionTooLong(n)),
        _ => Ok(()),
    }
}

pub(super) fn check_key(key: &str) -> Result<(), StoreError> {
    if key.len() > MAX_KEY_BYTES { Err(StoreError::KeyTooLong(key.len())) } else { Ok(()) }
}

pub(super) fn check_value(value: &[u8]) -> Result<(), StoreError> {
    if value.len() > MAX_VALUE_BYTES { Err(StoreError::ValueTooLarge(value.len())) } else { Ok(()) }
}

pub(super) fn check_limit(limit: u32) -> Result<(), StoreError> {
    if (1..=MAX_LIST_LIMIT).contains(&limit) { Ok(()) } else { Err(StoreError::BadLimit(limit)) }
}
