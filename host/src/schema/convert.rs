//! Values as `serde_json` has them.

use djo_contract::value::Value;
use serde_json::{Number, Value as Json};

/// The same value, but for numbers that nothing holds: they are the nearest double. Recursion is as deep as the parser let it be.
pub(super) fn to_json(value: &Value) -> Json {
    match value {
        Value::Nil => Json::Null,
        Value::Bool(flag) => Json::Bool(*flag),
        Value::Int(number) => Json::from(*number),
        Value::Float(number) => double(*number),
        Value::Huge(text) => double(text.parse().unwrap_or(f64::MAX)),
        Value::Str(text) => Json::String(text.clone()),
        Value::Arr(items) => items.iter().map(to_json).collect(),
        Value::Map(members) => members.iter().map(|(name, member)| (name.clone(), to_json(member))).collect(),
    }
}

fn double(number: f64) -> Json {
    Number::from_f64(number.clamp(f64::MIN, f64::MAX)).map_or(Json::Null, Json::Number)
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
