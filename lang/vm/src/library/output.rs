//! `print`, `Log.*` and `fail`.

use alloc::{borrow::Cow, string::String, vec::Vec};

use super::{arg, is_text, map};
use crate::{
    builtins::Builtin,
    context::Context,
    error::{Fallible, kind, raise},
    escape::display,
    host::Level,
    json,
    value::Value,
};

pub(super) fn call(ctx: &mut Context<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let mut shown = Vec::new();
    match arg(args, 0) {
        // nil is nothing in a page, but in a log it must be seen.
        Value::Nil | Value::Unset => shown.extend_from_slice(b"nil"),
        value if value.is_function() => shown.extend_from_slice(value.kind().as_bytes()),
        value => display(&ctx.heap, value, &mut shown)?,
    }
    let message = String::from_utf8_lossy(&shown);
    let level = match builtin {
        Builtin::Print => Level::Print,
        Builtin::LogInfo => Level::Info,
        Builtin::LogWarn => Level::Warn,
        Builtin::LogError => Level::Error,
        _ => return Err(fail(ctx, message.into_owned(), args)),
    };
    ctx.host.log(level, &message);
    Ok(Value::Nil)
}

/// The error that `fail:` raises.
fn fail(ctx: &Context<'_>, message: String, args: &[Value]) -> alloc::boxed::Box<crate::error::Raise> {
    let mut error = raise(kind::FAIL, message);
    if arg(args, 1).is_nil() {
        return error;
    }
    let described = map(&ctx.heap, Builtin::Fail, args, 1).and_then(|handle| {
        let mut refusal = Vec::new();
        json::encode(&ctx.heap, Value::Map(handle), &mut refusal)?;
        Ok((handle, refusal))
    });
    match described {
        Ok((handle, refusal)) => {
            if let Some(named) = ctx.heap.member_named(handle, "kind").filter(|value| is_text(*value)) {
                error.kind = Cow::Owned(ctx.heap.lossy(named).into_owned());
            }
            error.refusal = Some(refusal);
            error
        }
        Err(other) => other,
    }
}
