//! The last step: what every response carries, whatever stage it comes from.

mod body;
pub(crate) mod error;
mod excerpt;
mod page;

use http::header::{CONNECTION, CONTENT_LENGTH, HeaderName, HeaderValue, LINK, VARY, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, Method, Response, StatusCode};

pub use body::Body;
pub use error::refuse;

use crate::metrics::{Counter, Metrics};
use crate::pipeline::{Reply, Scene, body::drain, settle};
use crate::tenant::Site;

/// The field that carries a request's id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Turns a reply into the response that is sent: with what every response carries, counted, put on record where its key asks for that.
pub fn complete(scene: &mut Scene, reply: Reply) -> Response<Body> {
    let mut response = reply;
    if let Some(ticket) = scene.ticket.take() {
        settle(ticket, response.status(), response.headers(), response.body().bytes());
    }
    if let Some(site) = &scene.site {
        count(&site.metrics, response.status());
    }
    let bodiless = matches!(response.status(), StatusCode::NO_CONTENT | StatusCode::NOT_MODIFIED);
    let is_head = scene.method == Method::HEAD;
    // Of a body that is sent the connection tells the length; of none, over HTTP/2, it tells nothing.
    if let Some(length) = response.body().len().filter(|length| !bodiless && (is_head || *length == 0)) {
        response.headers_mut().insert(CONTENT_LENGTH, length.into());
    }
    if is_head {
        *response.body_mut() = Body::empty();
    }
    if let Some(site) = &scene.site {
        response.body_mut().hold(&site.tenant.share.memory);
    }
    let headers = response.headers_mut();
    if let Ok(id) = HeaderValue::from_str(&scene.id) {
        headers.insert(REQUEST_ID, id);
    }
    if let Some(standing) = scene.standing {
        standing.write(headers);
    }
    if !scene.is_kept {
        say_always(headers, scene.site.as_deref(), scene.varies);
    }
    // A body that no stage read: refused early, or a GET that has one.
    if let Some(body) = scene.body.take()
        && !hyper::body::Body::is_end_stream(&body)
    {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
        drain(body);
    }
    response
}

/// Says what every answer says, whoever asks for it.
pub fn say_always(headers: &mut HeaderMap, site: Option<&Site>, varies: bool) {
    // A browser must not take an answer for something else than it says it is.
    headers.insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    if site.is_some_and(|site| site.documents.is_some()) {
        headers.append(LINK, HeaderValue::from_static(djo_contract::manifest::LINK));
    }
    if varies {
        vary(headers, "Accept");
    }
}

fn count(metrics: &Metrics, status: StatusCode) {
    metrics.count(Counter::Requests);
    if status.is_client_error() {
        metrics.count(Counter::ClientErrors);
    } else if status.is_server_error() {
        metrics.count(Counter::ServerErrors);
    }
    if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
        metrics.count(Counter::Refusals);
    }
}

/// A copy of a document's headers, with room for what is said of each response.
pub fn copied(headers: &HeaderMap) -> HeaderMap {
    let mut copy = HeaderMap::with_capacity(headers.len() + OF_EACH);
    for (name, value) in headers {
        copy.append(name.clone(), value.clone());
    }
    copy
}

/// Headers that a response is given at the end, as a rule.
const OF_EACH: usize = 6;

/// Adds a name to `Vary` unless it is there.
pub fn vary(headers: &mut HeaderMap, name: &'static str) {
    let there = headers.get_all(VARY).iter().filter_map(|value| value.to_str().ok());
    if !there.flat_map(|list| list.split(',')).any(|item| item.trim().eq_ignore_ascii_case(name)) {
        headers.append(VARY, HeaderValue::from_static(name));
    }
}
