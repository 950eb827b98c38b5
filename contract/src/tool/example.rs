//! An example of an input, made of its type: for who sent one that does not fit, and for documents.

use alloc::{string::String, vec::Vec};

use crate::{
    route::SEGMENT_PATTERN,
    types::{Constraints, Field, Kind, Presence, Source, Type, Types},
    value::Value,
};

/// Structs within structs that are written out.
const DEPTH: usize = 8;
/// The longest text or list that is made, where a type asks for one.
const LENGTH: u64 = 200;

/// Members for what is required, and defaults where they are plain values. `None` where a type asks for what cannot be made up.
pub(super) fn example(types: &Types, fields: &[Field]) -> Option<Value> {
    members(types, fields, DEPTH)
}

fn members(types: &Types, fields: &[Field], depth: usize) -> Option<Value> {
    let shown = fields.iter().filter(|field| !field.hidden && !matches!(field.source, Source::Inject(_)));
    let mut members = Vec::new();
    for field in shown {
        match &field.presence {
            Presence::Required => members.push((field.name.clone(), value(types, &field.ty, depth)?)),
            Presence::Default(plain @ (Value::Bool(_) | Value::Int(_) | Value::Float(_) | Value::Str(_))) => {
                members.push((field.name.clone(), plain.clone()));
            }
            Presence::Default(_) | Presence::Optional => {}
        }
    }
    Some(Value::Map(members))
}

fn value(types: &Types, ty: &Type, depth: usize) -> Option<Value> {
    let depth = depth.checked_sub(1)?;
    let constraints = &ty.constraints;
    if let Some(first) = constraints.allowed.as_ref().and_then(|allowed| allowed.first()) {
        return Some(first.clone());
    }
    Some(match &ty.kind {
        Kind::Any | Kind::Map(_) => Value::Map(Vec::new()),
        Kind::Bool => Value::Bool(true),
        Kind::Int | Kind::Float => constraints.minimum.clone().or_else(|| constraints.maximum.clone()).unwrap_or(Value::Int(1)),
        Kind::String => Value::Str(text(constraints)?),
        Kind::Arr(element) => {
            let least = constraints.min_length.unwrap_or(0);
            // Several elements that must differ cannot be made up.
            if least > LENGTH || (constraints.unique && least > 1) {
                return None;
            }
            let item = match element {
                Some(element) => value(types, element, depth),
                None => Some(Value::Int(1)),
            };
            match item {
                Some(item) if least > 0 || constraints.max_length != Some(0) => {
                    Value::Arr(core::iter::repeat_n(item, usize::try_from(least.max(1)).ok()?).collect())
                }
                _ if least == 0 => Value::Arr(Vec::new()),
                _ => return None,
            }
        }
        Kind::Struct(index) => members(types, &types.get(*index).fields, depth)?,
    })
}

fn text(constraints: &Constraints) -> Option<String> {
    if constraints.pattern.as_deref().is_some_and(|pattern| pattern != SEGMENT_PATTERN) {
        return None;
    }
    let sample = match constraints.format.as_deref() {
        Some("email") => "ana@exemplo.com",
        Some("uri") => "https://exemplo.com/",
        Some("date") => "2026-01-31",
        Some("date-time") => "2026-01-31T12:00:00Z",
        Some("uuid") => "123e4567-e89b-12d3-a456-426614174000",
        _ => {
            let (least, most) = (constraints.min_length.unwrap_or(0), constraints.max_length.unwrap_or(LENGTH));
            if least > LENGTH {
                return None;
            }
            let mut text: String = "texto".chars().cycle().take(usize::try_from(least.max(5)).ok()?).collect();
            text.truncate(usize::try_from(most).unwrap_or(usize::MAX));
            return Some(text);
        }
    };
    Some(sample.into())
}
