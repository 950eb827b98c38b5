//! Connections that do not do their part: they are let go, and are not so many that there is no room for others.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    guest::{self, write_site},
    server::Server,
};
use std::{
    io::{Read, Write},
    net::TcpStream,
    sync::LazyLock,
    thread,
    time::{Duration, Instant},
};

const BLOG: &str = "tests/sites/blog";
/// Beside ten seconds for a head: machines that run tests are busy with other things.
const PATIENCE: Duration = Duration::from_secs(25);

static HOSTILE: LazyLock<Vec<u8>> = LazyLock::new(|| guest::build("djo-hostile").unwrap());

/// Whether the other side has ended a connection by now; nothing is waited for.
fn is_over(stream: &mut TcpStream) -> bool {
    stream.set_nonblocking(true).unwrap();
    let read = stream.read(&mut [0; 1]);
    matches!(read, Ok(0)) || read.is_err_and(|error| error.kind() != std::io::ErrorKind::WouldBlock)
}

#[test]
fn silent_connections_leave_room_and_are_let_go() {
    let server = Server::start(&[BLOG], &[]).unwrap();
    let started = Instant::now();
    let mut silent: Vec<_> = (0..700).map(|_| client::connect(server.address()).unwrap()).collect();
    assert_eq!(server.send(&Request::get("/posts")).unwrap().status, 200, "others are served meanwhile");
    while !silent.iter_mut().all(is_over) {
        assert!(started.elapsed() < PATIENCE, "a connection that says nothing is kept");
        thread::sleep(Duration::from_millis(50));
    }
    assert!(started.elapsed() > Duration::from_secs(8), "they had their time");
}

/// A plain application does not read what it is sent. Its client leaves, and so does its run: within 100 ms, and no machine that runs
/// tests is so busy that it takes half a second of computing to notice.
#[cfg(target_os = "linux")]
#[test]
fn a_client_that_leaves_an_unread_body_ends_the_run() {
    let sites = tempfile::tempdir().unwrap();
    write_site(sites.path(), "hostil", "[limits]\ntimeout_ms = 60000\ncpu_ms = 60000\n", &HOSTILE).unwrap();
    let server = Server::start(&[sites.path().to_str().unwrap()], &[]).unwrap();
    let head =
        |method: &str, path: &str, length: &str| format!("{method} {path} HTTP/1.1\r\nHost: hostil.localhost\r\n{length}\r\n").into_bytes();
    let body = |length: usize| vec![b'x'; length];
    let left_behind = [
        head("POST", "/spin", "Content-Length: 10000\r\n"),
        [head("POST", "/spin", "Content-Length: 10000\r\n"), body(5000)].concat(),
        [head("POST", "/spin", "Content-Length: 10000\r\n"), body(10_000)].concat(),
        [head("POST", "/spin", "Transfer-Encoding: chunked\r\n"), b"5\r\nabcde\r\n".to_vec()].concat(),
        [head("GET", "/spin", ""), b"x".to_vec()].concat(),
        [head("GET", "/begins-and-spins", ""), b"x".to_vec()].concat(),
        [head("POST", "/begins-and-spins", "Content-Length: 10000\r\n"), body(5000)].concat(),
    ];
    // Its code is compiled first.
    assert_eq!(server.send(&Request::get("/ok").header("Host", "hostil.localhost")).unwrap().status, 200);
    for said in left_behind {
        let said_of_it = String::from_utf8_lossy(&said[..said.len().min(40)]).into_owned();
        let mut stream = client::connect(server.address()).unwrap();
        stream.write_all(&said).unwrap();
        let before = server.cpu_time().unwrap();
        let started = Instant::now();
        while server.cpu_time().unwrap() - before < Duration::from_millis(200) {
            assert!(started.elapsed() < PATIENCE, "{said_of_it}: it does not begin");
            thread::sleep(Duration::from_millis(10));
        }
        drop(stream);
        let before = server.cpu_time().unwrap();
        thread::sleep(Duration::from_secs(2));
        let spent = server.cpu_time().unwrap() - before;
        assert!(spent < Duration::from_millis(500), "{said_of_it}: it goes on for {spent:?}");
    }
}
