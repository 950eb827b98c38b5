//! One connection: HTTP/1.1 or HTTP/2 over it, with caps on what a head may hold.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto;
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsAcceptor;

use super::Host;
use crate::pipeline::{self, Scene, client};

/// The most a request's head may hold. It may have 100 fields: hyper's own limit, which costs less than one of ours would.
const MAX_HEAD: usize = 64 << 10;
/// How long a head may take to arrive.
const HEAD_TIME: Duration = Duration::from_secs(10);
/// Requests that one HTTP/2 connection may have under way.
const MAX_STREAMS: u32 = 100;

/// How long a TLS handshake may take.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// Serves a connection in a task of its own.
pub(super) fn spawn(host: &Arc<Host>, stream: TcpStream, peer: SocketAddr, tls: Option<&TlsAcceptor>, connections: &GracefulShutdown) {
    // Answers are small and complete: waiting to fill a segment only delays them.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "TCP_NODELAY");
    }
    let (host, watcher) = (Arc::clone(host), connections.watcher());
    match tls.cloned() {
        None => drop(tokio::spawn(converse(host, stream, peer, false, watcher))),
        Some(tls) => drop(tokio::spawn(async move {
            match tokio::time::timeout(HANDSHAKE_TIME, tls.accept(stream)).await {
                Ok(Ok(stream)) => converse(host, stream, peer, true, watcher).await,
                Ok(Err(error)) => tracing::debug!(%error, %peer, "handshake"),
                Err(_) => tracing::debug!(%peer, "the handshake took too long"),
            }
        })),
    }
}

/// Answers what comes over a connection until it ends.
async fn converse<S>(host: Arc<Host>, stream: S, peer: SocketAddr, secure: bool, watcher: Watcher)
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    // The count of the host's holders is the connection's own: all threads writing to one for each request would cost more than a look
    // into the cache.
    let host = Arc::new(host);
    let service = service_fn(move |request: Request<Incoming>| {
        let host = Arc::clone(&host);
        async move {
            let client = client::address(&host.options, peer.ip(), request.headers());
            Ok::<_, Infallible>(pipeline::answer(&host, &mut Scene::new(request, client, secure)).await)
        }
    });
    let mut builder = auto::Builder::new(TokioExecutor::new());
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIME)
        .max_buf_size(MAX_HEAD)
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(MAX_HEAD as u32)
        .max_concurrent_streams(MAX_STREAMS);
    let connection = watcher.watch(builder.serve_connection(TokioIo::new(stream), service).into_owned());
    if let Err(error) = connection.await {
        tracing::debug!(%error, %peer, "connection");
    }
}
