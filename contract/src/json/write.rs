//! Compact JSON in raw UTF-8. Numbers look as JavaScript and Go print them.

use alloc::{format, string::String};
use core::fmt::Write as _;

use super::text::plain_end;
use crate::value::Value;

/// The value as JSON text.
pub fn to_string(value: &Value) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

/// Appends the value. A Float without fraction is written without one.
pub fn write(value: &Value, out: &mut String) {
    write_with(value, out, write_float);
}

/// Appends the value so that reading it gives it back exactly: a Float stays a Float (`4.0`).
pub fn write_exact(value: &Value, out: &mut String) {
    write_with(value, out, |number, out| {
        /// Beyond it every double is whole, and a shortest form may name another whole number than the double's own.
        const EXACT: f64 = 9_007_199_254_740_992.0;
        if !number.is_finite() {
            out.push_str("null");
        } else if (-EXACT..EXACT).contains(&number) {
            out.push_str(&format!("{number:?}"));
        } else if (-1e19..1e19).contains(&number) {
            out.push_str(&format!("{number:.1}"));
        } else {
            out.push_str(&format!("{number:e}"));
        }
    });
}

fn write_with(value: &Value, out: &mut String, float: fn(f64, &mut String)) {
    match value {
        Value::Nil => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(number) => write_int(*number, out),
        Value::Float(number) => float(*number, out),
        Value::Huge(text) => out.push_str(text),
        Value::Str(text) => write_str(text, out),
        Value::Arr(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_with(item, out, float);
            }
            out.push(']');
        }
        Value::Map(members) => {
            out.push('{');
            for (index, (name, member)) in members.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_str(name, out);
                out.push(':');
                write_with(member, out, float);
            }
            out.push('}');
        }
    }
}

/// Appends an integer.
pub fn write_int(number: i64, out: &mut String) {
    let mut buffer = [0_u8; 20];
    let mut at = buffer.len();
    let mut rest = number.unsigned_abs();
    loop {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if number < 0 {
        out.push('-');
    }
    out.push_str(core::str::from_utf8(&buffer[at..]).unwrap_or_default());
}

/// Appends a double in the shortest form that reads back the same, as `Number.prototype.toString` of JavaScript does:
/// `4`, `0.1`, `1e+21`, `1e-7`; `0` for negative zero. What is not finite cannot occur in JSON: `null`.
pub fn write_float(number: f64, out: &mut String) {
    if !number.is_finite() {
        out.push_str("null");
        return;
    }
    // Whole numbers that an integer holds exactly need no search for the shortest digits.
    if (-9e15..9e15).contains(&number) && (number as i64) as f64 == number {
        write_int(number as i64, out);
        return;
    }
    // `Display` never uses an exponent, and is the shortest form too.
    if (1e-6..1e21).contains(&number.abs()) {
        let _ = write!(out, "{number}");
        return;
    }
    let scientific = format!("{number:e}");
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let sign = if exponent.starts_with('-') { "" } else { "+" };
    let _ = write!(out, "{mantissa}e{sign}{exponent}");
}

/// Appends a string with its quotes. Only what JSON requires is escaped.
pub fn write_str(text: &str, out: &mut String) {
    let bytes = text.as_bytes();
    out.reserve(text.len() + 2);
    out.push('"');
    let mut start = 0;
    loop {
        let end = plain_end(bytes, start);
        out.push_str(&text[start..end]);
        let Some(byte) = bytes.get(end) else { break };
        start = end + 1;
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            b'\n' => out.push_str("\\n"),
            b'\r' => out.push_str("\\r"),
            b'\t' => out.push_str("\\t"),
            0x8 => out.push_str("\\b"),
            0xC => out.push_str("\\f"),
            other => out.push_str(&format!("\\u{other:04x}")),
        }
    }
    out.push('"');
}
