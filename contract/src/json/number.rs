//! Numbers of JSON, without rounding what 64 bits hold exactly.

use alloc::boxed::Box;

use super::fault::Fault;
use crate::value::Value;

/// Reads the number that starts at `start`; answers it and where it ends.
pub(super) fn read(text: &str, start: usize) -> Result<(Value, usize), Box<Fault>> {
    let bytes = text.as_bytes();
    let negative = bytes.get(start) == Some(&b'-');
    let first = start + usize::from(negative);
    let whole_end = match bytes.get(first) {
        // A zero stands alone: `01` is no number.
        Some(b'0') => {
            if bytes.get(first + 1).is_some_and(u8::is_ascii_digit) {
                return Err(Fault::syntax("número com zero à esquerda", start));
            }
            first + 1
        }
        Some(b'1'..=b'9') => digits_end(bytes, first),
        _ => return Err(Fault::syntax("número sem dígitos", start)),
    };
    let mut end = whole_end;
    if bytes.get(end) == Some(&b'.') {
        end = some_digits(bytes, end + 1, start)?;
    }
    if let Some(b'e' | b'E') = bytes.get(end) {
        let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
        end = some_digits(bytes, end + 1 + sign, start)?;
    }
    let literal = &text[start..end];
    let value = if end == whole_end { integer(&bytes[first..end], negative) } else { None };
    Ok((value.unwrap_or_else(|| decimal(literal, end == whole_end)), end))
}

fn digits_end(bytes: &[u8], mut at: usize) -> usize {
    while bytes.get(at).is_some_and(u8::is_ascii_digit) {
        at += 1;
    }
    at
}

fn some_digits(bytes: &[u8], at: usize, start: usize) -> Result<usize, Box<Fault>> {
    let end = digits_end(bytes, at);
    if end == at { Err(Fault::syntax("número incompleto", start)) } else { Ok(end) }
}

/// The digits as an `Int`, when 64 bits hold it.
fn integer(digits: &[u8], negative: bool) -> Option<Value> {
    if digits.len() > 19 {
        return None;
    }
    // 19 digits fit an unsigned 64-bit number.
    let magnitude = digits.iter().fold(0_u64, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    let number = if negative { 0_i64.checked_sub_unsigned(magnitude)? } else { i64::try_from(magnitude).ok()? };
    Some(Value::Int(number))
}

/// A number with a fraction or an exponent, or an integer that 64 bits do not hold.
fn decimal(literal: &str, integer: bool) -> Value {
    /// Up to here every whole number is a double.
    const EXACT: f64 = 9_007_199_254_740_992.0;
    match literal.parse::<f64>() {
        Ok(number) if number.is_finite() && !integer => {
            // Only where the double may have rounded is the literal read again.
            if (EXACT..=1e19).contains(&magnitude(number))
                && let Some(whole) = whole_number(literal)
                && crate::value::exact_int(number) != Some(whole)
            {
                return Value::Int(whole);
            }
            Value::Float(number)
        }
        _ => Value::Huge(literal.into()),
    }
}

fn magnitude(number: f64) -> f64 {
    if number < 0.0 { -number } else { number }
}

/// The 64-bit integer that a literal with fraction or exponent writes, if it is one.
fn whole_number(literal: &str) -> Option<i64> {
    let (mantissa, exponent) = match literal.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, exponent.parse::<i32>().ok()?),
        None => (literal, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let fraction = fraction.trim_end_matches('0');
    let zeros = exponent.checked_sub(i32::try_from(fraction.len()).ok()?)?;
    let mut number: i128 = 0;
    for digit in whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit) {
        number = number.checked_mul(10)?.checked_add(i128::from(digit - b'0'))?;
    }
    let scale = 10_i128.checked_pow(zeros.unsigned_abs())?;
    let number = match zeros {
        0.. => number.checked_mul(scale)?,
        _ if number % scale == 0 => number / scale,
        _ => return None,
    };
    i64::try_from(if whole.starts_with('-') { -number } else { number }).ok()
}
