//! The final form of a value without issues. It takes the value apart rather than copying it.

use alloc::{format, string::String, vec::Vec};

use super::text;
use crate::{
    issue::{Code, Issue, Issues},
    path::Path,
    types::{Field, Kind, Presence, Source, Type, Types},
    value::{Value, exact_int},
};

/// Values that defaults may add to one input: a small input that leaves out many fields of large defaults must not become a huge one.
pub(super) const MAX_FILLED: usize = 200_000;

/// How deep a default may be, as whoever makes one checks it.
const MAX_DEPTH: u32 = 64;

/// What defaults may still add to one input.
#[derive(Debug)]
pub struct Room {
    /// Values; `None` once they would have been more.
    left: Option<usize>,
}

impl Default for Room {
    fn default() -> Self {
        Self { left: Some(MAX_FILLED) }
    }
}

impl Room {
    /// A default, where there is room for it.
    pub fn take(&mut self, usual: &Value) -> Option<Value> {
        self.left = self.left.zip(usual.size_within(MAX_DEPTH)).and_then(|(left, size)| left.checked_sub(size));
        self.left.map(|_| usual.clone())
    }

    /// What was made.
    ///
    /// # Errors
    /// Defaults would have made too much of it.
    pub fn finish<T>(self, made: T) -> Result<T, Issues> {
        let mut issues = Issues::default();
        if self.left.is_none() {
            issues.add(|| {
                let message = format!("com os valores padrão do que falta, passa do limite: {MAX_FILLED} valores a mais");
                Issue::at(&Path::ROOT, Code::InvalidLength, message, Vec::new())
            });
        }
        issues.or(|| made)
    }
}

/// Gives checked values their final form: a legal input again, complete but for injected fields and `nocall` ones, which no input can
/// have: who makes a struct of it adds them.
pub(super) struct Transform<'t> {
    types: &'t Types,
    room: Room,
}

impl<'t> Transform<'t> {
    /// Of one input.
    pub(super) fn new(types: &'t Types) -> Self {
        Self { types, room: Room::default() }
    }

    /// What was made, unless defaults have made too much of it.
    pub(super) fn finish<T>(self, made: T) -> Result<T, Issues> {
        self.room.finish(made)
    }

    /// One value.
    pub(super) fn value(&mut self, ty: &Type, value: Value) -> Value {
        match (&ty.kind, value) {
            (Kind::Int, Value::Float(number)) => exact_int(number).map_or(Value::Float(number), Value::Int),
            (Kind::Float, Value::Int(number)) => Value::Float(number as f64),
            (Kind::Float, Value::Huge(digits)) => digits.parse().map_or(Value::Huge(digits), Value::Float),
            (Kind::Arr(Some(element)), Value::Arr(items)) if changes(element) => {
                Value::Arr(items.into_iter().map(|item| self.value(element, item)).collect())
            }
            (Kind::Map(Some(element)), Value::Map(members)) if changes(element) => {
                Value::Map(members.into_iter().map(|(name, member)| (name, self.value(element, member))).collect())
            }
            (Kind::Struct(index), Value::Map(members)) => Value::Map(self.fields(&self.types.get(*index).fields, members, None)),
            // Of what has no type, each number that is kept as text is one that a Float rounds.
            (Kind::Any | Kind::Arr(_) | Kind::Map(_), value) if value.has_huge() => round(value),
            (_, value) => value,
        }
    }

    /// The fields of a closed object in their order: given ones, values of the path, defaults.
    pub(super) fn fields(
        &mut self,
        fields: &[Field],
        members: Vec<(String, Value)>,
        params: Option<&[(String, String)]>,
    ) -> Vec<(String, Value)> {
        let fields = || fields.iter().filter(|field| !field.hidden);
        let as_typed = fields().count() == members.len()
            && fields().zip(&members).all(|(field, (name, _))| {
                field.name == *name && (field.source == Source::Input || params.is_none() && field.source == Source::Path)
            });
        if as_typed {
            return members.into_iter().zip(fields()).map(|((name, value), field)| (name, self.value(&field.ty, value))).collect();
        }
        let mut given: Vec<Option<(String, Value)>> = members.into_iter().map(Some).collect();
        let mut out = Vec::with_capacity(given.len());
        for field in fields() {
            match (&field.source, params) {
                (Source::Inject(_), _) => continue,
                (Source::Path, Some(params)) => {
                    if let Some((_, text)) = params.iter().find(|(name, _)| *name == field.name)
                        && let Ok(value) = text::from_text(&field.ty, text)
                    {
                        out.push((field.name.clone(), self.value(&field.ty, value)));
                        continue;
                    }
                }
                _ => {
                    let mut slots = given.iter_mut();
                    if let Some((name, value)) =
                        slots.find(|slot| slot.as_ref().is_some_and(|(name, _)| *name == field.name)).and_then(Option::take)
                    {
                        out.push((name, self.value(&field.ty, value)));
                        continue;
                    }
                }
            }
            if let Some(value) = self.absent(field) {
                out.push((field.name.clone(), value));
            }
        }
        out
    }

    /// What an absent field is; `None` when it stays absent.
    pub(super) fn absent(&mut self, field: &Field) -> Option<Value> {
        let usual = match &field.presence {
            Presence::Default(value) => value,
            Presence::Optional if field.ty.nullable => &Value::Nil,
            Presence::Optional | Presence::Required => return None,
        };
        self.room.take(usual)
    }
}

fn round(value: Value) -> Value {
    match value {
        Value::Huge(text) => Value::rounded(&text).map_or(Value::Huge(text), Value::Float),
        Value::Arr(items) => Value::Arr(items.into_iter().map(round).collect()),
        Value::Map(members) => Value::Map(members.into_iter().map(|(name, member)| (name, round(member))).collect()),
        other => other,
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
