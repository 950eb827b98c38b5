//! The final form of a value without issues. It takes the value apart rather than copying it.

use alloc::{string::String, vec::Vec};

use super::text;
use crate::{
    types::{Field, Kind, Presence, Source, Type, Types},
    value::{Value, exact_int},
};

/// Gives a checked value its final form.
pub(super) fn transform(types: &Types, ty: &Type, value: Value) -> Value {
    match (&ty.kind, value) {
        (Kind::Int, Value::Float(number)) => exact_int(number).map_or(Value::Float(number), Value::Int),
        (Kind::Float, Value::Int(number)) => Value::Float(number as f64),
        (Kind::Float, Value::Huge(digits)) => digits.parse().map_or(Value::Huge(digits), Value::Float),
        (Kind::Arr(Some(element)), Value::Arr(items)) if changes(element) => {
            Value::Arr(items.into_iter().map(|item| transform(types, element, item)).collect())
        }
        (Kind::Map(Some(element)), Value::Map(members)) if changes(element) => {
            Value::Map(members.into_iter().map(|(name, member)| (name, transform(types, element, member))).collect())
        }
        (Kind::Struct(index), Value::Map(members)) => Value::Map(fields(types, &types.get(*index).fields, members, None)),
        (_, value) => value,
    }
}

/// Whether values of the type can differ from their final form.
fn changes(ty: &Type) -> bool {
    match &ty.kind {
        Kind::Any | Kind::String | Kind::Bool | Kind::Arr(None) | Kind::Map(None) => false,
        Kind::Int | Kind::Float | Kind::Struct(_) => true,
        Kind::Arr(Some(element)) | Kind::Map(Some(element)) => changes(element),
    }
}

/// The fields of a closed object in their order: given ones, values of the path, defaults. Injected ones stay out.
pub(super) fn fields(
    types: &Types,
    fields: &[Field],
    members: Vec<(String, Value)>,
    params: Option<&[(String, String)]>,
) -> Vec<(String, Value)> {
    let as_typed = fields.len() == members.len()
        && fields.iter().zip(&members).all(|(field, (name, _))| {
            field.name == *name && !field.hidden && (field.source == Source::Input || params.is_none() && field.source == Source::Path)
        });
    if as_typed {
        return members.into_iter().zip(fields).map(|((name, value), field)| (name, transform(types, &field.ty, value))).collect();
    }
    let mut given: Vec<Option<(String, Value)>> = members.into_iter().map(Some).collect();
    let mut out = Vec::with_capacity(fields.len());
    for field in fields {
        match (&field.source, params) {
            (Source::Inject(_), _) => continue,
            (Source::Path, Some(params)) => {
                if let Some((_, text)) = params.iter().find(|(name, _)| *name == field.name)
                    && let Ok(value) = text::from_text(&field.ty, text)
                {
                    out.push((field.name.clone(), transform(types, &field.ty, value)));
                    continue;
                }
            }
            _ if field.hidden => {}
            _ => {
                let mut slots = given.iter_mut();
                if let Some((name, value)) =
                    slots.find(|slot| slot.as_ref().is_some_and(|(name, _)| *name == field.name)).and_then(Option::take)
                {
                    out.push((name, transform(types, &field.ty, value)));
                    continue;
                }
            }
        }
        if let Some(value) = absent(field) {
            out.push((field.name.clone(), value));
        }
    }
    out
}

/// What an absent field is; `None` when it stays absent.
pub(super) fn absent(field: &Field) -> Option<Value> {
    match &field.presence {
        Presence::Default(value) => Some(value.clone()),
        Presence::Optional if field.ty.nullable && !field.hidden => Some(Value::Nil),
        Presence::Optional | Presence::Required => None,
    }
}
