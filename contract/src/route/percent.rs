//! Percent-encoding, strictly: what is not `%` with two hexadecimal digits, or not UTF-8 when decoded, is an error.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

/// A percent-encoding that is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BadEncoding;

impl fmt::Display for BadEncoding {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("codificação inválida no endereço")
    }
}

impl core::error::Error for BadEncoding {}

/// Decodes a part of a path.
///
/// # Errors
/// A broken encoding.
pub fn percent_decode(text: &str) -> Result<Cow<'_, str>, BadEncoding> {
    decode(text, false)
}

/// The pairs of a raw query, in order: `+` is a space, a name alone has an empty value, nothing between two `&` is nothing.
///
/// # Errors
/// A broken encoding.
pub fn parse_query(raw: &str) -> Result<Vec<(String, String)>, BadEncoding> {
    let mut pairs = Vec::new();
    for pair in raw.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        pairs.push((decode(name, true)?.to_string(), decode(value, true)?.to_string()));
    }
    Ok(pairs)
}

/// Percent-encodes all but unreserved characters and those given.
pub fn percent_encode(text: &str, keep: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || keep.contains(&byte) {
            out.push(char::from(byte));
        } else {
            let digit = |half: u8| char::from(DIGITS[usize::from(half & 15)]);
            out.extend(['%', digit(byte >> 4), digit(byte)]);
        }
    }
}

fn decode(text: &str, plus_is_space: bool) -> Result<Cow<'_, str>, BadEncoding> {
    if !text.bytes().any(|byte| byte == b'%' || plus_is_space && byte == b'+') {
        return Ok(text.into());
    }
    let mut out = Vec::with_capacity(text.len());
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        out.push(match byte {
            b'%' => {
                let mut digit = || bytes.next().and_then(|byte| (byte as char).to_digit(16)).ok_or(BadEncoding);
                (digit()? * 16 + digit()?) as u8
            }
            b'+' if plus_is_space => b' ',
            other => other,
        });
    }
    String::from_utf8(out).map(Cow::Owned).map_err(|_| BadEncoding)
}
