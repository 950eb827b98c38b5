//! Percent-encoding. Of an address it is read strictly: what is not `%` with two hexadecimal digits, or not UTF-8 when decoded, is an error.

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

/// Decodes one segment of a path, which no decoded `/` divides and no NUL ends.
///
/// # Errors
/// A broken encoding, or one of these.
pub(super) fn decode_segment(text: &str) -> Result<Cow<'_, str>, BadEncoding> {
    let segment = percent_decode(text)?;
    if segment.bytes().any(|byte| matches!(byte, b'/' | 0)) { Err(BadEncoding) } else { Ok(segment) }
}

/// Decodes a path, segment by segment.
///
/// # Errors
/// A broken encoding, or a segment that holds `/` or NUL when decoded.
pub fn decode_path(path: &str) -> Result<Cow<'_, str>, BadEncoding> {
    if !path.bytes().any(|byte| matches!(byte, b'%' | 0)) {
        return Ok(path.into());
    }
    let segments: Vec<_> = path.split('/').map(decode_segment).collect::<Result<_, _>>()?;
    Ok(segments.join("/").into())
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

/// Decodes `%XX`, and `+` as a space where asked, of what others wrote. What is no valid escape stays as it is.
pub fn decode_leniently(bytes: &[u8], plus_is_space: bool) -> Vec<u8> {
    let digit = |byte: &u8| (*byte as char).to_digit(16);
    let mut out = Vec::with_capacity(bytes.len());
    let mut rest = bytes;
    while let [byte, after @ ..] = rest {
        rest = after;
        match (byte, after) {
            (b'%', [high, low, tail @ ..]) if let (Some(high), Some(low)) = (digit(high), digit(low)) => {
                out.push((high * 16 + low) as u8);
                rest = tail;
            }
            (b'+', _) if plus_is_space => out.push(b' '),
            _ => out.push(*byte),
        }
    }
    out
}

/// Percent-encodes all but unreserved characters and those given, which are ASCII.
#[inline]
pub fn percent_encode(bytes: &[u8], keep: &[u8], out: &mut Vec<u8>) {
    const DIGITS: [u8; 16] = *b"0123456789ABCDEF";
    for &byte in bytes {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~') || keep.contains(&byte) {
            out.push(byte);
        } else {
            out.extend_from_slice(&[b'%', DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
        }
    }
}

/// The same as text.
pub fn percent_encoded(text: &str, keep: &[u8]) -> String {
    let mut out = Vec::with_capacity(text.len());
    percent_encode(text.as_bytes(), keep, &mut out);
    out.into_iter().map(char::from).collect()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_decoded_within_their_segments() {
        assert_eq!(decode_path("/a%62/%63").as_deref(), Ok("/ab/c"));
        for bad in ["/a%2Fb", "/a%00", "/%zz", "/a%", "/\0", "/%ff"] {
            assert_eq!(decode_path(bad), Err(BadEncoding), "{bad:?}");
        }
    }

    #[test]
    fn what_is_no_escape_is_kept_where_others_wrote_it() {
        assert_eq!(decode_leniently(b"a%20b+c%zz%4", true), b"a b c%zz%4");
        assert_eq!(decode_leniently(b"a+b", false), b"a+b");
    }
}
