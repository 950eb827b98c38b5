//! What a tool takes, for the strict modes of model providers, and back. Source: agent execution, tool schemas; the published rules of
//! OpenAI's structured outputs and Anthropic's strict tools, of which this is what both accept.
//!
//! There every member is required, so that an optional one takes `null` instead of being absent; every object is closed; bounds,
//! patterns and defaults are no keywords, so that they are told in the description; and what has no closed form (an open map, an
//! untyped list, a struct within itself) is a text that holds JSON.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    json,
    schema::is_shown,
    types::{Constraints, Field, Kind, Presence, Struct, Type, Types},
    value::Value,
};

/// Objects within each other; providers take no more.
const DEPTH: usize = 5;
/// Members that a schema may have in all; an object beyond is a text. Providers take a few thousand.
const MEMBERS: usize = 1000;
/// Formats that every provider knows.
const FORMATS: [&str; 4] = ["date", "date-time", "email", "uuid"];

/// The strict schema of a tool's input.
pub fn strict_schema(types: &Types, input: &Struct) -> Value {
    Value::Map(Writer { types, open: Vec::new(), members: 0 }.object(input))
}

/// Arguments by the strict schema, as the tool takes them. What does not fit stays as it is, for the decoder to tell.
pub fn from_strict(types: &Types, input: &Struct, arguments: Value) -> Value {
    match arguments {
        Value::Map(members) => Value::Map(members.into_iter().filter_map(|member| given(types, &input.fields, member)).collect()),
        other => other,
    }
}

/// A member as it was meant: `null` stands for absence where a member may be absent.
fn given(types: &Types, fields: &[Field], (name, value): (String, Value)) -> Option<(String, Value)> {
    match fields.iter().find(|field| field.name == name) {
        Some(field) if value == Value::Nil && field.presence != Presence::Required => None,
        Some(field) => Some((name, plain(types, &field.ty, value))),
        None => Some((name, value)),
    }
}

fn plain(types: &Types, ty: &Type, value: Value) -> Value {
    match (&ty.kind, value) {
        (Kind::Any | Kind::Arr(_) | Kind::Map(_) | Kind::Struct(_), Value::Str(text)) => {
            json::parse(text.as_bytes()).unwrap_or(Value::Str(text))
        }
        (Kind::Struct(index), value) => from_strict(types, types.get(*index), value),
        (Kind::Arr(Some(element)), Value::Arr(items)) => Value::Arr(items.into_iter().map(|item| plain(types, element, item)).collect()),
        (_, value) => value,
    }
}

type Members = Vec<(String, Value)>;

struct Writer<'t> {
    types: &'t Types,
    /// The structs on the way down.
    open: Vec<usize>,
    members: usize,
}

impl Writer<'_> {
    fn object(&mut self, of: &Struct) -> Members {
        let fields: Vec<&Field> = of.fields.iter().filter(|field| is_shown(field)).collect();
        self.members += fields.len();
        let mut members: Members = Vec::from([("type".into(), "object".into())]);
        if let Some(description) = &of.description {
            members.push(("description".into(), description.as_str().into()));
        }
        members.push(("required".into(), Value::Arr(fields.iter().map(|field| field.name.as_str().into()).collect())));
        members.push(("additionalProperties".into(), Value::Bool(false)));
        let properties = fields.iter().map(|field| (field.name.clone(), Value::Map(self.field(field)))).collect();
        members.push(("properties".into(), Value::Map(properties)));
        members
    }

    fn field(&mut self, field: &Field) -> Members {
        let is_optional = field.presence != Presence::Required;
        let mut members = self.ty(&field.ty, is_optional);
        let mut told: Vec<String> = field.description.iter().cloned().collect();
        if let Some((_, Value::Str(text))) = take(&mut members, "description") {
            told.push(text);
        }
        match &field.presence {
            Presence::Default(value) => told.push(format!("null: {}", json::to_string(value))),
            Presence::Optional => told.push("null: nenhum".to_string()),
            Presence::Required => {}
        }
        describe(&mut members, &told);
        members
    }

    /// A type that may be `null` besides.
    fn ty(&mut self, ty: &Type, or_null: bool) -> Members {
        let or_null = or_null || ty.nullable;
        let null = || Value::Map(Vec::from([("type".into(), "null".into())]));
        if let Kind::Struct(index) = ty.kind
            && self.fits(index)
        {
            self.open.push(index);
            let object = self.object(self.types.get(index));
            self.open.pop();
            return if or_null { Vec::from([("anyOf".into(), Value::Arr(Vec::from([Value::Map(object), null()])))]) } else { object };
        }
        let (name, note) = match &ty.kind {
            Kind::Int | Kind::Float | Kind::String | Kind::Bool => (ty.kind.json_name().unwrap_or("string"), None),
            Kind::Arr(Some(_)) => ("array", None),
            Kind::Arr(None) => ("string", Some("um texto com uma lista em JSON")),
            Kind::Map(_) | Kind::Struct(_) => ("string", Some("um texto com um objeto em JSON")),
            Kind::Any => ("string", Some("um texto com um valor em JSON")),
        };
        let mut members: Members = Vec::new();
        let name = Value::from(name);
        members.push(("type".into(), if or_null { Value::Arr(Vec::from([name, "null".into()])) } else { name }));
        if let Kind::Arr(Some(element)) = &ty.kind {
            members.push(("items".into(), Value::Map(self.ty(element, false))));
        }
        if let Some(allowed) = &ty.constraints.allowed {
            let null = or_null.then_some(Value::Nil);
            members.push(("enum".into(), Value::Arr(allowed.iter().cloned().chain(null).collect())));
        }
        let mut told: Vec<String> = note.map(String::from).into_iter().collect();
        match &ty.constraints.format {
            Some(format) if FORMATS.contains(&format.as_str()) => members.push(("format".into(), format.as_str().into())),
            Some(format) => told.push(format!("formato {format}")),
            None => {}
        }
        told.extend(bounds(&ty.constraints, &ty.kind));
        describe(&mut members, &told);
        members
    }

    /// Whether a struct can be written out: once on the way down, not too deep, and not too much in all.
    fn fits(&self, index: usize) -> bool {
        !self.open.contains(&index) && self.open.len() + 1 < DEPTH && self.members + self.types.get(index).fields.len() <= MEMBERS
    }
}

/// What strict schemas have no keyword for, in words.
fn bounds(constraints: &Constraints, kind: &Kind) -> Option<String> {
    let Constraints { minimum, maximum, min_length, max_length, pattern, unique, .. } = constraints;
    let mut told = Vec::new();
    let unit = if matches!(kind, Kind::Arr(_)) { "itens" } else { "caracteres" };
    told.extend(minimum.iter().map(|least| format!("no mínimo {}", json::to_string(least))));
    told.extend(maximum.iter().map(|most| format!("no máximo {}", json::to_string(most))));
    told.extend(min_length.iter().map(|least| format!("no mínimo {least} {unit}")));
    told.extend(max_length.iter().map(|most| format!("no máximo {most} {unit}")));
    told.extend(pattern.iter().map(|pattern| format!("confere com {pattern}")));
    told.extend(unique.then(|| "sem repetir".to_string()));
    (!told.is_empty()).then(|| told.join(", "))
}

fn take(members: &mut Members, name: &str) -> Option<(String, Value)> {
    let at = members.iter().position(|(known, _)| known == name)?;
    Some(members.remove(at))
}

/// Puts a description behind the type. The object of an `anyOf` keeps its own.
fn describe(members: &mut Members, told: &[String]) {
    if !told.is_empty() {
        let at = members.len().min(1);
        members.insert(at, ("description".into(), told.join("; ").as_str().into()));
    }
}

#[cfg(test)]
mod tests;
