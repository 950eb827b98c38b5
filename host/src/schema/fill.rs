//! The final form of an input that a schema takes: defaults for what is absent, at every depth that the input reaches, members in the order of the schema.

use std::collections::HashMap;

use djo_contract::{
    decode::{Room, decode},
    issue::Issues,
    types::{Kind, Types},
    value::Value,
};

use super::{
    part::is_nullable,
    places::{Places, join},
};

/// Fills.
///
/// # Errors
/// Defaults would make too much of it.
pub(super) fn fill(places: &Places<'_>, input: Value) -> Result<Value, Issues> {
    let mut filler = Filler { places, room: Room::default() };
    let made = filler.value(input, "");
    filler.room.finish(made)
}

struct Filler<'p, 's> {
    places: &'p Places<'s>,
    room: Room,
}

impl Filler<'_, '_> {
    fn value(&mut self, value: Value, at: &str) -> Value {
        match value {
            Value::Map(members) => Value::Map(self.members(members, at)),
            Value::Arr(items) => {
                Value::Arr(items.into_iter().enumerate().map(|(index, item)| self.value(item, &join(at, &index.to_string()))).collect())
            }
            Value::Int(_) | Value::Float(_) | Value::Huge(_) => self.number(value, at),
            other => other,
        }
    }

    /// Declared members in their order, then the others as they were given.
    fn members(&mut self, members: Vec<(String, Value)>, at: &str) -> Vec<(String, Value)> {
        let declared = self.places.declared(at);
        let places: HashMap<String, usize> = members.iter().enumerate().map(|(index, (name, _))| (name.clone(), index)).collect();
        let mut given: Vec<Option<(String, Value)>> = members.into_iter().map(Some).collect();
        let mut out = Vec::with_capacity(given.len());
        let mut filled: Vec<&str> = Vec::new();
        for &(name, property, is_doubtful) in &declared {
            if let Some(&index) = places.get(name) {
                if let Some((name, value)) = given[index].take() {
                    let value = self.value(value, &join(at, &name));
                    out.push((name, value));
                }
            } else if !is_doubtful
                && !filled.contains(&name)
                && let Some(value) = self.absent(property)
            {
                filled.push(name);
                out.push((name.to_owned(), value));
            }
        }
        for (name, value) in given.into_iter().flatten() {
            let value = self.value(value, &join(at, &name));
            out.push((name, value));
        }
        out
    }

    /// What an absent member is, if it is anything.
    fn absent(&mut self, property: &Value) -> Option<Value> {
        match property.get("default") {
            Some(usual) => self.room.take(usual),
            None if is_nullable(self.places.root, property) => self.room.take(&Value::Nil),
            None => None,
        }
    }

    /// A number as its type holds it.
    fn number(&self, value: Value, at: &str) -> Value {
        let parts = self.places.at(at).iter().filter(|spoken| spoken.schema.get("type").or_else(|| spoken.schema.get("enum")).is_some());
        let parts = parts.filter_map(|spoken| self.places.part(&spoken.pointer, spoken.schema, &value));
        let numeric = parts.filter(|part| matches!(part.ty.kind, Kind::Int | Kind::Float));
        let kind = numeric.map(|part| part.ty.kind.clone()).max_by_key(|kind| *kind == Kind::Int).unwrap_or(Kind::Any);
        decode(&Types::default(), &kind.into(), value.clone()).unwrap_or(value)
    }
}
