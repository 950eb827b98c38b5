//! Loops over Arrs and Maps. The state is three registers: what is gone through, the next position, and a Map beside its keys.

use alloc::{format, vec::Vec};

use crate::{
    error::{Fallible, invalid_image, kind, raise},
    heap::Heap,
    value::Value,
};

/// The state of a new loop over a value.
pub(super) fn prepare(heap: &mut Heap<'_>, value: Value) -> Fallible<[Value; 3]> {
    match value {
        Value::Arr(_) => Ok([value, Value::Int(0), Value::Nil]),
        // The keys as they are now: what the loop adds is not visited, what it removes is skipped.
        Value::Map(handle) => {
            let keys: Vec<Value> = heap.entries(handle)?.iter().map(|&(key, _)| key).collect();
            Ok([heap.arr(keys), Value::Int(0), value])
        }
        other => Err(raise(kind::TYPE, format!("`for` percorre um Arr ou Map, mas veio {}", heap.type_name(other)))),
    }
}

/// The next pair (index or key, and item or value), and the position after it.
#[inline]
pub(super) fn next(heap: &Heap<'_>, state: [Value; 3]) -> Fallible<Option<(Value, Value, i64)>> {
    let [Value::Arr(items), Value::Int(position), map] = state else { return Err(invalid_image()) };
    let items = heap.items(items)?;
    let mut index = usize::try_from(position).map_err(|_| invalid_image())?;
    let Value::Map(map) = map else {
        let item = items.get(index).copied();
        return Ok(item.map(|item| (Value::Int(position), item, position.wrapping_add(1))));
    };
    while let Some(&key) = items.get(index) {
        // Usually the Map is as it was when the loop began.
        let there = match heap.entries(map)?.get(index) {
            Some(&(same, value)) if same.handle().is_some() && same.handle() == key.handle() => Some(value),
            _ => heap.member(map, key)?,
        };
        index += 1;
        if let Some(value) = there {
            return Ok(Some((key, value, i64::try_from(index).unwrap_or(i64::MAX))));
        }
    }
    Ok(None)
}
