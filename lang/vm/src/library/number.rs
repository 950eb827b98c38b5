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

/// Places beyond which every double is all there, or nothing.
const MAX_PLACES: i64 = 400;

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
            let places = int(heap, builtin, args, 1)?.clamp(-MAX_PLACES, MAX_PLACES);
            let number = as_float(value).ok_or_else(|| wrong(heap, builtin, "um número", value))?;
            finite(round_places(number, places).unwrap_or(number))
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

/// Rounds to decimal places, negative ones before the point, on the digits that the number shows (2.675 is a tie, whatever its bits
/// are); ties go away from zero, as without places. `None` when there is nothing to round.
fn round_places(number: f64, places: i64) -> Option<f64> {
    let shown: String = format!("{number:e}");
    let (mantissa, exponent) = shown.split_once('e')?;
    let digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    let kept = exponent.parse::<i64>().ok()?.checked_add(1)?.checked_add(places)?;
    let Ok(kept) = usize::try_from(kept) else { return Some(0.0) };
    let up = *digits.get(kept)? >= b'5';
    let whole = digits.get(..kept)?.iter().fold(0, |whole: u64, digit| whole.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
    let whole = whole.saturating_add(u64::from(up));
    let sign = if number < 0.0 && whole > 0 { "-" } else { "" };
    format!("{sign}{whole}e{}", -places).parse().ok()
}
