//! One request, as an agent makes it, and its whole answer.

use std::{io, net::Ipv4Addr, net::Ipv6Addr, net::SocketAddr, path::Path, time::Duration};

use bytes::Bytes;
use http::{
    HeaderMap, Method, Request, StatusCode,
    header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT},
};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{net::TcpStream, runtime, time};
use tokio_rustls::TlsConnector;

use super::Address;
use crate::tls::{self, RootsError, Wire};

/// How long a connection may take to stand.
const CONNECT: Duration = Duration::from_secs(10);
/// How long an answer may take, connection included.
const ANSWER: Duration = Duration::from_secs(60);
/// A longer body is not read.
const MAX_BODY: usize = 64 << 20;

/// A site that is served somewhere, and how to speak with it.
pub(crate) struct Remote {
    address: Address,
    tls: Option<TlsConnector>,
}

impl Remote {
    /// The site at an address. With TLS, its certificate must be of an authority in that file or, without one, of those that this
    /// machine trusts.
    ///
    /// # Errors
    /// No authority is known.
    pub(crate) fn new(address: &Address, authorities: Option<&Path>) -> Result<Self, FetchError> {
        let roots = || authorities.map_or_else(tls::machine_roots, tls::roots_of);
        let connector = |()| tls::connector(roots()?).map_err(|error| FetchError::Tls(io::Error::other(error)));
        Ok(Self { address: address.clone(), tls: address.is_https().then_some(()).map(connector).transpose()? })
    }

    /// Where it is.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }
}

/// What to ask.
pub(super) struct Asked<'a> {
    /// Whom.
    pub(super) site: &'a Remote,
    /// Path and query.
    pub(super) target: &'a str,
    /// The body of a POST; without one it is a GET.
    pub(super) json: Option<&'a str>,
}

/// What came back.
pub(super) struct Answer {
    pub(super) status: StatusCode,
    pub(super) headers: HeaderMap,
    pub(super) body: Bytes,
}

impl Answer {
    /// Whether it says that the request was not served.
    pub(super) fn is_failure(&self) -> bool {
        self.status.is_client_error() || self.status.is_server_error()
    }
}

/// Why there was no answer.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FetchError {
    /// No connection.
    #[error("{0}")]
    Connect(io::Error),
    /// No authority is known.
    #[error(transparent)]
    Roots(#[from] RootsError),
    /// The other side speaks no TLS, or its certificate is not to be trusted.
    #[error("{0}")]
    Tls(io::Error),
    /// Too slow.
    #[error("no answer in time")]
    TimedOut,
    /// What came was no HTTP, or stopped in the middle.
    #[error("{0}")]
    Http(Box<dyn std::error::Error + Send + Sync>),
}

/// Asks, and reads the answer to its end.
///
/// # Errors
/// [`FetchError`]
pub(super) fn fetch(asked: &Asked) -> Result<Answer, FetchError> {
    let runtime = runtime::Builder::new_current_thread().enable_all().build().map_err(FetchError::Connect)?;
    let answer = runtime.block_on(async { time::timeout(ANSWER, exchange(asked)).await.unwrap_or(Err(FetchError::TimedOut)) });
    // A name that is still being looked up must not hold the command back.
    runtime.shutdown_background();
    answer
}

async fn exchange(asked: &Asked<'_>) -> Result<Answer, FetchError> {
    let mut sender = open(asked.site).await?;
    let builder = Request::builder()
        .uri(asked.target)
        .header(HOST, asked.site.address.authority())
        .header(USER_AGENT, concat!("djo-host/", env!("CARGO_PKG_VERSION")))
        .header(ACCEPT, "application/json");
    let request = match asked.json {
        Some(json) => builder.method(Method::POST).header(CONTENT_TYPE, "application/json").body(Full::<Bytes>::from(json.to_owned())),
        None => builder.body(Full::default()),
    };
    let response = sender.send_request(request.map_err(http)?).await.map_err(http)?;
    let (head, body) = response.into_parts();
    let body = Limited::new(body, MAX_BODY).collect().await.map_err(FetchError::Http)?.to_bytes();
    Ok(Answer { status: head.status, headers: head.headers, body })
}

/// A connection, ready for a request.
///
/// # Errors
/// [`FetchError`]
pub(crate) async fn open(site: &Remote) -> Result<http1::SendRequest<Full<Bytes>>, FetchError> {
    let wire = time::timeout(CONNECT, wire(site)).await.map_err(|_| FetchError::TimedOut)??;
    let (sender, connection) = http1::handshake(TokioIo::new(wire)).await.map_err(http)?;
    // Its end is told by the request's.
    tokio::spawn(connection);
    Ok(sender)
}

async fn wire(site: &Remote) -> Result<Box<dyn Wire>, FetchError> {
    let stream = connect(&site.address).await.map_err(FetchError::Connect)?;
    Ok(match &site.tls {
        Some(connector) => Box::new(tls::over(connector, stream, site.address.host()).await.map_err(FetchError::Tls)?),
        None => Box::new(stream),
    })
}

async fn connect(address: &Address) -> io::Result<TcpStream> {
    let (host, port) = (address.host(), address.port());
    // Names under localhost are this machine's (RFC 6761), whether or not its resolver knows.
    if host.eq_ignore_ascii_case("localhost") || host.to_ascii_lowercase().ends_with(".localhost") {
        let here = [SocketAddr::from((Ipv4Addr::LOCALHOST, port)), SocketAddr::from((Ipv6Addr::LOCALHOST, port))];
        return TcpStream::connect(&here[..]).await;
    }
    TcpStream::connect((host, port)).await
}

fn http(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> FetchError {
    FetchError::Http(error.into())
}
