//! `Session.*` and `Store.*`

use alloc::{format, string::String, vec::Vec};

use super::{arg, int, is_text, optional_text, options, text, wrong};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, kind, raise},
    ops::{equal::equal, number::write_int},
    session::RESERVED_PREFIX,
    value::Value,
    wire,
};

/// Items of a page of `Store.list`: unless said otherwise, and at most.
const PAGE: (i64, i64) = (100, 1000);
/// How often `Store.cas` looks again when the value changes under it.
const CAS_ATTEMPTS: usize = 32;

pub(super) fn session(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let key = arg(args, 0);
    if !args.is_empty() && !is_text(key) {
        return Err(wrong(&ctx.heap, builtin, "String", key));
    }
    match builtin {
        Builtin::SessionGet => ctx.session_get(key),
        Builtin::SessionSet => ctx.session_set(key, arg(args, 1)).map(|()| Value::Nil),
        Builtin::SessionDel => ctx.session_del(key).map(Value::Bool),
        Builtin::SessionClear => ctx.session_clear().map(|()| Value::Nil),
        Builtin::SessionId => {
            let id = ctx.session_id()?;
            Ok(optional_text(&mut ctx.heap, id))
        }
        Builtin::SessionRenew => {
            let id = ctx.session_renew()?;
            Ok(optional_text(&mut ctx.heap, id))
        }
        _ => Err(crate::error::invalid_image()),
    }
}

fn store_error(message: String) -> alloc::boxed::Box<crate::error::Raise> {
    raise(kind::STORE, message)
}

/// A collection that the site's code may name.
fn collection(ctx: &Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<String> {
    let name = text(&ctx.heap, builtin, args, 0)?;
    if name.starts_with(RESERVED_PREFIX) {
        return Err(raise(kind::STORE, format!("a coleção `{name}` é reservada")));
    }
    Ok(name.into())
}

/// A key: a String, or an Int as its digits.
fn key(ctx: &Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<String> {
    match arg(args, 1) {
        Value::Int(number) => {
            let mut digits = Vec::new();
            write_int(&mut digits, number);
            Ok(String::from_utf8_lossy(&digits).into_owned())
        }
        value if is_text(value) => Ok(ctx.heap.str(value)?.into()),
        other => Err(wrong(&ctx.heap, builtin, "uma chave String ou Int", other)),
    }
}

fn decode(ctx: &mut Context<'_>, bytes: &[u8]) -> Fallible<Value> {
    ctx.guard(bytes.len());
    wire::decode(&mut ctx.heap, bytes)
}

pub(super) fn store(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let collection = collection(ctx, builtin, args)?;
    match builtin {
        Builtin::StoreGet => match ctx.host.store_get(&collection, &key(ctx, builtin, args)?).map_err(store_error)? {
            Some(bytes) => decode(ctx, &bytes),
            None => Ok(Value::Nil),
        },
        Builtin::StoreSet => {
            let key = key(ctx, builtin, args)?;
            let bytes = wire::encode(&mut ctx.heap, arg(args, 2))?;
            ctx.host.store_set(&collection, &key, &bytes).map_err(store_error)?;
            Ok(Value::Nil)
        }
        Builtin::StoreDel => ctx.host.store_delete(&collection, &key(ctx, builtin, args)?).map(Value::Bool).map_err(store_error),
        Builtin::StoreList => list(ctx, &collection, args),
        Builtin::StoreCount => {
            let count = ctx.host.store_count(&collection).map_err(store_error)?;
            Ok(Value::Int(i64::try_from(count).unwrap_or(i64::MAX)))
        }
        Builtin::StoreInc => {
            let key = key(ctx, builtin, args)?;
            let delta = if arg(args, 2).is_nil() { 1 } else { int(&ctx.heap, builtin, args, 2)? };
            ctx.host.store_increment(&collection, &key, delta).map(Value::Int).map_err(store_error)
        }
        Builtin::StoreCas => compare_and_swap(ctx, &collection, args),
        Builtin::StoreNextId => ctx.host.store_next_id(&collection).map(Value::Int).map_err(store_error),
        _ => Err(crate::error::invalid_image()),
    }
}

/// `Store.list:col[:opts]`
fn list(ctx: &mut Context<'_>, collection: &str, args: &[Value]) -> Fallible<Value> {
    let heap = &ctx.heap;
    let given = options(heap, Builtin::StoreList, args)?;
    let option = |name| given.and_then(|given| heap.member_named(given, name)).filter(|value| !value.is_nil());
    let text_option = |name| match option(name) {
        None => Ok(None),
        Some(value) if is_text(value) => Ok(Some(String::from(heap.str(value)?))),
        Some(other) => Err(wrong(heap, Builtin::StoreList, &format!("String em `{name}`"), other)),
    };
    let (prefix, cursor) = (text_option("prefix")?.unwrap_or_default(), text_option("cursor")?);
    let limit = match option("limit") {
        None => PAGE.0,
        Some(Value::Int(limit)) if (1..=PAGE.1).contains(&limit) => limit,
        Some(Value::Int(_)) => return Err(raise(kind::LIMIT, format!("Store.list responde de 1 a {} itens", PAGE.1))),
        Some(other) => return Err(wrong(heap, Builtin::StoreList, "Int em `limit`", other)),
    };
    let (page, next) = ctx.host.store_list(collection, &prefix, limit as u32, cursor.as_deref()).map_err(store_error)?;
    let mut items = Vec::with_capacity(page.len());
    for (key, bytes) in page {
        let value = decode(ctx, &bytes)?;
        let heap = &mut ctx.heap;
        let key = heap.text(key);
        let (handle, item) = heap.map(2);
        put(heap, handle, "chave", key)?;
        put(heap, handle, "valor", value)?;
        items.push(item);
    }
    let heap = &mut ctx.heap;
    let items = heap.arr(items);
    let cursor = optional_text(heap, next);
    let (handle, answer) = heap.map(2);
    put(heap, handle, "itens", items)?;
    put(heap, handle, "cursor", cursor)?;
    Ok(answer)
}

fn put(heap: &mut crate::heap::Heap<'_>, map: crate::value::Handle, name: &str, value: Value) -> Fallible<()> {
    let key = heap.text(name);
    heap.put_new(map, key, value)
}

/// `Store.cas:col:k:old:new`: compares values, not bytes. nil is an absent key, as what is expected and as what is written.
fn compare_and_swap(ctx: &mut Context<'_>, collection: &str, args: &[Value]) -> Fallible<Value> {
    let key = key(ctx, Builtin::StoreCas, args)?;
    let (expected, new) = (arg(args, 2), arg(args, 3));
    let new = if new.is_nil() { None } else { Some(wire::encode(&mut ctx.heap, new)?) };
    for _ in 0..CAS_ATTEMPTS {
        let held = ctx.host.store_get(collection, &key).map_err(store_error)?;
        let value = match &held {
            Some(bytes) => decode(ctx, bytes)?,
            None => Value::Nil,
        };
        if !equal(&ctx.heap, value, expected)? {
            return Ok(Value::Bool(false));
        }
        // Equal values may have been written as other bytes: swap the very bytes that were compared.
        if ctx.host.store_compare_and_swap(collection, &key, held.as_deref(), new.as_deref()).map_err(store_error)? {
            return Ok(Value::Bool(true));
        }
    }
    Err(raise(kind::STORE, format!("a chave `{key}` muda sem parar")))
}
