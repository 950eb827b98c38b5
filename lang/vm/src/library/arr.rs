//! `Arr.*`, but for what takes a function.

use alloc::{boxed::Box, collections::BTreeSet, format, string::String, vec::Vec};
use core::cmp::Ordering;

use super::{arg, arr, int, slice_bounds, text};
use crate::{
    builtins::Builtin,
    error::{Fallible, Raise, kind, raise, too_large},
    escape,
    heap::{Heap, MAX_TEXT},
    ops::{
        arithmetic,
        compare::{order, unordered},
        equal::equal,
    },
    value::Value,
};

pub(super) fn call(heap: &mut Heap<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let list = arr(heap, builtin, args, 0)?;
    let items = heap.items(list)?;
    match builtin {
        Builtin::ArrLen => Ok(Value::Int(items.len() as i64)),
        Builtin::ArrPush => {
            heap.push(list, arg(args, 1))?;
            Ok(Value::Arr(list))
        }
        // Like all but `push` it answers a new Arr: the items without the last one.
        Builtin::ArrPop => {
            let items = Vec::from(items.split_last().map_or(items, |(_, rest)| rest));
            Ok(heap.arr(items))
        }
        Builtin::ArrReverse => {
            let items = items.iter().rev().copied().collect();
            Ok(heap.arr(items))
        }
        Builtin::ArrSlice => {
            let to = if arg(args, 2).is_nil() { None } else { Some(int(heap, builtin, args, 2)?) };
            let (from, to) = slice_bounds(int(heap, builtin, args, 1)?, to, items.len());
            let items = Vec::from(items.get(from..to).unwrap_or_default());
            Ok(heap.arr(items))
        }
        Builtin::ArrContains => Ok(Value::Bool(find(heap, items, arg(args, 1))?.is_some())),
        Builtin::ArrIndex => Ok(find(heap, items, arg(args, 1))?.map_or(Value::Nil, |index| Value::Int(index as i64))),
        Builtin::ArrFind => Ok(find(heap, items, arg(args, 1))?.and_then(|index| items.get(index).copied()).unwrap_or_default()),
        Builtin::ArrJoin => {
            let separator = text(heap, builtin, args, 1)?;
            let mut joined = Vec::new();
            for (index, &item) in items.iter().enumerate() {
                if index > 0 {
                    joined.extend_from_slice(separator.as_bytes());
                }
                escape::display(heap, item, &mut joined)?;
                if joined.len() > MAX_TEXT {
                    return Err(too_large("a String"));
                }
            }
            let joined = arithmetic::from_utf8(joined)?;
            Ok(heap.text(joined))
        }
        Builtin::ArrSum => sum(heap, Vec::from(items)),
        Builtin::ArrMin => best(heap, items, Ordering::Less),
        Builtin::ArrMax => best(heap, items, Ordering::Greater),
        Builtin::ArrUniq => {
            let items = distinct(heap, items)?;
            Ok(heap.arr(items))
        }
        Builtin::ArrSort => {
            let items = Vec::from(items);
            let sorted = sort(heap, items.iter().map(|item| (*item, *item)).collect())?;
            Ok(heap.arr(sorted))
        }
        // Lowering's part of `sort_by` has made the keys, one for each item.
        Builtin::ArrSortBy => {
            let keys = heap.items(arr(heap, builtin, args, 1)?)?;
            let sorted = sort(heap, items.iter().copied().zip(keys.iter().copied()).collect())?;
            Ok(heap.arr(sorted))
        }
        _ => Err(crate::error::invalid_image()),
    }
}

/// The index of the first item that is equal.
fn find(heap: &Heap<'_>, items: &[Value], wanted: Value) -> Fallible<Option<usize>> {
    for (index, &item) in items.iter().enumerate() {
        if equal(heap, item, wanted)? {
            return Ok(Some(index));
        }
    }
    Ok(None)
}

fn sum(heap: &mut Heap<'_>, items: Vec<Value>) -> Fallible<Value> {
    let mut total = Value::Int(0);
    for item in items {
        if arithmetic::as_float(item).is_none() {
            return Err(raise(kind::TYPE, format!("Arr.sum soma números, mas veio {}", heap.type_name(item))));
        }
        total = arithmetic::add(heap, total, item)?;
    }
    Ok(total)
}

/// The first of the least or greatest items; nil of an empty Arr.
fn best(heap: &Heap<'_>, items: &[Value], wanted: Ordering) -> Fallible<Value> {
    let Some((&first, rest)) = items.split_first() else { return Ok(Value::Nil) };
    let mut best = first;
    // An Arr of one item has an order too, if it is of something that has any.
    order(heap, first, first).ok_or_else(|| disordered(heap, first, items.iter().copied()))?;
    for &item in rest {
        if order(heap, item, best).ok_or_else(|| disordered(heap, first, items.iter().copied()))? == wanted {
            best = item;
        }
    }
    Ok(best)
}

/// There is no order among values: names the type of the first and one that is another, where there is one.
#[cold]
fn disordered(heap: &Heap<'_>, first: Value, mut all: impl Iterator<Item = Value>) -> Box<Raise> {
    let name = heap.type_name(first);
    let other = all.find(|value| heap.type_name(*value) != name && order(heap, first, *value).is_none());
    unordered(heap, first, other.unwrap_or(first))
}

/// Sorts items by their keys; equal ones stay in their order. All keys are numbers or all are Strings.
fn sort(heap: &Heap<'_>, mut pairs: Vec<(Value, Value)>) -> Fallible<Vec<Value>> {
    if let Some(&(_, first)) = pairs.first()
        && pairs.iter().any(|&(_, key)| order(heap, first, key).is_none())
    {
        return Err(disordered(heap, first, pairs.iter().map(|&(_, key)| key)));
    }
    pairs.sort_by(|a, b| order(heap, a.1, b.1).unwrap_or(Ordering::Equal));
    Ok(pairs.into_iter().map(|(item, _)| item).collect())
}

/// The items without those that are equal to an earlier one.
fn distinct(heap: &Heap<'_>, items: &[Value]) -> Fallible<Vec<Value>> {
    let mut texts: BTreeSet<&[u8]> = BTreeSet::new();
    let mut ints: BTreeSet<i64> = BTreeSet::new();
    // What is neither is compared one by one.
    let mut others: Vec<Value> = Vec::new();
    let mut kept = Vec::new();
    for &item in items {
        let new = match item {
            Value::Text(_) | Value::Str(_) | Value::Raw(_) => texts.insert(heap.bytes(item)),
            Value::Int(number) => ints.insert(number),
            Value::Float(number) => match crate::ops::number::to_int(number) {
                Some(number) => ints.insert(number),
                None => push_new(heap, &mut others, item)?,
            },
            _ => push_new(heap, &mut others, item)?,
        };
        if new {
            kept.push(item);
        }
    }
    Ok(kept)
}

fn push_new(heap: &Heap<'_>, others: &mut Vec<Value>, item: Value) -> Fallible<bool> {
    let new = find(heap, others, item)?.is_none();
    if new {
        others.push(item);
    }
    Ok(new)
}

/// An empty separator's neighbour in `String.split`, kept here since both make Arrs of Strings.
pub(super) fn of_texts(heap: &mut Heap<'_>, texts: impl IntoIterator<Item = String>) -> Value {
    let items = texts.into_iter().map(|text| heap.text(text)).collect();
    heap.arr(items)
}
