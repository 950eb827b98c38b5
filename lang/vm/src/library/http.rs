//! `Http.*`, what is put out: body, status, headers, cookies, progress.

use alloc::{format, string::String, vec::Vec};

use djo_contract::{field, route::percent_encode};

use super::{arg, int, is_text, options, text, wrong};
use crate::{
    answer::Body,
    builtins::Builtin,
    context::Context,
    error::{Fallible, invalid_image, kind, raise},
    escape,
    ops::arithmetic::as_float,
    session,
    value::{Handle, Value},
};

/// Headers and cookies of one response, and bytes of one value.
const LIMITS: (usize, usize) = (64, 8192);

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    match builtin {
        Builtin::HttpJson => ctx.put_json(arg(args, 0))?,
        Builtin::HttpHtml => {
            let mut body = Vec::new();
            escape::display(&ctx.heap, arg(args, 0), &mut body)?;
            ctx.answer.body = Body::Html(body);
            ctx.answer.page = None;
        }
        Builtin::HttpStatus => match int(&ctx.heap, builtin, args, 0)? {
            status @ 200..=599 => ctx.answer.status = Some(status as u16),
            other => return Err(raise(kind::HTTP, format!("Http.status vai de 200 a 599, mas veio {other}"))),
        },
        Builtin::HttpHeader => header(ctx, args)?,
        Builtin::HttpSetcookie => cookie(ctx, args)?,
        Builtin::HttpRedirect => {
            let url = text(&ctx.heap, builtin, args, 0)?;
            let url = location(url)?;
            ctx.answer.location = Some(url);
        }
        Builtin::HttpProgress => progress(ctx, args)?,
        _ => return Err(invalid_image()),
    }
    Ok(Value::Nil)
}

/// A URL as a `Location`: what a header cannot hold is percent-encoded.
fn location(url: &str) -> Fallible<String> {
    if url.is_empty() || url.chars().any(char::is_control) {
        return Err(raise(kind::HTTP, "Http.redirect espera um endereço sem quebras de linha"));
    }
    let mut out = Vec::with_capacity(url.len());
    for &byte in url.as_bytes() {
        if byte.is_ascii_graphic() { out.push(byte) } else { percent_encode(&[byte], b"", &mut out) }
    }
    crate::ops::arithmetic::from_utf8(out)
}

/// `Http.header:n:v` sets a header, or replaces it; nil takes it back.
fn header(ctx: &mut Context<'_>, args: &[Value]) -> Fallible<()> {
    let name = text(&ctx.heap, Builtin::HttpHeader, args, 0)?.to_ascii_lowercase();
    if !field::is_token(&name) || name.len() > 256 {
        return Err(raise(kind::HTTP, "o nome do cabeçalho só pode ter letras, dígitos e hífens"));
    }
    if field::RESERVED.contains(&name.as_str()) {
        let hint = match name.as_str() {
            "set-cookie" => "; use Http.setcookie",
            "location" => "; use Http.redirect",
            _ => "",
        };
        return Err(raise(kind::HTTP, format!("o cabeçalho {name} é do servidor{hint}")));
    }
    let mut value = Vec::new();
    escape::display(&ctx.heap, arg(args, 1), &mut value)?;
    let value: String = String::from_utf8_lossy(&value).trim().into();
    check_value(&value)?;
    ctx.answer.headers.retain(|(set, _)| *set != name);
    if arg(args, 1).is_nil() {
        return Ok(());
    }
    if ctx.answer.headers.len() >= LIMITS.0 {
        return Err(raise(kind::LIMIT, format!("mais de {} cabeçalhos", LIMITS.0)));
    }
    ctx.answer.headers.push((name, value));
    Ok(())
}

fn check_value(value: &str) -> Fallible<()> {
    if value.chars().any(char::is_control) {
        return Err(raise(kind::HTTP, "o valor de um cabeçalho não pode ter quebras de linha"));
    }
    if value.len() > LIMITS.1 {
        return Err(raise(kind::LIMIT, format!("um cabeçalho tem no máximo {} bytes", LIMITS.1)));
    }
    Ok(())
}

/// `Http.setcookie:n:v[:opts]`: for the whole site, out of reach of scripts, over TLS only where the request came so, unless the
/// options say otherwise.
fn cookie(ctx: &mut Context<'_>, args: &[Value]) -> Fallible<()> {
    let builtin = Builtin::HttpSetcookie;
    let secure = ctx.host.secure();
    let heap = &ctx.heap;
    let name = text(heap, builtin, args, 0)?;
    if !field::is_token(name) {
        return Err(raise(kind::HTTP, "o nome do cookie só pode ter letras, dígitos e hífens"));
    }
    if name == session::COOKIE {
        return Err(raise(kind::HTTP, format!("o cookie {name} é da sessão; use Session.set")));
    }
    let mut value = Vec::new();
    escape::display(heap, arg(args, 1), &mut value)?;
    let mut cookie = format!("{name}=").into_bytes();
    percent_encode(&value, b"!#$&'()*+/:<=>?@[]^`{|}", &mut cookie);
    let mut cookie = String::from_utf8_lossy(&cookie).into_owned();
    let given = options(heap, builtin, args)?;
    let option = |name: &str| given.and_then(|given: Handle| heap.member_named(given, name)).filter(|value| !value.is_nil());
    let text_option = |name: &str, usual: &'static str| match option(name) {
        None => Ok(String::from(usual)),
        Some(value) if is_text(value) => Ok(String::from(heap.str(value)?)),
        Some(other) => Err(wrong(heap, builtin, &format!("String em `{name}`"), other)),
    };
    let flag = |name: &str, usual: bool| match option(name) {
        None => Ok(usual),
        Some(Value::Bool(flag)) => Ok(flag),
        Some(other) => Err(wrong(heap, builtin, &format!("Bool em `{name}`"), other)),
    };
    let (path, domain) = (text_option("path", "/")?, text_option("domain", "")?);
    for part in [&path, &domain] {
        if part.contains(';') || part.chars().any(char::is_control) {
            return Err(raise(kind::HTTP, "a opção de um cookie não pode ter `;` nem quebras de linha"));
        }
    }
    cookie.push_str(&format!("; Path={path}"));
    if !domain.is_empty() {
        cookie.push_str(&format!("; Domain={domain}"));
    }
    match option("max_age") {
        None => {}
        Some(Value::Int(seconds)) => cookie.push_str(&format!("; Max-Age={seconds}")),
        Some(other) => return Err(wrong(heap, builtin, "Int em `max_age`", other)),
    }
    if flag("httponly", true)? {
        cookie.push_str("; HttpOnly");
    }
    let same_site = text_option("samesite", "Lax")?;
    let Some(same_site) = ["Lax", "Strict", "None"].into_iter().find(|known| known.eq_ignore_ascii_case(&same_site)) else {
        return Err(raise(kind::HTTP, "`samesite` é Lax, Strict ou None"));
    };
    cookie.push_str(&format!("; SameSite={same_site}"));
    if flag("secure", secure)? {
        cookie.push_str("; Secure");
    }
    check_value(&cookie)?;
    let prefix = format!("{name}=");
    ctx.answer.cookies.retain(|set| !set.starts_with(&prefix));
    if ctx.answer.cookies.len() >= LIMITS.0 {
        return Err(raise(kind::LIMIT, format!("mais de {} cookies", LIMITS.0)));
    }
    ctx.answer.cookies.push(cookie);
    Ok(())
}

/// `Http.progress:feito[:total[:mensagem]]`
fn progress(ctx: &mut Context<'_>, args: &[Value]) -> Fallible<()> {
    let builtin = Builtin::HttpProgress;
    let heap = &ctx.heap;
    let number = |value: Value| as_float(value).ok_or_else(|| wrong(heap, builtin, "um número", value));
    let done = number(arg(args, 0))?;
    let total = if arg(args, 1).is_nil() { None } else { Some(number(arg(args, 1))?) };
    let message = if arg(args, 2).is_nil() { None } else { Some(text(heap, builtin, args, 2)?) };
    ctx.host.progress(done, total, message);
    Ok(())
}
