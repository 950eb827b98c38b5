//! Types in the section, in both directions.

use alloc::{boxed::Box, string::String, vec::Vec};

use super::{
    SectionError,
    read::{Fields, Place, invalid},
    write::{Object, count},
};
use crate::{
    pattern::{Compiled, Program},
    types::{Constraints, Field, Kind, Presence, Source, Struct, Type},
    value::Value,
};

/// Types within each other, as in `Arr[Arr[Int]]`.
const DEPTH_LIMIT: usize = 16;
const FIELD_LIMIT: usize = 1024;
const ALLOWED_LIMIT: usize = 4096;
const PROGRAM_LIMIT: usize = 512 << 10;

pub(super) fn write_struct(of: &Struct) -> Object {
    let name = (!of.name.is_empty()).then_some(of.name.as_str());
    Object::default().some("name", name).some("description", of.description.as_deref()).list("fields", &of.fields, |field| {
        let source = match &field.source {
            Source::Input => None,
            Source::Path => Some(Value::from("path")),
            Source::Inject(from) => Some(Object::default().put("inject", from.as_str()).into()),
        };
        let default = match &field.presence {
            Presence::Default(value) => Some(value.clone()),
            Presence::Required | Presence::Optional => None,
        };
        Object::default()
            .put("name", field.name.as_str())
            .put("type", write_type(&field.ty))
            .flag("required", field.presence == Presence::Required)
            .some("default", default)
            .some("description", field.description.as_deref())
            .flag("hidden", field.hidden)
            .some("source", source)
            .into()
    })
}

pub(super) fn write_type(ty: &Type) -> Object {
    let (kind, of, index) = match &ty.kind {
        Kind::Any => ("any", None, None),
        Kind::Int => ("int", None, None),
        Kind::Float => ("float", None, None),
        Kind::String => ("string", None, None),
        Kind::Bool => ("bool", None, None),
        Kind::Arr(of) => ("arr", of.as_deref(), None),
        Kind::Map(of) => ("map", of.as_deref(), None),
        Kind::Struct(index) => ("struct", None, Some(*index)),
    };
    let Constraints { minimum, maximum, min_length, max_length, pattern, compiled, format, allowed, unique } = &ty.constraints;
    let length = |length: &Option<u64>| length.map(|length| Value::Int(i64::try_from(length).unwrap_or(i64::MAX)));
    Object::default()
        .put("kind", kind)
        .some("of", of.map(write_type))
        .some("struct", index.map(count))
        .flag("nullable", ty.nullable)
        .some("minimum", minimum.clone())
        .some("maximum", maximum.clone())
        .some("min_length", length(min_length))
        .some("max_length", length(max_length))
        .some("pattern", pattern.as_deref())
        .some("program", pattern.as_deref().and_then(|pattern| compiled.program(pattern)).map(Program::to_text))
        .some("format", format.as_deref())
        .some("enum", allowed.clone().map(Value::Arr))
        .flag("unique", *unique)
}

/// Reads a struct whose types may point to `structs` others.
pub(super) fn read_struct(value: Value, structs: usize, place: &Place<'_>) -> Result<Struct, SectionError> {
    let mut members = Fields::new(value, place)?;
    let name = members.text("name")?.unwrap_or_default();
    let description = members.text("description")?;
    let fields: Vec<Field> = members.list("fields", FIELD_LIMIT, |value, place| read_field(value, structs, place))?;
    members.finish()?;
    let mut names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    names.sort_unstable();
    if names.windows(2).any(|pair| pair[0] == pair[1]) {
        return invalid(place, "dois campos de mesmo nome");
    }
    Ok(Struct { name, description, fields })
}

fn read_field(value: Value, structs: usize, place: &Place<'_>) -> Result<Field, SectionError> {
    let mut members = Fields::new(value, place)?;
    let name = members.needed_text("name")?;
    let ty = read_type(members.needed("type")?, structs, &place.name("type"), 0)?;
    let required = members.flag("required")?;
    let presence = match (required, members.take("default")) {
        (false, Some(value)) => Presence::Default(value),
        (false, None) => Presence::Optional,
        (true, None) => Presence::Required,
        (true, Some(_)) => return invalid(place, "obrigatório e com valor padrão"),
    };
    let source = match members.take("source") {
        None => Source::Input,
        Some(Value::Str(source)) if source == "path" => Source::Path,
        Some(source) => {
            let below = place.name("source");
            let mut source = Fields::new(source, &below)?;
            let from = source.needed_text("inject")?;
            source.finish()?;
            Source::Inject(from)
        }
    };
    let field = Field { name, ty, presence, description: members.text("description")?, hidden: members.flag("hidden")?, source };
    members.finish()?;
    Ok(field)
}

pub(super) fn read_type(value: Value, structs: usize, place: &Place<'_>, depth: usize) -> Result<Type, SectionError> {
    if depth > DEPTH_LIMIT {
        return invalid(place, "tipos aninhados demais");
    }
    let mut members = Fields::new(value, place)?;
    let of = members.take("of").map(|of| read_type(of, structs, &place.name("of"), depth + 1).map(Box::new)).transpose()?;
    let kind_name = members.needed_text("kind")?;
    let index = members.index("struct", structs)?;
    let kind = match (kind_name.as_str(), of, index) {
        ("any", None, None) => Kind::Any,
        ("int", None, None) => Kind::Int,
        ("float", None, None) => Kind::Float,
        ("string", None, None) => Kind::String,
        ("bool", None, None) => Kind::Bool,
        ("arr", of, None) => Kind::Arr(of),
        ("map", of, None) => Kind::Map(of),
        ("struct", None, Some(index)) => Kind::Struct(index),
        _ => return invalid(place, "tipo desconhecido"),
    };
    let nullable = members.flag("nullable")?;
    let compiled = members.long_text("program", PROGRAM_LIMIT)?.map(|program| read_program(&program, place)).transpose()?;
    let constraints = Constraints {
        minimum: bound(members.take("minimum"), place)?,
        maximum: bound(members.take("maximum"), place)?,
        min_length: members.count("min_length")?,
        max_length: members.count("max_length")?,
        pattern: members.text("pattern")?,
        format: members.text("format")?,
        allowed: members.take("enum").map(|values| scalars(values, place)).transpose()?,
        unique: members.flag("unique")?,
        compiled: compiled.unwrap_or_default(),
    };
    members.finish()?;
    Ok(Type { kind, nullable, constraints })
}

/// Where there is a compiler, the pattern itself is taken at its word, not the program that came with it.
fn read_program(text: &str, place: &Place<'_>) -> Result<Compiled, SectionError> {
    match Program::from_text(text) {
        Some(_) if cfg!(feature = "compile") => Ok(Compiled::default()),
        Some(program) => Ok(Compiled::from_program(program)),
        None => invalid(place, "um programa que não é de um padrão"),
    }
}

fn bound(value: Option<Value>, place: &Place<'_>) -> Result<Option<Value>, SectionError> {
    match value {
        None | Some(Value::Int(_) | Value::Float(_)) => Ok(value),
        Some(_) => invalid(place, "um limite que não é número"),
    }
}

fn scalars(values: Value, place: &Place<'_>) -> Result<Vec<Value>, SectionError> {
    let is_scalar = |value: &Value| matches!(value, Value::Str(_) | Value::Int(_) | Value::Float(_) | Value::Bool(_));
    match values {
        Value::Arr(values) if values.len() <= ALLOWED_LIMIT && values.iter().all(is_scalar) => Ok(values),
        _ => invalid(place, String::from("`enum` deve ser uma lista de valores simples")),
    }
}
