//! A thousand clients that ask for a cold cached page at once run it once. By itself in its file: it needs a thousand descriptors.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    server::Server,
};
use std::io::Write;

const VOLUME: &str = "tests/sites/volume";
/// All are sent before any answer is read. As many descriptors fit the usual limit of 1024.
const CLIENTS: usize = 1000;

#[test]
fn a_thousand_simultaneous_misses_run_the_page_once() {
    // One place in the lane: those that wait for another's run must take none.
    let server = Server::start(&[VOLUME], &["--agent-conc", "1"]).unwrap();
    let request = Request::get("/lenta").header("Accept", "application/json");
    let head = request.head(server.address());
    let mut streams: Vec<_> = (0..CLIENTS).map(|_| client::connect(server.address()).unwrap()).collect();
    for stream in &mut streams {
        stream.write_all(head.as_bytes()).unwrap();
    }
    let answers: Vec<_> = streams.iter_mut().map(|stream| client::read_response(stream, "GET").unwrap()).collect();
    drop(streams);
    for answer in &answers {
        assert_eq!((answer.status, answer.text().as_str()), (200, r#"{"n":1}"#));
    }
    let runs = server.send(&Request::get("/vezes/lenta")).unwrap();
    assert_eq!(runs.text(), "1");
    let hits = answers.iter().filter(|answer| answer.header("age").is_some()).count();
    assert_eq!(hits, CLIENTS - 1, "all but the one that ran say how old their answer is");
}
