//! Real sockets, a real host, and peers that do not do their part.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::time::Instant;

use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http_body_util::{BodyExt as _, Full};
use hyper::client::conn::http2::{self, SendRequest};
use hyper_util::rt::TokioExecutor;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::time::{sleep, timeout};

use super::*;
use crate::options::{ServeOptions, Silent};
use crate::server::seats::Seats;

const PATIENCE: Patience =
    Patience { head: Duration::from_millis(500), taking: Duration::from_millis(1000), sign: Duration::from_millis(500) };
/// Machines that run tests are busy with other things.
const SOON: Duration = Duration::from_secs(20);
/// More than the system keeps of it on its own, at both ends.
const LONG: usize = 32 << 20;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const SETTINGS: &[u8] = &[0, 0, 0, 4, 0, 0, 0, 0, 0];
/// A frame of headers that says it is longer than what comes of it.
const HALF_OF_A_FRAME: &[u8] = &[0, 0, 60, 1, 5, 0, 0, 0, 1, 0x82, 0x86];
/// `GET http:/`, whole.
const GET: &[u8] = &[0, 0, 3, 1, 5, 0, 0, 0, 1, 0x82, 0x86, 0x84];

struct Served {
    host: Arc<Host>,
    seats: Arc<Seats>,
    address: SocketAddr,
    _connections: Arc<GracefulShutdown>,
}

/// A site with actions, an empty file and a long one, behind a socket.
async fn served(folder: &Path) -> Served {
    let site = folder.join("casa");
    std::fs::create_dir_all(site.join("core")).unwrap();
    std::fs::create_dir_all(site.join("publico")).unwrap();
    std::fs::write(site.join("publico/vazio.txt"), "").unwrap();
    std::fs::write(site.join("publico/longo.txt"), vec![b'x'; LONG]).unwrap();
    std::fs::write(site.join("rotas.djo"), "Route.action:\"/dobro\":\"dobro\":\"Int\"\nRoute.action:\"/girar\":\"girar\":\"Int\"\n")
        .unwrap();
    let girar = "action girar\n    params[]\n    while true\n        x = 1\n    return 1\n";
    std::fs::write(site.join("core/a.djo"), format!("action dobro\n    params[n[Int]]\n    return n * 2\n\n{girar}")).unwrap();
    std::fs::write(site.join("site.toml"), "[limits]\ntimeout_ms = 60000\ncpu_ms = 60000\n").unwrap();
    let options = ServeOptions { paths: vec![site], data: folder.join("data"), ..ServeOptions::default() };
    let host = Arc::new(Host::load(options, &Silent).unwrap());
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (seats, connections) = (Seats::of_process(), Arc::new(GracefulShutdown::new()));
    let served = Served {
        host: Arc::clone(&host),
        seats: Arc::clone(&seats),
        address: listener.local_addr().unwrap(),
        _connections: Arc::clone(&connections),
    };
    tokio::spawn(async move {
        loop {
            let (stream, peer) = listener.accept().await.unwrap();
            prepare(&stream, PATIENCE.taking).unwrap();
            let (wire, seat) = (Wire::new(stream), seats.take(peer.ip(), false).unwrap());
            let origin = Origin { peer, seat };
            let connection = Connection::new(Arc::clone(&host), &origin, false, wire.peer());
            tokio::spawn(converse(connection, wire, PATIENCE, connections.watcher(), origin.seat));
        }
    });
    served
}

impl Served {
    async fn connect(&self) -> TcpStream {
        TcpStream::connect(self.address).await.unwrap()
    }

    async fn http_2(&self) -> SendRequest<Full<Bytes>> {
        let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(self.connect().await)).await.unwrap();
        tokio::spawn(connection);
        sender
    }

    /// Places of the site that are taken.
    fn running(&self) -> usize {
        64 - self.host.registry.find("casa.localhost").unwrap().places.available_permits()
    }
}

async fn until(mut what: impl FnMut() -> bool) -> Duration {
    let started = Instant::now();
    while !what() {
        assert!(started.elapsed() < SOON, "it does not happen");
        sleep(Duration::from_millis(5)).await;
    }
    started.elapsed()
}

fn request(method: &str, path: &str, body: &str) -> Request<Full<Bytes>> {
    let request = Request::builder().method(method).uri(format!("http://casa.localhost{path}")).header(CONTENT_TYPE, "application/json");
    request.body(Full::from(body.to_owned())).unwrap()
}

/// Status, announced length and body of an answer.
async fn ask(mut sender: SendRequest<Full<Bytes>>, method: &str, path: &str, body: &str) -> (u16, String, String) {
    sender.ready().await.unwrap();
    let answer = sender.send_request(request(method, path, body)).await.unwrap();
    let length = answer.headers().get(CONTENT_LENGTH).map(|length| length.to_str().unwrap().to_owned()).unwrap_or_default();
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, length, String::from_utf8(body.to_vec()).unwrap())
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn http_2_carries_many_requests_and_tells_every_length() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let sender = served.http_2().await;
    let calls: Vec<_> = (0..90)
        .map(|n| {
            let sender = sender.clone();
            tokio::spawn(async move { ask(sender, "POST", "/dobro", &format!("{{\"n\":{n}}}")).await })
        })
        .collect();
    for (n, call) in calls.into_iter().enumerate() {
        let double = (n * 2).to_string();
        assert_eq!(call.await.unwrap(), (200, double.len().to_string(), double));
    }
    let nothing = (200, "0".to_owned(), String::new());
    assert_eq!(ask(sender.clone(), "GET", "/vazio.txt", "").await, nothing);
    assert_eq!(ask(sender.clone(), "HEAD", "/vazio.txt", "").await, nothing);
    assert_eq!(ask(sender, "GET", "/nada", "").await.0, 404);
}

/// More than may run at once, and more bytes than one window: those that are not read yet leave room for those that are.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn bodies_that_wait_do_not_hold_up_those_that_are_read() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let sender = served.http_2().await;
    let body = format!("{{\"n\":21}}{}", " ".repeat(200 << 10));
    let calls: Vec<_> = (0..90)
        .map(|_| {
            let (sender, body) = (sender.clone(), body.clone());
            tokio::spawn(async move { ask(sender, "POST", "/dobro", &body).await })
        })
        .collect();
    let started = Instant::now();
    for call in calls {
        assert_eq!(timeout(SOON, call).await.unwrap().unwrap().2, "42");
    }
    assert!(started.elapsed() < Duration::from_secs(15), "they waited for each other: {:?}", started.elapsed());
}

/// How long a connection is kept that sends this and no more.
async fn kept(served: &Served, said: &[u8]) -> Duration {
    let mut client = served.connect().await;
    client.write_all(said).await.unwrap();
    let started = Instant::now();
    let mut answer = Vec::new();
    // However it is told that this is the end.
    let _ = timeout(SOON, client.read_to_end(&mut answer)).await.unwrap_or_else(|_| panic!("kept: {said:?}"));
    started.elapsed()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_asks_for_nothing_is_let_go() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let said: [&[u8]; 6] = [
        b"",
        b"PRI * HTT",
        b"GET /vazio.txt HTTP/1.1\r\nHost: casa",
        PREFACE,
        &[PREFACE, SETTINGS].concat(),
        &[PREFACE, SETTINGS, HALF_OF_A_FRAME].concat(),
    ];
    for said in said {
        let kept = kept(&served, said).await;
        assert!(kept >= PATIENCE.head / 2, "{said:?} was let go after {kept:?}");
    }
    // Later on a sign of life is asked for, which cannot come in the middle of a frame.
    kept(&served, &[PREFACE, SETTINGS, GET, HALF_OF_A_FRAME].concat()).await;
    until(|| served.seats.taken() == 0).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_live_peer_of_http_2_may_be_silent() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let sender = served.http_2().await;
    for _ in 0..3 {
        assert_eq!(ask(sender.clone(), "GET", "/vazio.txt", "").await.0, 200);
        sleep(3 * PATIENCE.sign).await;
    }
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_takes_nothing_of_an_answer_is_let_go_and_who_is_slow_is_not() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let get = b"GET /longo.txt HTTP/1.1\r\nHost: casa.localhost\r\nConnection: close\r\n\r\n";
    let mut idle = served.connect().await;
    idle.write_all(get).await.unwrap();
    let mut slow = served.connect().await;
    slow.write_all(get).await.unwrap();
    let (started, mut read, mut piece) = (Instant::now(), 0, vec![0; 128 << 10]);
    while started.elapsed() < 5 * PATIENCE.taking {
        read += slow.read(&mut piece).await.unwrap();
        sleep(Duration::from_millis(50)).await;
    }
    until(|| served.seats.taken() == 1).await;
    let mut rest = Vec::new();
    slow.read_to_end(&mut rest).await.unwrap();
    assert!(read + rest.len() > LONG, "{} bytes", read + rest.len());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stream_of_which_nothing_is_taken_ends_and_the_others_go_on() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let sender = served.http_2().await;
    let get = |sender: &SendRequest<Full<Bytes>>| sender.clone().send_request(request("GET", "/longo.txt", ""));
    let idle = get(&sender).await.unwrap().into_body();
    let mut slow = get(&sender).await.unwrap().into_body();
    let (started, mut read) = (Instant::now(), 0);
    while started.elapsed() < 5 * PATIENCE.taking {
        read += slow.frame().await.unwrap().unwrap().into_data().unwrap().len();
        assert_eq!(ask(sender.clone(), "POST", "/dobro", "{\"n\":2}").await.2, "4");
        sleep(Duration::from_millis(50)).await;
    }
    assert_eq!(read + slow.collect().await.unwrap().to_bytes().len(), LONG);
    assert!(timeout(SOON, idle.collect()).await.unwrap().is_err(), "its end was cut off");
    assert_eq!(served.seats.taken(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_leaves_ends_its_run_whatever_it_left_behind() {
    let folder = tempfile::tempdir().unwrap();
    let served = served(folder.path()).await;
    let head = "POST /girar HTTP/1.1\r\nHost: casa.localhost\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
    for behind in ["", "x", "GET / HTTP/1.1\r\n\r\n"] {
        let mut client = served.connect().await;
        client.write_all(format!("{head}{behind}").as_bytes()).await.unwrap();
        until(|| served.running() == 1).await;
        // It is a connection like any other while its client is there.
        assert!(timeout(Duration::from_millis(300), client.read(&mut [0; 1])).await.is_err());
        assert_eq!(served.running(), 1);
        drop(client);
        let took = until(|| served.running() == 0).await;
        assert!(took < Duration::from_secs(1), "{behind:?}: it ran on for {took:?}");
    }
}
