//! JSON Schemas of others as types. What the type model cannot say is refused by name: nothing is silently dropped but annotations.

mod constraints;
mod keywords;

use alloc::{
    collections::BTreeMap,
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use crate::{
    types::{Field, Kind, Presence, Source, Struct, Type, Types},
    value::Value,
};

/// Why a schema is not one of the type model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SchemaError {
    /// The keyword that cannot be said; empty where it is the schema itself.
    pub keyword: String,
    /// The schema that has it, as a JSON pointer.
    pub pointer: String,
    /// What is wrong.
    pub reason: String,
}

impl fmt::Display for SchemaError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { keyword, pointer, reason } = self;
        if keyword.is_empty() {
            out.write_str("schema")?
        } else {
            write!(out, "`{keyword}`")?
        }
        if pointer.is_empty() { write!(out, " na raiz: {reason}") } else { write!(out, " em {pointer}: {reason}") }
    }
}

impl core::error::Error for SchemaError {}

/// Schemas within each other.
const DEPTH_LIMIT: usize = 64;
/// Object types in one schema.
const STRUCT_LIMIT: usize = 4096;

/// Where definitions are kept: today, and in older drafts.
const DEFINITIONS: [&str; 2] = ["$defs", "definitions"];

/// The types that a schema describes, and the type of its root.
///
/// # Errors
/// The first keyword that the type model does not have, with its place.
pub fn from_schema(schema: &Value) -> Result<(Types, Type), SchemaError> {
    let mut reader = Reader { root: schema, types: Types::default(), references: BTreeMap::new() };
    let ty = reader.schema(schema, &Place::ROOT)?;
    Ok((reader.types, ty))
}

/// Where the reader is.
struct Place<'a> {
    up: Option<&'a Place<'a>>,
    name: &'a str,
    depth: usize,
}

impl Place<'_> {
    const ROOT: Place<'static> = Place { up: None, name: "", depth: 0 };

    fn down<'a>(&'a self, name: &'a str) -> Place<'a> {
        Place { up: Some(self), name, depth: self.depth + 1 }
    }

    fn pointer(&self) -> String {
        match self.up {
            None => String::new(),
            Some(up) => format!("{}/{}", up.pointer(), self.name.replace('~', "~0").replace('/', "~1")),
        }
    }

    fn error<T>(&self, keyword: &str, reason: impl Into<String>) -> Result<T, SchemaError> {
        Err(SchemaError { keyword: keyword.into(), pointer: self.pointer(), reason: reason.into() })
    }
}

struct Reader<'s> {
    root: &'s Value,
    types: Types,
    /// What each `$ref` is; `None` while it is being read.
    references: BTreeMap<String, Option<Type>>,
}

impl<'s> Reader<'s> {
    fn schema(&mut self, schema: &'s Value, place: &Place<'_>) -> Result<Type, SchemaError> {
        if place.depth > DEPTH_LIMIT {
            return place.error("", "aninhamento demais");
        }
        let members = match schema {
            Value::Bool(true) => return Ok(Kind::Any.into()),
            Value::Map(members) => members.as_slice(),
            _ => return place.error("", "deve ser um objeto"),
        };
        if let Some(target) = schema.get("$ref") {
            only(members, &["$ref"], "", place)?;
            return self.reference(target, place);
        }
        if let Some(variants) = schema.get("anyOf") {
            only(members, &["anyOf"], "", place)?;
            return self.nullable_of(variants, place);
        }
        let (kind_name, nullable) = type_name(schema, place)?;
        let mut ty = match kind_name {
            None => {
                only(members, &[], "", place)?;
                return Ok(Kind::Any.into());
            }
            Some("string") => {
                only(members, &["type", "enum", "minLength", "maxLength", "pattern", "format"], "string", place)?;
                Type::new(Kind::String)
            }
            Some("integer") => {
                only(members, &["type", "enum", "minimum", "maximum"], "number", place)?;
                Type::new(Kind::Int)
            }
            Some("number") => {
                only(members, &["type", "enum", "minimum", "maximum"], "number", place)?;
                Type::new(Kind::Float)
            }
            Some("boolean") => {
                only(members, &["type", "enum"], "boolean", place)?;
                Type::new(Kind::Bool)
            }
            Some("array") => {
                only(members, &["type", "items", "minItems", "maxItems", "uniqueItems"], "array", place)?;
                Type::new(Kind::Arr(self.element(schema.get("items"), &place.down("items"))?))
            }
            Some("object") => Type::new(self.object(schema, members, place)?),
            Some(other) => return place.error("type", format!("tipo desconhecido: {other}")),
        };
        ty.nullable = nullable;
        constraints::read(schema, &mut ty, place)?;
        Ok(ty)
    }

    /// The type of elements or values; `None` when they are left unchecked.
    fn element(&mut self, schema: Option<&'s Value>, place: &Place<'_>) -> Result<Option<alloc::boxed::Box<Type>>, SchemaError> {
        let Some(schema) = schema else { return Ok(None) };
        let ty = self.schema(schema, place)?;
        Ok((ty.kind != Kind::Any).then(|| ty.into()))
    }

    fn reference(&mut self, target: &Value, place: &Place<'_>) -> Result<Type, SchemaError> {
        let Some(target) = target.as_str() else {
            return place.error("$ref", "deve ser um texto");
        };
        match self.references.get(target) {
            Some(Some(ty)) => return Ok(ty.clone()),
            Some(None) => return place.error("$ref", "uma referência que só leva a si mesma"),
            None => {}
        }
        let (schema, of, name) = if target == "#" {
            (Some(self.root), "", "")
        } else {
            let place = DEFINITIONS.iter().find_map(|of| Some((*of, target.strip_prefix("#/")?.strip_prefix(of)?.strip_prefix('/')?)));
            let (of, name) = place.unwrap_or_default();
            let key = name.replace("~1", "/").replace("~0", "~");
            (self.root.get(of).filter(|_| !name.is_empty()).and_then(|defs| defs.get(&key)), of, name)
        };
        let Some(schema) = schema else {
            return place.error("$ref", format!("não há {target} neste schema"));
        };
        self.references.insert(target.into(), None);
        let at = Place { up: None, name: "", depth: place.depth + 1 };
        let (defs, entry);
        let at = if name.is_empty() {
            at
        } else {
            defs = at.down(of);
            entry = defs.down(name);
            Place { up: entry.up, name: entry.name, depth: place.depth + 1 }
        };
        let ty = self.schema_named(schema, name, target, &at)?;
        self.references.insert(target.into(), Some(ty.clone()));
        Ok(ty)
    }

    /// Reads a definition. An object is known by its reference before its members are read, so that they may refer to it.
    fn schema_named(&mut self, schema: &'s Value, name: &str, target: &str, place: &Place<'_>) -> Result<Type, SchemaError> {
        let closed = schema.get("type").and_then(Value::as_str) == Some("object") && is_closed(schema);
        if !closed {
            return self.schema(schema, place);
        }
        let index = self.reserve(place)?;
        let ty = Type::new(Kind::Struct(index));
        self.references.insert(target.into(), Some(ty.clone()));
        let members = schema.as_map().unwrap_or_default();
        let mut of = self.closed(schema, members, place)?;
        of.name = name.into();
        self.types.structs[index] = of;
        Ok(ty)
    }

    fn reserve(&mut self, place: &Place<'_>) -> Result<usize, SchemaError> {
        if self.types.structs.len() >= STRUCT_LIMIT {
            return place.error("", "objetos demais");
        }
        self.types.structs.push(Struct::default());
        Ok(self.types.structs.len() - 1)
    }

    fn nullable_of(&mut self, variants: &'s Value, place: &Place<'_>) -> Result<Type, SchemaError> {
        let is_null =
            |schema: &&Value| schema.as_map().is_some_and(|members| members.len() == 1) && schema.get("type") == Some(&"null".into());
        let variants = variants.as_arr().unwrap_or_default();
        match variants.iter().filter(|schema| !is_null(schema)).collect::<Vec<_>>().as_slice() {
            [one] if variants.len() == 2 => {
                let mut ty = self.schema(one, &place.down("anyOf"))?;
                ty.nullable = ty.kind != Kind::Any;
                Ok(ty)
            }
            _ => place.error("anyOf", "só se aceita um schema e `null`"),
        }
    }

    fn object(&mut self, schema: &'s Value, members: &'s [(String, Value)], place: &Place<'_>) -> Result<Kind, SchemaError> {
        if is_closed(schema) {
            let index = self.reserve(place)?;
            self.types.structs[index] = self.closed(schema, members, place)?;
            return Ok(Kind::Struct(index));
        }
        if schema.get("properties").is_some() {
            return place.error("additionalProperties", "deve ser false em um objeto com `properties`");
        }
        only(members, &["type", "additionalProperties"], "object", place)?;
        Ok(Kind::Map(self.element(schema.get("additionalProperties"), &place.down("additionalProperties"))?))
    }

    fn closed(&mut self, schema: &'s Value, members: &'s [(String, Value)], place: &Place<'_>) -> Result<Struct, SchemaError> {
        only(members, &["type", "properties", "required", "additionalProperties"], "object", place)?;
        let properties = match schema.get("properties") {
            None => &[][..],
            Some(Value::Map(properties)) => properties,
            Some(_) => return place.error("properties", "deve ser um objeto"),
        };
        let required: Vec<&str> = match schema.get("required") {
            None => Vec::new(),
            Some(Value::Arr(names)) => names.iter().filter_map(Value::as_str).collect(),
            Some(_) => return place.error("required", "deve ser uma lista de nomes"),
        };
        if let Some(name) = required.iter().find(|name| !properties.iter().any(|(known, _)| known == *name)) {
            return place.error("required", format!("`{name}` não está em `properties`"));
        }
        let below = place.down("properties");
        let mut fields = Vec::with_capacity(properties.len());
        for (name, property) in properties {
            let ty = self.schema(property, &below.down(name))?;
            let presence = match property.get("default") {
                _ if required.contains(&name.as_str()) => Presence::Required,
                Some(value) if value.has_huge() => return below.down(name).error("default", "um número grande demais"),
                Some(value) => Presence::Default(value.clone()),
                None => Presence::Optional,
            };
            let description = property.get("description").and_then(Value::as_str).map(ToString::to_string);
            fields.push(Field { name: name.clone(), ty, presence, description, hidden: false, source: Source::Input });
        }
        let description = schema.get("description").and_then(Value::as_str).map(ToString::to_string);
        Ok(Struct { name: String::new(), description, fields })
    }
}

fn is_closed(schema: &Value) -> bool {
    schema.get("additionalProperties") == Some(&Value::Bool(false))
}

/// The schema's type without `null`, and whether `null` is one of its types.
fn type_name<'s>(schema: &'s Value, place: &Place<'_>) -> Result<(Option<&'s str>, bool), SchemaError> {
    match schema.get("type") {
        Some(Value::Str(name)) => Ok((Some(name), false)),
        Some(Value::Arr(names)) => match names.iter().map(Value::as_str).collect::<Vec<_>>().as_slice() {
            [Some(name), Some("null")] | [Some("null"), Some(name)] => Ok((Some(name), true)),
            [Some(name)] => Ok((Some(name), false)),
            _ => place.error("type", "só se aceita um tipo, ou um tipo e `null`"),
        },
        Some(_) => place.error("type", "deve ser um texto"),
        None => match schema.get("enum") {
            Some(Value::Arr(values)) if !values.is_empty() && values.iter().all(|value| value.as_str().is_some()) => {
                Ok((Some("string"), false))
            }
            Some(Value::Arr(values)) if !values.is_empty() && values.iter().all(|value| value.as_int().is_some()) => {
                Ok((Some("integer"), false))
            }
            _ => Ok((None, false)),
        },
    }
}

/// Refuses what asserts something about a value of the kind and is none of these keywords. An empty kind is any.
fn only(members: &[(String, Value)], known: &[&str], kind: &str, place: &Place<'_>) -> Result<(), SchemaError> {
    match members.iter().find(|(name, _)| !known.contains(&name.as_str()) && keywords::asserts(name, kind)) {
        None => Ok(()),
        Some((name, _)) => place.error(name, "não faz parte dos tipos da djo"),
    }
}
