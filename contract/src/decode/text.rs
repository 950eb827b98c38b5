//! Values from the texts of a URL or a header: strictly, as JSON would write them.

use crate::{
    json,
    types::{Kind, Type},
    value::Value,
};

/// The value that a text writes for a scalar type. A number that 64 bits or a finite double do not hold is `Huge`.
///
/// # Errors
/// The text as a String value, when it is none of the type: what `deve ser Int, mas veio String` speaks of.
pub(super) fn from_text(ty: &Type, text: &str) -> Result<Value, Value> {
    let value = match ty.kind {
        Kind::String | Kind::Any => Some(Value::Str(text.into())),
        Kind::Bool => match text {
            "true" => Some(Value::Bool(true)),
            "false" => Some(Value::Bool(false)),
            _ => None,
        },
        Kind::Int => int(text),
        Kind::Float => number(text),
        Kind::Arr(_) | Kind::Map(_) | Kind::Struct(_) => None,
    };
    value.ok_or_else(|| Value::Str(text.into()))
}

/// `-?[0-9]+`
fn int(text: &str) -> Option<Value> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let is_int = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_int.then(|| text.parse().map_or_else(|_| Value::Huge(text.into()), Value::Int))
}

/// A number of JSON.
fn number(text: &str) -> Option<Value> {
    let starts = text.bytes().next().is_some_and(|byte| byte == b'-' || byte.is_ascii_digit());
    let ends = text.bytes().next_back().is_some_and(|byte| byte.is_ascii_digit());
    if starts && ends { json::parse(text.as_bytes()).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(kind: Kind, text: &str) -> Option<Value> {
        from_text(&kind.into(), text).ok()
    }

    #[test]
    fn converts_strictly() {
        assert_eq!(read(Kind::Int, "-07"), Some(Value::Int(-7)));
        assert_eq!(read(Kind::Int, "9223372036854775808"), Some(Value::Huge("9223372036854775808".into())));
        assert_eq!(read(Kind::Float, "4"), Some(Value::Int(4)));
        assert_eq!(read(Kind::Float, "4.5e1"), Some(Value::Float(45.0)));
        assert_eq!(read(Kind::Bool, "true"), Some(Value::Bool(true)));
        assert_eq!(read(Kind::String, ""), Some(Value::Str("".into())));
        for (kind, text) in [
            (Kind::Int, ""),
            (Kind::Int, "-"),
            (Kind::Int, "+1"),
            (Kind::Int, "1.0"),
            (Kind::Int, " 1"),
            (Kind::Int, "٣"),
            (Kind::Float, "01"),
            (Kind::Float, "1 "),
            (Kind::Float, "[1]"),
            (Kind::Float, "NaN"),
            (Kind::Bool, "True"),
            (Kind::Bool, "1"),
            (Kind::Arr(None), "[]"),
        ] {
            assert_eq!(read(kind, text), None, "{text:?}");
        }
    }
}
