//! Maps: members in the order in which they were added, found by a scan while there are few and by a keyed hash when there are many.

use alloc::{boxed::Box, vec, vec::Vec};

use super::{Heap, MAX_ITEMS, Object, same_text};
use crate::{
    error::{Fallible, invalid_image, too_large},
    value::{Handle, Value},
};

/// Members up to which a scan is quicker than a hash.
const SCAN: usize = 12;

/// A Map's members; keys are Strings.
#[derive(Debug, Default)]
pub(crate) struct Map {
    entries: Vec<(Value, Value)>,
    index: Option<Box<Index>>,
}

/// An open-addressed table of positions plus one, at most half full.
#[derive(Debug)]
struct Index {
    seed: u64,
    slots: Vec<u32>,
}

impl Map {
    pub(super) fn with_capacity(capacity: usize) -> Self {
        Self { entries: Vec::with_capacity(capacity), index: None }
    }

    /// Its members, in order.
    pub(crate) fn entries(&self) -> &[(Value, Value)] {
        &self.entries
    }

    pub(super) fn size(&self) -> usize {
        self.entries.capacity() * 2 * size_of::<Value>() + self.index.as_ref().map_or(0, |index| index.slots.len() * 4)
    }
}

impl Index {
    /// The first slot to look at for a hash.
    fn slot(&self, hash: u64) -> usize {
        (hash as usize) & (self.slots.len() - 1)
    }

    fn insert(&mut self, hash: u64, position: usize) {
        let mut slot = self.slot(hash);
        while self.slots[slot] != 0 {
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        self.slots[slot] = position as u32 + 1;
    }
}

/// A hash keyed by the run's seed, so that no request can choose keys that collide.
fn hash(seed: u64, bytes: &[u8]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let fold = |state: u64, word: u64| {
        let product = u128::from(state ^ word) * u128::from(MULTIPLIER ^ seed.rotate_left(32) | 1);
        (product as u64) ^ (product >> 64) as u64
    };
    let (chunks, rest) = bytes.as_chunks::<8>();
    let mut state = seed ^ bytes.len() as u64;
    for chunk in chunks {
        state = fold(state, u64::from_le_bytes(*chunk));
    }
    let mut last = [0; 8];
    for (place, byte) in last.iter_mut().zip(rest) {
        *place = *byte;
    }
    fold(fold(state, u64::from_le_bytes(last)), MULTIPLIER)
}

impl Heap<'_> {
    /// A Map's members.
    #[inline]
    pub(crate) fn entries(&self, handle: Handle) -> Fallible<&[(Value, Value)]> {
        match self.object(handle) {
            Some(Object::Map(map)) => Ok(&map.entries),
            _ => Err(invalid_image()),
        }
    }

    /// Whether the hashes of this run are keyed: see [`Heap::set_seed`].
    pub(crate) fn has_seed(&self) -> bool {
        self.seed != 0
    }

    /// Sets what keys the hashes of this run.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        self.seed = seed | 1;
    }

    /// The position of a key.
    pub(crate) fn position(&self, handle: Handle, key: Value) -> Fallible<Option<usize>> {
        let Some(Object::Map(map)) = self.object(handle) else { return Err(invalid_image()) };
        if let (None, Value::Text(wanted)) = (&map.index, key) {
            let same = |&(key, _): &(Value, Value)| matches!(key, Value::Text(text) if same_text(text, wanted));
            if let Some(position) = map.entries.iter().position(same) {
                return Ok(Some(position));
            }
        }
        Ok(self.find(map, self.bytes(key)))
    }

    fn find(&self, map: &Map, wanted: &[u8]) -> Option<usize> {
        let Some(index) = &map.index else {
            return map.entries.iter().position(|&(key, _)| self.bytes(key) == wanted);
        };
        let mut slot = index.slot(hash(index.seed, wanted));
        loop {
            let position = (*index.slots.get(slot)?).checked_sub(1)? as usize;
            let (key, _) = *map.entries.get(position)?;
            if self.bytes(key) == wanted {
                return Some(position);
            }
            slot = (slot + 1) & (index.slots.len() - 1);
        }
    }

    /// The value of a key.
    pub(crate) fn member(&self, handle: Handle, key: Value) -> Fallible<Option<Value>> {
        let position = self.position(handle, key)?;
        Ok(position.and_then(|position| self.entries(handle).ok()?.get(position)).map(|&(_, value)| value))
    }

    /// The value of a key given as text.
    pub(crate) fn member_named(&self, handle: Handle, name: &str) -> Option<Value> {
        let Some(Object::Map(map)) = self.object(handle) else { return None };
        let position = self.find(map, name.as_bytes())?;
        map.entries.get(position).map(|&(_, value)| value)
    }

    /// Sets a member; a new key goes to the end.
    pub(crate) fn put(&mut self, handle: Handle, key: Value, value: Value) -> Fallible<()> {
        if let Some(position) = self.position(handle, key)? {
            let Some(Object::Map(map)) = self.object_mut(handle) else { return Err(invalid_image()) };
            if let Some((_, place)) = map.entries.get_mut(position) {
                *place = value;
            }
            return Ok(());
        }
        self.put_new(handle, key, value)
    }

    /// Adds a member whose key is not there yet.
    pub(crate) fn put_new(&mut self, handle: Handle, key: Value, value: Value) -> Fallible<()> {
        self.account(2 * size_of::<Value>());
        // Markup as a key is the String that it holds.
        let key = if let Value::Raw(handle) = key { Value::Str(handle) } else { key };
        let Some(Object::Map(map)) = self.object_mut(handle) else { return Err(invalid_image()) };
        if map.entries.len() >= MAX_ITEMS {
            return Err(too_large("o Map"));
        }
        map.entries.push((key, value));
        let position = map.entries.len() - 1;
        let room = map.index.as_ref().map(|index| index.slots.len() / 2);
        match room {
            None if position < SCAN => {}
            Some(room) if position < room => {
                let seed = map.index.as_ref().map_or(0, |index| index.seed);
                let hash = hash(seed, self.bytes(key));
                if let Some(Object::Map(Map { index: Some(index), .. })) = self.object_mut(handle) {
                    index.insert(hash, position);
                }
            }
            _ => self.rebuild(handle),
        }
        Ok(())
    }

    /// Removes a member; tells whether it was there.
    pub(crate) fn remove(&mut self, handle: Handle, key: Value) -> Fallible<bool> {
        let Some(position) = self.position(handle, key)? else { return Ok(false) };
        let Some(Object::Map(map)) = self.object_mut(handle) else { return Err(invalid_image()) };
        if position < map.entries.len() {
            map.entries.remove(position);
        }
        if map.index.is_some() {
            self.rebuild(handle);
        }
        Ok(true)
    }

    /// Builds the table anew for what the Map holds now.
    fn rebuild(&mut self, handle: Handle) {
        let Some(Object::Map(map)) = self.object(handle) else { return };
        let size = ((map.entries.len() + 1) * 4).next_power_of_two();
        let mut index = Index { seed: self.seed, slots: vec![0; size] };
        for (position, &(key, _)) in map.entries.iter().enumerate() {
            index.insert(hash(self.seed, self.bytes(key)), position);
        }
        self.account(size * 4);
        if let Some(Object::Map(map)) = self.object_mut(handle) {
            map.index = Some(Box::new(index));
        }
    }
}
