//! Checks what a guest answered, and gives every kind of answer the form of an HTTP one.

use bytes::Bytes;
use http::header::{self, ALLOW, CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue, LINK};
use http::{HeaderMap, StatusCode};

use sha2::{Digest, Sha256};

use super::Scene;
use super::app;
use super::cached::{Keeping, replay};
use super::execute::{Answered, Outcome};
use super::negotiate::DocumentName;
use super::view::{ResultError, Shown};
use crate::respond::{Body, copied};
use crate::sandbox::{Entry, Looked, PageBounds, Response};
use crate::server::Host;
use crate::site::assets::Asset;

/// An answer in the form in which it could be sent.
pub(super) enum Shaped {
    /// A guest's, checked.
    Guest {
        /// What ran.
        entry: Entry,
        /// Status, headers and body.
        response: http::Response<Bytes>,
        /// What the host saw it read.
        looked: Looked,
        /// What becomes of it.
        keeping: Keeping,
    },
    /// From the cache or the record of keyed runs, or a document.
    Ready(http::Response<Bytes>),
    /// A static file.
    Asset(Asset),
    /// The methods there are.
    Options(http::Response<Bytes>),
    /// A plain application's, its head checked.
    App(http::Response<Body>),
}

/// What a guest's answer broke.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// No status that a final response can have.
    #[error("the guest answered with status {0}")]
    Status(u16),
    /// A header with a name or value that HTTP does not allow.
    #[error("the guest set an invalid header {0:?}")]
    Header(String),
    /// It cannot be shown as asked, or does not fit its type.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// More headers, or longer ones, than a response may have.
    #[error("the guest set too many headers")]
    TooManyHeaders,
}

/// Fields and bytes that a guest's headers may have.
const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 << 10;

/// What only the host says: about the connection, the message and itself.
pub(super) fn is_said_by_the_host(name: &HeaderName) -> bool {
    const NAMES: [HeaderName; 13] = [
        header::CONNECTION,
        header::CONTENT_LENGTH,
        header::DATE,
        header::SERVER,
        header::TE,
        header::TRAILER,
        header::TRANSFER_ENCODING,
        header::UPGRADE,
        header::PROXY_AUTHENTICATE,
        header::PROXY_AUTHORIZATION,
        HeaderName::from_static("keep-alive"),
        HeaderName::from_static("proxy-connection"),
        HeaderName::from_static("x-request-id"),
    ];
    NAMES.contains(name)
}

/// Shapes an answer.
pub(super) fn shape(host: &Host, scene: &Scene, answered: Answered) -> Result<Shaped, ShapeError> {
    let Answered { site, outcome } = answered;
    match outcome {
        Outcome::Asset(asset) => Ok(Shaped::Asset(asset)),
        Outcome::Stored(stored) => Ok(Shaped::Ready(replay(&stored))),
        Outcome::Options(allow) => {
            let mut response = http::Response::new(Bytes::new());
            *response.status_mut() = StatusCode::NO_CONTENT;
            if let Ok(allow) = HeaderValue::from_str(&allow.join(", ")) {
                response.headers_mut().insert(ALLOW, allow);
            }
            Ok(Shaped::Options(response))
        }
        Outcome::Replay(response) => Ok(Shaped::Ready(response)),
        Outcome::App(response) => app::checked(response).map(Shaped::App).inspect_err(|error| {
            tracing::error!(site = &*site.name, request = &*scene.id, "{error}");
        }),
        Outcome::Document(name) => {
            let Some(documents) = &site.documents else { return Ok(Shaped::Ready(http::Response::default())) };
            let document = match name {
                DocumentName::Manifest => &documents.manifest,
                DocumentName::Greeting => &documents.greeting,
            };
            let mut response = http::Response::new(document.body.clone());
            *response.headers_mut() = copied(&document.headers);
            Ok(Shaped::Ready(response))
        }
        Outcome::Guest { route, entry, answer, view, keeping } => {
            let page = answer.response.page.clone();
            let mut response = checked(answer.response).inspect_err(|error| {
                tracing::error!(site = &*site.name, request = &*scene.id, "{error}");
            })?;
            match entry {
                Entry::Action(_) => {
                    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
                }
                Entry::Agent(_) if scene.reads() && response.status() == StatusCode::OK => {
                    if let Some(page) = page {
                        bounds(scene, response.headers_mut(), &page);
                    }
                    let returns = site.contract.routes[route].returns.as_ref().filter(|_| host.options.dev);
                    let shown = view.show(&site.contract, returns, response.body()).inspect_err(|error| {
                        tracing::error!(site = &*site.name, request = &*scene.id, "{error}");
                    })?;
                    let content_type = match shown {
                        Shown::AsIs => None,
                        Shown::Json(text) => Some((text, "application/json")),
                        Shown::Table(text) => Some((text, "text/csv; charset=utf-8")),
                    };
                    if let Some((text, content_type)) = content_type {
                        *response.body_mut() = Bytes::from(text);
                        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
                    }
                    let tag = entity_tag(response.body());
                    response.headers_mut().insert(ETAG, tag);
                }
                _ => {}
            }
            Ok(Shaped::Guest { entry, response, looked: answer.looked, keeping })
        }
    }
}

/// Says how much a bounded result holds and where the next page is.
fn bounds(scene: &Scene, headers: &mut HeaderMap, page: &PageBounds) {
    if let Some(total) = page.total {
        headers.insert(HeaderName::from_static("x-total-count"), total.into());
    }
    let Some(cursor) = &page.next_cursor else { return };
    let encoded = percent_encoding::utf8_percent_encode(cursor, percent_encoding::NON_ALPHANUMERIC);
    let others = scene.query().split('&').filter(|pair| !pair.is_empty() && pair.split('=').next() != Some("cursor"));
    let query = others.map(str::to_owned).chain([format!("cursor={encoded}")]).collect::<Vec<_>>().join("&");
    if let Ok(link) = HeaderValue::try_from(format!("<{}?{query}>; rel=\"next\"", scene.path())) {
        headers.append(LINK, link);
    }
}

/// A strong tag of some bytes: half of their SHA-256, quoted.
pub fn entity_tag(bytes: &[u8]) -> HeaderValue {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut tag = [b'"'; 34];
    for (pair, byte) in tag[1..33].chunks_exact_mut(2).zip(Sha256::digest(bytes)) {
        pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    // Quotes and hexadecimal digits are always a valid value.
    HeaderValue::from_bytes(&tag).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Checks how many headers a guest has set, and how long they are.
pub(super) fn within_limits(fields: impl Iterator<Item = usize>) -> Result<(), ShapeError> {
    let (count, bytes) = fields.fold((0, 0), |(count, bytes), field| (count + 1, bytes + field));
    if count > MAX_HEADERS || bytes > MAX_HEADER_BYTES { Err(ShapeError::TooManyHeaders) } else { Ok(()) }
}

/// Whether an answer of this status is its head alone.
pub(super) fn has_no_body(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED)
}

/// A guest's response with its status and headers checked.
///
/// # Errors
/// [`ShapeError`]: then nothing of it can be sent.
pub fn checked(response: Response) -> Result<http::Response<Bytes>, ShapeError> {
    let Response { status, headers, body, .. } = response;
    let status = StatusCode::from_u16(status).ok().filter(|code| code.as_u16() >= 200).ok_or(ShapeError::Status(status))?;
    within_limits(headers.iter().map(|(name, value)| name.len() + value.len()))?;
    let mut checked = HeaderMap::with_capacity(headers.len() + 6);
    for (name, value) in headers {
        let invalid = || ShapeError::Header(name.chars().take(64).collect());
        let field = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        let value = HeaderValue::from_maybe_shared(Bytes::from(value)).map_err(|_| invalid())?;
        // The tag of an answer by contract is of the bytes that the host sends.
        if !is_said_by_the_host(&field) && field != ETAG {
            checked.append(field, value);
        }
    }
    let body = if has_no_body(status) { Bytes::new() } else { Bytes::from(body) };
    let mut response = http::Response::new(body);
    *response.status_mut() = status;
    *response.headers_mut() = checked;
    Ok(response)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn response(status: u16, headers: &[(&str, &str)]) -> Response {
        let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Response { status, headers, body: b"corpo".to_vec(), page: None }
    }

    #[test]
    fn what_the_host_says_is_left_out() {
        let said = [("Content-Length", "1"), ("date", "ontem"), ("transfer-encoding", "chunked"), ("x-meu", "sim"), ("set-cookie", "a=1")];
        let checked = checked(response(200, &said)).unwrap();
        let names: Vec<_> = checked.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["x-meu", "set-cookie"]);
    }

    #[test]
    fn line_breaks_and_bad_names_are_refused() {
        for pair in [("x-a", "1\r\nset-cookie: b=2"), ("x a", "1"), ("", "1"), ("x-a", "\0")] {
            assert!(matches!(checked(response(200, &[pair])), Err(ShapeError::Header(_))), "{pair:?}");
        }
    }

    #[test]
    fn statuses_are_final_ones() {
        for status in [0, 99, 100, 101, 199, 1000] {
            assert!(matches!(checked(response(status, &[])), Err(ShapeError::Status(_))), "{status}");
        }
        assert!(checked(response(204, &[])).unwrap().body().is_empty());
    }

    #[test]
    fn tags_are_of_the_bytes() {
        assert_eq!(entity_tag(b"a"), entity_tag(b"a"));
        assert_ne!(entity_tag(b"a"), entity_tag(b"b"));
        assert_eq!(entity_tag(b""), "\"e3b0c44298fc1c149afbf4c8996fb924\"");
    }

    #[test]
    fn too_much_is_refused() {
        let many: Vec<_> = (0..101).map(|_| ("x-a", "1")).collect();
        assert!(matches!(checked(response(200, &many)), Err(ShapeError::TooManyHeaders)));
        let long = "a".repeat(MAX_HEADER_BYTES);
        assert!(matches!(checked(response(200, &[("x-a", &long)])), Err(ShapeError::TooManyHeaders)));
    }
}
