//! The typed door: one call in, one record out. Redirects are followed here, each by the whole policy again.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use djo_contract::fetch::{BadCall, BadUrl, Call, MAX_REDIRECTS};
use http::header::{ACCEPT, ACCEPT_ENCODING, CONNECTION, HOST, TRANSFER_ENCODING, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;

use super::Calls;
use super::error::FetchError;
use super::exchange::open;
use crate::sandbox::bindings::djo::site::outbound;
use crate::sandbox::guest::Guest;

const AGENT: &str = concat!("djo-host/", env!("CARGO_PKG_VERSION"));

impl outbound::Host for Guest {
    async fn fetch(&mut self, request: outbound::Request) -> Result<outbound::Response, String> {
        let outbound::Request { method, url, headers, body, timeout_ms } = request;
        let call = Call::new(&method, &url, headers, body).map_err(|bad| bad.to_string())?;
        // Less than what is left of the run: its code shall see that the other side is slow.
        let left = self.meter.time_left().mul_f32(0.9);
        let time = timeout_ms.map_or(left, |asked| left.min(Duration::from_millis(u64::from(asked))));
        let calls = Arc::clone(self.calls());
        let origin = call.url.origin.clone();
        let answered = tokio::time::timeout(time, calls.follow(call)).await;
        let answered = answered.unwrap_or_else(|_| Err(FetchError::TimedOut { host: origin.authority(), time }));
        answered.map_err(|error| {
            calls.log(&origin, &error);
            error.to_string()
        })
    }
}

/// What a request came to.
enum Step {
    Answer(outbound::Response),
    Redirect(Call),
}

impl Calls {
    /// Makes a call, and those that its redirects ask for.
    pub(super) async fn follow(&self, mut call: Call) -> Result<outbound::Response, FetchError> {
        for _ in 0..=MAX_REDIRECTS {
            match self.exchange(call).await? {
                Step::Answer(answer) => return Ok(answer),
                Step::Redirect(next) => call = next,
            }
        }
        Err(BadCall::TooManyRedirects.into())
    }

    async fn exchange(&self, call: Call) -> Result<Step, FetchError> {
        let most = self.outbound.most;
        if call.body.len() > most {
            return Err(FetchError::RequestTooLarge(most));
        }
        let origin = &call.url.origin;
        let _place = self.admit(origin).await?;
        let (mut sender, driver) = open(&self.outbound, origin).await?;
        let broken = |source| FetchError::Broken { host: origin.authority(), source };
        let request = request(&call)?;
        let exchanged = async {
            let (head, body) = sender.send_request(request).await.map_err(broken)?.into_parts();
            let location = head.headers.get(http::header::LOCATION).map(|value| String::from_utf8_lossy(value.as_bytes()));
            if let Some(next) = call.redirected(head.status.as_u16(), location.as_deref())? {
                return Ok(Step::Redirect(next));
            }
            let body = whole(body, most, &origin.authority()).await?;
            Ok(Step::Answer(outbound::Response { status: head.status.as_u16(), headers: told(&head.headers), body }))
        };
        // The connection may end before all of it is read. Its errors come out where something is read.
        let driven = async {
            let _ = driver.await;
            std::future::pending::<Infallible>().await
        };
        tokio::select! {
            step = exchanged => step,
            never = driven => match never {},
        }
    }
}

/// The request as it goes over the wire.
fn request(call: &Call) -> Result<Request<Full<Bytes>>, BadCall> {
    let mut request = Request::new(Full::new(Bytes::copy_from_slice(&call.body)));
    *request.method_mut() = Method::from_bytes(call.method.as_bytes()).map_err(|_| BadCall::Method(call.method.clone()))?;
    *request.uri_mut() = call.url.target.parse().map_err(|_| BadUrl::Control)?;
    let headers = request.headers_mut();
    for (name, value) in &call.headers {
        let value = HeaderValue::from_bytes(value.as_bytes()).map_err(|_| BadCall::HeaderValue(name.clone()))?;
        headers.append(HeaderName::from_bytes(name.as_bytes()).map_err(|_| BadCall::HeaderName)?, value);
    }
    headers.entry(USER_AGENT).or_insert(HeaderValue::from_static(AGENT));
    headers.entry(ACCEPT).or_insert(HeaderValue::from_static("*/*"));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    let host = call.url.origin.authority();
    headers.insert(HOST, HeaderValue::from_str(&host).map_err(|_| BadUrl::Host)?);
    Ok(request)
}

/// A body, no further than its limit.
async fn whole(body: Incoming, most: usize, host: &str) -> Result<Vec<u8>, FetchError> {
    let collected = Limited::new(body, most).collect().await.map_err(|error| match error.downcast::<hyper::Error>() {
        Ok(source) => FetchError::Broken { host: host.to_owned(), source: *source },
        Err(_) => FetchError::ResponseTooLarge { host: host.to_owned(), most },
    })?;
    Ok(collected.to_bytes().into())
}

/// What the site's code is told: all but what was between us and the other side.
fn told(headers: &HeaderMap) -> Vec<(String, String)> {
    let own = |name: &HeaderName| name != CONNECTION && name != TRANSFER_ENCODING && name.as_str() != "keep-alive";
    let told = headers.iter().filter(|(name, _)| own(name));
    told.map(|(name, value)| (name.as_str().to_owned(), String::from_utf8_lossy(value.as_bytes()).into_owned())).collect()
}
