//! `+ - * / %` and unary `-`. Int overflow, division by zero and a Float out of range raise; nothing wraps, nothing is infinite.

use alloc::{boxed::Box, format, vec::Vec};

use super::number::{write_float, write_int};
use crate::{
    error::{Fallible, Raise, kind, raise, too_large},
    escape,
    heap::{Heap, MAX_ITEMS},
    value::Value,
};

/// The operators of two sides that only numbers have, but for `+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub(crate) enum Operator {
    Sub,
    Mul,
    Div,
    Rem,
}

impl Operator {
    fn sign(self) -> char {
        match self {
            Self::Sub => '-',
            Self::Mul => '*',
            Self::Div => '/',
            Self::Rem => '%',
        }
    }
}

#[cold]
pub(crate) fn overflow() -> Box<Raise> {
    raise(kind::ARITHMETIC, "a conta passa do que um Int guarda")
}

#[cold]
fn division_by_zero() -> Box<Raise> {
    raise(kind::ARITHMETIC, "divisão por zero")
}

#[cold]
fn mismatch(heap: &Heap<'_>, sign: char, a: Value, b: Value) -> Box<Raise> {
    let (a, b) = (heap.type_name(a), heap.type_name(b));
    raise(kind::TYPE, format!("`{sign}` não vale entre {a} e {b}"))
}

/// A Float result, which must be finite.
pub(crate) fn finite(number: f64) -> Fallible<Value> {
    if number.is_finite() { Ok(Value::Float(number)) } else { Err(raise(kind::ARITHMETIC, "a conta passa do que um Float guarda")) }
}

/// Floored division of Ints.
pub(crate) fn floor_div(a: i64, b: i64) -> Fallible<i64> {
    if b == 0 {
        return Err(division_by_zero());
    }
    let quotient = a.checked_div(b).ok_or_else(overflow)?;
    Ok(if a % b != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient })
}

/// What floored division leaves over: it has the sign of `b`.
pub(crate) fn floor_mod(a: i64, b: i64) -> Fallible<i64> {
    if b == 0 {
        return Err(division_by_zero());
    }
    // Usually both are small and positive, and a division of half the width is the quicker one.
    if let (Ok(a), Ok(b)) = (u32::try_from(a), u32::try_from(b)) {
        return Ok((a % b).into());
    }
    let rest = a.wrapping_rem(b);
    Ok(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
}

/// The same for Floats.
fn float_mod(a: f64, b: f64) -> Fallible<Value> {
    if b == 0.0 {
        return Err(division_by_zero());
    }
    let rest = a % b;
    finite(if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest })
}

/// `a * b`. Of numbers of half the width no product overflows; for all others the check takes a multiplication of twice the width,
/// which a guest has to call a function for.
#[inline]
pub(crate) fn multiply(a: i64, b: i64) -> Option<i64> {
    match (i32::try_from(a), i32::try_from(b)) {
        (Ok(a), Ok(b)) => Some(i64::from(a) * i64::from(b)),
        _ => a.checked_mul(b),
    }
}

/// A number as a Float.
#[inline]
pub(crate) fn as_float(value: Value) -> Option<f64> {
    match value {
        Value::Int(number) => Some(number as f64),
        Value::Float(number) => Some(number),
        _ => None,
    }
}

/// `a - b`, `a * b`, `a / b`, `a % b`.
pub(crate) fn numeric(heap: &Heap<'_>, operator: Operator, a: Value, b: Value) -> Fallible<Value> {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return match operator {
            Operator::Sub => a.checked_sub(b).map(Value::Int).ok_or_else(overflow),
            Operator::Mul => multiply(a, b).map(Value::Int).ok_or_else(overflow),
            Operator::Div if b == 0 => Err(division_by_zero()),
            Operator::Div => finite(a as f64 / b as f64),
            Operator::Rem => floor_mod(a, b).map(Value::Int),
        };
    }
    let (Some(x), Some(y)) = (as_float(a), as_float(b)) else {
        return Err(mismatch(heap, operator.sign(), a, b));
    };
    match operator {
        Operator::Sub => finite(x - y),
        Operator::Mul => finite(x * y),
        Operator::Div if y == 0.0 => Err(division_by_zero()),
        Operator::Div => finite(x / y),
        Operator::Rem => float_mod(x, y),
    }
}

/// `a + b`: numbers, Strings (the other side may be Int, Float, Bool), Arrs.
pub(crate) fn add(heap: &mut Heap<'_>, a: Value, b: Value) -> Fallible<Value> {
    if let (Value::Int(a), Value::Int(b)) = (a, b) {
        return a.checked_add(b).map(Value::Int).ok_or_else(overflow);
    }
    if let (Some(a), Some(b)) = (as_float(a), as_float(b)) {
        return finite(a + b);
    }
    if let (Value::Arr(x), Value::Arr(y)) = (a, b) {
        let (x, y) = (heap.items(x)?, heap.items(y)?);
        if x.len() + y.len() > MAX_ITEMS {
            return Err(too_large("o Arr"));
        }
        let items = [x, y].concat();
        return Ok(heap.arr(items));
    }
    let raw = matches!(a, Value::Raw(_)) || matches!(b, Value::Raw(_));
    if !is_text(a) && !is_text(b) {
        return Err(mismatch(heap, '+', a, b));
    }
    if let Some(from) = heap.long(a, raw) {
        let more = match b {
            Value::Raw(_) => b,
            Value::Text(_) | Value::Str(_) if !raw => b,
            _ => shown(heap, a, b, raw)?,
        };
        return heap.extended(from, more, raw);
    }
    let mut joined = Vec::with_capacity(heap.bytes(a).len() + heap.bytes(b).len());
    for side in [a, b] {
        show(heap, side, raw, &mut joined).ok_or_else(|| mismatch(heap, '+', a, b))?;
    }
    let text = from_utf8(joined)?;
    heap.joined(text, raw)
}

/// The second side of `a + b` as a String of its own.
fn shown(heap: &mut Heap<'_>, a: Value, b: Value, raw: bool) -> Fallible<Value> {
    let mut text = Vec::new();
    show(heap, b, raw, &mut text).ok_or_else(|| mismatch(heap, '+', a, b))?;
    let text = from_utf8(text)?;
    heap.joined(text, raw)
}

/// Writes a side of `a + b`; `None` when it is none.
fn show(heap: &Heap<'_>, side: Value, raw: bool, out: &mut Vec<u8>) -> Option<()> {
    match side {
        // Joined with markup, plain text becomes markup that shows it.
        Value::Text(_) | Value::Str(_) if raw => escape::text(out, heap.bytes(side)),
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => out.extend_from_slice(heap.bytes(side)),
        Value::Int(number) => write_int(out, number),
        Value::Float(number) => write_float(out, number),
        Value::Bool(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
        _ => return None,
    }
    Some(())
}

/// Bytes that are text unless they come from a damaged image.
pub(crate) fn from_utf8(bytes: Vec<u8>) -> Fallible<alloc::string::String> {
    alloc::string::String::from_utf8(bytes).map_err(|_| crate::error::invalid_image())
}

fn is_text(value: Value) -> bool {
    matches!(value, Value::Text(_) | Value::Str(_) | Value::Raw(_))
}

/// `-a`
pub(crate) fn negate(heap: &Heap<'_>, a: Value) -> Fallible<Value> {
    match a {
        Value::Int(number) => number.checked_neg().map(Value::Int).ok_or_else(overflow),
        Value::Float(number) => Ok(Value::Float(-number)),
        other => Err(raise(kind::TYPE, format!("`-` não vale para {}", heap.type_name(other)))),
    }
}
