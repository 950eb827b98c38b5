//! Components that do what a site must not, each beside a site that behaves: that one loses no request and is hardly slower, the client
//! of the hostile one is told no more than a status, and the host lives on.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request, Response},
    guest::{self, with_section, write_site},
    server::Server,
};
use std::{
    fs, io,
    net::SocketAddr,
    path::Path,
    sync::{
        LazyLock,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

/// The site that behaves.
const NEIGHBOUR: &str = "tests/sites/blog";
/// Enough to meet every limit soon.
const LIMITS: &str = "[limits]\ntimeout_ms = 1500\ncpu_ms = 400\nstore_mb = 4\nmemory_mb = 32\nconcurrency = 8\n";
/// Clients that attack at once.
const ATTACKERS: usize = 4;
/// What the neighbour's slowest requests may take beside twice what they take in calm: machines that run tests are busy with other things.
const FLOOR: Duration = Duration::from_millis(250);

static HOSTILE: LazyLock<Vec<u8>> = LazyLock::new(|| guest::build("djo-hostile").unwrap());

/// Its contract for the typed door: every path is a page of its own. The limits of `LIMITS` are asked for by the component itself.
const CONTRACT: &str = r#"{"djo_contract":1,"routes":[{"method":"GET","path":"/{how}","screen":true}],"wanted":{"hosts":["hostil.test"],
"limits":{"timeout_ms":1500,"cpu_ms":400,"store_mb":4,"memory_mb":32,"concurrency":8}}}"#;

fn get(host: &str, path: &str) -> Request {
    Request::get(path).header("Host", host)
}

fn hosts_of(sites: &Path) -> Server {
    Server::start(&[NEIGHBOUR, sites.to_str().unwrap()], &["--default", "blog"]).unwrap()
}

/// How long the neighbour's requests took, in order. One that fails ends the test.
fn watch(address: SocketAddr, until: impl Fn() -> bool) -> Vec<Duration> {
    let mut took = Vec::new();
    while !until() {
        let started = Instant::now();
        let response = client::send(address, &get("blog.localhost", "/posts").header("Accept", "text/html")).unwrap();
        assert_eq!(response.status, 200, "the neighbour: {}", response.text());
        took.push(started.elapsed());
        thread::sleep(Duration::from_millis(2));
    }
    took.sort_unstable();
    took
}

fn p99(sorted: &[Duration]) -> Duration {
    sorted[(sorted.len() * 99 / 100).min(sorted.len() - 1)]
}

/// What a client sees of an attack.
enum Seen {
    /// An answer of this status.
    Status(u16),
    /// It is refused politely and answers, or runs out of time over it.
    Survives,
    /// No whole answer: the connection is cut.
    Cut,
}
use Seen::{Cut, Status, Survives};

fn assert_seen(how: &str, seen: &Seen, answer: io::Result<Response>) {
    match (seen, answer) {
        (Status(status), Ok(response)) => {
            assert_eq!(response.status, *status, "{how}: {}", response.text());
            for secret in ["wasm", "trap", "backtrace", "djo_hostile"] {
                assert!(!response.text().contains(secret), "{how} tells a client of `{secret}`");
            }
        }
        (Survives, Ok(response)) => assert!(matches!(response.status, 200 | 504), "{how}: {}", response.text()),
        (Survives, Err(error)) => panic!("{how}: {error}"),
        (Cut, Err(error)) => {
            assert!(matches!(error.kind(), io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset), "{how}: {error}")
        }
        (Cut, Ok(response)) => panic!("{how} was answered: {}", response.status),
        (Status(status), Err(error)) => panic!("{how}, instead of {status}: {error}"),
    }
}

/// Runs each attack from several clients at once, while the neighbour is watched.
fn attack(server: &Server, attacks: &[(&str, Request, Seen)]) {
    let address = server.address();
    // Code is fetched when it is first needed; that is not what is measured.
    for (_, request, _) in attacks.iter().take(1) {
        drop(client::send(address, request));
    }
    let calm_ends = Instant::now() + Duration::from_secs(2);
    let calm = p99(&watch(address, || Instant::now() >= calm_ends));
    for (how, request, seen) in attacks {
        let done = AtomicBool::new(false);
        let beside = thread::scope(|scope| {
            let watched = scope.spawn(|| watch(address, || done.load(Ordering::Relaxed)));
            let attackers: Vec<_> = (0..ATTACKERS).map(|_| scope.spawn(|| client::send(address, request))).collect();
            let answers: Vec<_> = attackers.into_iter().map(|attacker| attacker.join().unwrap()).collect();
            done.store(true, Ordering::Relaxed);
            let beside = watched.join().unwrap();
            answers.into_iter().for_each(|answer| assert_seen(how, seen, answer));
            beside
        });
        if let Some(slowest) = (!beside.is_empty()).then(|| p99(&beside)) {
            assert!(slowest <= calm * 2 + FLOOR, "{how}: the neighbour's p99 is {slowest:?}, {calm:?} in calm");
        }
    }
}

#[test]
fn a_streamed_guest_hurts_nobody() {
    let sites = tempfile::tempdir().unwrap();
    write_site(sites.path(), "hostil", LIMITS, &HOSTILE).unwrap();
    let server = hosts_of(sites.path());
    let to = |path: &str| get("hostil.localhost", path);
    let ok = server.send(&to("/ok")).unwrap();
    assert_eq!((ok.status, ok.text().as_str(), ok.header("link")), (200, "ok", None), "a plain application has nothing for agents");
    assert!(ok.header("x-request-id").is_some());
    attack(
        &server,
        &[
            ("spin", to("/spin"), Status(504)),
            ("sleep", to("/sleep"), Status(504)),
            ("recurse", to("/recurse"), Status(500)),
            ("allocate", to("/allocate"), Status(500)),
            ("a million timers", to("/timers"), Status(500)),
            ("a million fields", to("/fields"), Status(500)),
            ("the clock in a loop", to("/clock"), Status(504)),
            ("random bytes beyond any memory", to("/random"), Status(500)),
            ("a log without end", to("/log"), Status(504)),
            ("a full store", to("/store"), Survives),
            ("a trap", to("/trap"), Status(500)),
            ("no answer", to("/nothing"), Status(500)),
            ("an error for an answer", to("/gives-up"), Status(500)),
            ("a trap at the start", to("/ok").header("x-hostile-start", "trap"), Status(500)),
            ("spinning at the start", to("/ok").header("x-hostile-start", "spin"), Status(504)),
            ("sleeping at the start", to("/ok").header("x-hostile-start", "sleep"), Status(504)),
            ("allocating at the start", to("/ok").header("x-hostile-start", "allocate"), Status(500)),
            ("a trap before the body", to("/traps-before-the-body"), Cut),
            ("a trap in the body", to("/begins-and-traps"), Cut),
            ("a body that stalls", to("/begins-and-stalls"), Cut),
            ("a body that spins", to("/begins-and-spins"), Cut),
            ("a body shorter than it says", to("/short"), Cut),
            ("a body longer than it says", to("/long"), Cut),
            ("a body that never ends", to("/endless"), Cut),
            ("a gigabyte", to("/gigabyte"), Cut),
            ("a gigabyte, announced", to("/announces-a-gigabyte"), Status(500)),
            ("20,000 headers", to("/many-headers"), Status(500)),
            ("a header of 100 KB", to("/long-header"), Status(500)),
        ],
    );
    assert!(!server.output().contains('\u{1b}'), "a log line cannot be forged");
    assert_eq!(server.send(&to("/ok")).unwrap().text(), "ok", "and the next request is as the first");
}

#[test]
fn a_typed_guest_hurts_nobody() {
    let sites = tempfile::tempdir().unwrap();
    fs::write(sites.path().join("hostil.wasm"), with_section(&HOSTILE, "djo:contract", CONTRACT.as_bytes())).unwrap();
    let server = hosts_of(sites.path());
    // The component is a file alone: its host and its limits are those that it asks for.
    let to = |path: &str| get("hostil.test", path);
    assert_eq!(server.send(&to("/ok")).unwrap().text(), "ok");
    assert_eq!(server.send(&to("/a/b")).unwrap().status, 404, "it is routed by its contract");
    attack(
        &server,
        &[
            ("spin", to("/spin"), Status(504)),
            ("sleep", to("/sleep"), Status(504)),
            ("recurse", to("/recurse"), Status(500)),
            ("allocate", to("/allocate"), Status(500)),
            ("a million timers", to("/timers"), Status(500)),
            ("the clock in a loop", to("/clock"), Status(504)),
            ("random bytes beyond any memory", to("/random"), Status(500)),
            ("a full store", to("/store"), Survives),
            ("a trap", to("/trap"), Status(500)),
            ("a trap at the start", to("/ok").header("x-hostile-start", "trap"), Status(500)),
            ("spinning at the start", to("/ok").header("x-hostile-start", "spin"), Status(504)),
            ("16 MB at once", to("/large"), Status(500)),
            ("100,000 headers", to("/many-headers"), Status(500)),
            ("a header of 1 MB", to("/long-header"), Status(500)),
            ("a header that ends the head", to("/splits"), Status(500)),
            ("no status", to("/no-status"), Status(500)),
            ("a status that is none of an answer", to("/informs"), Status(500)),
            ("an error as large as may be", to("/fails"), Status(500)),
        ],
    );
    let forged = to("/forged").header("djo-route", "7").header("x-djo-arguments", "{}");
    assert_eq!(server.send(&forged).unwrap().text(), "7{}", "a header of that name is a header like any other");
    assert!(!server.output().contains('\u{1b}'), "a log line cannot be forged");
    let lines = server.output().lines().map(str::len).max().unwrap_or(0);
    assert!(lines < 32 << 10, "a line of {lines} bytes in the log");
    assert_eq!(server.send(&to("/ok")).unwrap().text(), "ok");
}

#[test]
fn bodies_are_streamed_within_their_limits() {
    let sites = tempfile::tempdir().unwrap();
    write_site(sites.path(), "hostil", "[limits]\nmax_body = \"1MiB\"\n", &HOSTILE).unwrap();
    let server = hosts_of(sites.path());
    let echo = |size: usize| {
        let body: Vec<u8> = (0..size).map(|place| (place % 251) as u8).collect();
        Request { method: "PUT".into(), path: "/echo".into(), body: Some(body), ..Request::default() }.header("Host", "hostil.localhost")
    };
    for size in [0, 1, 70_000, 1 << 20] {
        let sent = echo(size);
        let response = server.send(&sent).unwrap();
        assert_eq!((response.status, response.header("x-method").as_deref()), (200, Some("Method::Put")), "{size} bytes");
        assert!(Some(response.body) == sent.body, "{size} bytes");
    }
    let refused = server.send(&echo((1 << 20) + 1)).unwrap();
    assert_eq!((refused.status, refused.header("connection").as_deref()), (413, Some("close")));

    let to = |path: &str| get("hostil.localhost", path);
    let said = server.send(&to("/says-too-much")).unwrap();
    assert_eq!((said.status, said.text().as_str(), said.header("x-kept").as_deref()), (200, "ok", Some("1")));
    assert_eq!((said.header("server"), said.header("trailer")), (None, None));
    assert_ne!(said.header("x-request-id").as_deref(), Some("forged"));
    assert!(!said.header("date").unwrap().contains("yesterday"));
    assert_eq!(server.send(&to("/trailers")).unwrap().text(), "ok");
    let empty = server.send(&to("/no-body")).unwrap();
    assert_eq!((empty.status, empty.body.len(), empty.header("x-a").as_deref()), (204, 0, Some("1")));
    let head = server.send(&Request { method: "HEAD".into(), ..to("/ok") }).unwrap();
    assert_eq!((head.status, head.body.len(), head.header("content-type").as_deref()), (200, 0, Some("text/plain")));

    let told = to("/headers").header("X-Forwarded-For", "6.6.6.6").header("Forwarded", "for=6.6.6.6").header("X-Request-Id", "forged");
    let told = server.send(&told).unwrap().text();
    assert!(told.contains("x-forwarded-for: 127.0.0.1\n") && !told.contains("6.6.6.6") && !told.contains("forged"), "{told}");
}

#[test]
fn a_client_that_leaves_ends_the_run() {
    let sites = tempfile::tempdir().unwrap();
    write_site(sites.path(), "hostil", "[limits]\nconcurrency = 1\ntimeout_ms = 60000\ncpu_ms = 60000\n", &HOSTILE).unwrap();
    let server = hosts_of(sites.path());
    let to = |path: &str| get("hostil.localhost", path);
    assert_eq!(server.send(&to("/ok")).unwrap().status, 200);
    for path in ["/begins-and-stalls", "/sleep", "/spin", "/endless"] {
        let mut stream = client::connect(server.address()).unwrap();
        io::Write::write_all(&mut stream, to(path).head(server.address()).as_bytes()).unwrap();
        thread::sleep(Duration::from_millis(300));
        drop(stream);
        let freed = (0..50).any(|_| server.send(&to("/ok")).is_ok_and(|response| response.status == 200));
        assert!(freed, "{path}: its only place is still held");
    }
}

#[test]
fn one_that_sleeps_leaves_places_for_the_others() {
    let sites = tempfile::tempdir().unwrap();
    write_site(sites.path(), "hostil", "[limits]\nconcurrency = 10000\ntimeout_ms = 120000\n", &HOSTILE).unwrap();
    let server = hosts_of(sites.path());
    let to = |path: &str| get("hostil.localhost", path);
    assert_eq!(server.send(&to("/ok")).unwrap().status, 200);
    // More than any one site is given of the 2000 places there are.
    let asleep: Vec<_> = (0..700)
        .map(|_| {
            let mut stream = client::connect(server.address()).unwrap();
            io::Write::write_all(&mut stream, to("/sleep").head(server.address()).as_bytes()).unwrap();
            stream
        })
        .collect();
    let refused = (0..200).find_map(|_| {
        thread::sleep(Duration::from_millis(50));
        server.send(&to("/ok")).ok().filter(|response| response.status == 503)
    });
    assert!(refused.unwrap().header("retry-after").is_some());
    for _ in 0..20 {
        let response = server.send(&get("blog.localhost", "/posts").header("Accept", "text/html")).unwrap();
        assert_eq!(response.status, 200, "the neighbour: {}", response.text());
    }
    drop(asleep);
    let answers = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(50));
        server.send(&to("/ok")).is_ok_and(|response| response.status == 200)
    });
    assert!(answers, "what it had is given back");
}

#[test]
fn what_cannot_be_a_site_is_refused_and_the_others_start() {
    let sites = tempfile::tempdir().unwrap();
    let contract = |content: &[u8]| with_section(&HOSTILE, "djo:contract", content);
    let write = |name: &str, content: &[u8]| fs::write(sites.path().join(format!("{name}.wasm")), content).unwrap();
    let mut half = HOSTILE.clone();
    half.truncate(HOSTILE.len() / 2);
    let mut damaged = HOSTILE.clone();
    let place = damaged.windows(4).position(|bytes| bytes == b"\0asm").unwrap() + damaged.len() / 3;
    damaged[place..place + 64].fill(0xff);
    let route = |path: &str| format!(r#"{{"djo_contract":1,"routes":[{{"method":"GET","path":"{path}","screen":true}}]}}"#);
    let cases: &[(&str, Vec<u8>, &str)] = &[
        ("vazio", Vec::new(), ""),
        ("texto", b"isto nao e wasm".to_vec(), ""),
        ("modulo", b"\0asm\x01\0\0\0".to_vec(), "no door"),
        ("nada", b"\0asm\x0d\0\x01\0".to_vec(), "no door"),
        ("metade", half, ""),
        ("estragado", damaged, ""),
        ("enorme", with_section(&HOSTILE, "padding", &vec![0; 50 << 20]), "at most"),
        ("lixo", contract(b"{"), "contrato"),
        ("grande", contract(&vec![b' '; (4 << 20) + 1]), "at most 4194304"),
        ("dois", with_section(&contract(route("/a").as_bytes()), "djo:contract", b"{}"), "contracts"),
        ("reservado", contract(route("/agent/execute").as_bytes()), "reservado"),
        ("aponta", contract(br#"{"djo_contract":1,"routes":[{"method":"POST","path":"/a","action":9}]}"#), "aponta"),
        ("quer", contract(br#"{"djo_contract":1,"wanted":{"limits":{"memory_mb":99999}}}"#), "memory_mb"),
        ("anfitriao", contract(br#"{"djo_contract":1,"wanted":{"hosts":["blog.localhost"]}}"#), "belongs to the site `blog`"),
    ];
    for (name, content, _) in cases {
        write(name, content);
    }
    let server = hosts_of(sites.path());
    for (name, _, why) in cases {
        let output = server.output();
        let told = output.split_once(&format!("{name}: left out")).and_then(|(_, after)| after.split("left out").next());
        assert!(told.is_some_and(|told| told.contains(why)), "{name} is not refused with `{why}`:\n{output}");
        assert_eq!(server.send(&get(&format!("{name}.localhost"), "/ok")).unwrap().status, 404, "{name}");
    }
    assert_eq!(server.send(&get("blog.localhost", "/posts").header("Accept", "text/html")).unwrap().status, 200);
}

#[test]
fn changed_code_is_compiled_anew_and_said_so() {
    let sites = tempfile::tempdir().unwrap();
    write_site(sites.path(), "hostil", "", &HOSTILE).unwrap();
    let sites_path = sites.path().to_str().unwrap().to_owned();
    let arguments = [NEIGHBOUR, &sites_path];
    let mut server = Server::start(&arguments, &["--default", "blog"]).unwrap();
    let ok = get("hostil.localhost", "/ok");
    assert_eq!(server.send(&ok).unwrap().text(), "ok");
    let code = server.data().join("code");
    let kept: Vec<_> = fs::read_dir(&code)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|e| e == "bin"))
        .collect();
    assert_eq!(kept.len(), 2, "the runtime's and the component's: {kept:?}");
    for file in &kept {
        let mut bytes = fs::read(file).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(file, bytes).unwrap();
    }
    server.restart(&arguments, &["--default", "blog"]).unwrap();
    assert_eq!(server.send(&ok).unwrap().text(), "ok");
    assert_eq!(server.output().matches("kept code is not believed").count(), 2, "{}", server.output());
}
