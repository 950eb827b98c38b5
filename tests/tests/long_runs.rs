//! Runs that compute for long: nobody else feels them, and they end with their client.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request},
    server::Server,
};
use std::{
    io::Write,
    net::{SocketAddr, TcpStream},
    sync::atomic::{AtomicBool, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

const VOLUME: &str = "tests/sites/volume";
const BLOG: &str = "tests/sites/blog";

/// A call that computes for so many milliseconds.
fn spin(ms: u32) -> Request {
    Request::post_json("/girar", &format!(r#"{{"nome":"a","ms":{ms}}}"#))
}

/// Sends a request and does not wait for its answer.
fn start(address: SocketAddr, request: &Request) -> TcpStream {
    let mut stream = client::connect(address).unwrap();
    stream.write_all(request.head(address).as_bytes()).unwrap();
    stream.write_all(request.body.as_deref().unwrap_or_default()).unwrap();
    stream
}

/// How long nine of ten requests of the screen take at most.
fn screen(server: &Server) -> Duration {
    let request = Request::get("/tela").header("Accept", "text/html");
    let mut times: Vec<_> = (0..300)
        .map(|_| {
            let started = Instant::now();
            assert_eq!(server.send(&request).unwrap().status, 200);
            started.elapsed()
        })
        .collect();
    times.sort_unstable();
    times[times.len() * 9 / 10]
}

#[test]
fn the_screen_does_not_feel_a_lane_full_of_long_calls() {
    let server = Server::start(&[VOLUME], &[]).unwrap();
    let calm = screen(&server);
    let (address, ended) = (server.address(), AtomicBool::new(false));
    let beside = thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| {
                while !ended.load(Relaxed) {
                    let status = client::send(address, &spin(3000)).unwrap().status;
                    assert!(matches!(status, 200 | 429), "{status}");
                }
            });
        }
        thread::sleep(Duration::from_millis(500));
        let beside = screen(&server);
        ended.store(true, Relaxed);
        beside
    });
    // On the threads that serve, each call would hold the screen up for as long as its turns last: tens of milliseconds.
    let most = (20 * calm).max(Duration::from_millis(10));
    assert!(beside <= most, "{calm:?} calm, {beside:?} beside them");
}

#[test]
fn two_sites_with_long_calls_cannot_keep_a_third_out_of_the_lane() {
    let folder = tempfile::tempdir().unwrap();
    let copy = |site: &str, name: &str| {
        let (from, to) = (djo_tests::workspace::root().join(site), folder.path().join(name));
        let status = std::process::Command::new("cp").arg("-r").args([&from, &to]).status().unwrap();
        assert!(status.success());
        std::fs::remove_file(to.join("site.toml")).unwrap();
    };
    copy(VOLUME, "um");
    copy(VOLUME, "dois");
    copy(BLOG, "tres");
    let server = Server::start(&[folder.path().to_str().unwrap()], &["--agent-conc", "2"]).unwrap();
    let address = server.address();
    let hogs: Vec<_> =
        (0..6).map(|n| start(address, &spin(4000).header("Host", if n % 2 == 0 { "um.localhost" } else { "dois.localhost" }))).collect();
    thread::sleep(Duration::from_millis(300));
    for _ in 0..20 {
        let answer = server.send(&Request::get("/posts").header("Accept", "application/json").header("Host", "tres.localhost")).unwrap();
        assert_eq!(answer.status, 200, "{}", answer.text());
    }
    // Those that stood still in between go on and end as if nothing had been; the others gave up waiting for a place. One site may have
    // had both places for a moment, before the other came: then there are three.
    let statuses: Vec<_> = hogs.into_iter().map(|mut hog| client::read_response(&mut hog, "POST").unwrap().status).collect();
    let served = statuses.iter().filter(|status| **status == 200).count();
    assert!((2..=3).contains(&served) && statuses.iter().all(|status| matches!(status, 200 | 429)), "{statuses:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_run_ends_when_its_client_goes_away() {
    let server = Server::start(&[VOLUME], &[]).unwrap();
    let clients: Vec<_> = (0..2).map(|_| start(server.address(), &spin(15_000))).collect();
    thread::sleep(Duration::from_millis(300));
    let computed = |time: Duration| {
        let before = server.cpu_time().unwrap();
        thread::sleep(time);
        server.cpu_time().unwrap() - before
    };
    let busy = computed(Duration::from_millis(400));
    assert!(busy >= Duration::from_millis(40), "they compute: {busy:?}");
    drop(clients);
    thread::sleep(Duration::from_millis(100));
    let left = computed(Duration::from_millis(400));
    assert!(left <= busy / 4, "{busy:?} while they ran, {left:?} after their clients had gone");
}
