//! The bounds of a schema's values.

use alloc::format;

use super::{Place, SchemaError, keywords};
use crate::{
    format, pattern,
    types::{Constraints, Kind, Type},
    value::{Value, exact_int},
};

/// Gives a type the constraints that its schema names.
pub(super) fn read(schema: &Value, ty: &mut Type, place: &Place<'_>) -> Result<(), SchemaError> {
    // A bound on values of another kind bounds nothing here.
    let bound = |keyword: &str, applies: bool| schema.get(keyword).filter(|_| applies);
    let (numeric, textual, listed) = (matches!(ty.kind, Kind::Int | Kind::Float), ty.kind == Kind::String, matches!(ty.kind, Kind::Arr(_)));
    let number = |keyword: &str, applies: bool| match bound(keyword, applies) {
        Some(bound @ (Value::Int(_) | Value::Float(_))) => Ok(Some(bound.clone())),
        Some(_) => place.error(keyword, "deve ser um número"),
        None => Ok(None),
    };
    let length = |keyword: &str| match number(keyword, textual || listed)? {
        Some(Value::Int(count)) if count >= 0 => Ok(Some(count.unsigned_abs())),
        Some(Value::Float(count)) => match exact_int(count) {
            Some(count) if count >= 0 => Ok(Some(count.unsigned_abs())),
            _ => place.error(keyword, "deve ser um inteiro a partir de zero"),
        },
        Some(_) => place.error(keyword, "deve ser um inteiro a partir de zero"),
        None => Ok(None),
    };
    let text = |keyword: &str| match bound(keyword, textual) {
        Some(Value::Str(text)) => Ok(Some(text.clone())),
        Some(_) => place.error(keyword, "deve ser um texto"),
        None => Ok(None),
    };
    let (least, most) = if listed { ("minItems", "maxItems") } else { ("minLength", "maxLength") };
    let mut constraints = Constraints {
        minimum: number("minimum", numeric)?,
        maximum: number("maximum", numeric)?,
        min_length: length(least)?,
        max_length: length(most)?,
        pattern: text("pattern")?,
        format: text("format")?,
        unique: match bound("uniqueItems", listed) {
            None => false,
            Some(Value::Bool(unique)) => *unique,
            Some(_) => return place.error("uniqueItems", "deve ser true ou false"),
        },
        ..Constraints::default()
    };
    if let Some(text) = &constraints.pattern {
        pattern::check(text).or_else(|reason| place.error("pattern", reason))?;
    }
    if let Some(name) = &constraints.format
        && !format::NAMES.contains(&name.as_str())
    {
        if keywords::is_format_beyond(name) {
            return place.error("format", format!("não faz parte dos tipos da djo: {name}"));
        }
        constraints.format = None;
    }
    ty.constraints = constraints;
    enumeration(schema, ty, place)
}

/// `enum`, which rules `null` out where it does not name it.
fn enumeration(schema: &Value, ty: &mut Type, place: &Place<'_>) -> Result<(), SchemaError> {
    match schema.get("enum") {
        None => Ok(()),
        Some(Value::Arr(values)) if values.iter().all(|value| !matches!(value, Value::Arr(_) | Value::Map(_) | Value::Huge(_))) => {
            ty.nullable &= values.contains(&Value::Nil);
            ty.constraints.allowed = Some(values.iter().filter(|value| **value != Value::Nil).cloned().collect());
            Ok(())
        }
        Some(_) => place.error("enum", "deve ser uma lista de textos, números ou booleanos"),
    }
}
