//! Small helpers on text.

use std::borrow::Cow;

use http::HeaderValue;
use sha2::{Digest, Sha256};

/// The longest prefix of `text` that has at most `bytes` bytes and ends between characters.
pub fn cut(text: &str, bytes: usize) -> &str {
    if text.len() <= bytes {
        return text;
    }
    let end = (0..=bytes).rev().find(|&end| text.is_char_boundary(end)).unwrap_or(0);
    &text[..end]
}

/// A header's value as text, where it is any.
pub fn header_text(value: &HeaderValue) -> Option<&str> {
    std::str::from_utf8(value.as_bytes()).ok()
}

/// Text as one line of a log: what could end the line, or show it as another than it is, is escaped.
pub fn one_line(text: &str) -> Cow<'_, str> {
    let harmless = |c: char| {
        !c.is_control()
            && !matches!(c, '\u{2028}' | '\u{2029}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if text.chars().all(harmless) {
        return Cow::Borrowed(text);
    }
    let mut line = String::with_capacity(text.len() + 16);
    for c in text.chars() {
        if harmless(c) {
            line.push(c);
        } else {
            line.extend(c.escape_default());
        }
    }
    Cow::Owned(line)
}

/// Bytes as lower-case hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    digits(bytes).collect()
}

fn digits(bytes: &[u8]) -> impl Iterator<Item = char> {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]).map(|digit| char::from(DIGITS[usize::from(digit)]))
}

/// A strong tag of some bytes, the same wherever they are served: half of their SHA-256, quoted.
pub fn entity_tag(bytes: &[u8]) -> String {
    let mut tag = String::with_capacity(34);
    tag.push('"');
    tag.extend(digits(&Sha256::digest(bytes)[..16]));
    tag.push('"');
    tag
}

/// Escapes text for HTML content and quoted attributes.
pub fn escape_html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_of_the_bytes() {
        assert_eq!(entity_tag(b"a"), entity_tag(b"a"));
        assert_ne!(entity_tag(b"a"), entity_tag(b"b"));
        assert_eq!(entity_tag(b""), "\"e3b0c44298fc1c149afbf4c8996fb924\"");
    }

    #[test]
    fn cuts_between_characters() {
        assert_eq!(cut("ação", 3), "aç");
        assert_eq!(cut("ação", 2), "a");
        assert_eq!(cut("ação", 100), "ação");
        assert_eq!(cut("é", 1), "");
    }

    #[test]
    fn a_line_of_a_log_stays_one() {
        assert_eq!(one_line("ação"), "ação");
        assert_eq!(one_line("a\r\nERROR b\u{1b}[0m\u{202e}"), "a\\r\\nERROR b\\u{1b}[0m\\u{202e}");
    }

    #[test]
    fn two_digits_a_byte() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
    }

    #[test]
    fn escapes_all_five() {
        assert_eq!(escape_html(r#"<a b="c" d='e'>&"#), "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    }
}
