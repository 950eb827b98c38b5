//! `String.*`: lengths and positions are in code points.

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::{arg, arr::of_texts, int, slice_bounds, text};
use crate::{
    builtins::Builtin,
    error::{Fallible, too_large},
    heap::{Heap, MAX_TEXT},
    value::Value,
};

pub(super) fn call(heap: &mut Heap<'_>, builtin: Builtin, args: &[Value]) -> Fallible<Value> {
    let subject = text(heap, builtin, args, 0)?;
    let result: String = match builtin {
        Builtin::StringLen => return Ok(Value::Int(subject.chars().count() as i64)),
        Builtin::StringContains => return Ok(Value::Bool(subject.contains(text(heap, builtin, args, 1)?))),
        Builtin::StringStarts => return Ok(Value::Bool(subject.starts_with(text(heap, builtin, args, 1)?))),
        Builtin::StringEnds => return Ok(Value::Bool(subject.ends_with(text(heap, builtin, args, 1)?))),
        Builtin::StringUpper => subject.to_uppercase(),
        Builtin::StringLower => subject.to_lowercase(),
        Builtin::StringTrim => subject.trim().into(),
        // An empty separator splits into code points.
        Builtin::StringSplit => {
            let separator = text(heap, builtin, args, 1)?;
            let parts: Vec<String> = if separator.is_empty() {
                subject.chars().map(String::from).collect()
            } else {
                subject.split(separator).map(String::from).collect()
            };
            return Ok(of_texts(heap, parts));
        }
        Builtin::StringLines => {
            let lines: Vec<String> = subject.lines().map(String::from).collect();
            return Ok(of_texts(heap, lines));
        }
        Builtin::StringReplace => {
            let (from, to) = (text(heap, builtin, args, 1)?, text(heap, builtin, args, 2)?);
            let grown = subject.matches(from).count().saturating_mul(to.len());
            if subject.len().saturating_add(grown) > MAX_TEXT {
                return Err(too_large("a String"));
            }
            subject.replace(from, to)
        }
        Builtin::StringSlice => {
            let length = subject.chars().count();
            let to = if arg(args, 2).is_nil() { None } else { Some(int(heap, builtin, args, 2)?) };
            let (from, to) = slice_bounds(int(heap, builtin, args, 1)?, to, length);
            subject.chars().skip(from).take(to - from).collect()
        }
        Builtin::StringPad => pad(heap, builtin, subject, args)?,
        Builtin::StringRepeat => {
            let times = int(heap, builtin, args, 1)?.max(0);
            let length = i64::try_from(subject.len()).unwrap_or(i64::MAX).saturating_mul(times);
            if length > MAX_TEXT as i64 {
                return Err(too_large("a String"));
            }
            // A guest's usize has 32 bits: more times than that are of an empty String.
            subject.repeat(if length == 0 { 0 } else { usize::try_from(times).unwrap_or(0) })
        }
        _ => return Err(crate::error::invalid_image()),
    };
    Ok(heap.text(result))
}

/// Fills up to a width: on the left, so that numbers line up; on the right when the width is negative. With a space, or what is given.
fn pad(heap: &Heap<'_>, builtin: Builtin, subject: &str, args: &[Value]) -> Fallible<String> {
    let width = int(heap, builtin, args, 1)?;
    let fill = if arg(args, 2).is_nil() { " " } else { text(heap, builtin, args, 2)? };
    let wanted = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
    let missing = wanted.saturating_sub(subject.chars().count());
    if missing == 0 || fill.is_empty() {
        return Ok(subject.to_string());
    }
    if missing > MAX_TEXT / 4 {
        return Err(too_large("a String"));
    }
    let filling: String = fill.chars().cycle().take(missing).collect();
    Ok(if width < 0 { subject.to_string() + &filling } else { filling + subject })
}
