//! The published schema against the decoder, with jsonschema as the judge.
#![allow(clippy::unwrap_used)]

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use proptest::prelude::*;

use super::*;
use crate::{
    arbitrary::{input, show, typed},
    decode, json,
    types::{Field, Kind, Presence, Source, Struct, Type, Types},
    value::Value,
};

fn to_serde(value: &Value) -> serde_json::Value {
    serde_json::from_str(&json::to_string(value)).unwrap()
}

/// jsonschema as the host would use it: formats asserted, the `regex` engine, email addresses without display names.
fn judge(schema: &Value) -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .should_validate_formats(true)
        .with_pattern_options(jsonschema::PatternOptions::regex())
        .with_email_options(jsonschema::EmailOptions::default().without_display_text())
        .build(&to_serde(schema))
        .unwrap_or_else(|error| panic!("{error}{}", show(schema)))
}

/// As the wire has it.
fn wire(value: &Value) -> Value {
    json::parse(json::to_string(value).as_bytes()).unwrap()
}

/// Numbers beyond 64-bit integers are outside the equivalence: nothing here holds them.
fn is_held(value: &Value) -> bool {
    match value {
        Value::Huge(_) => false,
        Value::Float(number) => (-9.2e18..9.2e18).contains(number),
        Value::Arr(items) => items.iter().all(is_held),
        Value::Map(members) => members.iter().all(|(_, member)| is_held(member)),
        _ => true,
    }
}

fn field(name: &str, ty: Type, presence: Presence) -> Field {
    Field { name: name.into(), ty, presence, description: None, hidden: false, source: Source::Input }
}

fn write(types: &Types, ty: &Type) -> String {
    json::to_string(&to_schema(types, ty))
}

#[test]
fn scalars_carry_their_constraints() {
    let (_, ty) = from_schema(&json::parse(br#"{"type":["integer","null"],"enum":[1,2,null],"minimum":1,"maximum":3}"#).unwrap()).unwrap();
    assert!(ty.nullable);
    assert_eq!(write(&Types::default(), &ty), r#"{"type":["integer","null"],"enum":[1,2,null],"minimum":1,"maximum":3}"#);
}

#[test]
fn structs_are_closed_and_leave_out_what_is_hidden() {
    let autor =
        Struct { name: "Autor".into(), fields: Vec::from([field("nome", Kind::String.into(), Presence::Required)]), ..Struct::default() };
    let mut senha = field("senha", Kind::String.into(), Presence::Default("x".into()));
    senha.hidden = true;
    let mut titulo = field("titulo", Kind::String.into(), Presence::Required);
    titulo.description = Some("O título".into());
    let nota = field("nota", Kind::Float.into(), Presence::Default(Value::Float(0.0)));
    let maybe = Type { nullable: true, ..Kind::Struct(0).into() };
    let fields = Vec::from([titulo, nota, field("autor", maybe, Presence::Optional), senha]);
    let post = Struct { name: "Post".into(), description: Some("Um texto".into()), fields };
    let types = Types { structs: Vec::from([autor, post]) };
    assert_eq!(
        write(&types, &Kind::Struct(1).into()),
        r#"{"type":"object","description":"Um texto","required":["titulo"],"additionalProperties":false,"properties":{"titulo":{"type":"string","description":"O título"},"nota":{"type":"number","default":0},"autor":{"anyOf":[{"type":"object","required":["nome"],"additionalProperties":false,"properties":{"nome":{"type":"string"}}},{"type":"null"}]}}}"#
    );
    assert_eq!(
        json::to_string(&returns_schema(&types, &Type::new(Kind::Arr(Some(Type::new(Kind::Struct(0)).into()))))),
        r#"{"type":"array","items":{"type":"object","additionalProperties":false,"properties":{"nome":{"type":"string"}}}}"#
    );
}

#[test]
fn recursive_structs_are_definitions() {
    let list = Type::new(Kind::Arr(Some(Type::new(Kind::Struct(0)).into())));
    let no = Struct { name: "No".into(), fields: Vec::from([field("filhos", list, Presence::Optional)]), ..Struct::default() };
    let types = Types { structs: Vec::from([no]) };
    assert_eq!(
        write(&types, &Kind::Struct(0).into()),
        r##"{"$ref":"#/$defs/No","$defs":{"No":{"type":"object","additionalProperties":false,"properties":{"filhos":{"type":"array","items":{"$ref":"#/$defs/No"}}}}}}"##
    );
}

#[test]
fn what_would_explode_when_written_out_is_shared() {
    let pair = |index: usize| {
        let next = || Type::new(if index < 40 { Kind::Struct(index + 1) } else { Kind::Int });
        let fields = Vec::from([field("a", next(), Presence::Required), field("b", next(), Presence::Required)]);
        Struct { name: alloc::format!("S{index}"), fields, ..Struct::default() }
    };
    let types = Types { structs: (0..=40).map(pair).collect() };
    assert!(write(&types, &Kind::Struct(0).into()).len() < 10_000);
}

#[test]
fn keywords_beyond_the_types_are_named() {
    for (schema, error) in [
        (
            r#"{"type":"object","properties":{"a":{"type":"integer","multipleOf":2}},"additionalProperties":false}"#,
            "`multipleOf` em /properties/a: não faz parte dos tipos da djo",
        ),
        (r#"{"type":"object","properties":{}}"#, "`additionalProperties` em na raiz: deve ser false em um objeto com `properties`"),
        (r#"{"type":["string","integer"]}"#, "`type` em na raiz: só se aceita um tipo, ou um tipo e `null`"),
        (r#"{"anyOf":[{"type":"string"},{"type":"integer"}]}"#, "`anyOf` em na raiz: só se aceita um schema e `null`"),
        (r##"{"$ref":"#/$defs/X"}"##, "`$ref` em na raiz: não há #/$defs/X neste schema"),
        (r##"{"$ref":"#/$defs/X","$defs":{"X":{"$ref":"#/$defs/X"}}}"##, "`$ref` em /$defs/X: uma referência que só leva a si mesma"),
        (r#"{"type":"string","pattern":"("}"#, "`pattern` em na raiz: padrão inválido: falta um `)`"),
        (r#"{"type":"string","format":"ipv4"}"#, "`format` em na raiz: não faz parte dos tipos da djo: ipv4"),
        (
            r#"{"type":"object","required":["a"],"properties":{},"additionalProperties":false}"#,
            "`required` em na raiz: `a` não está em `properties`",
        ),
        (
            r#"{"type":"object","properties":{"a":{"default":[1e999]}},"additionalProperties":false}"#,
            "`default` em /properties/a: um número grande demais",
        ),
        (r#"{"oneOf":[]}"#, "`oneOf` em na raiz: não faz parte dos tipos da djo"),
        ("false", "schema em na raiz: deve ser um objeto"),
    ] {
        let found = from_schema(&json::parse(schema.as_bytes()).unwrap()).map_err(|error| error.to_string());
        assert_eq!(found, Err(error.replace("em na raiz", "na raiz")), "{schema}");
    }
}

/// A document of one closed object with a text and a number, and what `more` adds to each of the three.
fn annotated(root: &str, text: &str, number: &str) -> Value {
    let document = alloc::format!(
        r#"{{"type":"object","additionalProperties":false,"properties":{{"t":{{"type":"string"{text}}},"n":{{"type":"integer"{number}}}}}{root}}}"#
    );
    json::parse(document.as_bytes()).unwrap()
}

#[test]
fn what_asserts_nothing_leaves_a_schema_within_the_types() {
    let plain = from_schema(&annotated("", "", "")).unwrap();
    for (root, text, number) in [
        (r#","$schema":"https://json-schema.org/draft/2020-12/schema","$id":"urn:x","$anchor":"a","$vocabulary":{}"#, "", ""),
        (r#","definitions":{"X":{"not":{}}},"$defs":{"Y":{"multipleOf":2}},"x-de":1,"nullable":true"#, "", ""),
        ("", r#","readOnly":true,"writeOnly":false,"deprecated":true,"examples":["a"]"#, r#","title":"N","$comment":"c""#),
        ("", r#","contentMediaType":"text/html","contentEncoding":"base64","contentSchema":{"not":{}}"#, r#","x-n":{"minimum":1}"#),
        ("", r#","format":"password""#, r#","format":"int64""#),
        // Keywords of other kinds say nothing about these.
        (r#","minItems":3,"format":"ipv4""#, r#","minimum":3,"required":["a"]"#, r#","maxLength":1,"pattern":"^a$","uniqueItems":true"#),
    ] {
        let read = from_schema(&annotated(root, text, number)).map_err(|error| error.to_string());
        assert_eq!(read, Ok(plain.clone()), "{root} {text} {number}");
    }
}

/// What the validator asserts is either a format of the types or beyond them: no format that says no to something is dropped.
#[test]
fn formats_that_are_dropped_assert_nothing() {
    for name in [
        "date",
        "date-time",
        "time",
        "duration",
        "email",
        "idn-email",
        "hostname",
        "idn-hostname",
        "ipv4",
        "ipv6",
        "uri",
        "uri-reference",
        "iri",
        "iri-reference",
        "uri-template",
        "uuid",
        "json-pointer",
        "relative-json-pointer",
        "regex",
        "int32",
        "int64",
        "float",
        "double",
        "byte",
        "binary",
        "password",
        "color",
        "phone",
        "",
    ] {
        let schema = json::parse(alloc::format!(r#"{{"type":"string","format":"{name}"}}"#).as_bytes()).unwrap();
        let asserts = !["\u{0} {(", "", "12"].into_iter().all(|text| judge(&schema).is_valid(&text.into()));
        let is_dropped = from_schema(&schema).is_ok_and(|(_, ty)| ty.constraints.format.is_none());
        assert!(!is_dropped || !asserts, "{name}");
    }
}

#[test]
fn definitions_of_older_drafts_are_referred_to_as_those_of_today() {
    let schema = |of: &str| {
        let document = alloc::format!(
            r##"{{"$ref":"#/{of}/N~1o","{of}":{{"N/o":{{"type":"object","additionalProperties":false,"properties":{{"n":{{"$ref":"#/{of}/N~1o"}}}}}}}}}}"##
        );
        from_schema(&json::parse(document.as_bytes()).unwrap())
    };
    assert!(schema("$defs").is_ok());
    assert_eq!(schema("definitions"), schema("$defs"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn schemas_validate_against_the_metaschema((types, ty) in typed()) {
        for schema in [to_schema(&types, &ty), returns_schema(&types, &ty)] {
            let valid = jsonschema::draft202012::meta::validate(&to_serde(&schema)).map_err(|error| error.to_string());
            prop_assert_eq!(valid, Ok(()), "{}", show(&schema));
        }
    }

    /// The heart of the boundary: the schema that is published and the decoder that decides accept the same inputs.
    #[test]
    fn schema_and_decoder_accept_the_same(
        (types, ty, inputs) in typed().prop_flat_map(|(types, ty)| {
            let inputs = prop::collection::vec(input(&types, &ty, 3), 8);
            (Just(types), Just(ty), inputs)
        })
    ) {
        let schema = to_schema(&types, &ty);
        let judge = judge(&schema);
        for input in inputs.iter().map(wire).filter(is_held) {
            let ours = decode::check(&types, &ty, &input);
            prop_assert_eq!(ours.is_empty(), judge.is_valid(&to_serde(&input)), "{}{}{}", ours, show(&schema), show(&input));
        }
    }

    /// What the schema says is read back as types that accept the same and publish the same.
    #[test]
    fn schemas_round_trip((types, ty) in typed()) {
        let schema = to_schema(&types, &ty);
        let (types, ty) = from_schema(&schema).map_err(|error| TestCaseError::fail(alloc::format!("{error}{}", show(&schema))))?;
        let again = to_schema(&types, &ty);
        prop_assert!(again.equals(&schema), "{}{}", show(&schema), show(&again));
    }
}
