//! Tools as the protocol lists them.

use std::sync::Arc;

use djo_contract::model::Contract;
use djo_contract::tool::{Effect, SELECTION, Tool};
use rmcp::model::{JsonObject, Tool as Listed, ToolAnnotations};
use serde_json::{Value, json};

use crate::documents;

/// JSON Schema 2020-12.
const DIALECT: &str = "https://json-schema.org/draft/2020-12/schema";
/// The longest title, in characters.
const MAX_TITLE: usize = 60;
/// The member of an object that stands for a result that is none.
pub(super) const RESULT: &str = "resultado";

/// A tool as the protocol describes one. Schemas of results are of any shape, or of objects alone.
pub(super) fn listed(contract: &Contract, tool: &Tool, any: bool) -> Listed {
    let title = title(tool);
    let annotations = ToolAnnotations::from_raw(
        Some(title.clone()),
        Some(tool.effect.is_harmless()),
        Some(tool.effect == Effect::Destructive),
        Some(tool.is_repeatable()),
        Some(tool.effect == Effect::ExternalWrite),
    );
    let description = if tool.description.is_empty() { title.clone() } else { tool.description.clone() };
    let input = in_dialect(members(documents::json(&tool.input_schema(&contract.types))));
    let listed = Listed::new(tool.name.clone(), description, input).with_title(title).with_annotations(annotations);
    match output_schema(contract, tool, any) {
        Some(schema) => listed.with_raw_output_schema(Arc::new(schema)),
        None => listed,
    }
}

/// The schema of what a tool answers; `None` when nothing is declared.
fn output_schema(contract: &Contract, tool: &Tool, any: bool) -> Option<JsonObject> {
    let mut schema = members(documents::json(&tool.output_schema(contract)));
    if schema.is_empty() {
        return None;
    }
    if tool.input().fields.iter().any(|field| field.name == SELECTION) {
        // Who chooses fields gets no others.
        let mut value = Value::Object(schema);
        require_nothing(&mut value);
        schema = members(value);
    }
    Some(in_dialect(if any || is_object(&schema) { schema } else { wrapped(schema) }))
}

/// A schema that says by which rules it is to be read: clients of older revisions assume others.
fn in_dialect(mut schema: JsonObject) -> JsonObject {
    schema.entry("$schema").or_insert_with(|| DIALECT.into());
    schema
}

/// Whether a result has to be wrapped where only objects are taken.
pub(super) fn is_wrapped(contract: &Contract, tool: &Tool) -> bool {
    let schema = members(documents::json(&tool.output_schema(contract)));
    !schema.is_empty() && !is_object(&schema)
}

fn is_object(schema: &JsonObject) -> bool {
    schema.get("type").and_then(Value::as_str) == Some("object")
}

/// An object that holds such a result. What the schema refers to stays at the root, where it is looked for.
fn wrapped(mut schema: JsonObject) -> JsonObject {
    let shared: JsonObject = ["$schema", "$defs"].into_iter().filter_map(|name| schema.remove_entry(name)).collect();
    let mut object = members(json!({ "type": "object", "properties": { RESULT: schema }, "required": [RESULT] }));
    object.extend(shared);
    object
}

/// Takes what must be there out of a schema. Under `properties` and `$defs` names are names of members, not keywords.
fn require_nothing(schema: &mut Value) {
    match schema {
        Value::Object(members) => {
            members.remove("required");
            for (name, value) in members {
                match (name.as_str(), value) {
                    ("properties" | "$defs", Value::Object(named)) => named.values_mut().for_each(require_nothing),
                    ("default" | "const" | "enum" | "examples", _) => {}
                    (_, value) => require_nothing(value),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(require_nothing),
        _ => {}
    }
}

/// What a person sees: what it does where that is short, else its name in words.
pub(super) fn title(tool: &Tool) -> String {
    let first = tool.description.lines().next().unwrap_or_default().trim();
    match first.chars().count() {
        1..=MAX_TITLE => first.to_owned(),
        _ => tool.name.replace(['_', '-'], " "),
    }
}

fn members(value: Value) -> JsonObject {
    match value {
        Value::Object(members) => members,
        _ => JsonObject::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_object_is_wrapped_with_its_definitions_at_the_root() {
        let list = json!({ "$schema": "s", "type": "array", "items": { "$ref": "#/$defs/A" }, "$defs": { "A": { "type": "object" } } });
        let wanted = json!({
            "$schema": "s", "type": "object", "required": ["resultado"], "$defs": { "A": { "type": "object" } },
            "properties": { "resultado": { "type": "array", "items": { "$ref": "#/$defs/A" } } }
        });
        assert_eq!(Value::Object(wrapped(members(list))), wanted);
    }

    #[test]
    fn a_member_named_required_stays() {
        let mut schema = json!({
            "type": "object", "required": ["a"],
            "properties": { "required": { "type": "array", "items": { "required": ["b"] } }, "a": { "const": { "required": 1 } } }
        });
        require_nothing(&mut schema);
        let wanted = json!({
            "type": "object",
            "properties": { "required": { "type": "array", "items": {} }, "a": { "const": { "required": 1 } } }
        });
        assert_eq!(schema, wanted);
    }
}
