//! The manifest as a person reads it: what there is to read, what there is to do, and what to send.

use serde_json::Value;

use super::field::{Field, fields, shape};
use crate::cli::language::Language;

/// The text, or `None` when the body is no manifest of djo.
pub(super) fn listing(body: &[u8], url: &str, language: Language) -> Option<String> {
    let manifest: Value = serde_json::from_slice(body).ok()?;
    manifest["format"].as_str().filter(|format| format.starts_with("djo-manifest/"))?;
    let mut text = String::new();
    if let Some(name) = manifest["site"]["nome"].as_str() {
        let about = manifest["site"]["about"].as_str().unwrap_or_default();
        text.push_str(&format!("{name}: {about}\n"));
    }
    text.push_str(&format!("{url}\n"));
    let mut list = |title: &str, name: &str, show: fn(&Value, Language) -> String| {
        let entries: Vec<&Value> = manifest[name].as_array().into_iter().flatten().collect();
        if !entries.is_empty() {
            text.push_str(&format!("\n{title}\n"));
        }
        for entry in entries {
            text.push_str(&format!("\n{}", show(entry, language)));
        }
    };
    list(language.pick("Reads", "Leituras"), "routes", route);
    list(language.pick("Actions", "Ações"), "actions", action);
    Some(text)
}

fn route(route: &Value, language: Language) -> String {
    let mut text = format!("  {} {}\n", word(&route["method"]), word(&route["path"]));
    text.push_str(&description(route));
    text.push_str(&path_params(route, language));
    let query: Vec<&str> = route["query"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    if !query.is_empty() {
        let shown: Vec<String> =
            query.iter().map(|name| if *name == "campos" { "?campos=a,b.c".into() } else { format!("?{name}") }).collect();
        text.push_str(&format!("    {}: {}\n", language.pick("in the URL", "na URL"), shown.join(" ")));
    }
    text.push_str(&answers(route, language));
    if let Some(seconds) = route["cache"].as_u64() {
        text.push_str(&format!("    cache: {seconds} s\n"));
    }
    text
}

fn action(action: &Value, language: Language) -> String {
    let mut text = format!("  {} {} · {}\n", word(&action["method"]), word(&action["path"]), word(&action["name"]));
    text.push_str(&description(action));
    text.push_str(&path_params(action, language));
    let input = fields(&action["input"], language);
    if input.is_empty() {
        text.push_str(&format!("    {}\n", language.pick("body: {}", "corpo: {}")));
    } else {
        text.push_str(&format!("    {}\n", language.pick("in the body:", "no corpo:")));
        text.push_str(&table(&input));
    }
    text.push_str(&answers(action, language));
    text
}

fn path_params(entry: &Value, language: Language) -> String {
    let Some(params) = entry["path_params"].as_object().filter(|params| !params.is_empty()) else { return String::new() };
    let shown: Vec<String> = params
        .iter()
        .map(|(name, schema)| {
            let about = schema["description"].as_str().map(|text| format!(" · {text}")).unwrap_or_default();
            format!("{{{name}}} {}{about}", word(&schema["type"]))
        })
        .collect();
    format!("    {}: {}\n", language.pick("in the path", "no caminho"), shown.join(", "))
}

fn answers(entry: &Value, language: Language) -> String {
    match entry.get("returns") {
        Some(schema) => format!("    {}: {}\n", language.pick("answers", "responde"), shape(schema, language)),
        None => String::new(),
    }
}

fn description(entry: &Value) -> String {
    entry["description"].as_str().map(|text| format!("    {text}\n")).unwrap_or_default()
}

/// Paths, types and notes in columns.
fn table(fields: &[Field]) -> String {
    let width = |column: fn(&Field) -> &str| fields.iter().map(|field| column(field).chars().count()).max().unwrap_or_default();
    let (paths, kinds) = (width(|field| &field.path), width(|field| &field.kind));
    fields.iter().map(|field| format!("      {:paths$}  {:kinds$}  {}\n", field.path, field.kind, field.notes)).collect()
}

fn word(value: &Value) -> &str {
    value.as_str().unwrap_or("?")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn reads_and_actions_are_listed_with_what_they_take() {
        let manifest = json!({"format": "djo-manifest/1", "site": {"nome": "Blog", "about": "Um blog"},
            "routes": [{"method": "GET", "path": "/posts/{id}", "description": "Um post", "path_params": {"id": {"type": "string"}},
                "query": ["campos"], "returns": {"type": "object", "properties": {"id": {"type": "integer"}}}, "cache": 5}],
            "actions": [{"name": "criar", "method": "POST", "path": "/posts", "input": {"type": "object", "required": ["titulo"],
                "properties": {"titulo": {"type": "string"}, "n": {"type": "integer", "default": 1}}}},
                {"name": "nada", "method": "POST", "path": "/nada", "input": {"type": "object"}}]});
        let text = listing(manifest.to_string().as_bytes(), "http://h/m", Language::Portuguese).unwrap();
        let expected = "Blog: Um blog\nhttp://h/m\n\nLeituras\n\n  GET /posts/{id}\n    Um post\n    no caminho: {id} string\n    na URL: ?campos=a,b.c\n    \
responde: {id}\n    cache: 5 s\n\nAções\n\n  POST /posts · criar\n    no corpo:\n      titulo  string   obrigatório\n      n       integer  padrão 1\n\n  \
POST /nada · nada\n    corpo: {}\n";
        assert_eq!(text, expected);
    }

    #[test]
    fn what_is_no_manifest_is_told_apart() {
        for body in ["", "{}", "[1]", r#"{"format":"outro/1"}"#] {
            assert_eq!(listing(body.as_bytes(), "u", Language::English), None, "{body}");
        }
        assert_eq!(listing(br#"{"format":"djo-manifest/1"}"#, "u", Language::English).unwrap(), "u\n");
    }
}
