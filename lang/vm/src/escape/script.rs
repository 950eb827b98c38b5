//! Values in `<script>`: JSON that cannot end the element, and text within a JavaScript string.

use alloc::{format, vec::Vec};

use crate::{error::Fallible, heap::Heap, json, value::Value};

/// A JavaScript value: JSON with `<`, `>`, `&`, U+2028 and U+2029 escaped, which only occur in its strings.
pub(super) fn value(heap: &Heap<'_>, value: Value, out: &mut Vec<u8>) -> Fallible<()> {
    // Apart from what stands around it: `5-{{ n }}` is no `5--1`, and `return{{ n }}` no name.
    if !matches!(value, Value::Text(_) | Value::Str(_) | Value::Raw(_) | Value::Arr(_) | Value::Map(_) | Value::Struct(_)) {
        out.push(b' ');
        json::encode(heap, value, out)?;
        out.push(b' ');
        return Ok(());
    }
    let start = out.len();
    json::encode(heap, value, out)?;
    if out.get(start..).is_some_and(|text| text.iter().any(|byte| matches!(byte, b'<' | b'>' | b'&' | 0xe2))) {
        let text = out.split_off(start);
        escape(out, &text, |byte| matches!(byte, b'<' | b'>' | b'&'));
    }
    Ok(())
}

/// Text within quotes or backquotes of a script.
pub(super) fn string(out: &mut Vec<u8>, bytes: &[u8]) {
    escape(out, bytes, |byte| {
        matches!(byte, 0..0x20 | 0x7f | b'\\' | b'\'' | b'"' | b'`' | b'$' | b'{' | b'}' | b'<' | b'>' | b'&' | b'/' | b'=')
    });
}

/// Copies UTF-8 with some ASCII characters, U+2028 and U+2029 as `\uXXXX`.
fn escape(out: &mut Vec<u8>, mut bytes: &[u8], which: impl Fn(u8) -> bool) {
    while let [byte, after @ ..] = bytes {
        bytes = after;
        match (byte, after) {
            (0xe2, [0x80, last @ (0xa8 | 0xa9), tail @ ..]) => {
                out.extend_from_slice(if *last == 0xa8 { b"\\u2028" } else { b"\\u2029" });
                bytes = tail;
            }
            _ if which(*byte) => out.extend_from_slice(format!("\\u{byte:04x}").as_bytes()),
            _ => out.push(*byte),
        }
    }
}
