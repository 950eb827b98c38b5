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
    // Each request holds the host by a count of the connection's own: one that all threads write to is several times as dear.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::Ipv4Addr;

    use bytes::Bytes;
    use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
    use http_body_util::{BodyExt as _, Full};
    use hyper::client::conn::http2::{self, SendRequest};

    use super::*;
    use crate::options::{ServeOptions, Silent};

    /// A site with an action and an empty file, over one connection of HTTP/2.
    async fn connected(folder: &std::path::Path, connections: &GracefulShutdown) -> SendRequest<Full<Bytes>> {
        let site = folder.join("casa");
        std::fs::create_dir_all(site.join("core")).unwrap();
        std::fs::create_dir_all(site.join("publico")).unwrap();
        std::fs::write(site.join("publico/vazio.txt"), "").unwrap();
        std::fs::write(site.join("rotas.djo"), "Route.action:\"/dobro\":\"dobro\":\"Int\"\n").unwrap();
        std::fs::write(site.join("core/dobro.djo"), "action dobro\n    params[n[Int]]\n    return n * 2\n").unwrap();
        let options = ServeOptions { paths: vec![site], data: folder.join("data"), ..ServeOptions::default() };
        let host = Arc::new(Host::load(options, &Silent).unwrap());
        let (ours, theirs) = tokio::io::duplex(64 << 10);
        let peer = (Ipv4Addr::LOCALHOST, 1).into();
        tokio::spawn(converse(host, ours, peer, false, connections.watcher()));
        let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(theirs)).await.unwrap();
        tokio::spawn(connection);
        sender
    }

    /// Status, announced length and body of an answer.
    async fn ask(mut sender: SendRequest<Full<Bytes>>, method: &str, path: &str, body: &str) -> (u16, String, String) {
        let request =
            Request::builder().method(method).uri(format!("http://casa.localhost{path}")).header(CONTENT_TYPE, "application/json");
        sender.ready().await.unwrap();
        let answer = sender.send_request(request.body(Full::from(body.to_owned())).unwrap()).await.unwrap();
        let length = answer.headers().get(CONTENT_LENGTH).map(|length| length.to_str().unwrap().to_owned()).unwrap_or_default();
        let status = answer.status().as_u16();
        let body = answer.into_body().collect().await.unwrap().to_bytes();
        (status, length, String::from_utf8(body.to_vec()).unwrap())
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn http_2_carries_many_requests_and_tells_every_length() {
        let folder = tempfile::tempdir().unwrap();
        let connections = GracefulShutdown::new();
        let sender = connected(folder.path(), &connections).await;
        let calls: Vec<_> = (0..20)
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
}
