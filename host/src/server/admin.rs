//! The operator's own address: is the host alive, and what has each site done so far. Never on the address of the sites.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use crate::metrics::COUNTERS;
use crate::tenant::Registry;

/// Binds the operator's address.
///
/// # Errors
/// When the address is taken, or not ours.
pub(super) async fn bind(addr: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(addr).await
}

/// Answers the operator until the process ends.
pub(super) async fn serve(listener: TcpListener, registry: Arc<Registry>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let registry = Arc::clone(&registry);
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let response = answer(&registry, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            if let Err(error) = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!(%error, "admin connection");
            }
        });
    }
}

fn answer(registry: &Registry, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, content_type, text) = match request.uri().path() {
        "/healthz" => (StatusCode::OK, "text/plain", "ok\n".to_owned()),
        "/metrics" => (StatusCode::OK, "text/plain; version=0.0.4", metrics(registry)),
        _ => (StatusCode::NOT_FOUND, "text/plain", "/healthz, /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Every counter of every site, in Prometheus' text format.
fn metrics(registry: &Registry) -> String {
    let mut text = String::new();
    let sites = registry.sites();
    for counter in COUNTERS {
        let _ = writeln!(text, "# HELP djo_{} {}\n# TYPE djo_{} counter", counter.name(), counter.help(), counter.name());
        for site in &sites {
            let _ = writeln!(text, "djo_{}{{site=\"{}\"}} {}", counter.name(), site.name, site.metrics.get(counter));
        }
    }
    text
}
