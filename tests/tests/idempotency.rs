//! `Idempotency-Key` where a case in data cannot go: two requests at once, a restart, a machine that fails in the middle of a run.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request, Response},
    server::Server,
};
use std::{
    thread,
    time::{Duration, Instant},
};

const VOLUME: &str = "tests/sites/volume";

fn keyed(path: &str, json: &str, key: &str) -> Request {
    Request::post_json(path, json).header("Idempotency-Key", key)
}

fn runs(server: &Server, name: &str) -> u64 {
    server.send(&Request::get(&format!("/vezes/{name}"))).unwrap().text().parse().unwrap()
}

/// Starts a long run and returns once it has begun.
fn begin(server: &Server, name: &str, ms: u64, key: &str) -> thread::JoinHandle<std::io::Result<Response>> {
    let address = server.address();
    let request = keyed("/girar", &format!(r#"{{"nome":"{name}","ms":{ms}}}"#), key);
    let running = thread::spawn(move || client::send(address, &request));
    let start = Instant::now();
    while runs(server, name) == 0 {
        assert!(start.elapsed() < Duration::from_secs(10), "the run does not begin");
        thread::sleep(Duration::from_millis(10));
    }
    running
}

#[test]
fn while_it_runs_the_same_request_is_told_to_come_back() {
    let server = Server::start(&[VOLUME], &[]).unwrap();
    let running = begin(&server, "a", 1500, "k");
    let request = keyed("/girar", r#"{"nome":"a","ms":1500}"#, "k");
    let early = server.send(&request).unwrap();
    assert_eq!((early.status, early.header("retry-after").as_deref()), (409, Some("1")), "{}", early.text());
    let other = server.send(&keyed("/girar", r#"{"nome":"a","ms":1}"#, "k")).unwrap();
    assert_eq!((other.status, other.text().as_str()), (422, r#"{"erro":"Idempotency-Key reutilizada com outro corpo"}"#));
    assert_eq!(running.join().unwrap().unwrap().text(), r#"{"n":1}"#);
    let late = server.send(&request).unwrap();
    assert_eq!((late.text().as_str(), late.header("idempotent-replayed").as_deref()), (r#"{"n":1}"#, Some("true")));
    assert_eq!(runs(&server, "a"), 1);
}

#[test]
fn many_at_once_under_one_key_run_once() {
    let server = Server::start(&[VOLUME], &["--agent-conc", "64"]).unwrap();
    let address = server.address();
    let request = || keyed("/girar", r#"{"nome":"b","ms":200}"#, "k");
    let clients: Vec<_> = (0..24).map(|_| thread::spawn(move || client::send(address, &request()).unwrap())).collect();
    let answers: Vec<Response> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    assert!(answers.iter().all(|answer| matches!(answer.status, 200 | 409)), "{answers:?}");
    let first = answers.iter().filter(|answer| answer.status == 200 && answer.header("idempotent-replayed").is_none()).count();
    assert_eq!((first, runs(&server, "b")), (1, 1));
}

#[test]
fn answers_outlive_a_restart_and_a_crash() {
    let mut server = Server::start(&[VOLUME], &[]).unwrap();
    let request = keyed("/contar", r#"{"nome":"c"}"#, "k");
    assert_eq!(server.send(&request).unwrap().text(), r#"{"n":1}"#);
    server.restart(&[VOLUME], &[]).unwrap();
    let replayed = server.send(&request).unwrap();
    assert_eq!((replayed.text().as_str(), replayed.header("idempotent-replayed").as_deref()), (r#"{"n":1}"#, Some("true")));
    let second = keyed("/contar", r#"{"nome":"c"}"#, "k2");
    assert_eq!(server.send(&second).unwrap().text(), r#"{"n":2}"#);
    server.crash_and_restart(&[VOLUME], &[]).unwrap();
    for (request, body) in [(&request, r#"{"n":1}"#), (&second, r#"{"n":2}"#)] {
        assert_eq!(server.send(request).unwrap().text(), body);
    }
    assert_eq!(runs(&server, "c"), 2);
    assert_eq!(server.send(&keyed("/contar", r#"{"nome":"outro"}"#, "k")).unwrap().status, 422);
}

#[test]
fn a_run_that_a_crash_cut_short_is_neither_repeated_nor_reported_done() {
    let mut server = Server::start(&[VOLUME], &[]).unwrap();
    let running = begin(&server, "d", 15_000, "k");
    server.crash_and_restart(&[VOLUME], &[]).unwrap();
    assert!(running.join().unwrap().is_err(), "nobody was told that it succeeded");
    let request = keyed("/girar", r#"{"nome":"d","ms":15000}"#, "k");
    for _ in 0..2 {
        let refused = server.send(&request).unwrap();
        assert_eq!(refused.status, 409, "{}", refused.text());
        assert!(refused.text().contains("não se sabe como terminou"), "{}", refused.text());
        assert_eq!(refused.header("retry-after"), None, "waiting would not help");
    }
    assert_eq!(server.send(&keyed("/girar", r#"{"nome":"d","ms":1}"#, "k")).unwrap().status, 422);
    assert_eq!(runs(&server, "d"), 1, "it began once and was not begun again");
    assert_eq!(server.send(&keyed("/girar", r#"{"nome":"d","ms":1}"#, "novo")).unwrap().text(), r#"{"n":2}"#);
}

#[test]
fn a_client_that_leaves_does_not_free_the_key_of_what_it_began() {
    let server = Server::start(&[VOLUME], &[]).unwrap();
    let request = keyed("/girar", r#"{"nome":"e","ms":800}"#, "k");
    let mut stream = client::connect(server.address()).unwrap();
    let bytes = [request.head(server.address()).into_bytes(), request.body.clone().unwrap()].concat();
    std::io::Write::write_all(&mut stream, &bytes).unwrap();
    let start = Instant::now();
    while runs(&server, "e") == 0 && start.elapsed() < Duration::from_secs(10) {
        thread::sleep(Duration::from_millis(10));
    }
    drop(stream);
    thread::sleep(Duration::from_millis(1500));
    // Whether the host let it end or stopped it: it is not run again.
    let again = server.send(&request).unwrap();
    assert!(again.status == 409 || again.header("idempotent-replayed").is_some(), "{} {}", again.status, again.text());
    assert_eq!(runs(&server, "e"), 1);
}

#[test]
fn a_key_is_its_sessions_whatever_else_is_in_the_cookies() {
    let server = Server::start(&[VOLUME], &[]).unwrap();
    let enter = |name: &str| {
        let answer = server.send(&Request::post_json("/entrar", &format!(r#"{{"nome":"{name}"}}"#))).unwrap();
        answer.header("set-cookie").unwrap().split(';').next().unwrap().to_owned()
    };
    let (ana, bia) = (enter("ana"), enter("bia"));
    // What browsers send of cookies that are not ASCII, and what only quotes a value.
    for (number, beside) in ["x=é; ", "x=\u{feff}; y=\"1\"; ", ""].into_iter().enumerate() {
        let send = |cookie: &str| {
            let request = keyed("/contar", &format!(r#"{{"nome":"sessao{number}"}}"#), &format!("k{number}"))
                .header("Cookie", &format!("{beside}{cookie}"));
            let answer = server.send(&request).unwrap();
            (answer.text(), answer.header("idempotent-replayed").is_some())
        };
        let told = |n: u32, replayed| (format!(r#"{{"n":{n}}}"#), replayed);
        assert_eq!(send(&ana), told(1, false), "{beside}");
        assert_eq!(send(&bia), told(2, false), "{beside}: another's answer");
        assert_eq!(send(&ana), told(1, true), "{beside}");
    }
}
