//! Writing JSON: compact, raw UTF-8, struct fields in the order of their type without `nocall` ones. Works off a list, so depth costs
//! no stack; still it is bounded by what this product's own parser reads back.

use alloc::{format, vec::Vec};
use core::slice::Iter;

use crate::{
    error::{Fallible, invalid_image, kind, raise, too_large},
    heap::{Heap, MAX_TEXT},
    image::Struct,
    ops::number::{write_float, write_int},
    value::{Handle, Value},
};

/// Arrays and objects within each other, as the parser reads them.
pub(crate) const MAX_DEPTH: usize = 64;

/// A container that is being written, and what of it is left.
enum Open<'h> {
    Items(Iter<'h, Value>),
    Members(Iter<'h, (Value, Value)>),
    Fields(Struct, u32, Iter<'h, Value>),
}

/// Appends a value as JSON.
pub(crate) fn encode(heap: &Heap<'_>, value: Value, out: &mut Vec<u8>) -> Fallible<()> {
    let Some(handle) = scalar(heap, value, out)? else { return Ok(()) };
    let mut open: Vec<(Handle, Open<'_>)> = Vec::with_capacity(8);
    open.push((handle, begin(heap, value, handle, out)?));
    let mut first = true;
    while let Some((_, container)) = open.last_mut() {
        let next = match container {
            Open::Items(items) => match items.next() {
                Some(&item) => {
                    comma(&mut first, out);
                    Some(item)
                }
                None => {
                    out.push(b']');
                    None
                }
            },
            Open::Members(members) => match members.next() {
                Some(&(key, member)) => {
                    comma(&mut first, out);
                    write_string(out, heap.bytes(key));
                    out.push(b':');
                    Some(member)
                }
                None => {
                    out.push(b'}');
                    None
                }
            },
            Open::Fields(structure, index, fields) => loop {
                let Some(&member) = fields.next() else {
                    out.push(b'}');
                    break None;
                };
                let field = structure.first.checked_add(*index).and_then(|id| heap.program.field(id)).ok_or_else(invalid_image)?;
                *index += 1;
                if !field.hidden {
                    comma(&mut first, out);
                    out.extend_from_slice(heap.program.string_bytes(field.key).ok_or_else(invalid_image)?);
                    break Some(member);
                }
            },
        };
        let Some(value) = next else {
            open.pop();
            first = false;
            continue;
        };
        let Some(handle) = scalar(heap, value, out)? else { continue };
        if open.iter().any(|(ancestor, _)| *ancestor == handle) {
            return Err(raise(kind::LIMIT, format!("um {} que contém a si mesmo não vira JSON", heap.type_name(value))));
        }
        if open.len() >= MAX_DEPTH {
            return Err(raise(kind::LIMIT, format!("mais de {MAX_DEPTH} níveis não viram JSON")));
        }
        if out.len() > MAX_TEXT {
            return Err(too_large("o JSON"));
        }
        open.push((handle, begin(heap, value, handle, out)?));
        first = true;
    }
    Ok(())
}

#[inline]
fn comma(first: &mut bool, out: &mut Vec<u8>) {
    if *first {
        *first = false;
    } else {
        out.push(b',');
    }
}

/// Writes what is no container; answers the handle of one.
#[inline]
fn scalar(heap: &Heap<'_>, value: Value, out: &mut Vec<u8>) -> Fallible<Option<Handle>> {
    match value {
        Value::Nil | Value::Unset => out.extend_from_slice(b"null"),
        Value::Bool(flag) => out.extend_from_slice(if flag { b"true" } else { b"false" }),
        Value::Int(number) => write_int(out, number),
        Value::Float(number) => write_float(out, number),
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => write_string(out, heap.bytes(value)),
        Value::Arr(handle) | Value::Map(handle) | Value::Struct(handle) => return Ok(Some(handle)),
        Value::Function(_) | Value::Closure(_) | Value::Builtin(_) => return Err(raise(kind::TYPE, "uma função não vira JSON")),
    }
    Ok(None)
}

fn begin<'h>(heap: &'h Heap<'_>, value: Value, handle: Handle, out: &mut Vec<u8>) -> Fallible<Open<'h>> {
    Ok(match value {
        Value::Arr(_) => {
            out.push(b'[');
            Open::Items(heap.items(handle)?.iter())
        }
        Value::Map(_) => {
            out.push(b'{');
            Open::Members(heap.entries(handle)?.iter())
        }
        _ => {
            out.push(b'{');
            let (ty, fields) = heap.fields(handle)?;
            Open::Fields(heap.program.structure(ty).ok_or_else(invalid_image)?, 0, fields.iter())
        }
    })
}

/// Which bytes of a string JSON wants escaped.
const ESCAPED: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        table[byte] = true;
        byte += 1;
    }
    table[b'"' as usize] = true;
    table[b'\\' as usize] = true;
    table
};

/// Appends a string in quotes; only what JSON requires is escaped.
pub(crate) fn write_string(out: &mut Vec<u8>, bytes: &[u8]) {
    out.reserve(bytes.len() + 2);
    out.push(b'"');
    let mut rest = bytes;
    while let Some(position) = rest.iter().position(|byte| ESCAPED[usize::from(*byte)]) {
        let (plain, from) = rest.split_at(position);
        out.extend_from_slice(plain);
        let [byte, after @ ..] = from else { break };
        match byte {
            b'"' => out.extend_from_slice(b"\\\""),
            b'\\' => out.extend_from_slice(b"\\\\"),
            b'\n' => out.extend_from_slice(b"\\n"),
            b'\r' => out.extend_from_slice(b"\\r"),
            b'\t' => out.extend_from_slice(b"\\t"),
            0x8 => out.extend_from_slice(b"\\b"),
            0xc => out.extend_from_slice(b"\\f"),
            other => out.extend_from_slice(format!("\\u{other:04x}").as_bytes()),
        }
        rest = after;
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}
