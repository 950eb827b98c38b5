//! Schemas beyond the type model, and what is said about inputs that break them.
#![allow(clippy::unwrap_used)]

use djo_contract::json::{parse, to_string};

use super::*;

fn problems(schema: &str, input: &str) -> String {
    let schema = ForeignSchema::compile(&parse(schema.as_bytes()).unwrap()).unwrap();
    to_string(&schema.check(&parse(input.as_bytes()).unwrap()).to_json())
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
        "missing_field | z | /z | obrigatório",
        "unknown_field | g | /g | campo desconhecido",
        "unknown_field | tituol | /tituol | campo desconhecido",
        "invalid_range | a | /a | deve ser no mínimo 1",
        "invalid_range | a | /a | deve ser múltiplo de 3",
        "missing_field | b[1].sku | /b/1/sku | obrigatório",
        "unknown_field | b[1].preco | /b/1/preco | campo desconhecido",
        "invalid_length | c | /c | deve ter no mínimo 2 caracteres",
        "invalid_pattern | c | /c | deve seguir o padrão ^[A-Z]+$",
        "invalid_enum_value | d | /d | deve ser um destes: \"x\", \"y\"",
        "invalid_format | e | /e | deve ser um UUID válido",
        "invalid_range | f | /f | deve ser menor que 2",
    ];
    let (mut found_sorted, mut expected_sorted) = (found.clone(), expected.map(String::from).to_vec());
    found_sorted.sort();
    expected_sorted.sort();
    assert_eq!(found_sorted, expected_sorted);
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
