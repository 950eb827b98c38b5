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
pub(super) fn plain_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    let plain = rest.as_chunks::<16>().0.iter().take_while(|chunk| is_plain(chunk)).count() * 16;
    let more = rest.iter().skip(plain).take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..0x20)).count();
    at + plain + more
}

/// Whether none of sixteen bytes has to be looked at.
#[inline]
fn is_plain(chunk: &[u8; 16]) -> bool {
    let [first, last] = [0, 8].map(|at| u64::from_le_bytes(core::array::from_fn(|index| chunk[at + index])));
    special(first) | special(last) == 0
}

/// Not 0 where one of the eight bytes of a word has to be looked at: where `x - ONES` borrows, the high bit tells that a byte of `x` was
/// zero. Bytes beyond ASCII have it of themselves, so it is masked out.
#[inline]
fn special(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    let quote = (word ^ (ONES * b'"' as u64)).wrapping_sub(ONES);
    let slash = (word ^ (ONES * b'\\' as u64)).wrapping_sub(ONES);
    let control = word.wrapping_sub(ONES * 0x20);
    (quote | slash | control) & !word & HIGH
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

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    #[test]
    fn the_end_of_plain_text_is_found_wherever_it_lies() {
        for filler in [b'a', 0x20, b'!', b'#', b'[', b']', 0x7F, 0xA2, 0xC3, 0xFF] {
            for (length, at) in (0..40).flat_map(|length| (0..length).map(move |at| (length, at))) {
                for byte in 0..=255 {
                    let mut bytes = vec![filler; length];
                    bytes[at] = byte;
                    let special = matches!(byte, b'"' | b'\\' | 0..0x20);
                    for from in [0, 1, 7, length] {
                        let expected = if special && from <= at { at } else { length };
                        assert_eq!(
                            plain_end(&bytes, from),
                            expected.max(from),
                            "{byte:#x} at {at} of {length} bytes {filler:#x}, from {from}"
                        );
                    }
                }
            }
        }
    }
}
