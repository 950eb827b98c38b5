//! Outbound HTTP of guests: closed, since no address has been allowed.

use std::future::{Future, ready};

use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

/// Refuses every outgoing request.
pub(super) struct Closed;

type Io = Box<dyn Future<Output = Result<(), Error>> + Send>;

impl WasiHttpHooks for Closed {
    fn send_request(
        &mut self,
        _request: http::Request<WasiBody>,
        _options: Option<RequestOptions>,
        _response: Io,
    ) -> Box<dyn Future<Output = Result<(http::Response<WasiBody>, Io), Error>> + Send> {
        Box::new(ready(Err(Error::HttpRequestDenied)))
    }

    /// Two pieces of a guest's body wait for its reader at most.
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        64 << 10
    }
}
