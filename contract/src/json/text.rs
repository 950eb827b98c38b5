//! Strings of JSON.

use alloc::{borrow::Cow, boxed::Box, string::String};

use super::fault::Fault;

/// Reads the string whose opening quote stands at `at`, and moves `at` behind its closing quote.
#[inline]
pub(super) fn read<'a>(text: &'a str, at: &mut usize) -> Result<Cow<'a, str>, Box<Fault>> {
    let bytes = text.as_bytes();
    let start = *at + 1;
    let end = plain_end(bytes, start);
    if bytes.get(end) == Some(&b'"') {
        *at = end + 1;
        return Ok(Cow::Borrowed(&text[start..end]));
    }
    read_escaped(text, start, end, at).map(Cow::Owned)
}

/// The first byte from `at` on that is a quote, a backslash or a control character; the end when there is none.
#[inline]
pub(super) fn plain_end(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    // Eight bytes at a time: a byte of `x` is zero where its high bit in `(x - ONES) & !x` is set.
    while let Some(chunk) = bytes.get(at..at + 8) {
        let mut eight = [0; 8];
        eight.copy_from_slice(chunk);
        let word = u64::from_le_bytes(eight);
        let quote = word ^ (ONES * b'"' as u64);
        let slash = word ^ (ONES * b'\\' as u64);
        let found = (quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash) | (word.wrapping_sub(ONES * 0x20) & !word);
        if found & HIGH != 0 {
            break;
        }
        at += 8;
    }
    while let Some(&byte) = bytes.get(at) {
        if byte == b'"' || byte == b'\\' || byte < 0x20 {
            break;
        }
        at += 1;
    }
    at
}

#[cold]
fn read_escaped(text: &str, start: usize, mut end: usize, at: &mut usize) -> Result<String, Box<Fault>> {
    let bytes = text.as_bytes();
    let mut out = String::from(&text[start..end]);
    loop {
        match bytes.get(end) {
            None => return Err(Fault::syntax("o texto termina dentro de uma String", end)),
            Some(b'"') => {
                *at = end + 1;
                return Ok(out);
            }
            Some(b'\\') => end = escape(bytes, end, &mut out)?,
            Some(_) => return Err(Fault::syntax("caractere de controle dentro de uma String", end)),
        }
        let next = plain_end(bytes, end);
        out.push_str(&text[end..next]);
        end = next;
    }
}

/// Reads the escape whose backslash stands at `at`; answers where it ends.
fn escape(bytes: &[u8], at: usize, out: &mut String) -> Result<usize, Box<Fault>> {
    let character = match bytes.get(at + 1) {
        Some(b'"') => '"',
        Some(b'\\') => '\\',
        Some(b'/') => '/',
        Some(b'b') => '\u{8}',
        Some(b'f') => '\u{C}',
        Some(b'n') => '\n',
        Some(b'r') => '\r',
        Some(b't') => '\t',
        Some(b'u') => return unicode_escape(bytes, at, out),
        Some(_) => return Err(Fault::syntax("escape desconhecido em uma String", at)),
        None => return Err(Fault::syntax("o texto termina dentro de uma String", at + 1)),
    };
    out.push(character);
    Ok(at + 2)
}

fn unicode_escape(bytes: &[u8], at: usize, out: &mut String) -> Result<usize, Box<Fault>> {
    let lone = || Fault::syntax("metade de um par substituto (surrogate) em uma String", at);
    let unit = hex(bytes, at)?;
    let (code, end) = match unit {
        0xD800..=0xDBFF => {
            if bytes.get(at + 6..at + 8) != Some(b"\\u") {
                return Err(lone());
            }
            let low = hex(bytes, at + 6)?;
            if !(0xDC00..=0xDFFF).contains(&low) {
                return Err(lone());
            }
            (0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00), at + 12)
        }
        0xDC00..=0xDFFF => return Err(lone()),
        _ => (unit, at + 6),
    };
    out.push(char::from_u32(code).ok_or_else(lone)?);
    Ok(end)
}

/// The four hexadecimal digits of the `\u` at `at`.
fn hex(bytes: &[u8], at: usize) -> Result<u32, Box<Fault>> {
    let mut code = 0;
    for index in at + 2..at + 6 {
        match bytes.get(index).and_then(|&byte| (byte as char).to_digit(16)) {
            Some(digit) => code = code * 16 + digit,
            None => return Err(Fault::syntax("`\\u` sem quatro dígitos hexadecimais", at)),
        }
    }
    Ok(code)
}
