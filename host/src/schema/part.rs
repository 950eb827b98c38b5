//! The part of a schema that the type model has, without what is said of members and elements: what it says no to, and how a value of
//! it is held, is for the decoder to say.

use djo_contract::{
    schema::from_schema,
    types::{Kind, Struct, Type, Types},
    value::Value,
};

use super::places::resolve;

const KEYWORDS: [&str; 11] =
    ["type", "enum", "minimum", "maximum", "minLength", "maxLength", "pattern", "format", "minItems", "maxItems", "uniqueItems"];

/// References that lead to references, and choices within choices.
const MAX_STEPS: usize = 16;

/// A type with its own constraints alone.
#[derive(Debug)]
pub(super) struct Part {
    pub(super) types: Types,
    pub(super) ty: Type,
}

impl Part {
    /// The part of the schema that stands at a pointer, of several types the one for values of a kind; `None` where its types or bounds
    /// are beyond the model.
    pub(super) fn of(pointer: &str, schema: &Value, kind: &str) -> Option<Self> {
        let members = schema.as_map()?;
        let one = type_for(schema, kind);
        let own = |keywords: &[&str]| {
            let own = members.iter().filter(|(name, _)| keywords.contains(&name.as_str()) && (name != "type" || one.is_none()));
            let own = own.cloned().chain(one.map(|one| ("type".to_owned(), Value::from(one))));
            from_schema(&Value::Map(own.collect())).ok().map(|(types, ty)| Self { types, ty })
        };
        // A format beyond the types is one assertion more: the others hold as they do without it.
        let without_format: Vec<&str> = KEYWORDS.into_iter().filter(|keyword| *keyword != "format").collect();
        let mut part = own(&KEYWORDS).or_else(|| own(&without_format))?;
        if part.ty.kind == Kind::Map(None) && schema.get("additionalProperties") == Some(&Value::Bool(false)) {
            let name = ["/$defs/", "/definitions/"].iter().find_map(|base| pointer.strip_prefix(base));
            let name = name.filter(|name| !name.contains('/')).unwrap_or_default().to_owned();
            part.types.structs = vec![Struct { name, ..Struct::default() }];
            part.ty.kind = Kind::Struct(0);
        }
        Some(part)
    }
}

/// The type that holds values of a kind, where a schema names several or none but has bounds for them.
fn type_for<'s>(schema: &'s Value, kind: &'s str) -> Option<&'s str> {
    let numeric = ["integer", "number"].contains(&kind);
    let fits = |name: &str| name == kind || numeric && ["integer", "number"].contains(&name);
    match schema.get("type") {
        Some(Value::Arr(names)) if names.iter().filter(|name| name.as_str() != Some("null")).count() > 1 => {
            names.iter().filter_map(Value::as_str).find(|name| fits(name))
        }
        None if schema.get("enum").is_none() => {
            let has = |bounds: &[&str]| bounds.iter().any(|bound| schema.get(bound).is_some());
            match kind {
                "integer" | "number" => has(&["minimum", "maximum"]).then_some("number"),
                "string" => has(&["minLength", "maxLength", "pattern", "format"]).then_some("string"),
                "array" => has(&["minItems", "maxItems", "uniqueItems"]).then_some("array"),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The kinds of value that a schema takes, by JSON's names, without `null`; none when it does not say.
pub(super) fn kinds<'s>(root: &'s Value, schema: &'s Value) -> Vec<&'s str> {
    let mut found = Vec::new();
    add_kinds(root, schema, &mut found, MAX_STEPS);
    found.retain(|kind| *kind != "null");
    found
}

fn add_kinds<'s>(root: &'s Value, schema: &'s Value, found: &mut Vec<&'s str>, steps: usize) {
    let Some(left) = steps.checked_sub(1) else { return };
    let mut add = |kind: &'s str| {
        if !found.contains(&kind) {
            found.push(kind)
        }
    };
    let listed = |name: &str| schema.get(name).and_then(Value::as_arr);
    match schema.get("type") {
        Some(Value::Str(kind)) => return add(kind),
        Some(Value::Arr(kinds)) => return kinds.iter().filter_map(Value::as_str).for_each(add),
        _ => {}
    }
    if let Some(values) = listed("enum") {
        return values.iter().for_each(|value| add(value.json_kind()));
    }
    if let Some(value) = schema.get("const") {
        return add(value.json_kind());
    }
    let target = schema.get("$ref").and_then(Value::as_str).and_then(|target| resolve(root, target.strip_prefix('#')?));
    let branches = ["anyOf", "oneOf"].iter().filter_map(|name| listed(name)).flatten();
    for schema in target.into_iter().chain(branches) {
        add_kinds(root, schema, found, left);
    }
    for schema in listed("allOf").into_iter().flatten() {
        if found.is_empty() {
            add_kinds(root, schema, found, left);
        }
    }
}

/// Whether a schema is a type of the model that takes `null` beside something else: `T?`.
pub(super) fn is_nullable(root: &Value, schema: &Value) -> bool {
    let mut schema = schema;
    for _ in 0..MAX_STEPS {
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let Some(next) = target.strip_prefix('#').and_then(|pointer| resolve(root, pointer)) else { return false };
            schema = next;
        } else if let Some(branches) = schema.get("anyOf").or_else(|| schema.get("oneOf")).and_then(Value::as_arr) {
            let is_null = |branch: &&Value| branch.get("type").and_then(Value::as_str) == Some("null");
            return branches.iter().any(|branch| is_null(&branch)) && !kinds(root, schema).is_empty();
        } else {
            let takes_null =
                schema.get("type").and_then(Value::as_arr).is_some_and(|kinds| kinds.len() > 1 && kinds.contains(&"null".into()));
            let lists_null = schema.get("enum").and_then(Value::as_arr).is_none_or(|values| values.contains(&Value::Nil));
            return takes_null && lists_null;
        }
    }
    false
}
