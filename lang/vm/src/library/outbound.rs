//! `Http.get` and `Http.post`: calls to other servers. Where to is for the host to allow; here a call is put together and its answer
//! taken apart.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::media::{is_json_media_type, is_latin1};

use super::{arg, is_text, name, options, text, wrong};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, kind, raise, too_large},
    escape,
    heap::{Heap, MAX_TEXT},
    host::{Call, Reply},
    json,
    value::{Handle, Value},
};

/// `Http.get:url[:opts]`, `Http.post:url:body[:opts]`
pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let call = asked(&ctx.heap, builtin, args)?;
    let reply = ctx.host.fetch(call).map_err(|message| raise(kind::HTTP, format!("{}: {message}", name(builtin))))?;
    answered(ctx, reply)
}

fn asked(heap: &Heap<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Call> {
    let posts = builtin == Builtin::HttpPost;
    let url = text(heap, builtin, args, 0)?.to_string();
    let given = options(heap, builtin, args)?;
    let option = |name: &str| given.and_then(|given: Handle| heap.member_named(given, name)).filter(|value| !value.is_nil());
    let method = match option("method") {
        None => if posts { "POST" } else { "GET" }.to_string(),
        Some(value) if is_text(value) => match heap.str(value)?.to_ascii_uppercase() {
            method if ["POST", "PUT", "PATCH", "DELETE"].contains(&method.as_str()) => method,
            _ => return Err(raise(kind::HTTP, "`method` é POST, PUT, PATCH ou DELETE")),
        },
        Some(other) => return Err(wrong(heap, builtin, "String em `method`", other)),
    };
    let timeout_ms = match option("timeout_ms") {
        None => None,
        Some(Value::Int(ms @ 1..)) => Some(u32::try_from(ms).unwrap_or(u32::MAX)),
        Some(Value::Int(_)) => return Err(raise(kind::HTTP, "`timeout_ms` começa em 1")),
        Some(other) => return Err(wrong(heap, builtin, "Int em `timeout_ms`", other)),
    };
    let mut headers = match option("headers") {
        None => Vec::new(),
        Some(Value::Map(map)) => given_headers(heap, map)?,
        Some(other) => return Err(wrong(heap, builtin, "Map em `headers`", other)),
    };
    let (body, content_type) = if posts { body(heap, arg(args, 1))? } else { (Vec::new(), "") };
    if !content_type.is_empty() && !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
        headers.push(("content-type".to_string(), content_type.to_string()));
    }
    Ok(Call { method, url, headers, body, timeout_ms })
}

fn given_headers(heap: &Heap<'_>, map: Handle) -> Fallible<Vec<(String, String)>> {
    let mut headers = Vec::new();
    for &(name, value) in heap.entries(map)? {
        let mut shown = Vec::new();
        escape::display(heap, value, &mut shown)?;
        headers.push((heap.str(name)?.to_string(), String::from_utf8_lossy(&shown).into_owned()));
    }
    Ok(headers)
}

/// What is sent, and as what: a String as it is, nil as nothing, all else as JSON.
fn body(heap: &Heap<'_>, value: Value) -> Fallible<(Vec<u8>, &'static str)> {
    if value.is_nil() {
        return Ok((Vec::new(), ""));
    }
    if is_text(value) {
        return Ok((heap.bytes(value).to_vec(), "text/plain; charset=utf-8"));
    }
    let mut out = Vec::new();
    json::encode(heap, value, &mut out)?;
    Ok((out, "application/json"))
}

/// `{"status", "headers", "body", "json"}`: `body` is nil where it is no text, `json` where it is no JSON.
fn answered(ctx: &mut Context<'_>, reply: Reply) -> Fallible<Value> {
    let Reply { status, headers, body } = reply;
    if body.len() > MAX_TEXT {
        return Err(too_large("a resposta do outro servidor"));
    }
    ctx.guard(usize::MAX);
    let content_type = headers.iter().find(|(name, _)| name == "content-type").map_or("", |(_, value)| value.as_str());
    let json = if is_json_media_type(content_type) {
        json::decode(&mut ctx.heap, &body, json::Limits::default()).unwrap_or_default()
    } else {
        Value::Nil
    };
    let body = readable(body, content_type);
    let heap = &mut ctx.heap;
    let body = super::optional_text(heap, body);
    let headers = told(heap, headers)?;
    let (handle, answer) = heap.map(4);
    for (name, value) in [("status", Value::Int(status.into())), ("headers", headers), ("body", body), ("json", json)] {
        let key = heap.text(name);
        heap.put_new(handle, key, value)?;
    }
    Ok(answer)
}

/// Headers by lower-case name; several of one name are joined by `, `.
fn told(heap: &mut Heap<'_>, headers: Vec<(String, String)>) -> Fallible<Value> {
    let mut joined: Vec<(String, String)> = Vec::with_capacity(headers.len());
    for (name, value) in headers {
        match joined.iter_mut().find(|(held, _)| *held == name) {
            Some((_, held)) => {
                held.push_str(", ");
                held.push_str(&value);
            }
            None => joined.push((name, value)),
        }
    }
    let (handle, map) = heap.map(joined.len());
    for (name, value) in joined {
        let (key, value) = (heap.text(name), heap.text(value));
        heap.put_new(handle, key, value)?;
    }
    Ok(map)
}

/// A body as text: UTF-8, or Latin-1 where the other server says so.
fn readable(body: Vec<u8>, content_type: &str) -> Option<String> {
    if is_latin1(content_type) {
        return Some(body.into_iter().map(char::from).collect());
    }
    String::from_utf8(body).ok()
}
