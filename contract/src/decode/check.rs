//! The walk that finds every issue.

use alloc::{collections::BTreeMap, format, string::String, vec::Vec};

use super::{
    constraint::{check_constraints, out_of_range},
    text,
};
use crate::{
    issue::{Code, Issue, Issues},
    json,
    path::Path,
    types::{Field, Kind, Presence, Source, Type, Types},
    value::{Value, exact_int, is_beyond_int},
};

/// Collects the issues of one input. It goes as deep as the value does, which its parser has bounded.
pub(super) struct Walk<'t> {
    pub(super) types: &'t Types,
    pub(super) issues: Issues,
    /// A required member that is absent is an issue.
    pub(super) requires: bool,
}

impl<'t> Walk<'t> {
    /// A walk over an input.
    pub(super) fn new(types: &'t Types) -> Self {
        Self { types, issues: Issues::default(), requires: true }
    }

    /// Checks one value against its type.
    pub(super) fn value(&mut self, ty: &Type, value: &Value, path: &Path<'_>) {
        if *value == Value::Nil && (ty.nullable || ty.kind == Kind::Any) {
            return;
        }
        match (&ty.kind, value) {
            (Kind::Any, _) => self.untyped(value, path),
            (Kind::Int, Value::Int(_))
            | (Kind::Float, Value::Int(_) | Value::Float(_))
            | (Kind::String, Value::Str(_))
            | (Kind::Bool, Value::Bool(_)) => {
                check_constraints(ty, value, path, &mut self.issues);
            }
            (Kind::Int, Value::Float(number)) => match exact_int(*number) {
                Some(whole) => check_constraints(ty, &Value::Int(whole), path, &mut self.issues),
                None if is_beyond_int(*number) => self.issues.add(|| out_of_range(ty, value, path)),
                None => self.wrong_type(ty, value, path),
            },
            (Kind::Int, Value::Huge(text)) => match Value::rounded(text) {
                Some(number) if !is_beyond_int(number) => self.wrong_type(ty, value, path),
                _ => self.issues.add(|| out_of_range(ty, value, path)),
            },
            // An integer beyond 64 bits is a Float all the same, when a double holds it.
            (Kind::Float, Value::Huge(digits)) => match digits.parse::<f64>() {
                Ok(number) if number.is_finite() => check_constraints(ty, &Value::Float(number), path, &mut self.issues),
                _ => self.issues.add(|| out_of_range(ty, value, path)),
            },
            (Kind::Arr(element), Value::Arr(items)) => {
                check_constraints(ty, value, path, &mut self.issues);
                if ty.constraints.unique {
                    self.duplicates(items, path);
                }
                for (index, item) in items.iter().enumerate() {
                    match element {
                        Some(element) => self.value(element, item, &path.index(index)),
                        None => self.untyped(item, &path.index(index)),
                    }
                }
            }
            (Kind::Map(element), Value::Map(members)) => {
                for (name, member) in members {
                    match element {
                        Some(element) => self.value(element, member, &path.name(name)),
                        None => self.untyped(member, &path.name(name)),
                    }
                }
            }
            (Kind::Struct(index), Value::Map(members)) => self.fields(&self.types.get(*index).fields, members, path, None),
            _ => self.wrong_type(ty, value, path),
        }
    }

    /// Checks the members of a closed object: declared ones in their order, then unknown ones by name.
    /// `params` are the values of fields that come from the route's path; without them such fields are members like others.
    pub(super) fn fields(&mut self, fields: &[Field], members: &[(String, Value)], path: &Path<'_>, params: Option<&[(String, String)]>) {
        let mut known = 0;
        for field in fields.iter().filter(|field| !field.hidden) {
            let place = path.name(&field.name);
            match (&field.source, params) {
                (Source::Inject(_), _) => {}
                (Source::Path, Some(params)) => self.parameter(field, params, &place),
                (Source::Input, _) | (Source::Path, None) => match find(members, &field.name, known) {
                    Some(value) => {
                        known += 1;
                        self.value(&field.ty, value, &place);
                    }
                    None if self.requires && field.presence == Presence::Required => self.issues.add(|| Issue::missing(&place, &field.ty)),
                    None => {}
                },
            }
        }
        if known < members.len() {
            self.unknown(fields, members, path, params.is_some());
        }
    }

    fn parameter(&mut self, field: &Field, params: &[(String, String)], place: &Path<'_>) {
        let given = params.iter().find(|(name, _)| *name == field.name);
        match given.map(|(_, text)| text::from_text(&field.ty, text)) {
            Some(Ok(value)) => self.value(&field.ty, &value, place),
            Some(Err(found)) => self.wrong_type(&field.ty, &found, place),
            None if field.presence == Presence::Required => self.issues.add(|| Issue::missing(place, &field.ty)),
            None => {}
        }
    }

    #[cold]
    fn unknown(&mut self, fields: &[Field], members: &[(String, Value)], path: &Path<'_>, params_elsewhere: bool) {
        let from_path = |field: &Field| params_elsewhere && field.source == Source::Path;
        let is_legal = |field: &&Field| !field.hidden && !matches!(field.source, Source::Inject(_)) && !from_path(field);
        let mut allowed: Vec<&str> = fields.iter().filter(is_legal).map(|field| field.name.as_str()).collect();
        allowed.sort_unstable();
        let is_unknown = |name: &&str| allowed.binary_search(name).is_err();
        let mut unknown: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).filter(is_unknown).collect();
        unknown.sort_unstable();
        for name in unknown {
            let in_path = fields.iter().any(|field| field.name == name && !field.hidden && from_path(field));
            let message = if in_path { "vem do caminho, não do corpo" } else { "campo desconhecido" };
            self.issues.add(|| Issue::unknown(&path.name(name), name, &allowed, message));
        }
    }

    /// What has no type holds everything but numbers that nothing here can hold.
    fn untyped(&mut self, value: &Value, path: &Path<'_>) {
        match value {
            Value::Huge(text) if Value::rounded(text).is_none() => self.issues.add(|| out_of_range(&Kind::Any.into(), value, path)),
            Value::Arr(items) => {
                for (index, item) in items.iter().enumerate() {
                    self.untyped(item, &path.index(index));
                }
            }
            Value::Map(members) => {
                for (name, member) in members {
                    self.untyped(member, &path.name(name));
                }
            }
            _ => {}
        }
    }

    fn duplicates(&mut self, items: &[Value], path: &Path<'_>) {
        let mut seen: BTreeMap<String, usize> = BTreeMap::new();
        for (index, item) in items.iter().enumerate() {
            let first = *seen.entry(canonical(item)).or_insert(index);
            if first < index {
                let observed = Value::Int(i64::try_from(first).unwrap_or(i64::MAX));
                self.issues.add(|| {
                    let message = format!("repete o item {first}");
                    Issue::at(&path.index(index), Code::DuplicateItem, message, Vec::from([("first", observed)]))
                });
            }
        }
    }

    fn wrong_type(&mut self, ty: &Type, value: &Value, path: &Path<'_>) {
        self.issues.add(|| Issue::wrong_type(path, self.types, ty, value));
    }
}

/// The member of that name. `hint` is where it stands when the members are in the order of the type.
pub(super) fn find<'v>(members: &'v [(String, Value)], name: &str, hint: usize) -> Option<&'v Value> {
    match members.get(hint) {
        Some((found, value)) if found == name => Some(value),
        _ => members.iter().find(|(found, _)| found == name).map(|(_, value)| value),
    }
}

/// A text that two values share when they are equal as JSON Schema has it.
fn canonical(value: &Value) -> String {
    fn normal(value: &Value) -> Value {
        match value {
            Value::Float(number) => exact_int(*number).map_or(Value::Float(*number), Value::Int),
            Value::Arr(items) => Value::Arr(items.iter().map(normal).collect()),
            Value::Map(members) => Value::Map(members.iter().map(|(name, member)| (name.clone(), normal(member))).collect()),
            other => other.clone(),
        }
    }
    let mut out = String::new();
    json::write_exact(&normal(value).sorted(), &mut out);
    out
}
