//! The operator's own address: is the host alive, and what has each site done so far. Never on the address of the sites.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use bytes::Bytes;
use http::header::CONTENT_TYPE;
use http::{HeaderValue, Request, Response, StatusCode};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpListener;

use super::Host;
use super::seats::Seats;
use crate::metrics::{COUNTERS, UNREAD_LINES};
use crate::sandbox::ResidentCode;

/// What is told of the process as a whole: name, kind, and what it is, for people.
const OF_PROCESS: [(&str, &str, &str); 10] = [
    ("sites", "gauge", "Sites that are served."),
    ("sites_outdated", "gauge", "Of them, those served as they last were good: what lies on disk is refused."),
    ("sites_left_out", "gauge", "What is to be a site and is not served at all."),
    ("connections", "gauge", "Connections that are open."),
    ("connections_refused_total", "counter", "Connections refused, there being too many in all or from their peer."),
    ("memory_bytes", "gauge", "Memory that instances have grown to, and that long bodies take."),
    ("code_resident_bytes", "gauge", "Machine code of components in memory."),
    ("code_fetches_total", "counter", "Components whose code was read back or compiled."),
    ("code_evictions_total", "counter", "Components whose code was given up for want of room."),
    ("log_lines_unread_total", "counter", "Lines of the log left out, since nobody read them in time."),
];

/// What is counted of a site's log, beside its counters.
const OF_LOGS: (&str, &str) = ("log_lines_left_out_total", "Lines left out of the log, there being too many of the site or of one run.");

/// Binds the operator's address.
///
/// # Errors
/// When the address is taken, or not ours.
pub(super) async fn bind(addr: SocketAddr) -> std::io::Result<TcpListener> {
    TcpListener::bind(addr).await
}

/// Answers the operator until the process ends.
pub(super) async fn serve(listener: TcpListener, host: Arc<Host>, seats: Arc<Seats>) {
    loop {
        let Ok((stream, _)) = listener.accept().await else {
            tokio::time::sleep(std::time::Duration::from_millis(50)).await;
            continue;
        };
        let (host, seats) = (Arc::clone(&host), Arc::clone(&seats));
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let response = answer(&host, &seats, &request);
                async move { Ok::<_, Infallible>(response) }
            });
            if let Err(error) = http1::Builder::new().timer(TokioTimer::new()).serve_connection(TokioIo::new(stream), service).await {
                tracing::debug!(%error, "admin connection");
            }
        });
    }
}

fn answer(host: &Host, seats: &Seats, request: &Request<Incoming>) -> Response<Full<Bytes>> {
    let (status, content_type, text) = match request.uri().path() {
        "/healthz" => (StatusCode::OK, "text/plain", "ok\n".to_owned()),
        "/metrics" => (StatusCode::OK, "text/plain; version=0.0.4", metrics(host, seats)),
        _ => (StatusCode::NOT_FOUND, "text/plain", "/healthz, /metrics\n".to_owned()),
    };
    let mut response = Response::new(Full::new(Bytes::from(text)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    response
}

/// Every counter of every site, and what the process holds for all of them, in Prometheus' text format.
fn metrics(host: &Host, seats: &Seats) -> String {
    let mut text = String::new();
    let sites = host.registry.sites();
    let of_counters = COUNTERS.into_iter().map(|counter| (counter.name(), counter.help(), Some(counter)));
    for (name, help, counter) in of_counters.chain([(OF_LOGS.0, OF_LOGS.1, None)]) {
        let _ = writeln!(text, "# HELP djo_{name} {help}\n# TYPE djo_{name} counter");
        for site in &sites {
            let value = counter.map_or_else(|| site.tenant.share.lines_left_out(), |counter| site.metrics.get(counter));
            let _ = writeln!(text, "djo_{name}{{site=\"{}\"}} {value}", site.name);
        }
    }
    let standing = host.registry.standing();
    let ResidentCode { bytes, fetched, given_up } = host.sandbox.resident_code();
    let values = [
        sites.len() as u64,
        standing.outdated() as u64,
        standing.left_out() as u64,
        seats.taken() as u64,
        seats.refused(),
        host.sandbox.memory_taken(),
        bytes,
        fetched,
        given_up,
        UNREAD_LINES.load(Ordering::Relaxed),
    ];
    for ((name, kind, help), value) in OF_PROCESS.into_iter().zip(values) {
        let _ = writeln!(text, "# HELP djo_{name} {help}\n# TYPE djo_{name} {kind}\ndjo_{name} {value}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_for_operators_has_every_metric() {
        let page = include_str!("../../../docs/operar.md");
        let of_sites = COUNTERS.into_iter().map(|counter| counter.name());
        for name in of_sites.chain([OF_LOGS.0]).chain(OF_PROCESS.into_iter().map(|(name, ..)| name)) {
            assert!(page.contains(&format!("`djo_{name}`")), "{name}");
        }
    }
}
