//! Values as the store keeps them: compact, Int and Float apart, structs by name with their `nocall` fields, so that a value comes
//! back as it was even when a later build of the site has other structs.
//!
//! A tag byte, then: Int and Float 8 bytes little-endian; a String its length and bytes; an Arr its count and items; a Map its count
//! and members (a bare String, a value); a struct its bare name, its count and members. Lengths and counts are LEB128.

use alloc::{format, vec::Vec};

use crate::{
    error::{Fallible, invalid_image, kind, raise},
    heap::Heap,
    image::{NONE, Struct},
    json::MAX_DEPTH,
    types::{Trust, accept, constant},
    value::Value,
};

mod tag {
    pub(super) const NIL: u8 = 0;
    pub(super) const FALSE: u8 = 1;
    pub(super) const TRUE: u8 = 2;
    pub(super) const INT: u8 = 3;
    pub(super) const FLOAT: u8 = 4;
    pub(super) const STR: u8 = 5;
    pub(super) const ARR: u8 = 6;
    pub(super) const MAP: u8 = 7;
    pub(super) const STRUCT: u8 = 8;
}

fn write_length(out: &mut Vec<u8>, length: usize) {
    let mut rest = length;
    while rest >= 0x80 {
        out.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    out.push(rest as u8);
}

fn write_bytes(out: &mut Vec<u8>, bytes: &[u8]) {
    write_length(out, bytes.len());
    out.extend_from_slice(bytes);
}

/// Encodes a value.
pub(crate) fn encode(heap: &Heap<'_>, value: Value) -> Fallible<Vec<u8>> {
    let mut out = Vec::new();
    write(heap, value, &mut out, 0)?;
    Ok(out)
}

fn write(heap: &Heap<'_>, value: Value, out: &mut Vec<u8>, depth: usize) -> Fallible<()> {
    if depth > MAX_DEPTH {
        return Err(raise(kind::LIMIT, format!("mais de {MAX_DEPTH} níveis (ou um valor que contém a si mesmo) não se guardam")));
    }
    match value {
        Value::Nil | Value::Unset => out.push(tag::NIL),
        Value::Bool(flag) => out.push(if flag { tag::TRUE } else { tag::FALSE }),
        Value::Int(number) => {
            out.push(tag::INT);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Value::Float(number) => {
            out.push(tag::FLOAT);
            out.extend_from_slice(&number.to_le_bytes());
        }
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => {
            out.push(tag::STR);
            write_bytes(out, heap.str(value)?.as_bytes());
        }
        Value::Arr(handle) => {
            let items = heap.items(handle)?;
            out.push(tag::ARR);
            write_length(out, items.len());
            for item in items {
                write(heap, *item, out, depth + 1)?;
            }
        }
        Value::Map(handle) => {
            let members = heap.entries(handle)?;
            out.push(tag::MAP);
            write_length(out, members.len());
            for &(key, member) in members {
                write_bytes(out, heap.str(key)?.as_bytes());
                write(heap, member, out, depth + 1)?;
            }
        }
        Value::Struct(handle) => {
            let (ty, fields) = heap.fields(handle)?;
            let structure = heap.program.structure(ty).ok_or_else(invalid_image)?;
            out.push(tag::STRUCT);
            write_bytes(out, heap.program.str(structure.name).as_bytes());
            write_length(out, fields.len());
            for (index, field) in (structure.first..).zip(fields) {
                let name = heap.program.field_name(index).ok_or_else(invalid_image)?;
                write_bytes(out, heap.program.str(name).as_bytes());
                write(heap, *field, out, depth + 1)?;
            }
        }
        Value::Function(_) | Value::Builtin(_) => return Err(raise(kind::TYPE, "uma função não se guarda")),
    }
    Ok(())
}

/// What is left to read.
struct Reader<'b>(&'b [u8]);

impl<'b> Reader<'b> {
    fn take(&mut self, length: usize) -> Option<&'b [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn length(&mut self) -> Option<usize> {
        let mut length = 0_usize;
        for shift in (0..32).step_by(7) {
            let [byte] = self.take(1)? else { return None };
            length |= usize::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                // Every item takes a byte at least: no count makes room for more than there is.
                return (length <= self.0.len()).then_some(length);
            }
        }
        None
    }

    fn str(&mut self) -> Option<&'b str> {
        let length = self.length()?;
        core::str::from_utf8(self.take(length)?).ok()
    }

    fn eight(&mut self) -> Option<[u8; 8]> {
        self.take(8)?.try_into().ok()
    }
}

fn damaged() -> alloc::boxed::Box<crate::error::Raise> {
    raise(kind::STORE, "o valor guardado está danificado")
}

/// Decodes a value.
pub(crate) fn decode(heap: &mut Heap<'_>, bytes: &[u8]) -> Fallible<Value> {
    let mut reader = Reader(bytes);
    let value = read(heap, &mut reader, 0)?;
    if reader.0.is_empty() { Ok(value) } else { Err(damaged()) }
}

fn read(heap: &mut Heap<'_>, reader: &mut Reader<'_>, depth: usize) -> Fallible<Value> {
    if depth > MAX_DEPTH {
        return Err(damaged());
    }
    let Some([tag]) = reader.take(1) else { return Err(damaged()) };
    Ok(match *tag {
        tag::NIL => Value::Nil,
        tag::FALSE => Value::Bool(false),
        tag::TRUE => Value::Bool(true),
        tag::INT => Value::Int(i64::from_le_bytes(reader.eight().ok_or_else(damaged)?)),
        tag::FLOAT => {
            let number = f64::from_le_bytes(reader.eight().ok_or_else(damaged)?);
            if !number.is_finite() {
                return Err(damaged());
            }
            Value::Float(number)
        }
        tag::STR => heap.text(reader.str().ok_or_else(damaged)?),
        tag::ARR => {
            let count = reader.length().ok_or_else(damaged)?;
            let mut items = Vec::with_capacity(count);
            for _ in 0..count {
                items.push(read(heap, reader, depth + 1)?);
            }
            heap.arr(items)
        }
        tag::MAP => {
            let count = reader.length().ok_or_else(damaged)?;
            let (handle, map) = heap.map(count);
            for _ in 0..count {
                let key = heap.text(reader.str().ok_or_else(damaged)?);
                let member = read(heap, reader, depth + 1)?;
                heap.put(handle, key, member)?;
            }
            map
        }
        tag::STRUCT => read_struct(heap, reader, depth)?,
        _ => return Err(damaged()),
    })
}

/// The struct of that name in this build.
fn find_struct(heap: &Heap<'_>, name: &str) -> Option<(u32, Struct)> {
    (0..heap.program.structs()).find_map(|id| {
        let structure = heap.program.structure(id)?;
        (heap.program.string_bytes(structure.name)? == name.as_bytes()).then_some((id, structure))
    })
}

/// A struct, as this build has it: fields that it no longer has are left out, new ones take their default. One that this build does
/// not know is a Map.
fn read_struct(heap: &mut Heap<'_>, reader: &mut Reader<'_>, depth: usize) -> Fallible<Value> {
    let program = heap.program;
    let name = reader.str().ok_or_else(damaged)?;
    let count = reader.length().ok_or_else(damaged)?;
    let Some((id, structure)) = find_struct(heap, name) else {
        let (handle, map) = heap.map(count);
        for _ in 0..count {
            let key = heap.text(reader.str().ok_or_else(damaged)?);
            let member = read(heap, reader, depth + 1)?;
            heap.put(handle, key, member)?;
        }
        return Ok(map);
    };
    let mut fields = alloc::vec![Value::Unset; structure.count as usize];
    for position in 0..count {
        let field_name = reader.str().ok_or_else(damaged)?;
        let value = read(heap, reader, depth + 1)?;
        let is = |index: usize| {
            let id = u32::try_from(index).ok().and_then(|index| structure.first.checked_add(index));
            id.and_then(|id| program.field_name(id)).and_then(|name| program.string_bytes(name)) == Some(field_name.as_bytes())
        };
        // Usually the type is as it was.
        let found = Some(position).filter(|at| *at < fields.len() && is(*at)).or_else(|| (0..fields.len()).find(|at| is(*at)));
        let Some(index) = found else { continue };
        let field = structure.first.checked_add(index as u32).and_then(|id| program.field(id)).ok_or_else(invalid_image)?;
        let who = || (format!("{name} guardado"), field_name.into());
        let value = accept(heap, value, field.ty, Trust::Decoded, who)?;
        if let Some(place) = fields.get_mut(index) {
            *place = value;
        }
    }
    for (id, place) in (structure.first..).zip(&mut fields) {
        if matches!(place, Value::Unset) {
            let field = program.field(id).ok_or_else(invalid_image)?;
            *place = if field.default != NONE {
                constant(heap, field.default)?
            } else if program.ty(field.ty).is_some_and(|ty| ty.nullable) {
                Value::Nil
            } else {
                return Err(raise(kind::STORE, format!("{name} guardado não tem o campo obrigatório `{}`", program.str(field.name))));
            };
        }
    }
    Ok(heap.structure(id, fields.into_boxed_slice()))
}
