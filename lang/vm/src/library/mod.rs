//! The standard library. What takes a function (`Arr.map` and its like) is bytecode that lowering adds to the program, so that no
//! call of the language ever waits on the native stack.

mod arr;
mod http;
mod input;
mod map;
mod number;
mod outbound;
mod output;
mod random;
mod state;
mod string;
mod text;
mod time;

use alloc::{boxed::Box, format, string::String};

use crate::{
    builtins::{BUILTINS, Builtin},
    context::Context,
    error::{Fallible, Raise, expected, invalid_image, kind, raise},
    heap::Heap,
    machine::check_count,
    types,
    value::{Handle, Value},
};

pub(crate) use random::hex;

/// Calls a builtin with as many arguments as it takes, which the checker has seen to.
pub(crate) fn call(ctx: &mut Context<'_>, code: u32, args: &[Value]) -> Fallible<Value> {
    let builtin = u16::try_from(code).ok().and_then(Builtin::from_code).ok_or_else(invalid_image)?;
    let heap = &mut ctx.heap;
    use Builtin as B;
    match builtin {
        B::Print | B::LogInfo | B::LogWarn | B::LogError | B::Fail => output::call(ctx, builtin, args),
        B::Pagina => build_struct(heap, heap.program.pagina(), arg(args, 0)),
        B::HttpJson | B::HttpHtml | B::HttpStatus | B::HttpSetcookie | B::HttpRedirect | B::HttpProgress => http::call(ctx, builtin, args),
        B::HttpGet | B::HttpPost => outbound::call(ctx, builtin, args),
        B::HttpHeader if args.len() > 1 => http::call(ctx, builtin, args),
        B::HttpHeader | B::HttpMethod | B::HttpPath | B::HttpParam | B::HttpQuery | B::HttpQueries | B::HttpForm | B::HttpCookie => {
            input::call(ctx, builtin, args)
        }
        B::HttpBody | B::HttpJsonBody | B::HttpIp | B::HttpCursor => input::call(ctx, builtin, args),
        B::SessionGet | B::SessionSet | B::SessionDel | B::SessionClear | B::SessionId | B::SessionRenew => {
            state::session(ctx, builtin, args)
        }
        B::StoreGet | B::StoreSet | B::StoreDel | B::StoreList | B::StoreCount | B::StoreInc | B::StoreCas | B::StoreNextId => {
            state::store(ctx, builtin, args)
        }
        B::ArrLen | B::ArrPush | B::ArrPop | B::ArrSort | B::ArrReverse | B::ArrSlice | B::ArrFind | B::ArrIndex | B::ArrContains => {
            arr::call(heap, builtin, args)
        }
        B::ArrJoin | B::ArrSum | B::ArrMin | B::ArrMax | B::ArrUniq | B::ArrSortBy => arr::call(heap, builtin, args),
        B::ArrMap | B::ArrFilter | B::ArrReduce => Err(invalid_image()),
        B::MapKeys | B::MapValues | B::MapLen | B::MapHas | B::MapGet | B::MapDel | B::MapMerge => map::call(ctx, builtin, args),
        B::StringLen | B::StringUpper | B::StringLower | B::StringTrim | B::StringSplit | B::StringReplace | B::StringContains => {
            string::call(heap, builtin, args)
        }
        B::StringStarts | B::StringEnds | B::StringSlice | B::StringPad | B::StringRepeat | B::StringLines => {
            string::call(heap, builtin, args)
        }
        B::IntParse | B::IntStr | B::IntDiv | B::IntMod => number::call(heap, builtin, args),
        B::FloatParse | B::FloatRound | B::FloatFloor | B::FloatCeil | B::FloatStr => number::call(heap, builtin, args),
        B::JsonEncode | B::JsonDecode | B::HashSha256 | B::HtmlEscape | B::HtmlRaw | B::UrlEncode | B::UrlDecode => {
            text::call(ctx, builtin, args)
        }
        B::TimeNow | B::TimeIso | B::TimeParse | B::TimeAdd => time::call(ctx, builtin, args),
        B::RandomInt | B::RandomUuid | B::RandomToken => random::call(ctx, builtin, args),
    }
}

/// Calls a builtin that is a value, with any number of arguments.
pub(crate) fn call_checked(ctx: &mut Context<'_>, code: u16, args: &[Value]) -> Fallible<Value> {
    let signature = BUILTINS.get(usize::from(code)).ok_or_else(invalid_image)?;
    check_count(signature.name, signature.least.into(), signature.most.into(), args.len())?;
    call(ctx, code.into(), args)
}

/// A struct out of a Map; one that is such a struct already stays.
pub(crate) fn build_struct(heap: &mut Heap<'_>, structure: u32, value: Value) -> Fallible<Value> {
    match value {
        Value::Map(map) => types::build(heap, structure, map),
        Value::Struct(handle) if heap.fields(handle)?.0 == structure => Ok(value),
        other => {
            let name = heap.program.structure(structure).map_or("", |found| heap.program.str(found.name));
            Err(expected(name, "Map", heap.type_name(other)))
        }
    }
}

/// An argument; nil when it was left out.
#[inline]
fn arg(args: &[Value], index: usize) -> Value {
    args.get(index).copied().unwrap_or_default()
}

/// The name under which a builtin is called.
fn name(builtin: Builtin) -> &'static str {
    BUILTINS.get(builtin as usize).map_or("", |signature| signature.name)
}

#[cold]
fn wrong(heap: &Heap<'_>, builtin: Builtin, wanted: &str, value: Value) -> Box<Raise> {
    expected(name(builtin), wanted, heap.type_name(value))
}

fn is_text(value: Value) -> bool {
    matches!(value, Value::Text(_) | Value::Str(_) | Value::Raw(_))
}

/// A String argument.
fn text<'h>(heap: &'h Heap<'_>, builtin: Builtin, args: &[Value], index: usize) -> Fallible<&'h str> {
    let value = arg(args, index);
    if is_text(value) { heap.str(value) } else { Err(wrong(heap, builtin, "String", value)) }
}

/// An Int argument.
fn int(heap: &Heap<'_>, builtin: Builtin, args: &[Value], index: usize) -> Fallible<i64> {
    match arg(args, index) {
        Value::Int(number) => Ok(number),
        other => Err(wrong(heap, builtin, "Int", other)),
    }
}

/// An Arr argument.
fn arr(heap: &Heap<'_>, builtin: Builtin, args: &[Value], index: usize) -> Fallible<Handle> {
    match arg(args, index) {
        Value::Arr(handle) => Ok(handle),
        other => Err(wrong(heap, builtin, "Arr", other)),
    }
}

/// A Map argument.
fn map(heap: &Heap<'_>, builtin: Builtin, args: &[Value], index: usize) -> Fallible<Handle> {
    match arg(args, index) {
        Value::Map(handle) => Ok(handle),
        other => Err(wrong(heap, builtin, "Map", other)),
    }
}

/// The options of a builtin, its last argument: each key must be one of those known.
fn options(heap: &Heap<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Option<Handle>> {
    let index = BUILTINS.get(builtin as usize).map_or(0, |signature| usize::from(signature.most).saturating_sub(1));
    let known = builtin.options();
    if arg(args, index).is_nil() {
        return Ok(None);
    }
    let handle = map(heap, builtin, args, index)?;
    for &(key, _) in heap.entries(handle)? {
        let key = heap.str(key)?;
        if !known.contains(&key) {
            let known = known.join(", ");
            return Err(raise(kind::NAME, format!("{} não tem a opção `{key}`; as opções são {known}", name(builtin))));
        }
    }
    Ok(Some(handle))
}

/// A new String, or nil.
fn optional_text(heap: &mut Heap<'_>, value: Option<String>) -> Value {
    value.map_or(Value::Nil, |value| heap.text(value))
}

/// The bounds of a slice, as Python has them: negative positions count from the end, what is outside is cut off.
fn slice_bounds(from: i64, to: Option<i64>, length: usize) -> (usize, usize) {
    let length_int = i64::try_from(length).unwrap_or(i64::MAX);
    let place = |position: i64| {
        let position = if position < 0 { position.saturating_add(length_int) } else { position };
        usize::try_from(position.clamp(0, length_int)).unwrap_or(0)
    };
    let (from, to) = (place(from), to.map_or(length, place));
    (from, to.max(from))
}
