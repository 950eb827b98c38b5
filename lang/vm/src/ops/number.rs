//! Numbers as text and numbers out of text, and rounding without the standard library.

use alloc::{string::String, vec::Vec};

/// Beyond this every double is an integer.
const ALL_INTEGERS: f64 = 4_503_599_627_370_496.0;

/// Writes an integer in decimal.
pub(crate) fn write_int(out: &mut Vec<u8>, number: i64) {
    let mut buffer = [0_u8; 20];
    let mut rest = number.unsigned_abs();
    let mut start = buffer.len();
    for (index, place) in buffer.iter_mut().enumerate().rev() {
        *place = b'0' + (rest % 10) as u8;
        rest /= 10;
        start = index;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push(b'-');
    }
    out.extend_from_slice(buffer.get(start..).unwrap_or_default());
}

/// Writes a number as JSON and as text: without a fraction when it has none.
pub(crate) fn write_float(out: &mut Vec<u8>, number: f64) {
    let mut text = String::new();
    djo_contract::json::write_float(number, &mut text);
    out.extend_from_slice(text.as_bytes());
}

/// The greatest integer not above.
pub(crate) fn floor(number: f64) -> f64 {
    let cut = truncate(number);
    if cut > number { cut - 1.0 } else { cut }
}

/// The least integer not below.
pub(crate) fn ceil(number: f64) -> f64 {
    -floor(-number)
}

/// The nearest integer; halves go away from zero, as in school.
pub(crate) fn round(number: f64) -> f64 {
    let cut = truncate(number);
    let rest = number - cut;
    if rest >= 0.5 {
        cut + 1.0
    } else if rest <= -0.5 {
        cut - 1.0
    } else {
        cut
    }
}

fn truncate(number: f64) -> f64 {
    if number > -ALL_INTEGERS && number < ALL_INTEGERS { number as i64 as f64 } else { number }
}

/// The Int equal to an integral number, when there is one.
pub(crate) fn to_int(number: f64) -> Option<i64> {
    // -2^63 is a double, 2^63 is the first one too large.
    let fits = (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&number);
    (fits && truncate(number) == number).then_some(number as i64)
}

/// An Int in decimal, with an optional sign and spaces around it.
pub(crate) fn parse_int(text: &str) -> Option<i64> {
    text.trim().parse().ok()
}

/// A finite number in decimal, with optional fraction and exponent and spaces around it.
pub(crate) fn parse_float(text: &str) -> Option<f64> {
    let text = text.trim();
    let plain = text.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E'));
    text.parse().ok().filter(|number: &f64| plain && number.is_finite())
}
