//! Executions of tools where a case in data cannot go: tokens that come back, clients that leave, a process that ends in between, many.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request, Response},
    server::Server,
};
use serde_json::{Value, json};
use std::{
    io::{Read, Write},
    net::TcpStream,
    thread,
    time::{Duration, Instant},
};

const SITE: &str = "tests/sites/agentes";
const EXECUTE: &str = "/agent/execute";

fn request(body: &Value) -> Request {
    Request::post_json(EXECUTE, &body.to_string())
}

fn answer(response: &Response) -> Value {
    serde_json::from_slice(&response.body).unwrap_or_else(|_| panic!("not JSON: {}", response.text()))
}

fn execute(server: &Server, body: &Value) -> (u16, Value) {
    let response = server.send(&request(body)).unwrap();
    (response.status, answer(&response))
}

fn times(server: &Server, name: &str) -> u64 {
    server.send(&Request::get(&format!("/vezes/{name}"))).unwrap().text().parse().unwrap()
}

/// Waits until something was counted under a name.
fn begun(server: &Server, name: &str) {
    let start = Instant::now();
    while times(server, name) == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "it does not begin");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Reads until a text has come.
fn read_until(stream: &mut TcpStream, text: &str) -> String {
    let (mut all, mut piece) = (Vec::new(), [0; 4096]);
    loop {
        let length = stream.read(&mut piece).unwrap();
        assert!(length > 0, "the stream ended before {text:?}: {}", String::from_utf8_lossy(&all));
        all.extend_from_slice(&piece[..length]);
        if String::from_utf8_lossy(&all).contains(text) {
            return String::from_utf8_lossy(&all).into_owned();
        }
    }
}

/// A long call, and the server once it has begun.
fn long(tool: &str, name: &str, key: Option<&str>) -> Value {
    let mut body = json!({"tool": tool, "arguments": {"nome": name, "passos": 200, "ms": 20}});
    if let Some(key) = key {
        body["request_id"] = key.into();
    }
    body
}

#[test]
fn a_chain_of_pages_ends_and_is_its_callers() {
    let server = Server::start(&[SITE], &[]).unwrap();
    for (tool, more) in [("buscar", "buscar_mais"), ("listar", "listar"), ("get_notas", "get_notas")] {
        let arguments = if tool == "buscar" { json!({"q": "x"}) } else { json!({}) };
        let (status, mut page) = execute(&server, &json!({"tool": tool, "arguments": arguments}));
        assert_eq!(status, 200, "{page}");
        let mut ids: Vec<i64> = Vec::new();
        let mut steps = 0;
        loop {
            ids.extend(page["data"].as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()));
            let Some(next) = page["_agent"]["next_actions"].get(0).cloned() else { break };
            assert_eq!((&next["tool"], &next["arguments"]), (&json!(more), &json!({})));
            let body = json!({"tool": next["tool"], "arguments": {}, "continuation": next["continuation"]});
            let stranger = server.send(&request(&body).header("Authorization", "Bearer outro")).unwrap();
            assert_eq!(stranger.status, 404, "{}", stranger.text());
            // Asked for twice, the page is the same.
            let (_, once) = execute(&server, &body);
            let (status, twice) = execute(&server, &body);
            assert_eq!((status, &once["data"]), (200, &twice["data"]), "{twice}");
            page = twice;
            steps += 1;
            assert!(steps < 20);
        }
        assert_eq!(page["_agent"]["truncated"], false);
        let total = page["_agent"]["total"].as_i64().unwrap();
        assert_eq!(ids, (1..=total).collect::<Vec<_>>(), "{tool}");
    }
}

#[test]
fn chains_do_not_mix_and_outlive_a_restart() {
    let mut server = Server::start(&[SITE], &[]).unwrap();
    let first = |total: u64| json!({"tool": "buscar", "arguments": {"q": "x", "total": total}});
    let token = |page: &Value| page["_agent"]["next_actions"][0]["continuation"].clone();
    let (three, nine) = (execute(&server, &first(3)).1, execute(&server, &first(9)).1);
    assert_eq!(three["_agent"]["next_cursor"], nine["_agent"]["next_cursor"], "equal cursors of two chains");
    server.restart(&[SITE], &[]).unwrap();
    let (_, page) = execute(&server, &json!({"tool": "buscar_mais", "continuation": token(&three)}));
    assert_eq!((&page["data"], &page["_agent"]["total"]), (&json!([{"id": 3, "texto": "nota 3"}]), &json!(3)));
    let (_, page) = execute(&server, &json!({"tool": "buscar_mais", "continuation": token(&nine)}));
    assert_eq!((page["data"][1]["id"].as_i64(), &page["_agent"]["total"]), (Some(4), &json!(9)));
    // Of another tool it is nothing.
    assert_eq!(execute(&server, &json!({"tool": "listar", "continuation": token(&nine)})).0, 404);
}

#[test]
fn a_page_that_does_not_advance_ends_the_chain() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let (_, page) = execute(&server, &json!({"tool": "circulo"}));
    let (status, next) = execute(&server, &json!({"tool": "circulo", "continuation": page["_agent"]["next_actions"][0]["continuation"]}));
    assert_eq!((status, &next["error"]["code"]), (500, &json!("MALFORMED_RESULT")), "{next}");
}

#[test]
fn an_example_is_legal_where_it_is_given() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let (_, page) = execute(&server, &json!({"tool": "buscar", "arguments": {"q": "x"}}));
    let more = json!({"tool": "buscar", "continuation": page["_agent"]["next_actions"][0]["continuation"], "arguments": {"q": "x"}});
    let (status, refused) = execute(&server, &more);
    assert_eq!((status, &refused["error"]["details"]["example"]), (400, &json!({})), "{refused}");
    assert_eq!(execute(&server, &json!({"tool": "buscar", "arguments": {}})).1["error"]["details"]["example"]["q"], "texto");
}

#[test]
fn a_stream_of_what_is_given_again_is_told_as_what_it_was() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let call = json!({"tool": "contar", "arguments": {"nome": "fluxo"}, "request_id": "fluxo"});
    let (_, first) = execute(&server, &call);
    let again = server.send(&request(&call).header("Accept", "text/event-stream")).unwrap().text();
    let ids: Vec<&str> = again.match_indices("exec_").map(|(at, _)| &again[at..at + 41]).collect();
    assert!(ids.len() >= 4 && ids.iter().all(|id| *id == first["execution_id"]), "{again}");
    assert!(again.contains("event: execution.started") && again.contains(r#""replayed":true"#), "{again}");
}

#[test]
fn a_confirmation_is_for_one_call_of_one_caller_once() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let call = json!({"tool": "apagar", "arguments": {"id": 1}});
    let (status, refused) = execute(&server, &call);
    let token = refused["_agent"]["next_actions"][0]["confirm"].clone();
    assert_eq!((status, token.is_string()), (403, true), "{refused}");
    let confirmed = |id: u64| json!({"tool": "apagar", "arguments": {"id": id}, "confirm": token});
    assert_eq!(execute(&server, &confirmed(2)).0, 403, "other arguments");
    let stranger = server.send(&request(&confirmed(1)).header("Authorization", "Bearer outro")).unwrap();
    assert_eq!(stranger.status, 403);
    let (status, done) = execute(&server, &confirmed(1));
    assert_eq!((status, &done["data"]), (200, &json!(1)), "{done}");
    assert_eq!(execute(&server, &confirmed(1)).0, 403, "once");
    // Under a key, what has run is answered again without another confirmation.
    let (_, refused) = execute(&server, &json!({"tool": "apagar", "arguments": {"id": 3}, "request_id": "k"}));
    let keyed =
        json!({"tool": "apagar", "arguments": {"id": 3}, "request_id": "k", "confirm": refused["_agent"]["next_actions"][0]["confirm"]});
    assert_eq!(execute(&server, &keyed).0, 200);
    let (status, again) = execute(&server, &keyed);
    assert_eq!((status, &again["replayed"], times(&server, "apagar.3")), (200, &json!(true), 1), "{again}");
}

#[test]
fn while_it_runs_it_can_be_asked_about_and_ended() {
    let server = Server::start(&[SITE], &["--agent-conc", "8"]).unwrap();
    let body = long("trabalhar", "a", Some("ka"));
    let mut stream = client::open(server.address(), &request(&body).header("Accept", "text/event-stream")).unwrap();
    begun(&server, "a");
    let early = server.send(&request(&body)).unwrap();
    let told = answer(&early);
    assert_eq!(
        (early.status, early.header("retry-after").as_deref(), &told["error"]["retry_after"]),
        (409, Some("1"), &json!(1)),
        "{told}"
    );
    let url = told["_agent"]["next_actions"][0]["url"].as_str().unwrap().to_owned();
    let running = server.send(&Request::get(&url)).unwrap();
    assert_eq!((running.status, &answer(&running)["status"]), (200, &json!("running")));
    let stranger = server.send(&Request::get(&url).header("Authorization", "Bearer outro")).unwrap();
    assert_eq!(stranger.status, 404);
    let delete = Request { method: "DELETE".into(), path: url.clone(), ..Request::default() };
    assert_eq!(server.send(&Request { headers: vec![("Authorization".into(), "x".into())], ..delete.clone() }).unwrap().status, 404);
    let start = Instant::now();
    let ended = server.send(&delete).unwrap();
    assert!(start.elapsed() < Duration::from_secs(2), "{:?}", start.elapsed());
    assert_eq!(answer(&ended)["status"], "cancelled", "{}", ended.text());
    let events = read_until(&mut stream, "execution.completed");
    assert!(events.contains(r#""status":"cancelled""#) || read_until(&mut stream, "cancelled").contains("cancelled"));
    assert_eq!(times(&server, "a.fim"), 0);
    // A write that was cut off is neither run again nor called done.
    let (status, again) = execute(&server, &body);
    assert_eq!((status, &again["error"]["code"]), (409, &json!("EXECUTION_UNCERTAIN")), "{again}");
    assert_eq!(answer(&server.send(&Request::get(&url)).unwrap())["status"], "cancelled");
}

#[test]
fn a_client_that_leaves_ends_its_execution() {
    let server = Server::start(&[SITE], &["--agent-conc", "8"]).unwrap();
    for (tool, name, streams) in [("trabalhar", "s", true), ("trabalhar", "j", false), ("pensar", "p", true)] {
        let body = long(tool, name, Some(name));
        let asked = request(&body);
        let asked = if streams { asked.header("Accept", "text/event-stream") } else { asked };
        let mut stream = client::open(server.address(), &asked).unwrap();
        if streams {
            read_until(&mut stream, r#""progress":2"#);
        } else {
            begun(&server, &format!("{name}.passo"));
        }
        drop(stream);
        thread::sleep(Duration::from_millis(500));
        let steps = times(&server, &format!("{name}.passo"));
        thread::sleep(Duration::from_millis(500));
        assert_eq!(times(&server, &format!("{name}.passo")), steps, "it goes on");
        assert_eq!(times(&server, &format!("{name}.fim")), 0);
        // What may be repeated is free again, anything else is uncertain.
        let short = json!({"tool": tool, "arguments": {"nome": name, "passos": 200, "ms": 20}, "request_id": name, "timeout_ms": 50});
        let (status, again) = execute(&server, &short);
        let expected = if tool == "pensar" { (504, "TIMEOUT") } else { (409, "EXECUTION_UNCERTAIN") };
        assert_eq!((status, again["error"]["code"].as_str().unwrap()), expected, "{again}");
    }
}

#[test]
fn progress_comes_while_the_run_goes_on() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let body = json!({"tool": "trabalhar", "arguments": {"nome": "v", "passos": 20, "ms": 50}});
    let mut stream = client::open(server.address(), &request(&body).header("Accept", "text/event-stream")).unwrap();
    let first = read_until(&mut stream, "tool.progress");
    assert!(!first.contains("execution.completed"));
    assert_eq!(times(&server, "v.fim"), 0, "the first report came after the end");
    let rest = read_until(&mut stream, "execution.completed");
    assert!((first + &rest).matches("event: tool.progress").count() >= 20);
}

#[test]
fn many_at_once_under_one_key_run_once() {
    let server = Server::start(&[SITE], &["--agent-conc", "64"]).unwrap();
    let address = server.address();
    let body = json!({"tool": "trabalhar", "arguments": {"nome": "m", "passos": 1, "ms": 200}, "request_id": "m"});
    let clients: Vec<_> = (0..24)
        .map(|_| {
            let request = request(&body);
            thread::spawn(move || client::send(address, &request).unwrap())
        })
        .collect();
    let answers: Vec<Response> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 409)), "{answers:?}");
    let first = answers.iter().filter(|response| response.status == 200 && answer(response)["replayed"].is_null()).count();
    assert_eq!((first, times(&server, "m")), (1, 1));
}

#[test]
fn a_process_that_ends_in_between_leaves_no_second_run() {
    let mut server = Server::start(&[SITE], &[]).unwrap();
    let done = json!({"tool": "contar", "arguments": {"nome": "c"}, "request_id": "c"});
    let (_, first) = execute(&server, &done);
    let body = long("trabalhar", "d", Some("d"));
    let stream = client::open(server.address(), &request(&body)).unwrap();
    begun(&server, "d");
    let url = |id: &Value| format!("/agent/executions/{}", id.as_str().unwrap());
    server.crash_and_restart(&[SITE], &[]).unwrap();
    drop(stream);
    let (status, again) = execute(&server, &body);
    assert_eq!(
        (status, &again["error"]["code"], &again["error"]["retryable"]),
        (409, &json!("EXECUTION_UNCERTAIN"), &json!(false)),
        "{again}"
    );
    let asked = server.send(&Request::get(&url(&again["error"]["details"]["execution_id"]))).unwrap();
    assert_eq!((asked.status, &answer(&asked)["error"]["code"]), (200, &json!("EXECUTION_UNCERTAIN")));
    assert_eq!(times(&server, "d"), 1);
    // What ended is answered again, by its key and by its name.
    let (_, replayed) = execute(&server, &done);
    assert_eq!((&replayed["execution_id"], &replayed["replayed"]), (&first["execution_id"], &json!(true)));
    assert_eq!(answer(&server.send(&Request::get(&url(&first["execution_id"]))).unwrap())["data"], 1);
    assert_eq!(times(&server, "c"), 1);
}

/// What the host fills in is no part of what was asked: under one key the same call is the same, whoever's request it comes with.
#[test]
fn what_is_injected_is_no_part_of_a_keyed_call() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let body = json!({"tool": "cliente", "arguments": {}, "request_id": "k-1"});
    let ask = || server.send(&request(&body).header("Authorization", "Bearer a")).unwrap();
    let (first, again) = (answer(&ask()), answer(&ask()));
    assert_eq!((&first["data"]["autorizacao"], &first["data"]["site"]), (&json!("Bearer a"), &json!("Agentes")), "{first}");
    assert_eq!((&again["data"], &again["replayed"]), (&first["data"], &json!(true)), "{again}");
    let other = json!({"tool": "cliente", "arguments": {"autorizacao": "x"}, "request_id": "k-1"});
    assert_eq!(server.send(&request(&other).header("Authorization", "Bearer a")).unwrap().status, 400);
}

/// What one door had made is kept for the other, and is sent with all that a plain answer says.
#[test]
fn an_answer_that_a_tool_call_made_is_kept_for_a_plain_request() {
    let server = Server::start(&[SITE], &["--agent-rate", "50"]).unwrap();
    let (status, made) = execute(&server, &json!({"tool": "get_visto", "arguments": {}}));
    assert_eq!(status, 200, "{made}");
    let kept = server.send(&Request::get("/visto").header("Accept", "application/json")).unwrap();
    assert_eq!((kept.status, answer(&kept)), (200, made["data"].clone()));
    for field in ["age", "content-length", "etag", "link", "ratelimit", "ratelimit-policy", "x-content-type-options", "x-request-id"] {
        assert_eq!(kept.headers.iter().filter(|(name, _)| name == field).count(), 1, "{field}: {:?}", kept.headers);
    }
    assert_eq!(kept.header("x-request-id").map(|id| id.len()), Some(24));
    assert_eq!(kept.header("vary").as_deref(), Some("Cookie, Accept"));
}

/// 3,200 keyed executions here; `DJO_KEYED=100000` for as many as a busy day.
#[test]
fn many_keyed_executions_are_all_kept_and_none_refused() {
    let server = Server::start(&[SITE], &["--agent-conc", "16"]).unwrap();
    let wanted: usize = std::env::var("DJO_KEYED").ok().and_then(|text| text.parse().ok()).unwrap_or(3_200);
    let batch = |from: usize| -> Value {
        let call = |n: usize| json!({"tool": "contar", "arguments": {"nome": "lote"}, "request_id": format!("lote-{n}")});
        json!({"calls": (from..from + 32).map(call).collect::<Vec<_>>()})
    };
    let mut stream = client::connect(server.address()).unwrap();
    let mut ask = |from: usize| {
        let request = request(&batch(from)).header("Connection", "keep-alive");
        let bytes = [request.head(server.address()).into_bytes(), request.body.unwrap()].concat();
        stream.write_all(&bytes).unwrap();
        answer(&client::read_response(&mut stream, "POST").unwrap())
    };
    for from in (0..wanted).step_by(32) {
        let told = ask(from);
        assert!(told["results"].as_array().unwrap().iter().all(|result| result["status"] == "completed"), "{told}");
    }
    let again = ask(0);
    assert!(again["results"].as_array().unwrap().iter().all(|result| result["replayed"] == true), "{again}");
    assert_eq!(times(&server, "lote") as usize, wanted.div_ceil(32) * 32);
}

#[test]
fn with_dev_a_result_that_breaks_its_type_is_malformed_and_an_error_says_where() {
    let server = Server::start(&["tests/sites/blog"], &["--dev"]).unwrap();
    let (status, broken) = execute(&server, &json!({"tool": "get_mentira"}));
    assert_eq!((status, &broken["error"]["code"]), (500, &json!("MALFORMED_RESULT")), "{broken}");
    assert_eq!(broken["error"]["details"]["problemas"].as_array().unwrap().len(), 2);
    let (_, failed) = execute(&server, &json!({"tool": "falhar"}));
    assert!(failed["error"]["details"]["detalhe"].as_str().unwrap().contains("core/pedidos.djo"), "{failed}");
}

#[test]
fn over_its_rate_a_client_is_told_in_the_doors_words() {
    let server = Server::start(&[SITE], &["--agent-rate", "1"]).unwrap();
    let answers: Vec<Response> =
        (0..6).map(|_| server.send(&request(&json!({"tool": "conferir", "arguments": {"a": 1}}))).unwrap()).collect();
    let refused = answers.iter().find(|response| response.status == 429).unwrap();
    assert_eq!(refused.header("retry-after").as_deref(), Some("1"));
    let told = answer(refused);
    assert_eq!(
        (&told["status"], &told["error"]["code"], &told["error"]["retryable"]),
        (&json!("failed"), &json!("RATE_LIMITED"), &json!(true))
    );
}

#[test]
fn over_plain_http_a_page_links_to_the_next_one() {
    let server = Server::start(&[SITE], &[]).unwrap();
    let post = |path: &str, body: &str| server.send(&Request::post_json(path, body).header("Idempotency-Key", "p")).unwrap();
    let (mut page, mut ids) = (post("/buscar", r#"{"q":"x","total":7}"#), Vec::new());
    loop {
        assert_eq!(page.status, 200, "{}", page.text());
        ids.extend(answer(&page).as_array().unwrap().iter().map(|item| item["id"].as_i64().unwrap()));
        let links = page.header("link").unwrap();
        let Some(next) = links.split(", ").find_map(|link| link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<')) else { break };
        // The same key is another one's for every page: each is a request of its own.
        let mismatch = post(next, "{}");
        assert_eq!(mismatch.status, 422, "{}", mismatch.text());
        page = server.send(&Request::post_json(next, "{}")).unwrap();
        assert!(ids.len() < 20, "it does not end");
    }
    assert_eq!(ids, (1..=7).collect::<Vec<_>>());
    // A chain that turns in a circle is cut: nothing leads on from there. It has no route for its next page, so that nothing leads to it.
    assert!(!post("/circulo", "{}").header("link").unwrap().contains("next"));
    // One that comes back to a cursor that it has had is told to be broken, as by every other door.
    let mut page = server.send(&Request::post_json("/roda", "{}")).unwrap();
    for status in [200, 200, 500] {
        assert_eq!(page.status, status, "{}", page.text());
        let links = page.header("link").unwrap_or_default().to_owned();
        let Some(next) = links.split(", ").find_map(|link| link.strip_suffix(">; rel=\"next\"")?.strip_prefix('<')) else { break };
        page = server.send(&Request::post_json(next, "{}")).unwrap();
    }
    assert_eq!(page.status, 500);
}
