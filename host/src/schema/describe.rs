//! What is said of keywords that the types have no words for.

use djo_contract::{
    issue::{Code, Unit, enum_message, format_message, length_message, range_message},
    value::Value,
};
use jsonschema::error::{TypeKind, ValidationErrorKind as Kind};
use serde_json::Value as Json;

use super::convert::from_json;

/// An issue but for its place.
pub(super) type Said = (Code, String, Vec<(&'static str, Value)>);

pub(super) const REFUSED: &str = "valor que o schema não aceita";

/// Code, words and further fields of what a keyword says no to, where the types have no words for it.
pub(super) fn describe(kind: &Kind, instance: &Json) -> Said {
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
        Kind::Type { kind } => {
            let names: Vec<String> = match kind {
                TypeKind::Single(name) => vec![name.to_string()],
                TypeKind::Multiple(names) => names.iter().map(|name| name.to_string()).collect(),
            };
            wrong_type(&names.iter().map(String::as_str).filter(|name| *name != "null").collect::<Vec<_>>(), instance)
        }
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
        Kind::UniqueItems => (Code::DuplicateItem, "tem itens repetidos".into(), Vec::new()),
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

/// A value of none of these kinds, which are as JSON names them.
pub(super) fn wrong_type(kinds: &[&str], instance: &Json) -> Said {
    let value = from_json(instance);
    let wanted: Vec<&str> = kinds.iter().map(|name| djo_name(name)).collect();
    let message = format!("deve ser {}, mas veio {}", wanted.join(" ou "), value.djo_kind());
    let extras = vec![("expected", Value::from(kinds.join("|"))), ("observed", Value::from(value.json_kind()))];
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
