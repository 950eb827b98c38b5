//! Which schemas speak of which place of an input. The validator knows it: what it looked at is followed, so that no keyword that
//! leads to another schema has to be understood here.

use std::{cell::RefCell, collections::HashMap, rc::Rc};

use djo_contract::value::Value;
use jsonschema::{Evaluation, OutputUnit};

use super::part::Part;

/// Keywords whose schemas ask about a value and say nothing of what it should be.
const QUESTIONS: [&str; 4] = ["not", "if", "contains", "propertyNames"];

/// A schema within the whole one.
#[derive(Clone, Debug)]
pub(super) struct Spoken<'s> {
    /// Where it stands, as a JSON pointer.
    pub(super) pointer: String,
    /// Its keywords.
    pub(super) schema: &'s Value,
    /// One of several branches that take the value: nobody can say which is meant.
    pub(super) is_doubtful: bool,
}

/// What was read of schemas as types, by their pointers and for a kind of value.
type Parts = HashMap<(String, &'static str), Option<Rc<Part>>>;

/// The schemas of each place of one input.
#[derive(Debug)]
pub(super) struct Places<'s> {
    pub(super) root: &'s Value,
    /// What locations within the whole schema begin with, where it has an id.
    base: Option<String>,
    at: HashMap<String, Vec<Spoken<'s>>>,
    parts: RefCell<Parts>,
}

impl<'s> Places<'s> {
    /// What an evaluation looked at.
    pub(super) fn of(root: &'s Value, evaluation: &Evaluation) -> Self {
        let base = evaluation.root().schema_location().split_once('#').map(|(base, _)| base.to_owned());
        let mut places = Self { root, base, at: HashMap::new(), parts: RefCell::default() };
        places.schema(evaluation.root(), false);
        places
    }

    /// The schemas that speak of a place, outer ones first.
    pub(super) fn at(&self, instance: &str) -> &[Spoken<'s>] {
        self.at.get(instance).map_or(&[], Vec::as_slice)
    }

    /// The members that schemas declare for an object, in their order, each with its schema.
    pub(super) fn declared(&self, instance: &str) -> Vec<(&'s str, &'s Value, bool)> {
        let mut declared: Vec<(&str, &Value, bool)> = Vec::new();
        for spoken in self.at(instance) {
            let properties = spoken.schema.get("properties").and_then(Value::as_map).unwrap_or_default();
            declared.extend(properties.iter().map(|(name, property)| (name.as_str(), property, spoken.is_doubtful)));
        }
        declared
    }

    /// The type that a schema has in itself for a value.
    pub(super) fn part(&self, pointer: &str, schema: &Value, value: &Value) -> Option<Rc<Part>> {
        let kind = value.json_kind();
        let read = || Part::of(pointer, schema, kind).map(Rc::new);
        self.parts.borrow_mut().entry((pointer.to_owned(), kind)).or_insert_with(read).clone()
    }

    /// A unit of the evaluation that is a schema; those below it are its keywords.
    fn schema(&mut self, unit: OutputUnit<'_>, is_doubtful: bool) {
        if let Some((pointer, schema)) = self.find(unit.schema_location()) {
            let at = self.at.entry(unit.instance_location().as_str().to_owned()).or_default();
            if !at.iter().any(|spoken| spoken.pointer == pointer) {
                at.push(Spoken { pointer, schema, is_doubtful });
            }
        }
        for keyword in unit.children() {
            match last(keyword.evaluation_path().as_str()) {
                // The schema that is referred to stands for the keyword.
                "$ref" | "$dynamicRef" | "$recursiveRef" => self.schema(keyword, is_doubtful),
                name => self.keyword(keyword, name, is_doubtful),
            }
        }
    }

    fn keyword(&mut self, unit: OutputUnit<'_>, name: &str, is_doubtful: bool) {
        let is_choice = matches!(name, "anyOf" | "oneOf") && unit.children().filter(OutputUnit::valid).nth(1).is_some();
        for schema in unit.children() {
            if !(QUESTIONS.contains(&name) && last(schema.evaluation_path().as_str()) == name) {
                self.schema(schema, is_doubtful || is_choice);
            }
        }
    }

    /// A schema by its location. One in a resource with an id of its own, within this one, is not found.
    fn find(&self, location: &str) -> Option<(String, &'s Value)> {
        let pointer = match location.split_once('#') {
            None => location.to_owned(),
            Some((base, _)) if self.base.as_deref() != Some(base) => return None,
            Some((_, fragment)) => percent_encoding::percent_decode_str(fragment).decode_utf8_lossy().into_owned(),
        };
        let schema = resolve(self.root, &pointer)?;
        schema.as_map().map(|_| (pointer, schema))
    }
}

/// What a JSON pointer leads to.
pub(super) fn resolve<'v>(root: &'v Value, pointer: &str) -> Option<&'v Value> {
    pointer.split('/').skip(1).try_fold(root, |value, segment| match value {
        Value::Arr(items) => items.get(segment.parse::<usize>().ok()?),
        value => value.get(&segment.replace("~1", "/").replace("~0", "~")),
    })
}

/// A pointer one step further.
pub(super) fn join(pointer: &str, segment: &str) -> String {
    format!("{pointer}/{}", segment.replace('~', "~0").replace('/', "~1"))
}

fn last(pointer: &str) -> &str {
    pointer.rsplit_once('/').map_or("", |(_, last)| last)
}
