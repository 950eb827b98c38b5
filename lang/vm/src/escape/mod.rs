//! Writing a value into a page, escaped for its place.

mod script;

#[cfg(test)]
mod tests;

use alloc::vec::Vec;

use djo_contract::link::{self, Place};

use crate::{
    error::{Fallible, kind, raise, too_large},
    heap::{Heap, MAX_TEXT},
    json,
    op::Escape,
    ops::{
        arithmetic::from_utf8,
        number::{write_float, write_int},
    },
    value::Value,
};

/// Element content, and what stands in quotes: `& < > " '` as entities.
pub(crate) fn text(out: &mut Vec<u8>, bytes: &[u8]) {
    replace(out, bytes, |byte| {
        Some(match byte {
            b'&' => b"&amp;",
            b'<' => b"&lt;",
            b'>' => b"&gt;",
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => return None,
        })
    });
}

/// Markup in quotes: its quotes as entities, so that it cannot end the attribute.
fn quotes(out: &mut Vec<u8>, bytes: &[u8]) {
    replace(out, bytes, |byte| {
        Some(match byte {
            b'"' => b"&quot;",
            b'\'' => b"&#39;",
            _ => return None,
        })
    });
}

/// Copies bytes, some of them replaced.
fn replace(out: &mut Vec<u8>, bytes: &[u8], by: impl Fn(u8) -> Option<&'static [u8]>) {
    let mut start = 0;
    for (index, &byte) in bytes.iter().enumerate() {
        if let Some(replacement) = by(byte) {
            out.extend_from_slice(bytes.get(start..index).unwrap_or_default());
            out.extend_from_slice(replacement);
            start = index + 1;
        }
    }
    out.extend_from_slice(bytes.get(start..).unwrap_or_default());
}

/// What a value looks like as text: nil is nothing, containers are JSON.
pub(crate) fn display(heap: &Heap<'_>, value: Value, out: &mut Vec<u8>) -> Fallible<()> {
    match value {
        Value::Nil | Value::Unset => {}
        Value::Bool(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
        Value::Int(number) => write_int(out, number),
        Value::Float(number) => write_float(out, number),
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => out.extend_from_slice(heap.bytes(value)),
        Value::Arr(_) | Value::Map(_) | Value::Struct(_) => json::encode(heap, value, out)?,
        Value::Function(_) | Value::Closure(_) | Value::Builtin(_) => return Err(raise(kind::TYPE, "uma função não vira texto")),
    }
    Ok(())
}

/// Values as one String, each as a page would show it. With markup among them all is markup, and what is none is escaped in it.
pub(crate) fn join(heap: &mut Heap<'_>, parts: &[Value]) -> Fallible<Value> {
    let raw = parts.iter().any(|part| matches!(part, Value::Raw(_)));
    let length: usize = parts.iter().map(|part| heap.bytes(*part).len()).sum();
    // What goes behind a long first part is made first: worth it where that is little.
    let from = parts.first().and_then(|first| Some((heap.long(*first, raw)?, heap.bytes(*first).len())));
    let from = from.filter(|(_, start)| length - start < start / 4).map(|(from, _)| from);
    let parts = parts.get(usize::from(from.is_some())..).unwrap_or_default();
    let mut joined = Vec::with_capacity(if from.is_some() { 64 } else { length + 8 });
    for part in parts {
        match part {
            Value::Raw(_) => joined.extend_from_slice(heap.bytes(*part)),
            _ if raw => write(heap, *part, Escape::Text, &mut joined)?,
            _ => display(heap, *part, &mut joined)?,
        }
        if joined.len() > MAX_TEXT {
            return Err(too_large("a String"));
        }
    }
    let text = heap.joined(from_utf8(joined)?, raw)?;
    match from {
        Some(from) => heap.extended(from, text, raw),
        None => Ok(text),
    }
}

/// Writes a value, escaped for its place.
pub(crate) fn write(heap: &Heap<'_>, value: Value, escape: Escape, out: &mut Vec<u8>) -> Fallible<()> {
    match (escape, value) {
        (Escape::Script, _) => return script::value(heap, value, out),
        (Escape::UrlRoot, Value::Nil | Value::Unset) => link::write(Place::Root, b"", out),
        // Numbers and booleans hold nothing that any place would take for something else.
        (_, Value::Nil | Value::Unset | Value::Bool(_) | Value::Int(_)) | (Escape::Raw, _) => return display(heap, value, out),
        (Escape::Text, Value::Raw(_)) => out.extend_from_slice(heap.bytes(value)),
        (Escape::Text | Escape::Attribute, Value::Text(_) | Value::Str(_)) => text(out, heap.bytes(value)),
        (Escape::Attribute, Value::Raw(_)) => quotes(out, heap.bytes(value)),
        (
            Escape::Url
            | Escape::UrlPath
            | Escape::UrlRoot
            | Escape::UrlRootEnd
            | Escape::UrlAddress
            | Escape::UrlQuery
            | Escape::ScriptString,
            Value::Text(_) | Value::Str(_) | Value::Raw(_),
        ) => {
            placed(escape, heap.bytes(value), out);
        }
        _ => {
            let mut shown = Vec::new();
            display(heap, value, &mut shown)?;
            placed(escape, &shown, out);
        }
    }
    Ok(())
}

fn placed(escape: Escape, bytes: &[u8], out: &mut Vec<u8>) {
    match escape {
        Escape::Raw => out.extend_from_slice(bytes),
        Escape::Text | Escape::Attribute | Escape::Script => text(out, bytes),
        // It may hold what an attribute may not.
        Escape::Url => {
            let mut url = Vec::with_capacity(bytes.len());
            link::write(Place::Whole, bytes, &mut url);
            text(out, &url);
        }
        Escape::UrlPath => link::write(Place::Path, bytes, out),
        Escape::UrlRoot => link::write(Place::Root, bytes, out),
        Escape::UrlRootEnd => link::write(Place::RootEnd, bytes, out),
        Escape::UrlAddress => link::write(Place::Address, bytes, out),
        Escape::UrlQuery => link::write(Place::Query, bytes, out),
        Escape::ScriptString => script::string(out, bytes),
    }
}
