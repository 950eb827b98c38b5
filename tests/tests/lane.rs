//! The agents' lane: how many at once, how often, who counts as one client, and that the screen never stands in it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request, Response},
    server::Server,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    thread,
    time::{Duration, Instant},
};

const VOLUME: &str = "tests/sites/volume";

fn agent(path: &str) -> Request {
    Request::get(path).header("Accept", "application/json")
}

fn screen(path: &str) -> Request {
    Request::get(path).header("Accept", "text/html")
}

/// A 429 says so in words and says when to come back.
fn assert_refused(response: &Response) {
    assert_eq!((response.status, response.header("retry-after").as_deref()), (429, Some("1")), "{}", response.text());
    let body: Value = serde_json::from_slice(&response.body).unwrap();
    assert!(body["erro"].as_str().is_some_and(|erro| erro.contains("tente de novo")), "{body}");
    assert!(response.header("link").unwrap().contains("ai-manifest"));
}

#[test]
fn a_full_lane_refuses_agents_and_the_screen_does_not_notice() {
    let server = Server::start(&[VOLUME], &["--agent-conc", "1"]).unwrap();
    let address = server.address();
    let warm = server.send(&agent("/publica")).unwrap();
    let running = thread::spawn(move || client::send(address, &Request::post_json("/girar", r#"{"nome":"a","ms":3000}"#)).unwrap());
    thread::sleep(Duration::from_millis(300));
    let started = Instant::now();
    assert_refused(&server.send(&agent("/vezes/a")).unwrap());
    assert!(started.elapsed() >= Duration::from_millis(200), "it waits for a place before it gives up: {:?}", started.elapsed());
    assert_refused(&server.send(&Request::post_json("/contar", r#"{"nome":"b"}"#)).unwrap());
    assert_eq!(server.send(&screen("/tela")).unwrap().status, 200);
    let hit = server.send(&agent("/publica")).unwrap();
    assert_eq!((hit.status, hit.text()), (200, warm.text()), "a hit needs no place");
    let known = agent("/publica").header("If-None-Match", &warm.header("etag").unwrap());
    assert_eq!(server.send(&known).unwrap().status, 304);
    assert_eq!(server.send(&agent("/.well-known/ai-manifest.json")).unwrap().status, 200, "what runs nothing needs none");
    assert_eq!(server.send(&Request::post_json("/contar", "{")).unwrap().status, 400, "nor does what is refused");
    assert_eq!(running.join().unwrap().text(), r#"{"n":1}"#);
    assert_eq!(server.send(&agent("/vezes/b")).unwrap().text(), "0", "what was refused did not run");
}

#[test]
fn a_key_that_found_no_place_is_free() {
    let server = Server::start(&[VOLUME], &["--agent-conc", "1"]).unwrap();
    let address = server.address();
    let running = thread::spawn(move || client::send(address, &Request::post_json("/girar", r#"{"nome":"a","ms":1200}"#)).unwrap());
    thread::sleep(Duration::from_millis(300));
    let request = Request::post_json("/contar", r#"{"nome":"k"}"#).header("Idempotency-Key", "k");
    assert_refused(&server.send(&request).unwrap());
    running.join().unwrap();
    let ran = server.send(&request).unwrap();
    assert_eq!((ran.text().as_str(), ran.header("idempotent-replayed")), (r#"{"n":1}"#, None));
}

/// Statuses of so many requests, counted.
fn statuses(server: &Server, request: &Request, times: usize) -> BTreeMap<u16, usize> {
    let mut counted = BTreeMap::new();
    for _ in 0..times {
        *counted.entry(server.send(request).unwrap().status).or_default() += 1;
    }
    counted
}

#[test]
fn over_its_rate_a_client_is_refused_and_the_screen_is_not_counted() {
    let server = Server::start(&[VOLUME], &["--agent-rate", "5"]).unwrap();
    let burst = statuses(&server, &agent("/vezes/x"), 40);
    // One of the ten may have gone to the request that found the server ready.
    assert!(burst[&200] >= 9 && burst[&429] >= 15, "a burst of ten, then five a second: {burst:?}");
    assert_refused(&server.send(&Request::post_json("/contar", r#"{"nome":"x"}"#)).unwrap());
    assert_refused(&server.send(&agent("/.well-known/ai-manifest.json")).unwrap());
    assert_eq!(statuses(&server, &screen("/tela"), 40), BTreeMap::from([(200, 40)]));
    thread::sleep(Duration::from_millis(1100));
    assert_eq!(server.send(&agent("/vezes/x")).unwrap().status, 200, "a second later there is room again");
}

#[test]
fn agents_are_told_how_they_stand_with_their_rate() {
    let server = Server::start(&[VOLUME], &["--agent-rate", "5"]).unwrap();
    let told = |request: &Request| {
        let answer = server.send(request).unwrap();
        (answer.status, answer.header("ratelimit-policy"), answer.header("ratelimit"))
    };
    let policy = Some("\"agentes\";q=10;w=2".to_owned());
    let ana = agent("/publica");
    let (status, said, standing) = told(&ana);
    assert_eq!((status, said), (200, policy.clone()));
    let left = |standing: Option<String>| -> u32 {
        let standing = standing.unwrap();
        let left = standing.strip_prefix("\"agentes\";r=").and_then(|rest| rest.split_once(";t="));
        left.unwrap_or_else(|| panic!("{standing}")).0.parse().unwrap()
    };
    let (before, after) = (left(standing), left(told(&ana).2));
    assert!(before <= 9 && after <= before, "a hit counts too: {before} then {after}");
    for _ in 0..20 {
        told(&ana);
    }
    assert_eq!(told(&ana), (429, policy, Some("\"agentes\";r=0;t=1".to_owned())));
    assert_eq!(told(&screen("/tela")), (200, None, None), "the screen has no rate");
    let unlimited = Server::start(&[VOLUME], &[]).unwrap();
    assert_eq!(unlimited.send(&ana).unwrap().header("ratelimit"), None);
}

#[test]
fn a_stranger_cannot_pass_for_many_clients() {
    let server = Server::start(&[VOLUME], &["--agent-rate", "2"]).unwrap();
    let refused = (0..30).filter(|n| {
        let request = agent("/ip").header("X-Forwarded-For", &format!("198.51.100.{n}"));
        server.send(&request).unwrap().status == 429
    });
    assert!(refused.count() >= 15);
}

#[test]
fn a_trusted_proxy_is_believed_about_its_clients() {
    let server = Server::start(&[VOLUME], &["--agent-rate", "2", "--trust-proxy", "127.0.0.0/8"]).unwrap();
    for n in 0..30 {
        let client = format!("198.51.100.{n}");
        let answer = server.send(&agent("/ip").header("X-Forwarded-For", &format!("6.6.6.6, {client}"))).unwrap();
        assert_eq!((answer.status, answer.text()), (200, format!("\"{client}\"")));
    }
    let forwarded = agent("/ip").header("Forwarded", "for=\"[2001:db8::7]:4711\";proto=https");
    assert_eq!(server.send(&forwarded).unwrap().text(), "\"2001:db8::7\"");
    // One of two that differ came from the client itself.
    assert_eq!(server.send(&forwarded.header("X-Forwarded-For", "198.51.100.1")).unwrap().text(), "\"127.0.0.1\"");
    // One /64 is one client, and its refusals do not touch the others.
    let network = (0..12).filter(|n| {
        let request = agent("/ip").header("X-Forwarded-For", &format!("2001:db8:0:9::{n:x}"));
        server.send(&request).unwrap().status == 429
    });
    assert!(network.count() >= 6);
    assert_eq!(server.send(&agent("/ip").header("X-Forwarded-For", "198.51.100.200")).unwrap().status, 200);
}
