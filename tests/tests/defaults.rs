//! What fills in an input that lacks something, and what becomes of it on its way: to the code, to the next page, into a dry run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server};
use serde_json::{Value, json};

const SITE: &str = "tests/sites/padroes";

fn post(server: &Server, path: &str, body: &Value) -> (u16, Value) {
    let response = server.send(&Request::post_json(path, &body.to_string())).unwrap();
    (response.status, serde_json::from_slice(&response.body).unwrap_or_else(|_| panic!("not JSON: {}", response.text())))
}

fn execute(server: &Server, body: &Value) -> (u16, Value) {
    post(server, "/agent/execute", body)
}

#[test]
fn code_sees_what_no_input_has_and_nobody_else_does() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let item = json!({"a": 1, "b": 4, "c": 5, "parte": {"nome": "p"}});
    let expected = json!({"item": item, "itens": [item], "segredo": "s9"});
    let sent = json!({"item": {"a": 1}, "itens": [{"a": 1, "parte": {}}]});
    assert_eq!(post(&server, "/item", &sent), (200, expected.clone()));
    let (status, answer) = execute(&server, &json!({"tool": "ver", "arguments": sent}));
    assert_eq!((status, &answer["data"]), (200, &expected));
    // What a dry run shows is a legal input, and comes to the same.
    let (status, dry) = execute(&server, &json!({"tool": "ver", "arguments": sent, "dry_run": true}));
    assert_eq!((status, &dry["data"]), (200, &json!({"item": item, "itens": [item]})));
    assert_eq!(post(&server, "/item", &dry["data"]), (200, expected));
}

#[test]
fn next_pages_are_of_the_input_of_the_first() {
    let server = Server::start(&[SITE], &[]).unwrap();
    for (tool, b) in [("listar", 40), ("folhear", 4)] {
        for arguments in [json!({}), json!({"item": {"a": 8, "parte": {}}})] {
            let a = arguments["item"]["a"].as_i64().unwrap_or(3);
            let item = json!({"a": a, "b": b, "c": 5, "parte": {"nome": "p"}});
            let (status, first) = execute(&server, &json!({"tool": tool, "arguments": arguments}));
            assert_eq!((status, &first["data"]), (200, &json!([item])), "{first}");
            let mut step = first["_agent"]["next_actions"][0].clone();
            step.as_object_mut().unwrap().remove("reason");
            let (status, second) = execute(&server, &step);
            assert_eq!((status, &second["data"]), (200, &json!([item, item])), "{second}");
        }
    }
    assert_eq!(post(&server, "/listar", &json!({"item": {"a": 8}})).0, 200);
}

#[test]
fn an_input_may_grow_by_its_defaults_and_only_so_far() {
    let server = Server::start(&[SITE], &[]).unwrap();
    // Of five values each: more than an input may have, and less than defaults may add.
    let many = |count: usize| json!({"itens": vec![json!({}); count]});
    assert_eq!(post(&server, "/contar", &many(30_000)), (200, json!({"n": 30_000})));
    assert_eq!(post(&server, "/contar-por", &many(30_000)), (200, json!({"n": 30_000, "ip": "127.0.0.1"})));
    let (status, answer) = execute(&server, &json!({"tool": "contar_por", "arguments": many(30_000)}));
    assert_eq!((status, &answer["data"]["n"]), (200, &json!(30_000)));
    let (status, refusal) = post(&server, "/contar", &many(90_000));
    assert_eq!((status, &refusal["problemas"][0]["code"]), (422, &json!("invalid_length")), "{refusal}");
    // 64 levels: as deep as an input may be, and one more for the default of the last.
    let deep =
        |levels: usize| (2..levels).fold(json!({}), |inner, level| if level % 2 == 0 { json!([inner]) } else { json!({"filhos": inner}) });
    let (status, answer) = post(&server, "/fundo", &json!({"no": deep(64)}));
    assert_eq!((status, answer), (200, json!(32)));
    assert_eq!(post(&server, "/fundo", &json!({"no": deep(66)})).0, 400);
}
