//! Sites that take what memory they can, by every way there is: what all share has a bound, and their neighbour finds some.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use djo_tests::client::{self, Request};
use djo_tests::guest::{self, with_section};
use djo_tests::server::{Server, free_address};

/// The site that behaves.
const NEIGHBOUR: &str = "tests/sites/blog";
/// What all sites share, in MiB.
const MOST: u64 = 192;
const CONTRACT: &str =
    r#"{"djo_contract":1,"routes":[{"method":"GET","path":"/{how}","screen":true},{"method":"POST","path":"/{how}","screen":true}]}"#;
const NAMES: [&str; 3] = ["um", "dois", "tres"];

struct Shared {
    server: Server,
    admin: SocketAddr,
}

impl Shared {
    fn start(sites: &Path) -> Self {
        let hostile = with_section(&guest::build("djo-hostile").unwrap(), "djo:contract", CONTRACT.as_bytes());
        for name in NAMES {
            std::fs::create_dir(sites.join(name)).unwrap();
            std::fs::write(sites.join(name).join("site.wasm"), &hostile).unwrap();
            let settings = "component = \"site.wasm\"\n[limits]\ntimeout_ms = 60000\nmax_body = \"16MiB\"\nmax_response = \"32MiB\"\n";
            std::fs::write(sites.join(name).join("site.toml"), settings).unwrap();
        }
        let (admin, most) = (free_address().unwrap(), format!("{MOST}MiB"));
        let flags = ["--default", "blog", "--memory", &most, "--admin", &admin.to_string()];
        let server = Server::start(&[NEIGHBOUR, sites.to_str().unwrap()], &flags).unwrap();
        let shared = Self { server, admin };
        // The code is there before anything counts.
        NAMES.iter().for_each(|name| assert_eq!(shared.server.send(&to(name, "GET", "/ok")).unwrap().status, 200));
        shared
    }

    /// MiB that are taken.
    fn taken(&self) -> u64 {
        let text = client::send(self.admin, &Request::get("/metrics")).unwrap().text();
        let value = text.lines().find_map(|line| line.strip_prefix("djo_memory_bytes ")).unwrap();
        value.parse::<u64>().unwrap() >> 20
    }

    fn wait_until(&self, is_wanted: impl Fn(u64) -> bool) {
        let started = Instant::now();
        while !is_wanted(self.taken()) {
            assert!(started.elapsed() < Duration::from_secs(20), "it stays at {} MiB", self.taken());
            thread::sleep(Duration::from_millis(20));
        }
    }

    /// The sites have what they can get; tells how much that is. Their neighbour answers, with a page and with a body of its own.
    fn watch_neighbour(&self) -> u64 {
        let taken = self.taken();
        assert!(taken <= MOST, "{taken} MiB are taken of {MOST}");
        for _ in 0..20 {
            let page = self.server.send(&Request::get("/posts").header("Host", "blog.localhost").header("Accept", "text/html")).unwrap();
            assert_eq!(page.status, 200, "{}", page.text());
        }
        let long = Request::post_json("/posts/1/comentarios", &format!("\"{}\"", "x".repeat(600 << 10))).header("Host", "blog.localhost");
        assert_ne!(self.server.send(&long).unwrap().status, 503, "there is room for a long body");
        taken
    }
}

fn to(name: &str, method: &str, path: &str) -> Request {
    Request { method: method.into(), path: path.into(), ..Request::default() }.header("Host", &format!("{name}.localhost"))
}

/// Connections of each site, each with the same request under way; what they are answered is left to them.
fn crowd(server: &Server, each: usize, request: impl Fn(&str) -> Request, body: &[u8]) -> Vec<TcpStream> {
    let one = |name: &str| {
        let mut stream = client::connect(server.address()).unwrap();
        stream.write_all(request(name).head(server.address()).as_bytes()).unwrap();
        // One that is refused is not read to its end.
        let _ = stream.write_all(body);
        stream
    };
    (0..each).flat_map(|_| NAMES.map(one)).collect()
}

/// How many were answered that the site has no room, and may be asked again.
fn refused(crowd: &mut [TcpStream]) -> usize {
    let mut count = 0;
    for stream in crowd {
        stream.set_read_timeout(Some(Duration::from_millis(20))).unwrap();
        let mut head = [0; 1024];
        let read = stream.read(&mut head).unwrap_or(0);
        let head = String::from_utf8_lossy(&head[..read]);
        count += usize::from(head.starts_with("HTTP/1.1 503 ") && head.contains("retry-after: 1"));
    }
    count
}

#[test]
fn instances_that_grow_and_wait() {
    let sites = tempfile::tempdir().unwrap();
    let shared = Shared::start(sites.path());
    let mut crowd = crowd(&shared.server, 12, |name| to(name, "GET", "/hoard"), b"");
    // 36 of them would be 864 MiB.
    shared.wait_until(|taken| taken > MOST / 3);
    thread::sleep(Duration::from_millis(500));
    assert!(shared.watch_neighbour() > MOST / 3);
    assert!(refused(&mut crowd) > 12);
    drop(crowd);
    shared.wait_until(|taken| taken == 0);
}

#[test]
fn answers_that_nobody_takes() {
    let sites = tempfile::tempdir().unwrap();
    let shared = Shared::start(sites.path());
    let crowd = crowd(&shared.server, 30, |name| to(name, "GET", "/big"), b"");
    // 90 of them would be 1440 MiB. The system has room for a part of each, but it stays whole until all is on its way.
    shared.wait_until(|taken| taken > MOST / 3);
    thread::sleep(Duration::from_millis(500));
    assert!(shared.watch_neighbour() >= 3 * 16);
    drop(crowd);
    shared.wait_until(|taken| taken == 0);
}

#[test]
fn bodies_that_stall() {
    let sites = tempfile::tempdir().unwrap();
    let shared = Shared::start(sites.path());
    let post = |name: &str| to(name, "POST", "/ok").header("Content-Length", &(12 << 20).to_string());
    let mut crowd = crowd(&shared.server, 12, post, &vec![b'x'; 11 << 20]);
    // 36 of them would be 396 MiB.
    shared.wait_until(|taken| taken > MOST / 3);
    assert!(shared.watch_neighbour() > MOST / 3);
    assert!(refused(&mut crowd) > 3);
    drop(crowd);
    shared.wait_until(|taken| taken == 0);
}
