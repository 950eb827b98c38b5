//! One connection, for one request and its response.

use std::pin::Pin;
use std::time::Duration;

use bytes::Bytes;
use djo_contract::fetch::Origin;
use http_body::Body;
use hyper::client::conn::http1::{Builder, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

use super::Outbound;
use super::error::FetchError;
use super::resolve::{Pinned, lookup, pinned};
use crate::tls::Wire;

/// How long one address may take to be connected to before the next is tried.
const CONNECT: Duration = Duration::from_secs(3);
/// Header fields of a response, and what is read ahead of it; the head must fit.
const MAX_HEADERS: usize = 100;
const BUFFER: usize = 64 << 10;

/// What moves the bytes of a connection while its request and response are on the way. Dropped, it closes it.
pub(super) type Driver = Pin<Box<dyn Future<Output = hyper::Result<()>> + Send>>;

/// Connects to an origin that the owner named.
pub(super) async fn open<B>(outbound: &Outbound, origin: &Origin) -> Result<(SendRequest<B>, Driver), FetchError>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let pinned = pinned(origin, |host, port| lookup(host, port, &outbound.lookups)).await?;
    let stream = connect(&pinned, origin).await?;
    let wire: Box<dyn Wire> = if origin.secure { Box::new(outbound.tls.over(stream, origin).await?) } else { Box::new(stream) };
    let (sender, connection) = Builder::new()
        .max_headers(MAX_HEADERS)
        .max_buf_size(BUFFER)
        .handshake(TokioIo::new(wire))
        .await
        .map_err(|source| FetchError::Broken { host: origin.host.clone(), source })?;
    Ok((sender, Box::pin(connection)))
}

/// The first of the addresses that answers.
async fn connect(pinned: &Pinned, origin: &Origin) -> Result<TcpStream, FetchError> {
    for address in pinned.addresses() {
        if let Ok(Ok(stream)) = tokio::time::timeout(CONNECT, TcpStream::connect(address)).await {
            let _ = stream.set_nodelay(true);
            return Ok(stream);
        }
    }
    Err(FetchError::Connect(origin.authority()))
}
