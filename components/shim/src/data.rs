//! A site's data in memory, with the limits and the messages of our host's store. It lasts as long as the instance.

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::ops::Bound;

use djo_contract::wire::{decode_int, encode_int};

const MAX_COLLECTION_BYTES: usize = 256;
const MAX_KEY_BYTES: usize = 1024;
const MAX_VALUE_BYTES: usize = 1024 * 1024;
const MAX_LIST_LIMIT: u32 = 1000;
const MAX_PAGE_BYTES: usize = 4 * 1024 * 1024;
/// All keys and values together.
const MAX_DATA_BYTES: usize = 32 * 1024 * 1024;

/// What an operation answers: the error is a message for the site's code.
pub(crate) type Answer<T> = Result<T, String>;

/// A page of a listing: keys with values, and where the next page starts.
pub(crate) type Page = (Vec<(String, Vec<u8>)>, Option<String>);

/// All collections.
#[derive(Default)]
pub(crate) struct Data {
    collections: BTreeMap<String, Collection>,
    bytes: usize,
}

#[derive(Default)]
struct Collection {
    items: BTreeMap<String, Vec<u8>>,
    last_id: i64,
}

impl Data {
    /// Nothing yet.
    pub(crate) const fn new() -> Self {
        Self { collections: BTreeMap::new(), bytes: 0 }
    }

    pub(crate) fn get(&self, collection: &str, key: &str) -> Answer<Option<Vec<u8>>> {
        check(collection, key)?;
        Ok(self.held(collection, key).cloned())
    }

    pub(crate) fn set(&mut self, collection: &str, key: &str, value: Vec<u8>) -> Answer<()> {
        check(collection, key)?;
        check_value(&value)?;
        self.put(collection, key, Some(value))
    }

    pub(crate) fn delete(&mut self, collection: &str, key: &str) -> Answer<bool> {
        check(collection, key)?;
        let was = self.held(collection, key).is_some();
        self.put(collection, key, None)?;
        Ok(was)
    }

    pub(crate) fn list(&self, collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> Answer<Page> {
        check(collection, prefix)?;
        check(collection, cursor.unwrap_or_default())?;
        if !(1..=MAX_LIST_LIMIT).contains(&limit) {
            return Err(format!("o limite de uma lista vai de 1 a {MAX_LIST_LIMIT}, mas veio {limit}"));
        }
        let Some(found) = self.collections.get(collection) else { return Ok((Vec::new(), None)) };
        let start = match cursor {
            Some(cursor) if cursor >= prefix => Bound::Excluded(cursor),
            _ => Bound::Included(prefix),
        };
        let mut items: Vec<(String, Vec<u8>)> = Vec::new();
        let mut bytes = 0;
        for (key, value) in found.items.range::<str, _>((start, Bound::Unbounded)).take_while(|(key, _)| key.starts_with(prefix)) {
            bytes += key.len() + value.len();
            if items.len() == limit as usize || (bytes > MAX_PAGE_BYTES && !items.is_empty()) {
                let cursor = items.last().map(|(key, _)| key.clone());
                return Ok((items, cursor));
            }
            items.push((key.clone(), value.clone()));
        }
        Ok((items, None))
    }

    pub(crate) fn count(&self, collection: &str) -> Answer<u64> {
        check(collection, "")?;
        Ok(self.collections.get(collection).map_or(0, |found| found.items.len() as u64))
    }

    pub(crate) fn increment(&mut self, collection: &str, key: &str, delta: i64) -> Answer<i64> {
        check(collection, key)?;
        let held = self.held(collection, key).map_or(Some(0), |value| decode_int(value));
        let held = held.ok_or_else(|| "o valor guardado nesta chave não é Int".to_string())?;
        let sum = held.checked_add(delta).ok_or_else(overflow)?;
        self.put(collection, key, Some(encode_int(sum)))?;
        Ok(sum)
    }

    pub(crate) fn compare_and_swap(&mut self, collection: &str, key: &str, old: Option<&[u8]>, new: Option<Vec<u8>>) -> Answer<bool> {
        check(collection, key)?;
        check_value(new.as_deref().unwrap_or_default())?;
        let same = self.held(collection, key).map(Vec::as_slice) == old;
        if same {
            self.put(collection, key, new)?;
        }
        Ok(same)
    }

    pub(crate) fn next_id(&mut self, collection: &str) -> Answer<i64> {
        check(collection, "")?;
        let found = self.collections.entry(collection.to_string()).or_default();
        found.last_id = found.last_id.checked_add(1).ok_or_else(overflow)?;
        Ok(found.last_id)
    }

    fn held(&self, collection: &str, key: &str) -> Option<&Vec<u8>> {
        self.collections.get(collection)?.items.get(key)
    }

    /// Writes or removes a value and keeps count of the bytes.
    fn put(&mut self, collection: &str, key: &str, value: Option<Vec<u8>>) -> Answer<()> {
        let before = self.held(collection, key).map_or(0, |held| key.len() + held.len());
        let after = value.as_ref().map_or(0, |value| key.len() + value.len());
        let bytes = self.bytes - before + after;
        if bytes > MAX_DATA_BYTES && after > before {
            return Err(format!("o store do site está cheio: o limite é de {} MB", MAX_DATA_BYTES >> 20));
        }
        self.bytes = bytes;
        let found = self.collections.entry(collection.to_string()).or_default();
        match value {
            Some(value) => found.items.insert(key.to_string(), value),
            None => found.items.remove(key),
        };
        Ok(())
    }
}

fn overflow() -> String {
    "o resultado não cabe em Int".to_string()
}

fn check(collection: &str, key: &str) -> Answer<()> {
    match (collection.len(), key.len()) {
        (0, _) => Err("o nome da coleção está vazio".to_string()),
        (bytes, _) if bytes > MAX_COLLECTION_BYTES => {
            Err(format!("o nome da coleção tem {bytes} bytes; o máximo é {MAX_COLLECTION_BYTES}"))
        }
        (_, bytes) if bytes > MAX_KEY_BYTES => Err(format!("a chave tem {bytes} bytes; o máximo é {MAX_KEY_BYTES}")),
        _ => Ok(()),
    }
}

fn check_value(value: &[u8]) -> Answer<()> {
    let bytes = value.len();
    if bytes > MAX_VALUE_BYTES { Err(format!("o valor tem {bytes} bytes; o máximo é {MAX_VALUE_BYTES} (1 MiB)")) } else { Ok(()) }
}
