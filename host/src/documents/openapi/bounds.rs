//! What the type model says in words of its own: an Int is one of 64 bits.

use serde_json::{Value, json};

/// The schema of a value whose type nobody declared.
pub(super) const ANY: &str = "djo.Valor";

/// Any value that a site takes: a number of more than 64 bits is none.
pub(super) fn any() -> Value {
    let again = json!({ "$ref": format!("#/components/schemas/{ANY}") });
    json!({
        "description": "Qualquer valor",
        "type": ["null", "boolean", "number", "string", "array", "object"],
        "minimum": i64::MIN,
        "maximum": i64::MAX,
        "items": again,
        "additionalProperties": again,
    })
}

/// Writes the bounds of every integer that has none, and what lists and maps of undeclared values hold, in the schemas of a document,
/// so that what a schema accepts is what the site accepts. Elsewhere in a document nothing looks like a schema.
pub(super) fn write(value: &mut Value) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(write),
        Value::Object(members) => {
            let is = |name: &str| match members.get("type") {
                Some(Value::String(known)) => known == name,
                Some(Value::Array(names)) => names.iter().any(|known| known == name),
                _ => false,
            };
            let has = |name: &str| members.contains_key(name);
            let is_integer = is("integer") && !has("enum");
            let is_open_list = is("array") && !has("items");
            let is_open_map = is("object") && !has("properties") && !has("additionalProperties");
            if is_integer {
                members.insert("format".into(), "int64".into());
                members.entry("minimum").or_insert(json!(i64::MIN));
                members.entry("maximum").or_insert(json!(i64::MAX));
            }
            let any = || json!({ "$ref": format!("#/components/schemas/{ANY}") });
            if is_open_list {
                members.insert("items".into(), any());
            }
            if is_open_map {
                members.insert("additionalProperties".into(), any());
            }
            for (name, member) in members.iter_mut() {
                match name.as_str() {
                    // These hold values, whatever they look like.
                    "default" | "enum" | "example" | "examples" => {}
                    // The names in it are the site's own.
                    "properties" => member.as_object_mut().into_iter().flat_map(|own| own.values_mut()).for_each(write),
                    _ => write(member),
                }
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_has_no_bounds_gets_them() {
        let mut document = json!({
            "a": { "type": "integer", "minimum": 1 },
            "b": { "type": ["integer", "null"] },
            "c": { "type": "integer", "enum": [1] },
            "d": { "type": "number", "default": { "type": "integer" } },
            "properties": { "default": { "type": "array" } },
            "e": { "type": "object", "additionalProperties": false },
        });
        write(&mut document);
        assert_eq!(document["a"], json!({ "type": "integer", "minimum": 1, "format": "int64", "maximum": i64::MAX }));
        assert_eq!(document["b"]["minimum"], json!(i64::MIN));
        assert_eq!(document["c"], json!({ "type": "integer", "enum": [1] }));
        assert_eq!(document["d"]["default"], json!({ "type": "integer" }));
        assert_eq!(document["properties"]["default"]["items"], json!({ "$ref": "#/components/schemas/djo.Valor" }));
        assert_eq!(document["e"], json!({ "type": "object", "additionalProperties": false }));
    }
}
