//! The bounds of a schema's values.

use alloc::format;

use super::{Place, SchemaError};
use crate::{
    format, pattern,
    types::{Constraints, Kind, Type},
    value::{Value, exact_int},
};

/// Gives a type the constraints that its schema names.
pub(super) fn read(schema: &Value, ty: &mut Type, place: &Place<'_>) -> Result<(), SchemaError> {
    let number = |keyword: &str| match schema.get(keyword) {
        Some(bound @ (Value::Int(_) | Value::Float(_))) => Ok(Some(bound.clone())),
        Some(_) => place.error(keyword, "deve ser um número"),
        None => Ok(None),
    };
    let length = |keyword: &str| match number(keyword)? {
        Some(Value::Int(count)) if count >= 0 => Ok(Some(count.unsigned_abs())),
        Some(Value::Float(count)) => match exact_int(count) {
            Some(count) if count >= 0 => Ok(Some(count.unsigned_abs())),
            _ => place.error(keyword, "deve ser um inteiro a partir de zero"),
        },
        Some(_) => place.error(keyword, "deve ser um inteiro a partir de zero"),
        None => Ok(None),
    };
    let text = |keyword: &str| match schema.get(keyword) {
        Some(Value::Str(text)) => Ok(Some(text.clone())),
        Some(_) => place.error(keyword, "deve ser um texto"),
        None => Ok(None),
    };
    let (least, most) = if matches!(ty.kind, Kind::Arr(_)) { ("minItems", "maxItems") } else { ("minLength", "maxLength") };
    let constraints = Constraints {
        minimum: number("minimum")?,
        maximum: number("maximum")?,
        min_length: length(least)?,
        max_length: length(most)?,
        pattern: text("pattern")?,
        format: text("format")?,
        unique: match schema.get("uniqueItems") {
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
        return place.error("format", format!("formato desconhecido: {name}"));
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
