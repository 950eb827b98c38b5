//! Schemas beyond the type model, and what is said about inputs that break them.
#![allow(clippy::unwrap_used)]

use djo_contract::{
    json::{parse, parse_with, to_string},
    schema::from_schema,
};
use proptest::{collection::vec, prelude::*, sample::select};

use super::*;

fn decoded(schema: &Value, input: &Value) -> Result<Value, Issues> {
    ForeignSchema::compile(schema).unwrap().decode(input.clone())
}

fn problems(schema: &str, input: &str) -> String {
    let found = decoded(&parse(schema.as_bytes()).unwrap(), &parse(input.as_bytes()).unwrap());
    to_string(&found.err().unwrap_or_default().to_json())
}

#[test]
fn what_fits_has_no_issues() {
    let schema = r#"{"oneOf":[{"type":"string"},{"type":"object","properties":{"a":{"const":1}},"required":["a"]}]}"#;
    assert_eq!(problems(schema, r#""x""#), "[]");
    assert_eq!(problems(schema, r#"{"a":1.0}"#), "[]");
}

#[test]
fn every_issue_has_the_code_and_place_of_our_own_decoder() {
    let schema = r#"{
        "type": "object",
        "properties": {
            "a": {"type": "integer", "minimum": 1, "multipleOf": 3},
            "b": {"type": "array", "items": {"type": "object", "properties": {"sku": {"type": "string"}}, "required": ["sku"], "additionalProperties": false}},
            "c": {"type": ["string", "null"], "minLength": 2, "pattern": "^[A-Z]+$"},
            "d": {"enum": ["x", "y"]},
            "e": {"type": "string", "format": "uuid"},
            "f": {"type": "number", "exclusiveMaximum": 2}
        },
        "required": ["z"],
        "additionalProperties": false
    }"#;
    let input = r#"{"a":-1,"b":[{"sku":"1"},{"preco":2}],"c":"é","d":"q","e":"x","f":2,"tituol":1,"g":0}"#;
    let found = parse(problems(schema, input).as_bytes()).unwrap();
    let found: Vec<String> = found
        .as_arr()
        .unwrap()
        .iter()
        .map(|issue| ["code", "path", "pointer", "message"].map(|name| issue.get(name).unwrap().as_str().unwrap()).join(" | "))
        .collect();
    let expected = [
        "invalid_range | a | /a | deve ser no mínimo 1",
        "invalid_range | a | /a | deve ser múltiplo de 3",
        "missing_field | b[1].sku | /b/1/sku | obrigatório",
        "unknown_field | b[1].preco | /b/1/preco | campo desconhecido",
        "invalid_pattern | c | /c | deve seguir o padrão ^[A-Z]+$",
        "invalid_length | c | /c | deve ter no mínimo 2 caracteres",
        "invalid_enum_value | d | /d | deve ser um destes: \"x\", \"y\"",
        "invalid_format | e | /e | deve ser um UUID válido",
        "invalid_range | f | /f | deve ser menor que 2",
        "missing_field | z | /z | obrigatório",
        "unknown_field | g | /g | campo desconhecido",
        "unknown_field | tituol | /tituol | campo desconhecido",
    ];
    assert_eq!(found, expected);
}

#[test]
fn extra_fields_are_those_of_the_table() {
    let schema = r#"{"properties":{"n":{"minimum":3},"query":{"type":["integer","boolean"]}},"additionalProperties":false}"#;
    assert_eq!(
        problems(schema, r#"{"n":1}"#),
        r#"[{"code":"invalid_range","path":"n","pointer":"/n","message":"deve ser no mínimo 3","min":3,"observed":1}]"#
    );
    assert_eq!(
        problems(schema, r#"{"qeury":1}"#),
        r#"[{"code":"unknown_field","path":"qeury","pointer":"/qeury","message":"campo desconhecido","allowed":["n","query"],"suggestion":"query"}]"#
    );
    let wrong = problems(schema, r#"{"query":"x"}"#);
    assert!(wrong.contains(r#""observed":"string""#) && wrong.contains(r#""expected":"#), "{wrong}");
    assert_eq!(
        problems(r#"{"uniqueItems":true}"#, r#"[{"a":1,"b":2},2,{"b":2,"a":1.0}]"#),
        r#"[{"code":"duplicate_item","path":"[2]","pointer":"/2","message":"repete o item 0","first":0}]"#
    );
}

#[test]
fn of_a_choice_the_nearest_branch_speaks() {
    let schema = r#"{"anyOf":[
        {"type":"object","properties":{"a":{"type":"integer"},"b":{"type":"integer"}},"required":["a","b"],"additionalProperties":false},
        {"type":"object","properties":{"c":{"type":"integer"}},"required":["c"],"additionalProperties":false}
    ]}"#;
    let found = problems(schema, r#"{"a":1}"#);
    assert!(found.contains("missing_field") && found.contains("/b"), "{found}");
    assert!(!found.contains("/c"), "{found}");
    let by_type = r#"{"anyOf":[{"type":"string"},{"type":"integer","multipleOf":3,"minimum":9}]}"#;
    assert_eq!(problems(by_type, "8").matches("invalid_range").count(), 2, "a number is measured by the branch for numbers");
    assert!(problems(r#"{"not":{}}"#, "1").contains("invalid_enum_value"));
    assert!(problems("false", "1").contains("invalid_enum_value"));
}

#[test]
fn a_name_that_looks_like_an_index_is_a_name() {
    let schema = r#"{"properties":{"0":{"type":"array","items":{"type":"string"}}},"patternProperties":{"x":{}}}"#;
    let found = problems(schema, r#"{"0":["a",1]}"#);
    assert!(found.contains(r#""path":"0[1]","pointer":"/0/1""#), "{found}");
}

#[test]
fn numbers_that_nothing_holds_are_out_of_range() {
    let found = problems(r#"{"oneOf":[true]}"#, r#"{"a":[1e400]}"#);
    assert!(found.contains(r#""code":"invalid_range","path":"a[0]""#), "{found}");
}

#[test]
fn what_is_no_schema_is_refused() {
    for text in
        [r#"{"type":"inteiro"}"#, r#"{"pattern":"("}"#, r#"{"$ref":"https://example.com/x.json"}"#, r#"{"$ref":"file:///etc/passwd"}"#, "3"]
    {
        assert!(ForeignSchema::compile(&parse(text.as_bytes()).unwrap()).is_err(), "{text}");
    }
}

/// Whether the found issue has each listed key with its value.
fn matches(listed: &Value, found: &Value) -> bool {
    listed.as_map().unwrap().iter().all(|(name, value)| found.get(name).is_some_and(|found| found.equals(value)))
}

/// The decode cases of the boundary, of the type model and beyond it. Of the latter, members of what is decoded stand in order.
#[test]
fn boundary_cases() {
    let cases = std::fs::read(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/cases/boundary.json")).unwrap();
    let cases = parse_with(&cases, djo_contract::json::Limits { depth: 64, values: 1_000_000 }).unwrap();
    for case in cases.as_arr().unwrap() {
        let Ok(input) = parse(case.get("input").unwrap().as_str().unwrap().as_bytes()) else { continue };
        let found = decoded(case.get("schema").unwrap(), &input);
        let (about, expected) = (to_string(case.get("about").unwrap()), case.get("ok"));
        match (expected, found) {
            (Some(expected), Ok(found)) if case.get("beyond").is_some() => assert_eq!(to_string(&found), to_string(expected), "{about}"),
            (Some(expected), Ok(found)) => assert!(found.equals(expected), "{about}: {found:?}"),
            (None, Err(issues)) => {
                let (found, expected) = (issues.to_json(), case.get("problemas").unwrap().as_arr().unwrap());
                let listed = found.as_arr().unwrap();
                let as_expected = listed.len() == expected.len() && expected.iter().zip(listed).all(|(one, other)| matches(one, other));
                assert!(as_expected, "{about}: {}", to_string(&found));
            }
            (_, found) => panic!("{about}: {found:?}"),
        }
    }
}

/// What does not assert anything, yet is beyond the types.
const HARMLESS: [(&str, &str); 4] = [("minProperties", "0"), ("not", "false"), ("allOf", "[{}]"), ("if", "true")];

fn map(members: &[(&str, Value)]) -> Value {
    Value::Map(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

fn text(json: &str) -> Value {
    parse(json.as_bytes()).unwrap()
}

/// A schema of the type model. `#/$defs/No` is a closed object.
fn schema() -> impl Strategy<Value = Value> {
    let plain = select(vec![
        r##"{"$ref":"#/$defs/No"}"##,
        r##"{"anyOf":[{"$ref":"#/$defs/No"},{"type":"null"}]}"##,
        r#"{"type":"integer","minimum":-1,"maximum":3}"#,
        r#"{"type":["integer","null"],"enum":[1,2,null]}"#,
        r#"{"type":"number","maximum":2}"#,
        r#"{"type":"string","minLength":2,"maxLength":3,"pattern":"^[a-z]+$"}"#,
        r#"{"type":["string","null"],"format":"date"}"#,
        r#"{"enum":["a","b"]}"#,
        r#"{"type":"boolean"}"#,
        r#"{"type":"object"}"#,
        r#"{"type":"array","uniqueItems":true}"#,
        r#"{}"#,
    ]);
    plain.prop_map(text).prop_recursive(3, 24, 4, |inner| {
        let list = (inner.clone(), 0..3_i64).prop_map(|(items, least)| {
            map(&[("type", "array".into()), ("items", items), ("minItems", Value::Int(least)), ("uniqueItems", Value::Bool(least == 1))])
        });
        let open = inner.clone().prop_map(|values| map(&[("type", "object".into()), ("additionalProperties", values)]));
        let member = (select(vec!["c", "a", "b", "x/y"]), inner, 0..4_u8, value().prop_filter("held", |value| !value.has_huge()));
        let closed = vec(member, 0..4).prop_map(|members| {
            let (mut properties, mut required) = (Vec::<(String, Value)>::new(), Vec::new());
            for (name, mut property, presence, usual) in members {
                if properties.iter().any(|(known, _)| known == name) {
                    continue;
                }
                if presence == 0 {
                    required.push(Value::from(name));
                }
                if let (1, Value::Map(keywords)) = (presence, &mut property) {
                    keywords.push(("default".into(), usual));
                }
                properties.push((name.into(), property));
            }
            let members = [("type", "object".into()), ("required", Value::Arr(required)), ("additionalProperties", Value::Bool(false))];
            let mut schema = map(&members);
            if let Value::Map(keywords) = &mut schema {
                keywords.push(("properties".into(), Value::Map(properties)));
            }
            schema
        });
        prop_oneof![list, open, closed.clone(), closed]
    })
}

fn rooted(schema: Value) -> Value {
    let no = r##"{"type":"object","properties":{"n":{"type":"integer","default":7},"a":{"$ref":"#/$defs/No"}},"required":["n"],"additionalProperties":false}"##;
    let Value::Map(mut keywords) = schema else { return schema };
    keywords.push(("$defs".into(), map(&[("No", text(no))])));
    Value::Map(keywords)
}

fn value() -> BoxedStrategy<Value> {
    let plain = r#"[null,true,0,1,2.0,2.5,9,-4,"","a","ab","abcd","2024-02-29","É",[],{},1e30,99999999999999999999]"#;
    let plain = parse_with(plain.as_bytes(), djo_contract::json::DECODED).unwrap();
    select(plain.as_arr().unwrap().to_vec()).boxed()
}

/// An input that often fits the schema.
fn input(root: &Value, schema: &Value, depth: usize) -> BoxedStrategy<Value> {
    let target = schema.get("$ref").map(|_| root.get("$defs").and_then(|defs| defs.get("No")).unwrap().clone());
    let schema = target.as_ref().unwrap_or(schema);
    let schema = schema.get("anyOf").and_then(|branches| root.get("$defs").and(branches.as_arr()?.first())).unwrap_or(schema);
    if schema.get("$ref").is_some() && depth > 0 {
        return prop_oneof![1 => Just(Value::Nil), 3 => input(root, &schema.clone(), depth - 1)].boxed();
    }
    let extra = ("[a-c]{1,2}", value());
    let fitting = match (schema.get("type").and_then(Value::as_str), schema.get("enum"), depth) {
        (_, Some(Value::Arr(values)), _) => select(values.clone()).boxed(),
        (Some("object"), _, 1..) => {
            let properties = schema.get("properties").and_then(Value::as_map).unwrap_or_default();
            let members: Vec<_> = properties
                .iter()
                .map(|(name, property)| {
                    let name = name.clone();
                    proptest::option::weighted(0.7, input(root, property, depth - 1)).prop_map(move |value| Some((name.clone(), value?)))
                })
                .collect();
            let values = schema.get("additionalProperties").filter(|values| values.as_map().is_some());
            let more = values.map_or_else(value, |values| input(root, values, depth - 1));
            (members, proptest::option::weighted(0.2, extra), vec(("[x-z]", more), if values.is_some() { 0..3 } else { 0..1 }))
                .prop_map(|(members, extra, more)| {
                    let mut all: Vec<(String, Value)> = Vec::new();
                    for (name, value) in members.into_iter().flatten().chain(extra).chain(more) {
                        if !all.iter().any(|(known, _)| *known == name) {
                            all.push((name, value));
                        }
                    }
                    all.reverse();
                    Value::Map(all)
                })
                .boxed()
        }
        (Some("array"), _, 1..) => {
            let items = schema.get("items").map_or_else(value, |items| input(root, items, depth - 1));
            vec(items, 0..4).prop_map(Value::Arr).boxed()
        }
        _ => value(),
    };
    prop_oneof![5 => fitting, 1 => value()].boxed()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    /// One keyword beyond the types changes nothing of what is filled and nothing of what is told.
    #[test]
    fn a_harmless_keyword_changes_nothing(
        (schema, inputs) in schema().prop_map(rooted).prop_flat_map(|schema| {
            let inputs = vec(input(&schema, &schema, 4), 6);
            (Just(schema), inputs)
        }),
        (name, harmless) in select(HARMLESS.to_vec()),
        id in select(vec![None, Some("https://a.b/c"), Some("https://a.b"), Some("item.json"), Some("urn:x")]),
    ) {
        let (types, ty) = from_schema(&schema).unwrap();
        let Value::Map(mut keywords) = schema.clone() else { return Ok(()) };
        keywords.push((name.to_owned(), text(harmless)));
        keywords.extend(id.map(|id| ("$id".to_owned(), Value::from(id))));
        let beyond = Value::Map(keywords);
        for input in inputs {
            let ours = decode::decode(&types, &ty, input.clone());
            prop_assert_eq!(decoded(&beyond, &input), ours, "{} {}", to_string(&beyond), to_string(&input));
        }
    }
}
