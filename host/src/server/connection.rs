//! One connection: HTTP/1.1 or HTTP/2 over it, with caps on what a head may hold and on how long its peer may do nothing.

use std::future::poll_fn;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;
use std::time::Duration;

use http::{Request, Response, Version};
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio_rustls::TlsAcceptor;

use super::Host;
use super::seats::Seat;
use super::sending::Sending;
use super::streams::Streams;
use super::wire::{Departure, Peer, Wire};
use crate::pipeline::{self, Scene, client};
use crate::tools::EXECUTIONS_URL;

/// The most a request's head may hold. It may have 100 fields: hyper's own limit, which costs less than one of ours would.
const MAX_HEAD: usize = 64 << 10;
/// Requests that one HTTP/2 connection may have under way.
const MAX_STREAMS: u32 = 100;
/// Bytes of a request's body that may lie unread.
const STREAM_WINDOW: u32 = 64 << 10;
/// Of those, the ones that may run or have a long answer at hand at once; the others wait. A proxy that is trusted speaks for many.
const MAX_AT_ONCE: usize = 32;

/// How long a peer may keep others waiting.
#[derive(Clone, Copy)]
pub(super) struct Patience {
    /// A TLS handshake, and again the head of a connection's first request.
    pub(super) head: Duration,
    /// An answer of which nothing is taken.
    pub(super) taking: Duration,
    /// A connection of HTTP/2 over which nothing comes, until it is asked for a sign of life; and then the sign.
    pub(super) sign: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self { head: Duration::from_secs(10), taking: Duration::from_secs(30), sign: Duration::from_secs(15) }
    }
}

/// Where a connection comes from.
pub(super) struct Origin {
    /// The address at its other end.
    pub(super) peer: SocketAddr,
    /// Its seat among all connections.
    pub(super) seat: Seat,
}

/// The client has left: there is nobody to answer.
#[derive(Debug, thiserror::Error)]
#[error("the client left before its answer was there")]
struct Left;

/// What the requests of a connection share. Each holds it by a count of the connection's own: the host's, which all threads write to, is
/// several times as dear.
struct Connection {
    host: Arc<Host>,
    peer: SocketAddr,
    secure: bool,
    wire: Peer,
    asked: AtomicBool,
    room: Arc<Semaphore>,
}

/// Serves a connection in a task of its own.
pub(super) fn spawn(host: &Arc<Host>, stream: TcpStream, origin: Origin, tls: Option<TlsAcceptor>, connections: &GracefulShutdown) {
    let patience = Patience::default();
    if let Err(error) = prepare(&stream, patience.taking) {
        tracing::debug!(%error, "socket options");
    }
    let (host, watcher, wire) = (Arc::clone(host), connections.watcher(), Wire::new(stream));
    let wires_peer = wire.peer();
    match tls {
        None => drop(tokio::spawn(converse(Connection::new(host, &origin, false, wires_peer), wire, patience, watcher, origin.seat))),
        Some(tls) => drop(tokio::spawn(async move {
            let peer = origin.peer;
            match tokio::time::timeout(patience.head, tls.accept(wire)).await {
                Ok(Ok(stream)) => converse(Connection::new(host, &origin, true, wires_peer), stream, patience, watcher, origin.seat).await,
                Ok(Err(error)) => tracing::debug!(%error, %peer, "handshake"),
                Err(_) => tracing::debug!(%peer, "the handshake took too long"),
            }
        })),
    }
}

/// Sets how a socket sends.
fn prepare(stream: &TcpStream, taking: Duration) -> std::io::Result<()> {
    // Answers are small and complete: waiting to fill a segment only delays them.
    stream.set_nodelay(true)?;
    // Only the system sees how much of what it sends a peer has room for. It ends a connection whose peer has had none for so long, or says
    // nothing at all, and leaves one that takes little.
    #[cfg(any(target_os = "linux", target_os = "android"))]
    rustix::net::sockopt::set_tcp_user_timeout(stream, u32::try_from(taking.as_millis()).unwrap_or(u32::MAX))?;
    #[cfg(not(any(target_os = "linux", target_os = "android")))]
    let _ = taking;
    Ok(())
}

impl Connection {
    fn new(host: Arc<Host>, origin: &Origin, secure: bool, wire: Peer) -> Self {
        let at_once = if host.options.trusts(origin.peer.ip()) { MAX_STREAMS as usize } else { MAX_AT_ONCE };
        Self { host, peer: origin.peer, secure, wire, asked: AtomicBool::new(false), room: Arc::new(Semaphore::new(at_once)) }
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Response<Sending>, Left> {
        if !self.asked.load(Ordering::Relaxed) {
            self.asked.store(true, Ordering::Relaxed);
        }
        let is_alone = request.version() < Version::HTTP_2;
        // Never closed.
        // Who asks about an execution, or ends it, waits for none: that may be what the others wait for.
        let is_about_one = request.uri().path().starts_with(EXECUTIONS_URL);
        let room = if is_alone || is_about_one { None } else { Arc::clone(&self.room).acquire_owned().await.ok() };
        let client = client::address(&self.host.options, self.peer.ip(), request.headers());
        let secure = self.secure || client::is_secure(&self.host.options, self.peer.ip(), request.headers());
        let mut scene = Scene::new(request, client, secure);
        let mut answer = pin!(pipeline::answer(&self.host, &mut scene));
        if !is_alone {
            // Its streams tell of a client that leaves, whatever they carry.
            return Ok(answer.await.map(|body| Sending::beside(body, room)));
        }
        let mut departure = Departure::default();
        let response = poll_fn(|task| match answer.as_mut().poll(task) {
            Poll::Ready(response) => Poll::Ready(Ok(response)),
            Poll::Pending => departure.poll(&self.wire, task).map(|()| Err(Left)),
        });
        Ok(response.await?.map(|body| Sending::alone(body, self.wire.clone(), departure)))
    }
}

/// Answers what comes over a connection until it ends.
async fn converse<S>(connection: Connection, stream: S, patience: Patience, watcher: Watcher, _seat: Seat)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let shared = Arc::new(connection);
    let peer = shared.peer;
    let mut builder = auto::Builder::new(Streams { patience: patience.taking });
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(patience.head)
        .max_buf_size(MAX_HEAD)
        .http2()
        .timer(TokioTimer::new())
        .keep_alive_interval(patience.sign)
        // The sign lies behind all that was sent before: who reads slowly comes to it late.
        .keep_alive_timeout(4 * patience.sign)
        // Bodies of requests that wait for room are not read, and must not take the window of those that have it.
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(MAX_STREAMS * STREAM_WINDOW)
        .max_header_list_size(MAX_HEAD as u32)
        .max_concurrent_streams(MAX_STREAMS);
    let connection = Arc::clone(&shared);
    let service = service_fn(move |request: Request<Incoming>| {
        let connection = Arc::clone(&connection);
        async move { connection.answer(request).await }
    });
    let mut conversation = pin!(watcher.watch(builder.serve_connection(TokioIo::new(stream), service).into_owned()));
    // Before it knows the version hyper waits for ever, and HTTP/2 for what follows half a frame. Later heads HTTP/1 sees to itself.
    let mut silence = pin!(tokio::time::sleep(patience.head));
    let ended = poll_fn(|task| match conversation.as_mut().poll(task) {
        Poll::Ready(ended) => Poll::Ready(Some(ended)),
        Poll::Pending if shared.asked.load(Ordering::Relaxed) => Poll::Pending,
        Poll::Pending => silence.as_mut().poll(task).map(|()| None),
    });
    match ended.await {
        Some(Ok(())) => {}
        Some(Err(error)) => tracing::debug!(%error, %peer, "connection"),
        None => tracing::debug!(%peer, "nothing was asked for in time"),
    }
}

#[cfg(test)]
mod tests;
