//! Members and items: `a.b`, `a[i]`, and assignment to them.

use alloc::{format, string::String};

use super::coerce::{Trust, accept};
use crate::{
    error::{Fallible, invalid_image, kind, raise},
    heap::Heap,
    image::{Struct, Text},
    value::{Handle, Value},
};

/// The index of a field by its name's string.
#[inline]
fn field_index(heap: &Heap<'_>, structure: &Struct, name: u32, guess: u8) -> Option<u32> {
    let is = |index: u32| structure.first.checked_add(index).and_then(|id| heap.program.field_name(id)) == Some(name);
    let guess = u32::from(guess);
    if guess < structure.count && is(guess) {
        return Some(guess);
    }
    (0..structure.count).find(|index| is(*index))
}

#[cold]
fn no_field(heap: &Heap<'_>, structure: &Struct, name: u32) -> alloc::boxed::Box<crate::error::Raise> {
    raise(kind::NAME, format!("{} não tem o campo `{}`", heap.program.str(structure.name), heap.program.str(name)))
}

/// `base.name`: a struct's field, or a Map's member, nil when there is none.
#[inline]
pub(crate) fn get_field(heap: &Heap<'_>, base: Value, name: u32, guess: u8) -> Fallible<Value> {
    match base {
        Value::Struct(handle) => {
            let (ty, fields) = heap.fields(handle)?;
            let structure = heap.program.structure(ty).ok_or_else(invalid_image)?;
            match field_index(heap, &structure, name, guess) {
                Some(index) => fields.get(index as usize).copied().ok_or_else(invalid_image),
                None => Err(no_field(heap, &structure, name)),
            }
        }
        Value::Map(handle) => {
            let key = heap.program.text(name).ok_or_else(invalid_image)?;
            Ok(heap.member(handle, Value::Text(key))?.unwrap_or_default())
        }
        other => Err(raise(kind::TYPE, format!("{} não tem o campo `{}`", heap.type_name(other), heap.program.str(name)))),
    }
}

/// `base.name = value`: a struct's field keeps its type.
pub(crate) fn set_field(heap: &mut Heap<'_>, base: Value, name: u32, guess: u8, value: Value) -> Fallible<()> {
    match base {
        Value::Struct(handle) => {
            let (ty, _) = heap.fields(handle)?;
            let structure = heap.program.structure(ty).ok_or_else(invalid_image)?;
            let index = field_index(heap, &structure, name, guess).ok_or_else(|| no_field(heap, &structure, name))?;
            set_struct_field(heap, handle, &structure, index, value)
        }
        Value::Map(handle) => {
            let key = heap.program.text(name).ok_or_else(invalid_image)?;
            heap.put(handle, Value::Text(key), value)
        }
        other => Err(raise(kind::TYPE, format!("{} não tem o campo `{}`", heap.type_name(other), heap.program.str(name)))),
    }
}

fn set_struct_field(heap: &mut Heap<'_>, handle: Handle, structure: &Struct, index: u32, value: Value) -> Fallible<()> {
    let program = heap.program;
    let field = structure.first.checked_add(index).and_then(|id| program.field(id)).ok_or_else(invalid_image)?;
    let who = || (String::from(program.str(structure.name)), String::from(program.str(field.name)));
    let value = accept(heap, value, field.ty, Trust::Checked, who)?;
    heap.set_field(handle, index as usize, value)
}

/// A position of `length` items; a negative one counts from the end.
pub(crate) fn position(index: i64, length: usize) -> Option<usize> {
    let position = if index < 0 { index.checked_add(i64::try_from(length).ok()?)? } else { index };
    usize::try_from(position).ok().filter(|position| *position < length)
}

#[cold]
fn bad_index(index: i64, length: usize, what: &str, units: [&str; 2]) -> alloc::boxed::Box<crate::error::Raise> {
    let unit = units[usize::from(length != 1)];
    raise(kind::INDEX, format!("a posição {index} não existe: {what} tem {length} {unit}"))
}

#[cold]
fn no_item(index: i64, length: usize) -> alloc::boxed::Box<crate::error::Raise> {
    bad_index(index, length, "o Arr", ["item", "itens"])
}

#[cold]
fn bad_key(heap: &Heap<'_>, what: &str, wanted: &str, index: Value) -> alloc::boxed::Box<crate::error::Raise> {
    raise(kind::TYPE, format!("o índice de {what} deve ser {wanted}, mas veio {}", heap.type_name(index)))
}

/// `base[index]`: item of an Arr, member of a Map (nil when there is none), code point of a String, field of a struct.
#[inline]
pub(crate) fn get_index(heap: &mut Heap<'_>, base: Value, index: Value) -> Fallible<Value> {
    match (base, index) {
        (Value::Arr(handle), Value::Int(index)) => {
            let items = heap.items(handle)?;
            let item = position(index, items.len()).and_then(|position| items.get(position));
            item.copied().ok_or_else(|| no_item(index, items.len()))
        }
        (Value::Map(handle), Value::Text(_) | Value::Str(_) | Value::Raw(_)) => Ok(heap.member(handle, index)?.unwrap_or_default()),
        (Value::Text(_) | Value::Str(_) | Value::Raw(_), Value::Int(index)) => {
            let text = heap.str(base)?;
            let length = text.chars().count();
            let found = position(index, length).and_then(|position| text.chars().nth(position));
            let found = found.ok_or_else(|| bad_index(index, length, "a String", ["letra", "letras"]))?;
            Ok(heap.text(String::from(found)))
        }
        (Value::Struct(handle), Value::Text(_) | Value::Str(_) | Value::Raw(_)) => {
            let (ty, fields) = heap.fields(handle)?;
            let structure = heap.program.structure(ty).ok_or_else(invalid_image)?;
            match named(heap, &structure, index) {
                Some((position, _)) => fields.get(position as usize).copied().ok_or_else(invalid_image),
                None => Err(raise(kind::NAME, format!("{} não tem o campo `{}`", heap.type_name(base), heap.lossy(index)))),
            }
        }
        (Value::Arr(_), _) => Err(bad_key(heap, "um Arr", "Int", index)),
        (Value::Map(_), _) => Err(bad_key(heap, "um Map", "String", index)),
        (Value::Text(_) | Value::Str(_) | Value::Raw(_), _) => Err(bad_key(heap, "uma String", "Int", index)),
        (Value::Struct(_), _) => Err(bad_key(heap, "uma struct", "String", index)),
        _ => Err(raise(kind::TYPE, format!("{} não tem itens", heap.type_name(base)))),
    }
}

/// `base[index] = value`
pub(crate) fn set_index(heap: &mut Heap<'_>, base: Value, index: Value, value: Value) -> Fallible<()> {
    match (base, index) {
        (Value::Arr(handle), Value::Int(index)) => {
            let length = heap.items(handle)?.len();
            let position = position(index, length).ok_or_else(|| no_item(index, length))?;
            heap.set_item(handle, position, value)
        }
        (Value::Map(handle), Value::Text(_) | Value::Str(_) | Value::Raw(_)) => heap.put(handle, index, value),
        (Value::Struct(handle), Value::Text(_) | Value::Str(_) | Value::Raw(_)) => {
            let (ty, _) = heap.fields(handle)?;
            let structure = heap.program.structure(ty).ok_or_else(invalid_image)?;
            match named(heap, &structure, index) {
                Some((position, _)) => set_struct_field(heap, handle, &structure, position, value),
                None => Err(raise(kind::NAME, format!("{} não tem o campo `{}`", heap.type_name(base), heap.lossy(index)))),
            }
        }
        (Value::Arr(_), _) => Err(bad_key(heap, "um Arr", "Int", index)),
        (Value::Map(_), _) => Err(bad_key(heap, "um Map", "String", index)),
        (Value::Struct(_), _) => Err(bad_key(heap, "uma struct", "String", index)),
        (Value::Text(_) | Value::Str(_) | Value::Raw(_), _) => Err(raise(kind::TYPE, "uma String não muda")),
        _ => Err(raise(kind::TYPE, format!("{} não tem itens", heap.type_name(base)))),
    }
}

/// A field by a name that is a value.
fn named(heap: &Heap<'_>, structure: &Struct, name: Value) -> Option<(u32, Text)> {
    let wanted = heap.bytes(name);
    (0..structure.count).find_map(|index| {
        let text = heap.program.text(heap.program.field_name(structure.first.checked_add(index)?)?)?;
        (heap.program.bytes(text) == wanted).then_some((index, text))
    })
}
