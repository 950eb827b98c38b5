//! `Http.get` and `Http.post`: what is asked of the host, and what its answer becomes.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use djo_vm::host::{Call, Reply};
use memory::{Site, body};

/// Runs an agent face whose calls are answered in order.
fn run(face: &str, replies: Vec<Result<Reply, String>>) -> (Result<String, String>, Vec<Call>) {
    let sources = djo_lang::Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\"}\n")
        .with("a.djo", face)
        .with("core/p.djo", "struct P\n    a[Int]\n    nocall senha[String] = \"s\"\n");
    let mut site = Site::new(&sources);
    site.host.replies = replies.into();
    let answer = site.agent("/", &[], "");
    let answer = answer.map(|response| body(&response).to_owned()).map_err(|failure| format!("{}: {}", failure.kind, failure.message));
    (answer, std::mem::take(&mut site.host.fetched))
}

fn reply(status: u16, headers: &[(&str, &str)], body: &[u8]) -> Result<Reply, String> {
    let headers = headers.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
    Ok(Reply { status, headers, body: body.into() })
}

fn header<'a>(call: &'a Call, name: &str) -> Option<&'a str> {
    call.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
}

#[test]
fn an_answer_is_a_map() {
    let headers = [("content-type", "application/problem+json"), ("set-cookie", "a=1"), ("set-cookie", "b=2")];
    let (answer, calls) = run("Http.json:(Http.get:\"https://a.com/x\")", vec![reply(404, &headers, br#"{"n":[1,2.5]}"#)]);
    let expected = r#"{"status":404,"headers":{"content-type":"application/problem+json","set-cookie":"a=1, b=2"},"body":"{\"n\":[1,2.5]}","json":{"n":[1,2.5]}}"#;
    assert_eq!(answer.unwrap(), expected);
    assert_eq!(calls, [Call { method: "GET".into(), url: "https://a.com/x".into(), ..Call::default() }]);
}

#[test]
fn a_body_is_text_or_nil_and_json_where_it_is() {
    let face = "r = Http.get:\"https://a.com\"\nHttp.json:[r.body, r.json]\n";
    let of = |content_type: &str, body: &[u8]| run(face, vec![reply(200, &[("content-type", content_type)], body)]).0.unwrap();
    assert_eq!(of("text/plain", "é".as_bytes()), r#"["é",null]"#);
    assert_eq!(of("text/plain; charset=ISO-8859-1", b"a\xe9"), r#"["aé",null]"#);
    assert_eq!(of("image/png", b"\x89PNG\xff"), "[null,null]");
    assert_eq!(of("application/json", b"{broken"), r#"["{broken",null]"#);
    assert_eq!(of("application/json; charset=utf-8", b"7"), r#"["7",7]"#);
}

#[test]
fn what_is_posted_goes_as_what_it_is() {
    let posted = |body: &str| {
        let face = format!("Http.json:(Http.post:\"https://a.com\":{body}).status\n");
        let (answer, mut calls) = run(&face, vec![reply(201, &[], b"")]);
        assert_eq!(answer.unwrap(), "201");
        calls.pop().unwrap()
    };
    let map = posted("{\"b\": [1, 2.0, nil]}");
    assert_eq!((map.method.as_str(), map.body.as_slice()), ("POST", &br#"{"b":[1,2,null]}"#[..]));
    assert_eq!(header(&map, "content-type"), Some("application/json"));
    assert_eq!(posted("(P:{\"a\": 1})").body, br#"{"a":1}"#, "what is not for callers stays");
    let text = posted("\"olá\"");
    assert_eq!((text.body.as_slice(), header(&text, "content-type")), ("olá".as_bytes(), Some("text/plain; charset=utf-8")));
    let nothing = posted("nil");
    assert_eq!((nothing.body.len(), nothing.headers.len()), (0, 0));
    let own = posted(
        "\"a=1\":{\"headers\": {\"Content-Type\": \"application/x-www-form-urlencoded\", \"X-N\": 5}, \"method\": \"put\", \"timeout_ms\": 500}",
    );
    assert_eq!((own.method.as_str(), own.timeout_ms, own.headers.len(), header(&own, "X-N")), ("PUT", Some(500), 2, Some("5")));
}

#[test]
fn a_call_without_an_answer_can_be_caught() {
    let refused = || vec![Err("`https://a.com` não está em `[outbound] allow` no site.toml".to_owned())];
    let uncaught = run("r = Http.get:\"https://a.com\"\n", refused()).0.unwrap_err();
    assert_eq!(uncaught, "http: Http.get: `https://a.com` não está em `[outbound] allow` no site.toml");
    let face = "try\n    r = Http.post:\"https://a.com\":nil\ncatch e\n    Http.json:[e.tipo, e.mensagem]\n";
    assert!(run(face, refused()).0.unwrap().starts_with(r#"["http","Http.post: `https://a.com`"#));
}

#[test]
fn options_are_checked() {
    let wrong = |options: &str| run(&format!("r = Http.post:\"https://a.com\":nil:{options}\n"), vec![]).0.unwrap_err();
    assert_eq!(
        wrong("{(String.lower:\"TIMEOUT\"): 1}"),
        "nome: Http.post não tem a opção `timeout`; as opções são headers, method, timeout_ms"
    );
    assert_eq!(wrong("{\"method\": \"GET\"}"), "http: `method` é POST, PUT, PATCH ou DELETE");
    assert_eq!(wrong("{\"timeout_ms\": 0}"), "http: `timeout_ms` começa em 1");
    assert_eq!(wrong("{\"headers\": [1]}"), "tipo: Http.post espera Map em `headers`, mas veio Arr");
    assert_eq!(run("r = Http.get:(Int.parse:\"7\")\n", vec![]).0.unwrap_err(), "tipo: Http.get espera String, mas veio Int");
}
