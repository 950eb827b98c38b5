//! The door of the Model Context Protocol where a case in data cannot go: tokens that come back, streams, clients that leave, long lists,
//! the bridge over standard input and output.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    server::Server,
    workspace,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

const SITE: &str = "tests/sites/agentes";

fn message(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn call(tool: &str, arguments: Value, meta: Value) -> Value {
    message("tools/call", json!({"name": tool, "arguments": arguments, "_meta": meta}))
}

fn request(message: &Value) -> Request {
    let request = Request::post_json("/mcp", &message.to_string());
    request.header("Accept", "application/json, text/event-stream").header("MCP-Protocol-Version", "2025-11-25")
}

/// The result of a request.
fn result(server: &Server, message: &Value) -> Value {
    let response = server.send(&request(message)).unwrap();
    assert_eq!(response.status, 200, "{}", response.text());
    let answer: Value = serde_json::from_slice(&response.body).unwrap();
    assert_eq!((&answer["jsonrpc"], &answer["id"], answer.get("error")), (&json!("2.0"), &message["id"], None), "{answer}");
    answer["result"].clone()
}

fn times(server: &Server, name: &str) -> u64 {
    server.send(&Request::get(&format!("/vezes/{name}"))).unwrap().text().parse().unwrap()
}

fn wait_for(what: &str, holds: impl Fn() -> bool) {
    let start = Instant::now();
    while !holds() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// The messages of a stream of events.
fn events(text: &str) -> Vec<Value> {
    text.lines().filter_map(|line| line.strip_prefix("data:")).filter_map(|data| serde_json::from_str(data.trim()).ok()).collect()
}

#[test]
fn a_chain_of_pages_goes_on_by_meta() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let mut page = result(&server, &call("buscar", json!({"q": "x"}), json!({})));
    let mut ids = Vec::new();
    loop {
        ids.extend(page["structuredContent"]["resultado"].as_array().unwrap().iter().map(|note| note["id"].as_u64().unwrap()));
        let text: Value = serde_json::from_str(page["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, page["structuredContent"]);
        let Some(step) = page["_meta"].get("djo/next_actions").map(|steps| steps[0].clone()) else { break };
        assert_eq!((&step["tool"], &step["arguments"]), (&json!("buscar_mais"), &json!({})));
        page = result(&server, &call("buscar_mais", json!({}), json!({"djo/continuation": step["continuation"]})));
        assert!(ids.len() < 100, "it does not end");
    }
    assert_eq!(page["_meta"]["djo/truncated"], false);
    assert_eq!(ids, (1..=page["_meta"]["djo/total"].as_u64().unwrap()).collect::<Vec<_>>());
    let refused = result(&server, &call("buscar_mais", json!({}), json!({})));
    assert_eq!(refused["isError"], true);
}

#[test]
fn a_confirmation_is_for_the_program_and_for_one_call() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let refused = result(&server, &call("apagar", json!({"id": 1}), json!({})));
    let token = refused["_meta"]["djo/confirm"].as_str().unwrap();
    assert_eq!(refused["isError"], true);
    assert!(!refused["content"].to_string().contains(token), "the model sees it");
    let confirmed = |id: u64| result(&server, &call("apagar", json!({"id": id}), json!({"djo/confirm": token})));
    assert_eq!(confirmed(2)["isError"], true, "other arguments");
    assert_eq!(confirmed(1)["structuredContent"], json!({"resultado": 1}));
    assert_eq!(confirmed(1)["isError"], true, "once");
    assert_eq!(times(&server, "apagar.1"), 1);
}

#[test]
fn progress_comes_while_the_run_goes_on() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let body = call("trabalhar", json!({"nome": "v", "passos": 20, "ms": 50}), json!({"progressToken": "p1"}));
    let mut stream = client::open(server.address(), &request(&body)).unwrap();
    let mut first = [0; 2048];
    let length = stream.read(&mut first).unwrap();
    assert_eq!(times(&server, "v.fim"), 0, "the first report came after the end");
    let mut text = String::from_utf8_lossy(&first[..length]).into_owned();
    assert!(text.to_ascii_lowercase().contains("content-type: text/event-stream"), "{text}");
    stream.read_to_string(&mut text).unwrap();
    let all = events(&text);
    let (last, reports) = all.split_last().unwrap();
    assert_eq!((&last["id"], &last["result"]["structuredContent"]), (&json!(1), &json!({"resultado": 1})));
    assert_eq!(reports.len(), 20, "{text}");
    let params = json!({"progressToken": "p1", "progress": 20.0, "total": 20.0, "message": "passo 20"});
    assert_eq!((&reports[19]["method"], &reports[19]["params"]), (&json!("notifications/progress"), &params));
    // Who does not ask for it gets one answer.
    let quiet = server.send(&request(&call("trabalhar", json!({"nome": "w", "passos": 2}), json!({})))).unwrap();
    assert_eq!(quiet.header("content-type").as_deref(), Some("application/json"));
}

#[test]
fn a_client_that_leaves_ends_its_call() {
    let server = Server::start(&[SITE], &["--agent-conc", "8"]).unwrap();
    for (name, meta) in [("j", json!({})), ("s", json!({"progressToken": 7}))] {
        let body = call("trabalhar", json!({"nome": name, "passos": 500, "ms": 20}), meta);
        let stream = client::open(server.address(), &request(&body)).unwrap();
        wait_for("it does not begin", || times(&server, &format!("{name}.passo")) > 0);
        drop(stream);
        thread::sleep(Duration::from_millis(500));
        let steps = times(&server, &format!("{name}.passo"));
        thread::sleep(Duration::from_millis(500));
        assert_eq!(times(&server, &format!("{name}.passo")), steps, "it goes on");
    }
}

#[test]
fn a_call_is_cancelled_by_its_id_in_its_session() {
    let server = Server::start(&[SITE], &["--agent-conc", "8"]).unwrap();
    let body = call("trabalhar", json!({"nome": "c", "passos": 500, "ms": 20}), json!({}));
    let mut stream = client::open(server.address(), &request(&body).header("Mcp-Session-Id", "uma")).unwrap();
    wait_for("it does not begin", || times(&server, "c.passo") > 0);
    let cancel = |id: Value| request(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    let others = [
        cancel(json!(1)),
        cancel(json!(1)).header("Mcp-Session-Id", "outra"),
        cancel(json!(1)).header("Mcp-Session-Id", "uma").header("Authorization", "Bearer outro"),
        cancel(json!("1")).header("Mcp-Session-Id", "uma"),
    ];
    for other in others {
        assert_eq!(server.send(&other).unwrap().status, 202);
    }
    let steps = times(&server, "c.passo");
    wait_for("another could end it", || times(&server, "c.passo") > steps + 5);
    assert_eq!(server.send(&cancel(json!(1)).header("Mcp-Session-Id", "uma")).unwrap().status, 202);
    let mut text = String::new();
    stream.read_to_string(&mut text).unwrap();
    assert!(text.contains("CANCELLED"), "{text}");
    assert_eq!(times(&server, "c.fim"), 0);
}

#[test]
fn long_lists_come_in_pages() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("muitas");
    fs::create_dir_all(site.join("agentes")).unwrap();
    fs::write(site.join("agentes/um.djo"), "Http.json:1\n").unwrap();
    let route = |n: usize| format!("Route.get:\"/r{n:03}\":{{\"agent\": \"agentes/um.djo\", \"about\": \"Rota {n}\"}}\n");
    let routes: String = (0..230).map(route).collect();
    fs::write(site.join("rotas.djo"), format!("Route.site:{{\"nome\": \"Muitas\", \"about\": \"\"}}\n{routes}")).unwrap();
    let server = Server::start(&[site.to_str().unwrap()], &[]).unwrap();
    for (method, member) in [("tools/list", "tools"), ("resources/list", "resources")] {
        let (mut names, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
        loop {
            let page = result(&server, &message(method, if cursor.is_null() { json!({}) } else { json!({"cursor": cursor}) }));
            names.extend(page[member].as_array().unwrap().iter().map(|item| item["name"].as_str().unwrap().to_owned()));
            pages += 1;
            cursor = page["nextCursor"].clone();
            if cursor.is_null() {
                break;
            }
        }
        assert_eq!((pages, names.len()), (3, 230));
        names.dedup();
        assert_eq!(names.len(), 230);
    }
    let templates = result(&server, &message("resources/templates/list", json!({})));
    assert_eq!(templates["resourceTemplates"], json!([]));
}

/// The bridge as a program that speaks the protocol starts it.
struct Bridge(Child, BufReader<std::process::ChildStdout>);

impl Bridge {
    fn to(server: &Server) -> Self {
        let mut command = Command::new(workspace::djo_host().unwrap());
        command.args(["mcp", &server.address().to_string()]).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let output = BufReader::new(child.stdout.take().unwrap());
        Self(child, output)
    }

    fn say(&mut self, message: &Value) {
        writeln!(self.0.stdin.as_mut().unwrap(), "{message}").unwrap();
    }

    fn hear(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.1.read_line(&mut line).unwrap() > 0, "it ended");
        serde_json::from_str(&line).unwrap()
    }
}

impl Drop for Bridge {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn the_bridge_carries_a_conversation() {
    let server = Server::start(&[SITE], &["--agent-conc", "8"]).unwrap();
    let mut bridge = Bridge::to(&server);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    bridge.say(&message("initialize", hello));
    assert_eq!(bridge.hear()["result"]["serverInfo"]["name"], "Agentes");
    bridge.say(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    bridge.say(&call("trabalhar", json!({"nome": "b", "passos": 3}), json!({"progressToken": 1})));
    for _ in 0..3 {
        assert_eq!(bridge.hear()["method"], "notifications/progress");
    }
    assert_eq!(bridge.hear()["result"]["structuredContent"], json!({"resultado": 1}));
    bridge.say(&call("trabalhar", json!({"nome": "bc", "passos": 500, "ms": 20}), json!({})));
    wait_for("it does not begin", || times(&server, "bc.passo") > 0);
    bridge.say(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}}));
    bridge.say(&json!({"jsonrpc": "2.0", "id": "depois", "method": "ping"}));
    assert_eq!(bridge.hear(), json!({"jsonrpc": "2.0", "id": "depois", "result": {}}));
    // Nobody says when a cancelled call has ended. It would take ten seconds.
    wait_for("it goes on", || {
        let steps = times(&server, "bc.passo");
        thread::sleep(Duration::from_millis(300));
        times(&server, "bc.passo") == steps
    });
    assert!(times(&server, "bc.passo") < 300, "it went on");
    bridge.say(&json!("lixo"));
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {}
    });
    bridge.say(&call("conferir", json!({"a": 1}), meta));
    let mut heard = [bridge.hear(), bridge.hear()];
    heard.sort_by_key(|answer| answer.get("error").is_some());
    assert_eq!(heard[0]["result"]["structuredContent"], 2);
    drop(bridge.0.stdin.take());
    assert!(bridge.0.wait().unwrap().success());
}
