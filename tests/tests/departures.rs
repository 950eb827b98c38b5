//! Clients that leave in the middle of an execution: its guest stops at once, whether it computes or waits, and what became of the
//! execution can be asked. The specification gives the host 100 ms; a busy machine is given more here.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    server::Server,
};
use serde_json::{Value, json};
use std::{
    fs,
    io::Read,
    net::{SocketAddr, TcpListener, TcpStream},
    path::Path,
    sync::mpsc::{Receiver, channel},
    thread,
    time::{Duration, Instant},
};

/// Ten times what the specification says.
const PROMPT: Duration = Duration::from_secs(1);
const PATIENCE: Duration = Duration::from_secs(20);

/// A server that never answers: it tells when a call arrives, and when that call is given up.
fn silent() -> (SocketAddr, Receiver<&'static str>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (tell, told) = channel();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let tell = tell.clone();
            thread::spawn(move || {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked);
                // Nobody listens once its test is over.
                let _ = tell.send("arrived");
                while stream.read(&mut asked).is_ok_and(|length| length > 0) {}
                let _ = tell.send("left");
            });
        }
    });
    (address, told)
}

const ROUTES: &str = r#"Route.get:"/ler":{"agent": "ler.djo"}
Route.get:"/vezes":{"agent": "vezes.djo"}
Route.action:"/gravar":"gravar":"Int"
Route.action:"/girar":"girar":"Int":{"idempotent": true}
"#;

const ACTIONS: &str = r#"action gravar
    params[]
    Store.inc:"vezes":"a"
    r = Http.get:"URL":{"timeout_ms": 9000}
    return r.status

action girar
    params[]
    Store.inc:"vezes":"a"
    while true
        x = 1
    return 1
"#;

/// A site whose tools wait for the silent server, or compute without end.
fn site(folder: &Path, upstream: SocketAddr) -> String {
    let url = format!("http://{upstream}/");
    let site = folder.join("espera");
    fs::create_dir_all(site.join("core")).unwrap();
    for (file, text) in [
        ("rotas.djo", ROUTES.to_owned()),
        ("core/a.djo", ACTIONS.replace("URL", &url)),
        ("ler.djo", format!("r = Http.get:\"{url}\":{{\"timeout_ms\": 9000}}\nHttp.json:r.status\n")),
        ("vezes.djo", "Http.json:((Store.get:\"vezes\":\"a\") ?? 0)\n".to_owned()),
        ("site.toml", format!("[outbound]\nallow = [\"http://{upstream}\"]\n[limits]\ncpu_ms = 8000\n")),
    ] {
        fs::write(site.join(file), text).unwrap();
    }
    site.to_str().unwrap().to_owned()
}

fn request(tool: &str, key: &str) -> Request {
    Request::post_json("/agent/execute", &json!({"tool": tool, "request_id": key}).to_string())
}

fn answer(server: &Server, request: &Request) -> (u16, Value) {
    let response = server.send(request).unwrap();
    (response.status, serde_json::from_slice(&response.body).unwrap_or_else(|_| panic!("not JSON: {}", response.text())))
}

/// The address of an execution that runs under a key: who asks for it again is told.
fn running(server: &Server, tool: &str, key: &str) -> String {
    let (status, told) = answer(server, &request(tool, key));
    assert_eq!((status, &told["error"]["code"]), (409, &json!("EXECUTION_IN_PROGRESS")), "{told}");
    told["_agent"]["next_actions"][0]["url"].as_str().unwrap().to_owned()
}

/// Begins an execution; with it comes back the client.
fn begin(server: &Server, tool: &str, key: &str, streams: bool) -> TcpStream {
    let request = request(tool, key);
    client::open(server.address(), &if streams { request.header("Accept", "text/event-stream") } else { request }).unwrap()
}

/// Waits until an execution is told to be cancelled; how long that took.
fn until_cancelled(server: &Server, url: &str, since: Instant) -> Duration {
    loop {
        let (_, told) = answer(server, &Request::get(url));
        if told["status"] == "cancelled" {
            return since.elapsed();
        }
        assert!(since.elapsed() < PATIENCE, "it goes on: {told}");
        thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn a_guest_that_waits_stops_when_its_client_leaves() {
    let (upstream, told) = silent();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&[&site(folder.path(), upstream)], &["--agent-conc", "8"]).unwrap();
    let next = |wanted: &str| assert_eq!(told.recv_timeout(PATIENCE), Ok(wanted));
    for (tool, streams) in [("gravar", true), ("gravar", false), ("get_ler", true), ("get_ler", false)] {
        let key = format!("{tool}-{streams}");
        let client = begin(&server, tool, &key, streams);
        next("arrived");
        let url = running(&server, tool, &key);
        let left = Instant::now();
        drop(client);
        next("left");
        assert!(left.elapsed() < PROMPT, "{key}: the guest was stopped after {:?}", left.elapsed());
        let took = until_cancelled(&server, &url, left);
        assert!(took < PROMPT, "{key}: known after {took:?}");
        if tool == "gravar" {
            // Whether the write was done nobody knows: it is not done again.
            let (status, again) = answer(&server, &request(tool, &key));
            assert_eq!(
                (status, &again["error"]["code"], &again["error"]["retryable"]),
                (409, &json!("EXECUTION_UNCERTAIN"), &json!(false))
            );
        } else {
            let client = begin(&server, tool, &key, streams);
            next("arrived");
            drop(client);
            next("left");
        }
    }
    assert!(told.try_recv().is_err(), "something ran that nobody asked for");
}

#[test]
fn a_guest_that_computes_stops_when_its_client_leaves() {
    let (upstream, _) = silent();
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&[&site(folder.path(), upstream)], &["--agent-conc", "8"]).unwrap();
    let times = || server.send(&Request::get("/vezes").header("Accept", "application/json")).unwrap().text();
    for (streams, runs) in [(true, "1"), (false, "2")] {
        let client = begin(&server, "girar", "k", streams);
        let start = Instant::now();
        while times() != runs {
            assert!(start.elapsed() < PATIENCE, "it does not begin");
            thread::sleep(Duration::from_millis(10));
        }
        let url = running(&server, "girar", "k");
        let left = Instant::now();
        drop(client);
        let took = until_cancelled(&server, &url, left);
        assert!(took < PROMPT, "known after {took:?}");
        // It could be repeated, so that the key is free: the next turn of the loop uses it again.
        #[cfg(target_os = "linux")]
        {
            thread::sleep(PROMPT.saturating_sub(left.elapsed()));
            let before = server.cpu_time().unwrap();
            thread::sleep(PROMPT);
            let spent = server.cpu_time().unwrap() - before;
            assert!(spent < PROMPT / 4, "it goes on: {spent:?} in {PROMPT:?}");
        }
    }
}
