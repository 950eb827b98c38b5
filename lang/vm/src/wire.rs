//! Values as the store keeps them: compact, Int and Float apart, structs by name with their `nocall` fields, so that a value comes
//! back as it was even when a later build of the site has other structs.

use alloc::{boxed::Box, format, vec, vec::Vec};

use djo_contract::wire::{DEPTH_LIMIT, Reader, Token, Writer};

use crate::{
    error::{Fallible, Raise, invalid_image, kind, raise},
    heap::Heap,
    image::{NONE, Struct},
    types::{Trust, accept, usual},
    value::Value,
};

/// Room that is made at once for what a count promises.
const ROOM: usize = 1024;

/// Encodes a value. An Arr or a Map that a struct holds may have taken, since, what its field's type does not: that is refused here,
/// where it can be mended, since reading would refuse it for good.
pub(crate) fn encode(heap: &mut Heap<'_>, value: Value) -> Fallible<Vec<u8>> {
    encode_at(heap, value, 0)
}

/// Encodes what will be a member of a Map that is kept, one level down.
pub(crate) fn encode_member(heap: &mut Heap<'_>, value: Value) -> Fallible<Vec<u8>> {
    encode_at(heap, value, 1)
}

fn encode_at(heap: &mut Heap<'_>, value: Value, depth: usize) -> Fallible<Vec<u8>> {
    let mut writer = Writer::default();
    write(heap, value, &mut writer, depth)?;
    Ok(writer.finish())
}

fn write(heap: &mut Heap<'_>, value: Value, writer: &mut Writer, depth: usize) -> Fallible<()> {
    if depth >= DEPTH_LIMIT && matches!(value, Value::Arr(_) | Value::Map(_) | Value::Struct(_)) {
        return Err(raise(kind::LIMIT, format!("mais de {DEPTH_LIMIT} níveis (ou um valor que contém a si mesmo) não se guardam")));
    }
    match value {
        Value::Nil | Value::Unset => writer.nil(),
        Value::Bool(flag) => writer.bool(flag),
        Value::Int(number) => writer.int(number),
        Value::Float(number) => writer.float(number),
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => writer.str(heap.str(value)?),
        Value::Arr(handle) => {
            let items = Vec::from(heap.items(handle)?);
            writer.arr(items.len());
            for item in items {
                write(heap, item, writer, depth + 1)?;
            }
        }
        Value::Map(handle) => {
            let members = Vec::from(heap.entries(handle)?);
            writer.map(members.len());
            for (key, member) in members {
                writer.key(heap.str(key)?);
                write(heap, member, writer, depth + 1)?;
            }
        }
        Value::Struct(handle) => {
            let program = heap.program;
            let (ty, fields) = heap.fields(handle)?;
            let fields = Vec::from(fields);
            let structure = program.structure(ty).ok_or_else(invalid_image)?;
            writer.record(program.str(structure.name), fields.len());
            for (index, value) in (structure.first..).zip(fields) {
                let field = program.field(index).ok_or_else(invalid_image)?;
                writer.key(program.str(field.name));
                if field.hidden {
                    writer.hidden();
                }
                let who = || (program.str(structure.name).into(), program.str(field.name).into());
                let value = accept(heap, value, field.ty, Trust::Decoded, who)?;
                write(heap, value, writer, depth + 1)?;
            }
        }
        Value::Function(_) | Value::Closure(_) | Value::Builtin(_) => return Err(raise(kind::TYPE, "uma função não se guarda")),
    }
    if writer.len() > crate::heap::MAX_TEXT { Err(crate::error::too_large("o valor")) } else { Ok(()) }
}

fn damaged() -> Box<Raise> {
    raise(kind::STORE, "o valor guardado está danificado")
}

/// Decodes a value.
pub(crate) fn decode(heap: &mut Heap<'_>, bytes: &[u8]) -> Fallible<Value> {
    let mut reader = Reader::new(bytes);
    let value = read(heap, &mut reader, 0)?;
    reader.finish().map_err(|_| damaged())?;
    Ok(value)
}

fn read(heap: &mut Heap<'_>, reader: &mut Reader<'_>, depth: usize) -> Fallible<Value> {
    let token = reader.token().map_err(|_| damaged())?;
    if depth >= DEPTH_LIMIT && matches!(token, Token::Arr(_) | Token::Map(_) | Token::Struct(..)) {
        return Err(damaged());
    }
    Ok(match token {
        Token::Nil => Value::Nil,
        Token::Bool(flag) => Value::Bool(flag),
        Token::Int(number) => Value::Int(number),
        Token::Float(number) if number.is_finite() => Value::Float(number),
        Token::Float(_) => return Err(damaged()),
        Token::Str(text) => heap.text(text),
        Token::Arr(count) => {
            let mut items = Vec::with_capacity(count.min(ROOM));
            for _ in 0..count {
                items.push(read(heap, reader, depth + 1)?);
            }
            heap.arr(items)
        }
        Token::Map(count) => read_map(heap, reader, count, depth)?,
        Token::Struct(name, count) => read_struct(heap, reader, name, count, depth)?,
    })
}

fn read_map(heap: &mut Heap<'_>, reader: &mut Reader<'_>, count: usize, depth: usize) -> Fallible<Value> {
    let (handle, map) = heap.map(count.min(ROOM));
    for _ in 0..count {
        let key = heap.text(reader.key().map_err(|_| damaged())?);
        let member = read(heap, reader, depth + 1)?;
        heap.put(handle, key, member)?;
    }
    Ok(map)
}

/// A struct that this build does not know, as a Map.
fn read_unknown(heap: &mut Heap<'_>, reader: &mut Reader<'_>, name: &str, count: usize, depth: usize) -> Fallible<Value> {
    let (handle, map) = heap.map(count.min(ROOM));
    for _ in 0..count {
        let key = reader.key().map_err(|_| damaged())?;
        if reader.hidden() {
            let message = format!("o valor guardado é um `{name}`, com o campo `nocall` `{key}`, e o site não tem mais essa struct");
            return Err(raise(kind::STORE, message));
        }
        let key = heap.text(key);
        let member = read(heap, reader, depth + 1)?;
        heap.put(handle, key, member)?;
    }
    Ok(map)
}

/// Passes over a value that nobody asks for any more, whatever it is.
fn skip(reader: &mut Reader<'_>, depth: usize) -> Fallible<()> {
    let token = reader.token().map_err(|_| damaged())?;
    let (count, named) = match token {
        Token::Arr(count) => (count, false),
        Token::Map(count) | Token::Struct(_, count) => (count, true),
        _ => return Ok(()),
    };
    if depth >= DEPTH_LIMIT {
        return Err(damaged());
    }
    for _ in 0..count {
        if named {
            reader.key().map_err(|_| damaged())?;
            if matches!(token, Token::Struct(..)) {
                reader.hidden();
            }
        }
        skip(reader, depth + 1)?;
    }
    Ok(())
}

/// The struct of that name in this build.
fn find_struct(heap: &Heap<'_>, name: &str) -> Option<(u32, Struct)> {
    (0..heap.program.structs()).find_map(|id| {
        let structure = heap.program.structure(id)?;
        (heap.program.string_bytes(structure.name)? == name.as_bytes()).then_some((id, structure))
    })
}

/// A struct, as this build has it: fields that it no longer has are left out, new ones take their default. One that this build does
/// not know is a Map, unless that would show what the struct kept to itself.
fn read_struct(heap: &mut Heap<'_>, reader: &mut Reader<'_>, name: &str, count: usize, depth: usize) -> Fallible<Value> {
    let program = heap.program;
    let Some((id, structure)) = find_struct(heap, name) else { return read_unknown(heap, reader, name, count, depth) };
    let mut fields = vec![Value::Unset; structure.count as usize];
    for position in 0..count {
        let field_name = reader.key().map_err(|_| damaged())?;
        reader.hidden();
        let is = |index: usize| {
            let id = u32::try_from(index).ok().and_then(|index| structure.first.checked_add(index));
            id.and_then(|id| program.field_name(id)).and_then(|name| program.string_bytes(name)) == Some(field_name.as_bytes())
        };
        // Usually the type is as it was.
        let found = Some(position).filter(|at| *at < fields.len() && is(*at)).or_else(|| (0..fields.len()).find(|at| is(*at)));
        let Some(index) = found else {
            skip(reader, depth + 1)?;
            continue;
        };
        let value = read(heap, reader, depth + 1)?;
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
                usual(heap, &field)?
            } else if program.ty(field.ty).is_some_and(|ty| ty.nullable) {
                Value::Nil
            } else {
                return Err(raise(kind::STORE, format!("{name} guardado não tem o campo obrigatório `{}`", program.str(field.name))));
            };
        }
    }
    Ok(heap.structure(id, fields.into_boxed_slice()))
}
