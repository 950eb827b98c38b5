//! Compiled code of components: what is in memory, what is on disk, and that neither grows without end.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    guest::{self, with_section, write_site},
    server::{Server, free_address},
};
use std::{
    fs::{self, File},
    io::{Read, Write},
    net::SocketAddr,
    path::Path,
    thread,
    time::{Duration, Instant, SystemTime},
};

const NAMES: [&str; 3] = ["um", "dois", "tres"];

/// Three components that are not the same, each a plain application.
fn write_sites(folder: &Path) {
    let component = guest::build("djo-hostile").unwrap();
    for name in NAMES {
        write_site(folder, name, "", &with_section(&component, "name-of-its-own", name.as_bytes())).unwrap();
    }
}

fn to(name: &str, path: &str) -> Request {
    Request::get(path).header("Host", &format!("{name}.localhost"))
}

fn answers(server: &Server, name: &str) {
    assert_eq!(server.send(&to(name, "/ok")).unwrap().text(), "ok", "{name}: {}", server.output());
}

/// What the operator is told: bytes in memory, how often code was fetched, how often it was given up.
fn told(admin: SocketAddr) -> (u64, u64, u64) {
    let text = client::send(admin, &Request::get("/metrics")).unwrap().text();
    let value = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        line.unwrap_or_else(|| panic!("{name} is missing:\n{text}")).parse().unwrap()
    };
    (value("djo_code_resident_bytes"), value("djo_code_fetches_total"), value("djo_code_evictions_total"))
}

/// What the operator is told once it is as wanted.
fn wait_until(admin: SocketAddr, is_wanted: impl Fn((u64, u64, u64)) -> bool) {
    let started = Instant::now();
    loop {
        let told = told(admin);
        if is_wanted(told) {
            return;
        }
        assert!(started.elapsed() < Duration::from_secs(20), "it stays at {told:?}");
        thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn code_that_has_no_room_is_given_up_and_fetched_again() {
    let sites = tempfile::tempdir().unwrap();
    write_sites(sites.path());
    let (path, admin) = (sites.path().to_string_lossy().into_owned(), free_address().unwrap());
    let admin_text = admin.to_string();
    let mut server = Server::start(&[&path], &["--admin", &admin_text]).unwrap();
    NAMES.iter().for_each(|name| answers(&server, name));
    // All of it is kept by now: a start compiles nothing ahead.
    server.restart(&[&path], &["--admin", &admin_text]).unwrap();
    assert_eq!(told(admin), (0, 0, 0));
    answers(&server, "um");
    wait_until(admin, |(bytes, ..)| bytes > 0);
    let one = told(admin).0;
    NAMES.iter().for_each(|name| answers(&server, name));
    wait_until(admin, |told| told == (3 * one, 3, 0));

    let most = 2 * one + one / 2;
    let room = most.to_string();
    server.restart(&[&path], &["--admin", &admin_text, "--code-memory", &room]).unwrap();
    for (name, want) in [("um", (1, 0)), ("dois", (2, 0)), ("um", (2, 0)), ("tres", (3, 1)), ("um", (3, 1)), ("dois", (4, 2))] {
        answers(&server, name);
        // Who waits is answered first, then what came is counted and room is made.
        wait_until(admin, |(bytes, fetched, given_up)| (fetched, given_up) == want && (1..=most).contains(&bytes));
    }

    // What runs keeps its code: half a body is on its way while two others take the only place there is.
    server.restart(&[&path], &["--admin", &admin_text, "--code-memory", "1"]).unwrap();
    let body = vec![b'x'; 100_000];
    let echo = Request { method: "PUT".into(), path: "/echo".into(), ..Request::default() }.header("Host", "um.localhost");
    let echo = echo.header("Content-Length", &body.len().to_string()).header("Connection", "close");
    let mut stream = client::connect(server.address()).unwrap();
    stream.write_all(echo.head(server.address()).as_bytes()).unwrap();
    stream.write_all(&body[..50_000]).unwrap();
    let mut first = [0; 12];
    stream.read_exact(&mut first).unwrap();
    assert_eq!(&first, b"HTTP/1.1 200", "it runs");
    ["dois", "tres"].iter().for_each(|name| answers(&server, name));
    wait_until(admin, |(_, _, given_up)| given_up == 2);
    stream.write_all(&body[50_000..]).unwrap();
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).unwrap();
    assert!(rest.iter().filter(|byte| **byte == b'x').count() >= body.len(), "the whole body came back");
    answers(&server, "um");
}

#[test]
fn code_that_nobody_serves_makes_room() {
    let sites = tempfile::tempdir().unwrap();
    write_sites(sites.path());
    let path = |name: &str| sites.path().join(name).to_string_lossy().into_owned();
    let mut server = Server::start(&[&path("um")], &[]).unwrap();
    answers(&server, "um");
    let code = server.data().join("code");
    // Code of sites that are gone. The bytes are not there, but are what the file says of itself.
    for (name, hours) in [("velho.bin", 2), ("novo.bin", 1)] {
        let file = File::create(code.join(name)).unwrap();
        file.set_len(600 << 20).unwrap();
        file.set_modified(SystemTime::now() - Duration::from_secs(hours * 3600)).unwrap();
    }
    server.restart(&[&path("um"), &path("dois")], &[]).unwrap();
    answers(&server, "dois");
    let started = Instant::now();
    while code.join("velho.bin").exists() && started.elapsed() < Duration::from_secs(20) {
        thread::sleep(Duration::from_millis(20));
    }
    let left = fs::read_dir(&code).unwrap().map(|entry| entry.unwrap().path());
    let left: Vec<_> = left.filter(|path| path.extension().is_some_and(|extension| extension == "bin")).collect();
    assert!(!code.join("velho.bin").exists() && code.join("novo.bin").exists(), "{left:?}");
    assert_eq!(left.len(), 4, "the runtime's, those of both sites, and what there is room for: {left:?}");
    assert!(server.logs("compiled code that nobody serves any more is removed"), "{}", server.output());
}
