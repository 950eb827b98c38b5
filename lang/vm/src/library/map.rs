//! `Map.*`

use alloc::vec::Vec;

use super::{arg, is_text, map, wrong};
use crate::{builtins::Builtin, context::Context, error::Fallible, value::Value};

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let heap = &mut ctx.heap;
    let handle = map(heap, builtin, args, 0)?;
    let key = arg(args, 1);
    if matches!(builtin, Builtin::MapHas | Builtin::MapGet | Builtin::MapDel) && !is_text(key) {
        return Err(wrong(heap, builtin, "String", key));
    }
    match builtin {
        Builtin::MapKeys => {
            let keys = heap.entries(handle)?.iter().map(|&(key, _)| key).collect();
            Ok(heap.arr(keys))
        }
        Builtin::MapValues => {
            let values = heap.entries(handle)?.iter().map(|&(_, value)| value).collect();
            Ok(heap.arr(values))
        }
        Builtin::MapLen => Ok(Value::Int(heap.entries(handle)?.len() as i64)),
        Builtin::MapHas => Ok(Value::Bool(heap.position(handle, key)?.is_some())),
        Builtin::MapGet => Ok(heap.member(handle, key)?.unwrap_or(arg(args, 2))),
        // Changes the Map in place and answers it, as `Arr.push` does.
        Builtin::MapDel => {
            heap.remove(handle, key)?;
            Ok(Value::Map(handle))
        }
        Builtin::MapMerge => {
            let other = map(heap, builtin, args, 1)?;
            let all: Vec<(Value, Value)> = [heap.entries(handle)?, heap.entries(other)?].concat();
            ctx.guard(all.len() * 64);
            let heap = &mut ctx.heap;
            let (merged, value) = heap.map(all.len());
            for (key, member) in all {
                heap.put(merged, key, member)?;
            }
            Ok(value)
        }
        _ => Err(crate::error::invalid_image()),
    }
}
