//! The Portuguese of constraints.

use alloc::{format, string::String};

use crate::{json, value::Value};

/// `deve estar entre 1 e 3`, `deve ser no mínimo 1`, `deve ser no máximo 3`.
pub fn range_message(minimum: Option<&Value>, maximum: Option<&Value>) -> String {
    match (minimum, maximum) {
        (Some(minimum), Some(maximum)) => format!("deve estar entre {} e {}", json::to_string(minimum), json::to_string(maximum)),
        (Some(minimum), None) => format!("deve ser no mínimo {}", json::to_string(minimum)),
        (None, Some(maximum)) => format!("deve ser no máximo {}", json::to_string(maximum)),
        (None, None) => "fora do intervalo".into(),
    }
}

/// `deve ter entre 1 e 20 caracteres`, `deve ter no máximo 3 itens`, …
pub fn length_message(minimum: Option<u64>, maximum: Option<u64>, unit: Unit) -> String {
    match (minimum, maximum) {
        (Some(least), Some(most)) if least == most => format!("deve ter exatamente {}", unit.count(least)),
        (Some(least), Some(most)) => format!("deve ter entre {least} e {}", unit.count(most)),
        (Some(least), None) => format!("deve ter no mínimo {}", unit.count(least)),
        (None, Some(most)) => format!("deve ter no máximo {}", unit.count(most)),
        (None, None) => "tem um tamanho que não é aceito".into(),
    }
}

/// What a length counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Code points of a String.
    Characters,
    /// Elements of an Arr.
    Items,
}

impl Unit {
    fn count(self, number: u64) -> String {
        let noun = match (self, number) {
            (Self::Characters, 1) => "caractere",
            (Self::Characters, _) => "caracteres",
            (Self::Items, 1) => "item",
            (Self::Items, _) => "itens",
        };
        format!("{number} {noun}")
    }
}

/// `deve ser um destes: "normal", "expressa"`; long lists are cut.
pub fn enum_message(allowed: &[Value]) -> String {
    const SHOWN: usize = 20;
    let mut out = String::from("deve ser um destes: ");
    for (index, value) in allowed.iter().take(SHOWN).enumerate() {
        if index > 0 {
            out.push_str(", ");
        }
        json::write(value, &mut out);
    }
    if allowed.len() > SHOWN {
        out.push_str(", …");
    }
    out
}

/// `deve ser um e-mail válido`, …
pub fn format_message(format: &str) -> String {
    match format {
        "email" => "deve ser um e-mail válido".into(),
        "uri" => "deve ser um endereço (URI) válido".into(),
        "date" => "deve ser uma data válida (AAAA-MM-DD)".into(),
        "date-time" => "deve ser uma data e hora válida (RFC 3339)".into(),
        "uuid" => "deve ser um UUID válido".into(),
        other => format!("deve ter o formato {other}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_as_portuguese() {
        let (one, three) = (Value::Int(1), Value::Float(3.0));
        assert_eq!(range_message(Some(&one), Some(&three)), "deve estar entre 1 e 3");
        assert_eq!(range_message(None, Some(&three)), "deve ser no máximo 3");
        assert_eq!(length_message(Some(1), None, Unit::Characters), "deve ter no mínimo 1 caractere");
        assert_eq!(length_message(Some(1), Some(3), Unit::Items), "deve ter entre 1 e 3 itens");
        assert_eq!(length_message(Some(2), Some(2), Unit::Items), "deve ter exatamente 2 itens");
        assert_eq!(enum_message(&["a".into(), Value::Int(2)]), "deve ser um destes: \"a\", 2");
    }
}
