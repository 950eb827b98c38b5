//! Order of numbers and Strings, and `in`.

use alloc::{boxed::Box, format};
use core::cmp::Ordering;

use super::equal::equal;
use crate::{
    error::{Fallible, Raise, kind, raise},
    heap::Heap,
    value::Value,
};

/// Compares an Int with a finite Float without rounding.
pub(crate) fn int_float(a: i64, b: f64) -> Ordering {
    if b >= 9_223_372_036_854_775_808.0 {
        return Ordering::Less;
    }
    if b < -9_223_372_036_854_775_808.0 {
        return Ordering::Greater;
    }
    let whole = b as i64;
    a.cmp(&whole).then_with(|| {
        let rest = b - whole as f64;
        if rest > 0.0 {
            Ordering::Less
        } else if rest < 0.0 {
            Ordering::Greater
        } else {
            Ordering::Equal
        }
    })
}

/// The order of two numbers or two Strings (by code points); `None` for anything else.
#[inline]
pub(crate) fn order(heap: &Heap<'_>, a: Value, b: Value) -> Option<Ordering> {
    match (a, b) {
        (Value::Int(a), Value::Int(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        (Value::Int(a), Value::Float(b)) => Some(int_float(a, b)),
        (Value::Float(a), Value::Int(b)) => Some(int_float(b, a).reverse()),
        (Value::Text(_) | Value::Str(_) | Value::Raw(_), Value::Text(_) | Value::Str(_) | Value::Raw(_)) => {
            Some(heap.bytes(a).cmp(heap.bytes(b)))
        }
        _ => None,
    }
}

/// There is no order between these.
#[cold]
pub(crate) fn unordered(heap: &Heap<'_>, a: Value, b: Value) -> Box<Raise> {
    raise(kind::TYPE, format!("não há ordem entre {} e {}", heap.type_name(a), heap.type_name(b)))
}

/// The order of two values, or raises.
#[inline]
pub(crate) fn compare(heap: &Heap<'_>, a: Value, b: Value) -> Fallible<Ordering> {
    order(heap, a, b).ok_or_else(|| unordered(heap, a, b))
}

/// `item in place`: item of an Arr, key of a Map, part of a String.
pub(crate) fn contains(heap: &Heap<'_>, item: Value, place: Value) -> Fallible<bool> {
    match place {
        Value::Arr(handle) => {
            for &other in heap.items(handle)? {
                if equal(heap, item, other)? {
                    return Ok(true);
                }
            }
            Ok(false)
        }
        Value::Map(handle) => match item {
            Value::Text(_) | Value::Str(_) | Value::Raw(_) => Ok(heap.position(handle, item)?.is_some()),
            _ => Ok(false),
        },
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => match item {
            Value::Text(_) | Value::Str(_) | Value::Raw(_) => Ok(heap.str(place)?.contains(heap.str(item)?)),
            _ => Err(raise(kind::TYPE, format!("`in` procura String em String, mas veio {}", heap.type_name(item)))),
        },
        _ => Err(raise(kind::TYPE, format!("`in` espera Arr, Map ou String, mas veio {}", heap.type_name(place)))),
    }
}
