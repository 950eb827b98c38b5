//! A bare hyper server that answers everything with one response, taken from another server at the start: the same bytes under the
//! same headers, and nothing between the socket and them. What a host could at best be.
//!
//! `hyper-peer LISTEN FROM PATH ['Name: value'…]`, as in `hyper-peer 127.0.0.1:9001 127.0.0.1:8080 /posts 'Accept: application/json'`.

use std::convert::Infallible;
use std::env;
use std::net::SocketAddr;

use anyhow::{Context as _, bail};
use bytes::Bytes;
use djo_tests::client::{self, Request};
use http::{HeaderName, HeaderValue, Response};
use http_body_util::Full;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// What hyper writes by itself.
const OF_THE_CONNECTION: [&str; 4] = ["connection", "content-length", "date", "transfer-encoding"];

#[tokio::main]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [listen, from, path, headers @ ..] = arguments.as_slice() else { bail!("usage: hyper-peer LISTEN FROM PATH ['Name: value'…]") };
    let response = take(from.parse().context("FROM")?, path, headers)?;
    let listener = TcpListener::bind(listen).await.context("LISTEN")?;
    loop {
        let (stream, _) = listener.accept().await?;
        stream.set_nodelay(true)?;
        let response = response.clone();
        let service = service_fn(move |_| {
            let response = response.clone();
            async move { Ok::<_, Infallible>(response) }
        });
        // A client that goes away is no error of the peer's.
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
    }
}

/// The response to repeat.
fn take(from: SocketAddr, path: &str, headers: &[String]) -> anyhow::Result<Response<Full<Bytes>>> {
    let mut request = Request::get(path);
    for header in headers {
        let (name, value) = header.split_once(':').context("a header is `Name: value`")?;
        request = request.header(name.trim(), value.trim());
    }
    let taken = client::send(from, &request)?;
    let mut response = Response::new(Full::new(Bytes::from(taken.body)));
    *response.status_mut() = http::StatusCode::from_u16(taken.status)?;
    for (name, value) in &taken.headers {
        if !OF_THE_CONNECTION.contains(&name.as_str()) {
            response.headers_mut().append(HeaderName::try_from(name)?, HeaderValue::try_from(value)?);
        }
    }
    Ok(response)
}
