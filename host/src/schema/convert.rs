//! Values as `serde_json` has them.

use djo_contract::{
    issue::{Code, Issue, Issues},
    path::Path,
    value::Value,
};
use serde_json::Value as Json;

/// The same value.
///
/// # Errors
/// The places of numbers that neither 64 bits nor a double hold.
pub(super) fn to_json(value: &Value) -> Result<Json, Issues> {
    let mut issues = Issues::default();
    let json = convert(value, &Path::ROOT, &mut issues);
    issues.or(|| json)
}

/// Recursion is as deep as the parser let the value be.
fn convert(value: &Value, path: &Path<'_>, issues: &mut Issues) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => serde_json::Number::from_f64(*number).map_or(Json::Null, Json::Number),
        Value::Huge(text) => {
            if let Some(number) = Value::rounded(text).and_then(serde_json::Number::from_f64) {
                return Json::Number(number);
            }
            let message = format!("fora do intervalo de {}", value.djo_kind());
            issues.add(|| Issue::at(path, Code::InvalidRange, message, Vec::new()));
            Json::Null
        }
        Value::Str(text) => Json::String(text.clone()),
        Value::Arr(items) => items.iter().enumerate().map(|(index, item)| convert(item, &path.index(index), issues)).collect(),
        Value::Map(members) => members.iter().map(|(name, member)| (name.clone(), convert(member, &path.name(name), issues))).collect(),
    }
}

/// The same value.
pub(super) fn from_json(json: &Json) -> Value {
    match json {
        Json::Null => Value::Nil,
        Json::Bool(flag) => Value::Bool(*flag),
        Json::Number(number) => match (number.as_i64(), number.as_f64()) {
            (Some(int), _) => Value::Int(int),
            (None, Some(float)) => Value::Float(float),
            (None, None) => Value::Huge(number.to_string().into()),
        },
        Json::String(text) => Value::Str(text.clone()),
        Json::Array(items) => Value::Arr(items.iter().map(from_json).collect()),
        Json::Object(members) => Value::Map(members.iter().map(|(name, member)| (name.clone(), from_json(member))).collect()),
    }
}
