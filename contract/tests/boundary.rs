//! The decode cases of `tests/cases/boundary.json`: a schema, an input text, and the decoded value or the issues.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use djo_contract::{decode, json, schema, value::Value};

/// Whether the found issue has each listed key with its value.
fn matches(listed: &Value, found: &Value) -> bool {
    let members = listed.as_map().unwrap_or_default();
    members.iter().all(|(name, value)| found.get(name).is_some_and(|found| found.equals(value)))
}

fn decoded(schema: &Value, input: &str) -> Result<Value, Value> {
    let (types, ty) = schema::from_schema(schema).expect("a schema of the type model");
    let value = json::parse(input.as_bytes()).map_err(|issue| Value::Arr(vec![issue.to_json()]))?;
    decode::decode(&types, &ty, value).map_err(|issues| issues.to_json())
}

#[test]
fn boundary_cases() {
    let text = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/boundary.json")).unwrap();
    let cases = json::parse_with(&text, json::Limits { depth: 64, values: 1_000_000 }).unwrap();
    let cases = cases.as_arr().unwrap();
    assert!(cases.len() >= 50);
    let mut failures = Vec::new();
    // Those beyond the type model are `host/src/schema`'s, which runs the others too.
    for case in cases.iter().filter(|case| case.get("beyond").is_none()) {
        let member = |name: &str| case.get(name).and_then(Value::as_str).unwrap_or_default();
        let outcome = decoded(case.get("schema").unwrap(), member("input"));
        let good = match (case.get("ok"), case.get("problemas"), &outcome) {
            // Members too are compared in order: fields stand in the order of their type. Key order of `ok` is not the point.
            (Some(expected), None, Ok(found)) => found.equals(expected),
            (None, Some(Value::Arr(expected)), Err(Value::Arr(found))) => {
                expected.len() == found.len() && expected.iter().zip(found).all(|(listed, found)| matches(listed, found))
            }
            _ => false,
        };
        if !good {
            failures.push(format!("{} {}: {outcome:?}", member("id"), member("about")));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
