//! Numbers of JSON, without rounding what 64 bits hold exactly.

use alloc::boxed::Box;

use super::fault::Fault;
use crate::value::{Value, exact_int, is_beyond_int};

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
    match literal.parse::<f64>() {
        Ok(number) if number.is_finite() && !integer => {
            // A double with a fraction of its own is no integer, as little as what it was read from.
            if !is_whole(number) {
                return Value::Float(number);
            }
            match written(literal) {
                Written::Int(exact) if exact_int(number) != Some(exact) => Value::Int(exact),
                Written::Fraction => Value::Huge(literal.into()),
                Written::Int(_) | Written::Beyond => Value::Float(number),
            }
        }
        _ => Value::Huge(literal.into()),
    }
}

/// Whether a double has no fraction; from 2^63 on none has.
fn is_whole(number: f64) -> bool {
    exact_int(number).is_some() || is_beyond_int(number)
}

/// What a literal with fraction or exponent writes, exactly.
enum Written {
    Int(i64),
    /// An integer that 64 bits do not hold.
    Beyond,
    /// No integer.
    Fraction,
}

fn written(literal: &str) -> Written {
    let (mantissa, exponent) = literal.split_once(['e', 'E']).unwrap_or((literal, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let negative = whole.starts_with('-');
    // The value is these digits, none of them a leading or trailing zero, times a power of ten.
    let all = || whole.bytes().chain(fraction.bytes()).filter(u8::is_ascii_digit);
    let Some(last) = all().rev().position(|digit| digit != b'0') else { return Written::Int(0) };
    let digits = || all().take(all().count() - last).skip_while(|digit| *digit == b'0');
    let Ok(exponent) = exponent.parse::<i64>() else {
        return if exponent.starts_with('-') { Written::Fraction } else { Written::Beyond };
    };
    let power = exponent.saturating_sub_unsigned(fraction.len() as u64).saturating_add_unsigned(last as u64);
    let Ok(power) = u32::try_from(power) else {
        return if power < 0 { Written::Fraction } else { Written::Beyond };
    };
    let magnitude = digits().try_fold(0_i128, |sum, digit| sum.checked_mul(10)?.checked_add(i128::from(digit - b'0')));
    let scaled = magnitude.zip(10_i128.checked_pow(power)).and_then(|(magnitude, scale)| magnitude.checked_mul(scale));
    let exact = scaled.and_then(|magnitude| i64::try_from(if negative { -magnitude } else { magnitude }).ok());
    exact.map_or(Written::Beyond, Written::Int)
}
