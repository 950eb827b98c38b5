//! What a JSON Schema validator found, as issues: codes, places and words of the tool boundary.

use std::collections::{BTreeMap, BTreeSet};

use djo_contract::{
    issue::{Code, Issue, Issues, Unit, enum_message, format_message, length_message, range_message},
    path::Path,
    value::Value,
};
use jsonschema::{
    ValidationError, Validator,
    error::{TypeKind, ValidationErrorKind as Kind},
};
use serde_json::Value as Json;

use super::convert::from_json;

/// Choices within choices that are looked into for the nearest branch.
const MAX_CHOICES: usize = 16;

pub(super) fn collect(validator: &Validator, schema: &Json, input: &Value, json: &Json) -> Issues {
    let mut issues = Issues::default();
    for error in validator.iter_errors(json) {
        Collector { schema, input, issues: &mut issues, choices: 0 }.add(&error);
    }
    issues
}

struct Collector<'a> {
    schema: &'a Json,
    input: &'a Value,
    issues: &'a mut Issues,
    choices: usize,
}

impl Collector<'_> {
    fn add(&mut self, error: &ValidationError<'_>) {
        match error.kind() {
            // Of a choice, the branch that comes nearest says most: one for this type of value, then the one with the fewest complaints.
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } if self.choices < MAX_CHOICES => {
                self.choices += 1;
                let place = error.instance_path();
                let is_other_type =
                    |error: &ValidationError<'_>| matches!(error.kind(), Kind::Type { .. }) && error.instance_path() == place;
                let distance = |branch: &&Vec<ValidationError<'_>>| (branch.iter().any(is_other_type), branch.len());
                match context.iter().filter(|branch| !branch.is_empty()).min_by_key(distance) {
                    Some(branch) => branch.iter().for_each(|error| self.add(error)),
                    None => self.push(error, Code::InvalidEnumValue, REFUSED, Vec::new()),
                }
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                self.at(error, Some(name), |path| Issue::at(path, Code::MissingField, "obrigatório", Vec::new()));
            }
            Kind::AdditionalProperties { unexpected } | Kind::UnevaluatedProperties { unexpected } => {
                let allowed = self.allowed(error);
                let allowed: Vec<&str> = allowed.iter().map(String::as_str).collect();
                for name in unexpected.iter().collect::<BTreeSet<_>>() {
                    self.at(error, Some(name), |path| Issue::unknown(path, name, &allowed, "campo desconhecido"));
                }
            }
            Kind::UniqueItems => self.duplicates(error),
            kind => {
                let (code, message, extras) = describe(kind, error.instance());
                self.push(error, code, &message, extras);
            }
        }
    }

    fn duplicates(&mut self, error: &ValidationError<'_>) {
        let mut seen = BTreeMap::new();
        for (index, item) in error.instance().as_array().into_iter().flatten().enumerate() {
            let first = *seen.entry(djo_contract::json::to_string(&canonical(item))).or_insert(index);
            if first < index {
                let extras = vec![("first", Value::Int(i64::try_from(first).unwrap_or(i64::MAX)))];
                let message = format!("repete o item {first}");
                self.at(error, Some(&index.to_string()), |path| Issue::at(path, Code::DuplicateItem, message, extras));
            }
        }
    }

    fn push(&mut self, error: &ValidationError<'_>, code: Code, message: &str, extras: Vec<(&'static str, Value)>) {
        self.at(error, None, |path| Issue::at(path, code, message, extras));
    }

    /// Adds an issue at the error's place, or at a member of it.
    fn at(&mut self, error: &ValidationError<'_>, member: Option<&str>, issue: impl FnOnce(&Path<'_>) -> Issue) {
        let mut steps: Vec<String> = error.instance_path().segments().map(|segment| segment.to_string()).collect();
        steps.extend(member.map(str::to_owned));
        let input = self.input;
        self.issues.add(|| walk(&steps, &Path::ROOT, Some(input), issue));
    }

    /// The names that an object may have, as far as the schema beside the keyword lists them. Sorted.
    fn allowed(&self, error: &ValidationError<'_>) -> Vec<String> {
        let keyword = error.schema_path().as_str();
        let parent = keyword.rsplit_once('/').map_or("", |(parent, _)| parent);
        let properties = self.schema.pointer(&format!("{parent}/properties")).and_then(Json::as_object);
        let mut names: Vec<String> = properties.into_iter().flatten().map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }
}

/// A step is an index where the input has an array, else a name. As deep as the parser let the input be.
fn walk<T>(steps: &[String], path: &Path<'_>, value: Option<&Value>, end: impl FnOnce(&Path<'_>) -> T) -> T {
    let Some((step, rest)) = steps.split_first() else { return end(path) };
    match (value, step.parse::<usize>()) {
        (Some(Value::Arr(items)), Ok(index)) => walk(rest, &path.index(index), items.get(index), end),
        _ => walk(rest, &path.name(step), value.and_then(|value| value.get(step)), end),
    }
}

const REFUSED: &str = "valor que o schema não aceita";

fn describe(kind: &Kind, instance: &Json) -> (Code, String, Vec<(&'static str, Value)>) {
    let observed = || from_json(instance);
    let range = |minimum: Option<Value>, maximum: Option<Value>, message: String| {
        let bounds = [("min", minimum), ("max", maximum)];
        let extras = bounds.into_iter().filter_map(|(name, bound)| Some((name, bound?))).chain([("observed", observed())]).collect();
        (Code::InvalidRange, message, extras)
    };
    let length = |least: Option<u64>, most: Option<u64>, unit: Unit, count: usize| {
        let bounds = [("min_len", least), ("max_len", most), ("observed", Some(count as u64))];
        let extras = bounds.into_iter().filter_map(|(name, bound)| Some((name, Value::Int(i64::try_from(bound?).unwrap_or(i64::MAX)))));
        (Code::InvalidLength, length_message(least, most, unit), extras.collect())
    };
    let characters = || instance.as_str().map_or(0, |text| text.chars().count());
    let items = || instance.as_array().map_or(0, Vec::len);
    let members = || instance.as_object().map_or(0, serde_json::Map::len);
    let shown = |limit: &Json| djo_contract::json::to_string(&from_json(limit));
    match kind {
        Kind::Type { kind } => wrong_type(kind, instance),
        Kind::Enum { options } => {
            let allowed: Vec<Value> = options.as_array().into_iter().flatten().map(from_json).collect();
            (Code::InvalidEnumValue, enum_message(&allowed), vec![("allowed", Value::Arr(allowed))])
        }
        Kind::Constant { expected_value } => {
            let allowed = vec![from_json(expected_value)];
            (Code::InvalidEnumValue, enum_message(&allowed), vec![("allowed", Value::Arr(allowed))])
        }
        Kind::Minimum { limit } => {
            let limit = from_json(limit);
            let message = range_message(Some(&limit), None);
            range(Some(limit), None, message)
        }
        Kind::Maximum { limit } => {
            let limit = from_json(limit);
            let message = range_message(None, Some(&limit));
            range(None, Some(limit), message)
        }
        // `min` and `max` are inclusive: an exclusive bound is told in words alone.
        Kind::ExclusiveMinimum { limit } => range(None, None, format!("deve ser maior que {}", shown(limit))),
        Kind::ExclusiveMaximum { limit } => range(None, None, format!("deve ser menor que {}", shown(limit))),
        Kind::MultipleOf { multiple_of } => range(None, None, format!("deve ser múltiplo de {multiple_of}")),
        Kind::MinLength { limit } => length(Some(*limit), None, Unit::Characters, characters()),
        Kind::MaxLength { limit } => length(None, Some(*limit), Unit::Characters, characters()),
        Kind::MinItems { limit } => length(Some(*limit), None, Unit::Items, items()),
        Kind::MaxItems { limit } => length(None, Some(*limit), Unit::Items, items()),
        Kind::AdditionalItems { limit } => length(None, Some(*limit as u64), Unit::Items, items()),
        Kind::MinProperties { limit } => length(Some(*limit), None, Unit::Items, members()),
        Kind::MaxProperties { limit } => length(None, Some(*limit), Unit::Items, members()),
        Kind::Contains => (Code::InvalidLength, "falta um item que o schema exige".into(), Vec::new()),
        Kind::UnevaluatedItems { .. } => (Code::InvalidLength, "tem itens que o schema não aceita".into(), Vec::new()),
        Kind::Pattern { pattern } => {
            (Code::InvalidPattern, format!("deve seguir o padrão {pattern}"), vec![("pattern", Value::from(pattern.as_str()))])
        }
        Kind::Format { format } => (Code::InvalidFormat, format_message(format), vec![("format", Value::from(format.as_str()))]),
        Kind::PropertyNames { .. } => (Code::UnknownField, "tem um campo com um nome que o schema não aceita".into(), Vec::new()),
        Kind::OneOfMultipleValid { .. } => (Code::InvalidEnumValue, "cabe em mais de uma das formas do schema".into(), Vec::new()),
        _ => (Code::InvalidEnumValue, REFUSED.into(), Vec::new()),
    }
}

fn wrong_type(kind: &TypeKind, instance: &Json) -> (Code, String, Vec<(&'static str, Value)>) {
    let names: Vec<String> = match kind {
        TypeKind::Single(name) => vec![name.to_string()],
        TypeKind::Multiple(names) => names.iter().map(|name| name.to_string()).collect(),
    };
    let value = from_json(instance);
    let wanted: Vec<&str> = names.iter().map(|name| djo_name(name)).collect();
    let message = format!("deve ser {}, mas veio {}", wanted.join(" ou "), value.djo_kind());
    let extras = vec![("expected", Value::from(names.join("|"))), ("observed", Value::from(value.json_kind()))];
    (Code::InvalidFieldType, message, extras)
}

fn djo_name(json_name: &str) -> &str {
    match json_name {
        "integer" => "Int",
        "number" => "Float",
        "string" => "String",
        "boolean" => "Bool",
        "array" => "Arr",
        "object" => "Map",
        "null" => "nil",
        other => other,
    }
}

/// Equal values have equal texts: members sorted, numbers by their value.
fn canonical(json: &Json) -> Value {
    match json {
        Json::Object(members) => {
            let sorted: BTreeMap<&String, &Json> = members.iter().collect();
            Value::Map(sorted.into_iter().map(|(name, member)| (name.clone(), canonical(member))).collect())
        }
        Json::Array(items) => Value::Arr(items.iter().map(canonical).collect()),
        other => from_json(other),
    }
}
