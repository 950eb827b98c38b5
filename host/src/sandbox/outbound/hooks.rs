//! The `wasi:http` door: the guest streams and follows redirects for itself, each as a call of its own.

use std::sync::Arc;
use std::time::Duration;

use djo_contract::fetch::{BadCall, BadUrl, Url};
use http::header::{EXPECT, HOST, HeaderValue, TE, TRAILER};
use http::{Method, Request, Response};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use wasmtime_wasi_http::{Error, RequestOptions, WasiBody, WasiHttpHooks};

use super::Calls;
use super::error::FetchError;
use super::exchange::open;

/// What a guest's outgoing requests go through.
pub(in crate::sandbox) struct Hooks(pub(in crate::sandbox) Arc<Calls>);

type Io = Box<dyn Future<Output = Result<(), Error>> + Send>;

/// How long a connection and a response's first byte may take; the run's own time is mostly shorter.
const PATIENCE: Duration = Duration::from_secs(600);

impl WasiHttpHooks for Hooks {
    fn send_request(
        &mut self,
        request: Request<WasiBody>,
        options: Option<RequestOptions>,
        _response: Io,
    ) -> Box<dyn Future<Output = Result<(Response<WasiBody>, Io), Error>> + Send> {
        let calls = Arc::clone(&self.0);
        Box::new(async move {
            let url = Url::parse(&request.uri().to_string()).map_err(|bad| FetchError::Bad(bad.into()).into_wasi())?;
            calls.send(request, &url, options.unwrap_or_default()).await.map_err(|error| {
                calls.log(&url.origin, &error);
                error.into_wasi()
            })
        })
    }

    /// Two pieces of a guest's body wait for its reader at most.
    fn p2_outgoing_body_chunk_size(&mut self) -> usize {
        64 << 10
    }
}

impl Calls {
    async fn send(&self, request: Request<WasiBody>, url: &Url, options: RequestOptions) -> Result<(Response<WasiBody>, Io), FetchError> {
        let (origin, most) = (&url.origin, self.outbound.most);
        let (mut head, body) = request.into_parts();
        if head.method == Method::CONNECT || head.method == Method::TRACE {
            return Err(BadCall::Method(head.method.to_string()).into());
        }
        for name in [TE, TRAILER, EXPECT] {
            head.headers.remove(name);
        }
        head.headers.insert(HOST, HeaderValue::from_str(&origin.authority()).map_err(|_| BadCall::Url(BadUrl::Host))?);
        head.uri = url.target.parse().map_err(|_| BadCall::Url(BadUrl::Control))?;

        let late = |time| move |_| FetchError::TimedOut { host: origin.authority(), time };
        let time = options.connect_timeout.unwrap_or(PATIENCE);
        let opened = tokio::time::timeout(time, async {
            let place = self.admit(origin).await?;
            Ok::<_, FetchError>((place, open(&self.outbound, origin).await?))
        });
        let (place, (mut sender, driver)) = opened.await.map_err(late(time))??;
        // Moves the bytes from here on; dropped with the response, or with the run, it closes the connection.
        let driven = wasmtime_wasi::runtime::spawn(driver);
        let time = options.first_byte_timeout.unwrap_or(PATIENCE);
        let sent = sender.send_request(Request::from_parts(head, Limited::new(body, most)));
        let response = tokio::time::timeout(time, sent).await.map_err(late(time))?;
        let response = response.map_err(|source| FetchError::Broken { host: origin.authority(), source })?;
        let response = response.map(|body| Limited::new(body, most).map_err(move |error| limited(error, most)).boxed_unsync());
        let io = async move {
            let _place = place;
            driven.await.map_err(Error::from)
        };
        Ok((response, Box::new(io)))
    }
}

/// Why a response's body ends early.
fn limited(error: Box<dyn std::error::Error + Send + Sync>, most: usize) -> Error {
    match error.downcast::<hyper::Error>() {
        Ok(error) => Error::from(*error),
        Err(error) if error.is::<LengthLimitError>() => Error::HttpResponseBodySize(Some(most as u64)),
        Err(_) => Error::HttpProtocolError,
    }
}
