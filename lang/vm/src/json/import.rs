//! Between this machine's values and the contract's: documents that came in, and values that the contract is to check.

use alloc::{boxed::Box, format, string::String, vec::Vec};

use djo_contract::{json::Limits, value::Value as Plain};

use super::encode::MAX_DEPTH;
use crate::{
    error::{Fallible, Raise, invalid_image, kind, raise},
    heap::Heap,
    value::Value,
};

/// Reads one JSON document within given limits.
pub(crate) fn decode(heap: &mut Heap<'_>, bytes: &[u8], limits: Limits) -> Fallible<Value> {
    let document =
        djo_contract::json::parse_with(bytes, limits).map_err(|issue| raise(kind::INPUT, format!("JSON inválido: {}", issue.detail())))?;
    import(heap, &document)
}

/// A value of the contract as one of the machine. The parser bounds how deep it is.
pub(crate) fn import(heap: &mut Heap<'_>, value: &Plain) -> Fallible<Value> {
    Ok(match value {
        Plain::Nil => Value::Nil,
        Plain::Bool(flag) => Value::Bool(*flag),
        Plain::Int(number) => Value::Int(*number),
        Plain::Float(number) => Value::Float(*number),
        Plain::Huge(text) => match Plain::rounded(text).or_else(|| whole(text)) {
            Some(number) => Value::Float(number),
            None => return Err(raise(kind::INPUT, format!("o número {} não cabe em Int nem em Float", echo(text)))),
        },
        Plain::Str(text) => heap.text(text.as_str()),
        Plain::Arr(items) => {
            let items = items.iter().map(|item| import(heap, item)).collect::<Fallible<Vec<_>>>()?;
            heap.arr(items)
        }
        Plain::Map(members) => {
            let (handle, map) = heap.map(members.len());
            for (name, member) in members {
                let key = heap.text(name.as_str());
                let member = import(heap, member)?;
                heap.put_new(handle, key, member)?;
            }
            map
        }
    })
}

/// The double of which a text is all the digits, as JSON that this machine wrote has a large whole `Float`: it loses none.
fn whole(text: &str) -> Option<f64> {
    text.parse().ok().filter(|number: &f64| number.is_finite() && format!("{number}") == text)
}

fn echo(text: &str) -> &str {
    text.get(..40).unwrap_or(text)
}

/// A value as the contract's decoder wants it: structs as the objects that a caller would send, without `nocall` fields.
pub(crate) fn export(heap: &Heap<'_>, value: Value) -> Fallible<Plain> {
    export_at(heap, value, 0)
}

#[cold]
fn too_deep() -> Box<Raise> {
    raise(kind::LIMIT, format!("mais de {MAX_DEPTH} níveis (ou um valor que contém a si mesmo)"))
}

fn export_at(heap: &Heap<'_>, value: Value, depth: usize) -> Fallible<Plain> {
    if depth > MAX_DEPTH {
        return Err(too_deep());
    }
    Ok(match value {
        Value::Nil | Value::Unset => Plain::Nil,
        Value::Bool(flag) => Plain::Bool(flag),
        Value::Int(number) => Plain::Int(number),
        Value::Float(number) => Plain::Float(number),
        Value::Text(_) | Value::Str(_) | Value::Raw(_) => Plain::Str(String::from(heap.str(value)?)),
        Value::Arr(handle) => {
            let items = heap.items(handle)?.iter();
            Plain::Arr(items.map(|item| export_at(heap, *item, depth + 1)).collect::<Fallible<_>>()?)
        }
        Value::Map(handle) => {
            let members = heap.entries(handle)?.iter();
            let member = |&(key, member): &(Value, Value)| Ok((String::from(heap.str(key)?), export_at(heap, member, depth + 1)?));
            Plain::Map(members.map(member).collect::<Fallible<_>>()?)
        }
        Value::Struct(handle) => {
            let (ty, fields) = heap.fields(handle)?;
            let structure = heap.program.structure(ty).ok_or_else(invalid_image)?;
            let mut members = Vec::with_capacity(fields.len());
            for (index, &member) in (structure.first..=u32::MAX).zip(fields) {
                let field = heap.program.field(index).ok_or_else(invalid_image)?;
                if !field.hidden {
                    members.push((String::from(heap.program.str(field.name)), export_at(heap, member, depth + 1)?));
                }
            }
            Plain::Map(members)
        }
        Value::Function(_) | Value::Closure(_) | Value::Builtin(_) => return Err(raise(kind::TYPE, "uma função não é um dado")),
    })
}
