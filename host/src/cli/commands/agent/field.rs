//! A JSON Schema as lines for people: one for each field, those of structs and of list elements by their path.

use serde_json::Value;

use crate::cli::language::Language;

/// Fields beyond so many are counted, not shown.
const MAX_FIELDS: usize = 200;

/// One field of an input.
pub(super) struct Field {
    /// `autor.nome`, `itens[].sku`.
    pub(super) path: String,
    /// `string`, `integer[]`, `string or null`.
    pub(super) kind: String,
    /// Required or not, default, limits, description.
    pub(super) notes: String,
}

/// All fields of an object's schema, in order.
pub(super) fn fields(schema: &Value, language: Language) -> Vec<Field> {
    let mut walk = Walk { root: schema, language, open: Vec::new(), found: Vec::new() };
    walk.object(schema, "");
    walk.found
}

/// `{id, titulo, autor {nome, idade}}`, `[{…}]` or the name of a simple type.
pub(super) fn shape(schema: &Value, language: Language) -> String {
    let mut walk = Walk { root: schema, language, open: Vec::new(), found: Vec::new() };
    walk.shape(schema)
}

struct Walk<'a> {
    /// Where `$defs` are.
    root: &'a Value,
    language: Language,
    /// The references that are being followed: a recursive one ends there.
    open: Vec<String>,
    found: Vec<Field>,
}

impl<'a> Walk<'a> {
    fn object(&mut self, schema: &'a Value, prefix: &str) {
        let required: Vec<&str> = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        for (name, field) in schema["properties"].as_object().into_iter().flatten() {
            if self.found.len() >= MAX_FIELDS {
                return;
            }
            let path = format!("{prefix}{name}");
            self.field(path, field, required.contains(&name.as_str()));
        }
    }

    fn field(&mut self, path: String, schema: &'a Value, required: bool) {
        let kind = self.kind(schema);
        self.found.push(Field { path: path.clone(), kind, notes: notes(schema, required, self.language) });
        self.inside(schema, path);
    }

    /// The fields of a struct, or of the structs that a list holds.
    fn inside(&mut self, schema: &'a Value, path: String) {
        self.follow(schema, |walk, schema| {
            if schema["properties"].is_object() {
                walk.object(schema, &format!("{path}."));
            } else if schema["items"].is_object() {
                walk.inside(&schema["items"], format!("{path}[]"));
            } else if let Some(one) = not_null(schema) {
                walk.inside(one, path);
            }
        });
    }

    fn kind(&mut self, schema: &'a Value) -> String {
        let or = self.language.pick(" or ", " ou ");
        self.follow(schema, |walk, schema| {
            if let Some(one) = not_null(schema) {
                return format!("{}{or}null", walk.kind(one));
            }
            match &schema["type"] {
                Value::String(kind) if kind == "array" && schema["items"].is_object() => format!("{}[]", walk.kind(&schema["items"])),
                Value::String(kind) => kind.clone(),
                Value::Array(kinds) => kinds.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(or),
                _ => "any".into(),
            }
        })
        .unwrap_or_else(|| "object".into())
    }

    fn shape(&mut self, schema: &'a Value) -> String {
        let shaped = self.follow(schema, |walk, schema| {
            if let Some(one) = not_null(schema) {
                return walk.shape(one);
            }
            if schema["items"].is_object() {
                return format!("[{}]", walk.shape(&schema["items"]));
            }
            let Some(fields) = schema["properties"].as_object() else { return walk.kind(schema) };
            let members = fields.iter().map(|(name, field)| {
                let inner = walk.shape(field);
                if inner.contains('{') { format!("{name} {inner}") } else { name.clone() }
            });
            format!("{{{}}}", members.collect::<Vec<_>>().join(", "))
        });
        shaped.unwrap_or_else(|| "{…}".into())
    }

    /// Does something with what a schema is, references followed; `None` inside of one that is open already.
    fn follow<T>(&mut self, schema: &'a Value, look: impl FnOnce(&mut Self, &'a Value) -> T) -> Option<T> {
        // Deeper than any type that a site declares.
        const MAX_DEPTH: usize = 32;
        if self.open.len() >= MAX_DEPTH {
            return None;
        }
        let reference = schema["$ref"].as_str().unwrap_or_default();
        if !reference.is_empty() && self.open.iter().any(|open| open == reference) {
            return None;
        }
        let target = reference.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer)).unwrap_or(schema);
        self.open.push(reference.to_owned());
        let result = look(self, target);
        self.open.pop();
        Some(result)
    }
}

/// What `anyOf: [T, null]` is beside null.
fn not_null(schema: &Value) -> Option<&Value> {
    let options = schema["anyOf"].as_array().filter(|options| options.len() == 2)?;
    options.iter().find(|option| option["type"] != "null")
}

fn notes(schema: &Value, required: bool, language: Language) -> String {
    let default = schema.get("default");
    let mut notes = Vec::new();
    match default {
        Some(value) => notes.push(format!("{} {value}", language.pick("default", "padrão"))),
        None if required => notes.push(language.pick("required", "obrigatório").to_owned()),
        None => notes.push(language.pick("optional", "opcional").to_owned()),
    }
    let units = [("imum", ""), ("Length", language.pick(" characters", " letras")), ("Items", language.pick(" items", " itens"))];
    for (of, unit) in units {
        let limit = |end: &str| schema.get(format!("{end}{of}")).filter(|limit| limit.is_number());
        match (limit("min"), limit("max")) {
            (Some(least), Some(most)) => notes.push(format!("{least}–{most}{unit}")),
            (Some(least), None) => notes.push(format!("≥ {least}{unit}")),
            (None, Some(most)) => notes.push(format!("≤ {most}{unit}")),
            (None, None) => {}
        }
    }
    if let Some(values) = schema["enum"].as_array() {
        notes.push(values.iter().map(Value::to_string).collect::<Vec<_>>().join(" | "));
    }
    if schema["uniqueItems"] == true {
        notes.push(language.pick("no repeats", "sem repetidos").to_owned());
    }
    for name in ["format", "pattern"] {
        if let Some(text) = schema[name].as_str() {
            notes.push(text.to_owned());
        }
    }
    let notes = notes.join(", ");
    schema["description"].as_str().map_or(notes.clone(), |description| format!("{notes} · {description}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn shown(schema: &Value) -> Vec<String> {
        fields(schema, Language::Portuguese).iter().map(|field| format!("{} {} {}", field.path, field.kind, field.notes)).collect()
    }

    #[test]
    fn every_field_has_its_type_and_whether_it_is_required() {
        let schema = json!({"type": "object", "required": ["titulo", "autor"], "properties": {
            "titulo": {"type": "string", "minLength": 1, "description": "O título"},
            "nota": {"type": "number", "default": 4.5, "minimum": 0, "maximum": 10},
            "autor": {"type": "object", "required": ["nome"], "properties": {"nome": {"type": "string"}}},
            "itens": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string", "pattern": "^x"}}}},
            "resumo": {"type": ["string", "null"], "enum": ["a", null]},
        }});
        assert_eq!(
            shown(&schema),
            [
                "titulo string obrigatório, ≥ 1 letras · O título",
                "nota number padrão 4.5, 0–10",
                "autor object obrigatório",
                "autor.nome string obrigatório",
                "itens object[] opcional",
                "itens[].sku string opcional, ^x",
                "resumo string ou null opcional, \"a\" | null",
            ]
        );
    }

    #[test]
    fn a_recursive_type_ends_where_it_begins_again() {
        let schema = json!({"$defs": {"No": {"type": "object", "required": ["nome"], "properties": {
            "nome": {"type": "string"}, "filho": {"anyOf": [{"$ref": "#/$defs/No"}, {"type": "null"}]}}}},
            "type": "object", "properties": {"raiz": {"$ref": "#/$defs/No"}}});
        assert_eq!(shown(&schema), ["raiz object opcional", "raiz.nome string obrigatório", "raiz.filho object ou null opcional"]);
        assert_eq!(shape(&schema, Language::English), "{raiz {nome, filho {…}}}");
        let endless = json!({"$ref": "#"});
        assert_eq!(shape(&endless, Language::English), "object");
    }

    #[test]
    fn shapes_are_short() {
        let schema = json!({"type": "array", "items": {"type": "object", "properties": {"id": {"type": "integer"},
            "autor": {"type": "object", "properties": {"nome": {"type": "string"}}}}}});
        assert_eq!(shape(&schema, Language::English), "[{id, autor {nome}}]");
        assert_eq!(shape(&json!({"type": "integer"}), Language::English), "integer");
        assert_eq!(shape(&json!(7), Language::English), "any");
    }
}
