//! Selections of the blog's posts.
#![allow(clippy::unwrap_used)]

use alloc::{
    format,
    string::{String, ToString},
};

use super::*;
use crate::{
    fixture::{field, list_of, types},
    types::{Presence, Struct},
};

fn post() -> Type {
    Kind::Struct(1).into()
}

fn select(campos: &str) -> Result<Selection, SelectError> {
    Selection::parse(&types(), &post(), campos)
}

fn applied(campos: &str, value: &str) -> String {
    select(campos).unwrap().apply(&types(), value.as_bytes(), Limits::default()).unwrap()
}

const POST: &str = r#"{"titulo":"Oi","id":1,"autor":{"idade":30,"nome":"Ana","cpf":"1"},"tags":[{"a":1}],"fora":true}"#;

#[test]
fn keeps_what_was_chosen_in_the_order_of_the_type() {
    assert_eq!(applied("titulo,id", POST), r#"{"id":1,"titulo":"Oi"}"#);
    assert_eq!(applied("autor.nome", POST), r#"{"autor":{"nome":"Ana"}}"#);
    assert_eq!(applied("autor,id", POST), r#"{"id":1,"autor":{"nome":"Ana","idade":30}}"#);
    assert_eq!(applied("autor.nome,autor,autor.idade", POST), r#"{"autor":{"nome":"Ana","idade":30}}"#);
    assert_eq!(applied("tags,resumo,publicado", POST), r#"{"tags":[{"a":1}]}"#);
    assert_eq!(applied("id", &format!("[{POST},{{\"id\":2}},7,null]")), r#"[{"id":1},{"id":2},7,null]"#);
    assert_eq!(applied("autor.nome", r#"{"autor":null}"#), r#"{"autor":null}"#);
}

#[test]
fn the_text_may_come_in_any_form_that_json_has() {
    let spaced = r#" [ { "titulo" : "a\u0062\/" , "x" : [ { } , -0.0 ] , "\u0069d" : 1.0e2 } ] "#;
    assert_eq!(applied("id,titulo", spaced), r#"[{"id":100,"titulo":"ab/"}]"#);
    let apply = |text: &str| select("id").unwrap().apply(&types(), text.as_bytes(), Limits::default());
    for text in ["", "{", r#"{"id":}"#, r#"{"id":1}{}"#, r#"[{"fora":01}]"#, "[{}", "{\"id\":\"\n\"}"] {
        assert!(apply(text).is_err(), "{text}");
    }
    let twice = apply(r#"[{"id":1,"id":2}]"#).unwrap_err();
    assert_eq!((twice.code.as_str(), twice.pointer.as_str()), ("duplicate_member", "/0/id"));
    assert!(select("id").unwrap().apply(&types(), b"[[[1]]]", Limits { depth: 2, values: 9 }).is_err());
    assert!(select("id").unwrap().apply(&types(), b"[1,2,3]", Limits { depth: 2, values: 3 }).is_err());
}

#[test]
fn the_same_fields_are_the_same_selection() {
    let canonical = |campos: &str| select(campos).unwrap().canonical(&types());
    assert_eq!(canonical("titulo,autor.idade,id,autor.nome,id"), "id,titulo,autor.nome,autor.idade");
    assert_eq!(canonical("autor.nome,autor"), "autor");
}

#[test]
fn names_that_the_type_does_not_have_list_those_it_has() {
    let valid = "id,titulo,publicado,autor,autor.nome,autor.idade,tags,extra,resumo";
    for (campos, name) in
        [("id,preco", "preco"), ("segredo", "segredo"), ("autor.cpf", "autor.cpf"), ("id.x", "id.x"), ("tags.0", "tags.0")]
    {
        let Err(SelectError::Unknown { name: found, valid: names }) = select(campos) else { panic!("{campos}") };
        assert_eq!((found.as_str(), names.join(",").as_str()), (name, valid));
    }
    assert_eq!(select("").unwrap_err(), SelectError::Empty);
    for campos in [",", "id,", "id,,titulo", ".id", "autor."] {
        assert_eq!(select(campos).unwrap_err(), SelectError::EmptyName, "{campos}");
    }
    let scalar = Selection::parse(&types(), &Kind::Int.into(), "id");
    assert_eq!(scalar.unwrap_err(), SelectError::NotStruct);
}

#[test]
fn recursion_ends_in_a_leaf() {
    let types = types();
    let valid = valid_names(&types, 2).join(",");
    assert_eq!(valid, "v,pai,autor,autor.nome,autor.idade");
    let selection = Selection::parse(&types, &list_of(2), "pai").unwrap();
    let list = br#"[{"v":1,"pai":{"x":1,"v":2,"pai":{"v":3,"y":1}}}]"#;
    assert_eq!(selection.apply(&types, list, Limits::default()).unwrap(), r#"[{"pai":{"v":2,"pai":{"v":3}}}]"#);
    assert!(Selection::parse(&types, &list_of(2), "pai.v").is_err());
}

#[test]
fn a_query_may_ask_once_where_a_type_is_declared() {
    let types = types();
    let pairs = |raw: &str| crate::route::parse_query(raw).unwrap();
    let of = |returns: Option<&Type>, raw: &str| Selection::from_query(&types, returns, &pairs(raw)).map(|found| found.is_some());
    assert_eq!(of(None, "x=1"), Ok(false));
    assert_eq!(of(None, "campos=livre"), Err(SelectError::NoReturns));
    assert_eq!(of(Some(&post()), "campos=id"), Ok(true));
    assert_eq!(of(Some(&post()), "campos=id&campos=id"), Err(SelectError::Repeated));
    assert_eq!(of(Some(&post()), "campos"), Err(SelectError::Empty));
}

#[test]
fn types_that_name_too_much_are_listed_in_part() {
    let pair = |index: usize| {
        let next = || Type::from(if index < 30 { Kind::Struct(index + 1) } else { Kind::Int });
        let fields = [field("a", next(), Presence::Required), field("b", next(), Presence::Required)];
        Struct { name: index.to_string(), fields: fields.into(), ..Struct::default() }
    };
    let types = Types { structs: (0..=30).map(pair).collect() };
    assert_eq!(valid_names(&types, 0).len(), FIELD_LIMIT);
    assert_eq!(pattern(&types, 0), None);
    let deep = ["a"; 31].join(".");
    assert!(Selection::parse(&types, &Kind::Struct(0).into(), &deep).is_ok());
    assert!(Selection::parse(&types, &Kind::Struct(0).into(), &"a.".repeat(10_000)).is_err());
}

#[cfg(feature = "compile")]
#[test]
fn the_pattern_says_what_is_accepted() {
    let types = &types();
    let pattern = pattern(types, result_struct(&post()).unwrap()).unwrap();
    let compiled = crate::pattern::Compiled::default();
    for text in ["id", "autor.nome,id", "id,id", "autor", "", ",", "id,", ",id", "ID", "autor.", "autorXnome", "id, titulo", "id\n"] {
        assert_eq!(compiled.is_match(&pattern, text), Selection::parse(types, &post(), text).is_ok(), "{text:?}");
    }
}
