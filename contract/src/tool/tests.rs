//! The catalogue of the blog, and the rules it keeps.

#![allow(clippy::unwrap_used)]

use alloc::{
    string::{String, ToString},
    vec::Vec,
};

use super::*;
use crate::{
    fixture::{blog, field},
    json,
    model::{ActionOptions, Method, Route},
    route::parse_path,
    types::{Kind, Presence, Type},
};

fn names(catalogue: &Catalogue) -> Vec<&str> {
    catalogue.tools().iter().map(|tool| tool.name.as_str()).collect()
}

fn schema(contract: &Contract, name: &str) -> String {
    json::to_string(&Catalogue::of(contract).unwrap().find(name).unwrap().input_schema(&contract.types))
}

#[test]
fn actions_and_agent_faces_are_tools() {
    let contract = blog();
    let catalogue = Catalogue::of(&contract).unwrap();
    assert_eq!(names(&catalogue), ["comentar", "get_contador", "get_posts", "get_posts_by_id", "somar"]);
    let read = catalogue.find("get_posts").unwrap();
    assert_eq!((read.effect, read.idempotent, read.is_cacheable()), (Effect::Read, true, true));
    let write = catalogue.find("somar").unwrap();
    assert_eq!((write.effect, write.idempotent, write.is_repeatable()), (Effect::Write, false, false));
    assert!(catalogue.find("get_post").is_none());
}

#[test]
fn arguments_of_a_read_are_its_path_its_query_and_its_selection() {
    let contract = blog();
    assert_eq!(
        schema(&contract, "get_posts_by_id"),
        r#"{"type":"object","required":["id"],"additionalProperties":false,"properties":{"id":{"type":"string","pattern":"^[^/\\x00]+$"},"campos":{"type":"string","description":"Só estes campos, separados por vírgula","pattern":"^(id|titulo|publicado|autor|autor\\.nome|autor\\.idade|tags|extra|resumo)(,(id|titulo|publicado|autor|autor\\.nome|autor\\.idade|tags|extra|resumo))*$"}}}"#
    );
    assert_eq!(schema(&contract, "get_contador"), r#"{"type":"object","additionalProperties":false,"properties":{"q":{"type":"string"}}}"#);
    // What no path can hold is no value of it, by the schema and by the decoder alike.
    let catalogue = Catalogue::of(&contract).unwrap();
    let read = catalogue.find("get_posts_by_id").unwrap();
    for (id, fits) in [("um-dois", true), ("é b", true), ("a/b", false), ("a\0b", false), ("", false), ("/", false)] {
        let arguments = Value::Map([("id".into(), id.into())].into());
        assert_eq!(read.decode(&contract.types, arguments).is_ok(), fits, "{id:?}");
    }
    assert_eq!(read.example, Some(Value::Map([("id".into(), "texto".into())].into())));
    // What the host fills in is in no input.
    assert!(!schema(&contract, "comentar").contains("quem"));
}

#[test]
fn arguments_of_a_read_hold_one_of_a_name() {
    let mut contract = blog();
    let route = contract.routes.iter().position(|route| route.path == "/posts/{id}" && route.agent).unwrap();
    contract.routes[route].query = Vec::from([("q".into(), Kind::Int.into()), ("id".into(), Kind::Int.into())]);
    let error = Catalogue::of(&contract).unwrap_err();
    assert_eq!(error, ToolError::Argument { name: "id".into(), route });
    assert_eq!((error.route(), error.to_string().as_str()), (route, "o parâmetro `id` do caminho está também na query"));
}

#[test]
fn derived_names_follow_the_path() {
    for (path, name) in [
        ("/", "get"),
        ("/posts", "get_posts"),
        ("/posts/", "get_posts"),
        ("/posts/{id}", "get_posts_by_id"),
        ("/{id}/x/{y}", "get_by_id_x_by_y"),
        ("/a-b/C.d", "get_a_b_c_d"),
        ("/ação/{nome}", "get_acao_by_nome"),
    ] {
        assert_eq!(derived_name(parse_path(path).unwrap()), name, "{path}");
    }
}

#[test]
fn a_name_is_given_once() {
    let mut contract = blog();
    contract.routes[1].tool = Some("somar".into());
    let error = Catalogue::of(&contract).unwrap_err();
    assert_eq!(error, ToolError::Clash { name: "somar".into(), routes: (1, 6) });
    contract.routes[1].tool = Some("com espaço".into());
    assert!(matches!(Catalogue::of(&contract), Err(ToolError::Name { route: 1, .. })));
}

#[test]
fn examples_are_inputs() {
    let mut contract = blog();
    let example =
        |contract: &Contract, name: &str| Catalogue::of(contract).unwrap().find(name).unwrap().example.clone().map(|v| json::to_string(&v));
    assert_eq!(example(&contract, "somar").unwrap(), r#"{"vezes":10}"#);
    assert_eq!(example(&contract, "comentar").unwrap(), r#"{"id":1,"texto":"texto"}"#);
    contract.routes[6].options.example = Some(json::parse(br#"{"vezes":"x"}"#).unwrap());
    let error = Catalogue::of(&contract).unwrap_err();
    assert_eq!(error.to_string(), "`example` não serve de entrada para `somar`: vezes: deve ser Int, mas veio String");
}

/// The blog, with `POST /soma/mais`, which continues `somar`.
fn continued(tool: Option<&str>, continues: &str) -> Contract {
    let mut contract = blog();
    let options = ActionOptions { continues: Some(continues.into()), ..ActionOptions::default() };
    let first = &contract.routes[6];
    let route = Route { path: "/soma/mais".into(), tool: tool.map(Into::into), options, method: Method::Post, ..first.clone() };
    contract.routes.push(route);
    let cursor = field(CURSOR, Type { nullable: true, ..Kind::String.into() }, Presence::Optional);
    contract.actions[1].input.fields.push(cursor);
    contract
}

#[test]
fn a_continuation_takes_nothing_and_its_tool_no_cursor() {
    let contract = continued(Some("somar_mais"), "somar");
    let catalogue = Catalogue::of(&contract).unwrap();
    let (first, more) = (catalogue.find("somar").unwrap(), catalogue.find("somar_mais").unwrap());
    assert_eq!((first.next_page, more.continues.as_deref()), (7, Some("somar")));
    assert_eq!(more.decode(&contract.types, Value::Map(Vec::new())), Ok(Value::Map(Vec::new())));
    for refused in [Value::Nil, Value::Arr(Vec::new()), Value::Map(Vec::from([(String::from(CURSOR), Value::from("x"))]))] {
        assert!(more.decode(&contract.types, refused).is_err());
    }
    assert!(!json::to_string(&first.input_schema(&contract.types)).contains(CURSOR));
    assert!(first.decode(&contract.types, Value::Map(Vec::from([(String::from(CURSOR), Value::from("x"))]))).is_err());
}

#[test]
fn a_continuation_without_a_name_goes_by_that_of_its_tool() {
    let contract = continued(None, "somar");
    let catalogue = Catalogue::of(&contract).unwrap();
    assert_eq!(names(&catalogue).iter().filter(|name| **name == "somar").count(), 1);
    assert_eq!(catalogue.find("somar").unwrap().next_page, 7);
    assert_eq!(catalogue.of_route(7).unwrap().name, "somar");
}

#[test]
fn a_tool_has_one_continuation_and_that_has_none() {
    let again = |name: &str, continues: &str| {
        let mut contract = continued(Some("mais"), "somar");
        let options = ActionOptions { continues: Some(continues.into()), ..ActionOptions::default() };
        let route = Route { path: "/soma/outra".into(), tool: Some(name.into()), options, ..contract.routes[7].clone() };
        contract.routes.push(route);
        Catalogue::of(&contract).unwrap_err()
    };
    let error = again("outra", "somar");
    assert_eq!(error, ToolError::Branch { name: "somar".into(), routes: (7, 8), chained: false });
    assert_eq!((error.route(), error.to_string().as_str()), (8, "`somar` já tem uma continuação em outra rota"));
    assert_eq!(again("outra", "mais"), ToolError::Branch { name: "mais".into(), routes: (7, 8), chained: true });
}

#[test]
fn a_continuation_may_stand_before_its_tool() {
    let mut contract = continued(None, "somar");
    contract.routes.swap(6, 7);
    let catalogue = Catalogue::of(&contract).unwrap();
    let tool = catalogue.find("somar").unwrap();
    assert_eq!((tool.route, tool.next_page), (7, 6));
    assert_eq!(catalogue.continued_by(6).map(|tool| tool.name.as_str()), Some("somar"));
    assert_eq!(catalogue.continued_by(7), None);
}

#[test]
fn continuations_of_nothing_or_of_another_request_are_refused() {
    assert!(matches!(Catalogue::of(&continued(Some("mais"), "soma")), Err(ToolError::Continues { route: 7, .. })));
    let error = Catalogue::of(&continued(Some("mais"), "comentar")).unwrap_err();
    assert_eq!(error, ToolError::Retained { name: "comentar".into(), route: 7, parameter: "id".into() });
    assert!(matches!(Catalogue::of(&continued(Some("mais"), "mais")), Err(ToolError::Continues { .. })));
}

#[test]
fn what_is_in_a_path_is_what_a_path_can_hold() {
    use crate::types::{Constraints, Kind, Type};
    let mut contract = blog();
    let route = contract.routes.iter().position(|route| route.path.contains("{id}") && route.action.is_some()).unwrap();
    let action = contract.routes[route].action.unwrap();
    let id = contract.actions[action].input.fields.iter().position(|field| field.name == "id").unwrap();
    let mut with = |ty: Type, presence: Presence| {
        let field = &mut contract.actions[action].input.fields[id];
        (field.ty, field.presence) = (ty, presence);
        let catalogue = Catalogue::of(&contract).unwrap();
        let tool = catalogue.tools().iter().find(|tool| tool.route == route).unwrap();
        json::to_string(&tool.input_schema(&contract.types))
    };
    let constrained = |constraints| Type { kind: Kind::String, nullable: false, constraints };
    let nullable = Type { nullable: true, ..Kind::String.into() };
    let schema = with(nullable, Presence::Optional);
    assert!(schema.contains(r#""required":["id""#) && schema.contains(r#""id":{"type":"string","pattern":"^[^/\\x00]+$""#), "{schema}");
    let allowed = ["a/b", "c", ""].map(Value::from).to_vec();
    let schema = with(constrained(Constraints { allowed: Some(allowed), ..Constraints::default() }), Presence::Required);
    assert!(schema.contains(r#""enum":["c"]"#), "{schema}");
    let schema = with(constrained(Constraints { pattern: Some("^a".into()), ..Constraints::default() }), Presence::Required);
    assert!(schema.contains(r#""pattern":"^a""#), "{schema}");
}
