//! Large answers, which the host takes apart, shortens or translates after their run: they come out whole, and nobody else waits for it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    server::Server,
};
use serde_json::Value;
use std::{
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::{Duration, Instant},
};

fn request(path: &str, accept: &str) -> Request {
    Request::get(path).header("Host", "grande.localhost").header("Accept", accept)
}

fn execute(tool: &str) -> Request {
    Request::post_json("/agent/execute", &format!(r#"{{"tool":"{tool}"}}"#)).header("Host", "grande.localhost")
}

fn server() -> Server {
    Server::start(&["tests/sites/blog", "tests/sites/grande"], &["--default", "blog"]).unwrap()
}

#[test]
fn they_come_out_whole() {
    let server = server();
    let json = |request: &Request| {
        let response = server.send(request).unwrap();
        assert_eq!(response.status, 200, "{}", response.text());
        serde_json::from_slice::<Value>(&response.body).unwrap()
    };
    let whole = json(&request("/lista", "application/json"));
    assert_eq!((whole.as_array().unwrap().len(), &whole[19_999]["nome"]), (20_000, &"item 19999".into()));
    assert_eq!(json(&execute("gerar"))["data"], whole);
    assert_eq!(json(&execute("enorme"))["data"].as_array().unwrap().len(), 2_000_001);
    let selected = json(&request("/lista?campos=id", "application/json"));
    assert_eq!(selected, (0..20_000).map(|id| serde_json::json!({"id": id})).collect::<Value>());
    let table = server.send(&request("/lista?tabela", "application/json")).unwrap().text();
    assert_eq!((table.lines().count(), table.lines().last()), (20_001, Some("19999,item 19999")));
    let markdown = server.send(&request("/texto", "text/markdown")).unwrap();
    assert_eq!(markdown.header("content-type").as_deref(), Some("text/markdown; charset=utf-8"));
    assert!(markdown.text().trim_end().ends_with("Um **parágrafo** com o número 7999."), "{}", markdown.text().len());
    let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"gerar","arguments":{}}}"#;
    let mcp = Request::post_json("/mcp", call)
        .header("Host", "grande.localhost")
        .header("Accept", "application/json, text/event-stream")
        .header("MCP-Protocol-Version", "2025-06-18");
    let text = server.send(&mcp).unwrap().text();
    assert!(text.contains("item 19999"), "{}", text.chars().take(300).collect::<String>());
}

#[test]
fn nobody_waits_for_them() {
    let server = server();
    let address = server.address();
    let attacks = [
        request("/lista?campos=nome", "application/json"),
        request("/lista?tabela", "application/json"),
        request("/texto", "text/markdown"),
        execute("enorme"),
    ];
    let done = AtomicBool::new(false);
    let mut took = thread::scope(|scope| {
        for attack in attacks.iter().chain(&attacks[3..]).chain(&attacks[3..]) {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    // Who asks for much may be told to come again.
                    let status = client::send(address, attack).unwrap().status;
                    assert!(matches!(status, 200 | 429 | 503 | 504), "{status}");
                }
            });
        }
        thread::sleep(Duration::from_millis(500));
        let mut took = Vec::new();
        let end = Instant::now() + Duration::from_secs(4);
        while Instant::now() < end {
            let started = Instant::now();
            let page =
                client::send(address, &Request::get("/posts").header("Host", "blog.localhost").header("Accept", "text/html")).unwrap();
            assert_eq!(page.status, 200, "{}", page.text());
            took.push(started.elapsed());
            thread::sleep(Duration::from_millis(2));
        }
        done.store(true, Ordering::Relaxed);
        took
    });
    took.sort_unstable();
    let slow = took[took.len() * 99 / 100];
    assert!(slow < Duration::from_millis(250), "the neighbour's p99 is {slow:?}, the median {:?}", took[took.len() / 2]);
}
