//! Types as JSON Schema.

use alloc::{
    collections::{BTreeMap, BTreeSet},
    format,
    string::String,
    vec::Vec,
};

use super::shape::{is_shown, named};
use crate::{
    model::Action,
    types::{Constraints, Field, Kind, Presence, Source, Struct, Type, Types},
    value::Value,
};

/// The schema of what [`crate::decode::decode`] accepts for a type.
pub fn to_schema(types: &Types, ty: &Type) -> Value {
    Writer::new(types, &[ty], true).document(|writer| writer.ty(ty))
}

/// The schema of a result: nothing is required, and defaults, which speak of inputs, are left out.
pub fn returns_schema(types: &Types, ty: &Type) -> Value {
    Writer::new(types, &[ty], false).document(|writer| writer.ty(ty))
}

/// The schema of an action's body: without the parameters of its path and of the context.
pub fn input_schema(types: &Types, action: &Action) -> Value {
    let roots: Vec<&Type> = action.input.fields.iter().map(|field| &field.ty).collect();
    Writer::new(types, &roots, true).document(|writer| writer.object(&action.input, |field| field.source == Source::Input))
}

/// The schema of a tool call's arguments: as [`input_schema`], with the parameters of the path among them.
pub fn tool_schema(types: &Types, action: &Action) -> Value {
    let roots: Vec<&Type> = action.input.fields.iter().map(|field| &field.ty).collect();
    Writer::new(types, &roots, true).document(|writer| writer.object(&action.input, |_| true))
}

/// The schema of one parameter of a path or query.
pub fn parameter_schema(types: &Types, field: &Field) -> Value {
    Writer::new(types, &[&field.ty], true).document(|writer| writer.field(field))
}

pub(super) type Members = Vec<(String, Value)>;

fn put(members: &mut Members, name: &str, value: impl Into<Value>) {
    members.push((name.into(), value.into()));
}

/// Where a schema of its own keeps its definitions.
const DEFS: &str = "#/$defs/";

pub(super) struct Writer<'t> {
    types: &'t Types,
    /// An input, not a result.
    input: bool,
    /// Where definitions are: what references to them begin with.
    base: &'static str,
    /// What their names end in.
    suffix: &'static str,
    named: BTreeSet<usize>,
    names: BTreeMap<usize, String>,
    /// Named structs whose definitions are still to be written.
    open: Vec<usize>,
}

impl<'t> Writer<'t> {
    fn new(types: &'t Types, roots: &[&Type], input: bool) -> Self {
        let named = named(types, roots);
        Self { types, input, base: DEFS, suffix: "", named, names: BTreeMap::new(), open: Vec::new() }
    }

    /// A writer that names every struct.
    pub(super) fn naming(types: &'t Types, input: bool, base: &'static str, suffix: &'static str) -> Self {
        Self { types, input, base, suffix, named: (0..types.structs.len()).collect(), names: BTreeMap::new(), open: Vec::new() }
    }

    fn document(mut self, root: impl FnOnce(&mut Self) -> Members) -> Value {
        let mut members = root(&mut self);
        let defs = self.definitions();
        if !defs.is_empty() {
            members.push(("$defs".into(), Value::Map(defs)));
        }
        Value::Map(members)
    }

    /// What was referred to, in the order of the types.
    pub(super) fn definitions(&mut self) -> Members {
        let mut defs: BTreeMap<usize, Value> = BTreeMap::new();
        while let Some(index) = self.open.pop() {
            let definition = self.object(self.types.get(index), |_| true);
            defs.insert(index, Value::Map(definition));
        }
        defs.into_iter().map(|(index, schema)| (self.names[&index].clone(), schema)).collect()
    }

    pub(super) fn ty(&mut self, ty: &Type) -> Members {
        let mut members = Vec::new();
        if let Kind::Struct(index) = ty.kind {
            let inner = if self.named.contains(&index) {
                let name = pointer_escape(&self.name(index));
                Vec::from([("$ref".into(), Value::Str(format!("{}{name}", self.base)))])
            } else {
                self.object(self.types.get(index), |_| true)
            };
            if !ty.nullable {
                return inner;
            }
            let null = Value::Map(Vec::from([("type".into(), "null".into())]));
            put(&mut members, "anyOf", Value::Arr(Vec::from([Value::Map(inner), null])));
            return members;
        }
        if let Some(name) = ty.kind.json_name() {
            let name = Value::from(name);
            put(&mut members, "type", if ty.nullable { Value::Arr(Vec::from([name, "null".into()])) } else { name });
        }
        match &ty.kind {
            Kind::Arr(Some(element)) => put(&mut members, "items", Value::Map(self.ty(element))),
            Kind::Map(Some(element)) => put(&mut members, "additionalProperties", Value::Map(self.ty(element))),
            _ => {}
        }
        constraints(&ty.constraints, ty, &mut members);
        members
    }

    pub(super) fn object(&mut self, of: &Struct, is_input: impl Fn(&Field) -> bool) -> Members {
        let fields = || of.fields.iter().filter(|field| is_shown(field) && is_input(field));
        let mut members = Vec::new();
        put(&mut members, "type", "object");
        if let Some(description) = &of.description {
            put(&mut members, "description", description.as_str());
        }
        let required: Vec<Value> =
            fields().filter(|field| field.presence == Presence::Required).map(|field| field.name.as_str().into()).collect();
        if self.input && !required.is_empty() {
            put(&mut members, "required", Value::Arr(required));
        }
        put(&mut members, "additionalProperties", Value::Bool(false));
        let properties = fields().map(|field| (field.name.clone(), Value::Map(self.field(field)))).collect();
        put(&mut members, "properties", Value::Map(properties));
        members
    }

    pub(super) fn field(&mut self, field: &Field) -> Members {
        let mut members = self.ty(&field.ty);
        if let Some(description) = &field.description {
            // What the field says of itself is nearer than what its struct says.
            members.retain(|(name, _)| name != "description");
            let at = members.len().min(1);
            members.insert(at, ("description".into(), description.as_str().into()));
        }
        if let Presence::Default(value) = &field.presence
            && self.input
        {
            put(&mut members, "default", shown(self.types, &field.ty, value));
        }
        members
    }

    /// A struct's name in `$defs`: its own, or one by its index when it has none or shares it.
    fn name(&mut self, index: usize) -> String {
        if let Some(name) = self.names.get(&index) {
            return name.clone();
        }
        let own = self.types.get(index).name.as_str();
        let name = format!("{}{}", if self.base == DEFS { own.into() } else { plain(own) }, self.suffix);
        let taken = own.is_empty() || self.names.values().any(|known| *known == name);
        let name = if taken { format!("T{index}{}", self.suffix) } else { name };
        self.names.insert(index, name.clone());
        self.open.push(index);
        name
    }
}

/// A name of the letters that documents of others take in one.
fn plain(name: &str) -> String {
    name.chars().map(|letter| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '_' }).collect()
}

fn pointer_escape(name: &str) -> String {
    name.replace('~', "~0").replace('/', "~1")
}

fn constraints(constraints: &Constraints, ty: &Type, members: &mut Members) {
    if let Some(allowed) = &constraints.allowed {
        let mut allowed = allowed.clone();
        if ty.nullable {
            allowed.push(Value::Nil);
        }
        put(members, "enum", Value::Arr(allowed));
    }
    let texts = [("format", &constraints.format), ("pattern", &constraints.pattern)];
    members.extend(texts.into_iter().filter_map(|(name, text)| Some((name.into(), text.as_deref()?.into()))));
    let bounds = [("minimum", &constraints.minimum), ("maximum", &constraints.maximum)];
    members.extend(bounds.into_iter().filter_map(|(name, bound)| Some((name.into(), bound.clone()?))));
    let (least, most) = if matches!(ty.kind, Kind::Arr(_)) { ("minItems", "maxItems") } else { ("minLength", "maxLength") };
    let lengths = [(least, constraints.min_length), (most, constraints.max_length)];
    let number = |length: u64| Value::Int(i64::try_from(length).unwrap_or(i64::MAX));
    members.extend(lengths.into_iter().filter_map(|(name, length)| Some((name.into(), number(length?)))));
    if constraints.unique {
        put(members, "uniqueItems", Value::Bool(true));
    }
}

/// A complete value without what schemas do not show.
fn shown(types: &Types, ty: &Type, value: &Value) -> Value {
    match (&ty.kind, value) {
        (Kind::Struct(index), Value::Map(members)) => {
            let fields = &types.get(*index).fields;
            let visible = |name: &str| fields.iter().find(|field| field.name == name && is_shown(field));
            let member = |(name, value): &(String, Value)| Some((name.clone(), shown(types, &visible(name)?.ty, value)));
            Value::Map(members.iter().filter_map(member).collect())
        }
        (Kind::Arr(Some(element)), Value::Arr(items)) => Value::Arr(items.iter().map(|item| shown(types, element, item)).collect()),
        (Kind::Map(Some(element)), Value::Map(members)) => {
            Value::Map(members.iter().map(|(name, member)| (name.clone(), shown(types, element, member))).collect())
        }
        _ => value.clone(),
    }
}
