//! `Int.*` and `Float.*`

use alloc::{format, string::String, vec::Vec};

use super::{arg, int, is_text, wrong};
use crate::{
    builtins::Builtin,
    error::{Fallible, kind, raise},
    heap::Heap,
    ops::{
        arithmetic::{as_float, finite, floor_div, floor_mod, from_utf8},
        number::{ceil, floor, parse_float, parse_int, round, to_int, write_float, write_int},
    },
    value::Value,
};

/// Digits after the point that a double can tell apart.
const MAX_PLACES: i64 = 15;

pub(super) fn call(heap: &mut Heap<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let value = arg(args, 0);
    match builtin {
        // What is no number is nil, and so is nil: a parameter that did not come reads the same as one that makes no sense.
        Builtin::IntParse => match value {
            Value::Int(_) => Ok(value),
            Value::Float(number) => Ok(to_int(number).map_or(Value::Nil, Value::Int)),
            Value::Nil | Value::Unset => Ok(Value::Nil),
            _ if is_text(value) => Ok(parse_int(heap.str(value)?).map_or(Value::Nil, Value::Int)),
            _ => Err(wrong(heap, builtin, "String", value)),
        },
        Builtin::FloatParse => match value {
            Value::Int(number) => Ok(Value::Float(number as f64)),
            Value::Float(_) => Ok(value),
            Value::Nil | Value::Unset => Ok(Value::Nil),
            _ if is_text(value) => Ok(parse_float(heap.str(value)?).map_or(Value::Nil, Value::Float)),
            _ => Err(wrong(heap, builtin, "String", value)),
        },
        Builtin::IntStr | Builtin::FloatStr => {
            let mut shown = Vec::new();
            match value {
                Value::Int(number) => write_int(&mut shown, number),
                Value::Float(number) => write_float(&mut shown, number),
                _ => return Err(wrong(heap, builtin, "um número", value)),
            }
            let shown = from_utf8(shown)?;
            Ok(heap.text(shown))
        }
        Builtin::IntDiv => floor_div(int(heap, builtin, args, 0)?, int(heap, builtin, args, 1)?).map(Value::Int),
        Builtin::IntMod => floor_mod(int(heap, builtin, args, 0)?, int(heap, builtin, args, 1)?).map(Value::Int),
        Builtin::FloatRound if !arg(args, 1).is_nil() => {
            let places = int(heap, builtin, args, 1)?.clamp(0, MAX_PLACES) as usize;
            let number = as_float(value).ok_or_else(|| wrong(heap, builtin, "um número", value))?;
            let text: String = format!("{number:.places$}");
            finite(text.parse().unwrap_or(number))
        }
        Builtin::FloatRound | Builtin::FloatFloor | Builtin::FloatCeil => {
            let number = match value {
                Value::Int(_) => return Ok(value),
                Value::Float(number) => number,
                _ => return Err(wrong(heap, builtin, "um número", value)),
            };
            let whole = match builtin {
                Builtin::FloatFloor => floor(number),
                Builtin::FloatCeil => ceil(number),
                _ => round(number),
            };
            to_int(whole).map(Value::Int).ok_or_else(|| raise(kind::ARITHMETIC, "o número não cabe num Int"))
        }
        _ => Err(crate::error::invalid_image()),
    }
}
