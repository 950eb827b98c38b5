//! `==`: structural, `1 == 1.0`, the order of a Map's members does not count. Ends on cycles and does not recurse.

use alloc::{collections::BTreeSet, vec::Vec};
use core::cmp::Ordering;

use super::compare::int_float;
use crate::{
    error::Fallible,
    heap::{Heap, same_text},
    value::{Handle, Value},
};

/// Pairs of containers compared before those seen are remembered: fewer cannot be worth the set.
const PLAIN_PAIRS: usize = 32;

/// Whether two values are equal.
#[inline]
pub(crate) fn equal(heap: &Heap<'_>, a: Value, b: Value) -> Fallible<bool> {
    match flat(heap, a, b) {
        Some(equal) => Ok(equal),
        None => deep(heap, a, b),
    }
}

/// Decides without looking into containers, where it can.
#[inline]
fn flat(heap: &Heap<'_>, a: Value, b: Value) -> Option<bool> {
    Some(match (a, b) {
        (Value::Nil | Value::Unset, Value::Nil | Value::Unset) => true,
        (Value::Bool(a), Value::Bool(b)) => a == b,
        (Value::Int(a), Value::Int(b)) => a == b,
        (Value::Float(a), Value::Float(b)) => a == b,
        (Value::Int(a), Value::Float(b)) | (Value::Float(b), Value::Int(a)) => int_float(a, b) == Ordering::Equal,
        // An image holds each text once.
        (Value::Text(x), Value::Text(y)) => same_text(x, y),
        (Value::Text(_) | Value::Str(_) | Value::Raw(_), Value::Text(_) | Value::Str(_) | Value::Raw(_)) => heap.bytes(a) == heap.bytes(b),
        (Value::Function(a), Value::Function(b)) => a == b,
        (Value::Builtin(a), Value::Builtin(b)) => a == b,
        (Value::Closure(a), Value::Closure(b)) => a == b,
        (Value::Arr(a), Value::Arr(b)) | (Value::Map(a), Value::Map(b)) | (Value::Struct(a), Value::Struct(b)) => {
            if a == b {
                return Some(true);
            }
            return None;
        }
        _ => false,
    })
}

fn deep(heap: &Heap<'_>, a: Value, b: Value) -> Fallible<bool> {
    let mut pending: Vec<(Value, Value)> = Vec::new();
    pending.push((a, b));
    let mut pairs = 0;
    // A pair that is being compared is taken as equal when it comes up again: so cycles end, and shared parts are compared once.
    let mut seen: BTreeSet<(Handle, Handle)> = BTreeSet::new();
    while let Some((a, b)) = pending.pop() {
        if let Some(equal) = flat(heap, a, b) {
            if equal {
                continue;
            }
            return Ok(false);
        }
        pairs += 1;
        if let (Some(x), Some(y)) = (a.handle(), b.handle())
            && pairs > PLAIN_PAIRS
            && !seen.insert((x, y))
        {
            continue;
        }
        let same = match (a, b) {
            (Value::Arr(x), Value::Arr(y)) => {
                let (x, y) = (heap.items(x)?, heap.items(y)?);
                pending.extend(x.iter().copied().zip(y.iter().copied()));
                x.len() == y.len()
            }
            (Value::Struct(x), Value::Struct(y)) => {
                let ((tx, x), (ty, y)) = (heap.fields(x)?, heap.fields(y)?);
                pending.extend(x.iter().copied().zip(y.iter().copied()));
                tx == ty
            }
            (Value::Map(x), Value::Map(y)) => {
                let entries = heap.entries(x)?;
                let mut same = entries.len() == heap.entries(y)?.len();
                for &(key, value) in entries {
                    match heap.member(y, key)? {
                        Some(other) if same => pending.push((value, other)),
                        _ => {
                            same = false;
                            break;
                        }
                    }
                }
                same
            }
            _ => false,
        };
        if !same {
            return Ok(false);
        }
    }
    Ok(true)
}
