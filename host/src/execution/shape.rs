//! Checks what a guest answered, and gives every kind of answer the form of an HTTP one.

use std::sync::Arc;

use bytes::Bytes;
use djo_contract::bounds::BoundsError;
use djo_contract::field::is_said_by_the_host;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, HeaderName, HeaderValue};
use http::{HeaderMap, StatusCode};

use super::bounds;
use super::cached::Keeping;
use super::run::Ran;
use super::view::{ResultError, Shown};
use crate::markdown;
use crate::memory::Held;
use crate::sandbox::{Entry, Looked, PageBounds, Response, hold_to_host};
use crate::tenant::Site;
use crate::text;

/// An answer in the form in which it could be sent.
pub(super) struct Shaped {
    /// The site.
    pub(super) site: Arc<Site>,
    /// Status, headers and body.
    pub(super) response: http::Response<Bytes>,
    /// How much of a result it is.
    pub(super) page: Option<Box<PageBounds>>,
    /// What the host saw the run read.
    pub(super) looked: Looked,
    /// What becomes of it.
    pub(super) keeping: Keeping,
    /// The memory that it takes.
    pub(super) held: Held,
}

/// What a guest's answer broke.
#[derive(Debug, thiserror::Error)]
pub enum ShapeError {
    /// No status that a final response can have.
    #[error("o site respondeu com o status {0}, que não existe numa resposta")]
    Status(u16),
    /// A header with a name or value that HTTP does not allow.
    #[error("o site pôs um cabeçalho inválido: {0:?}")]
    Header(String),
    /// It cannot be shown as asked, or does not fit its type.
    #[error(transparent)]
    Result(#[from] ResultError),
    /// Its bounds contradict each other or its items.
    #[error("a página se contradiz: {0}")]
    Bounds(BoundsError),
    /// A page that is wanted as Markdown is too long for that.
    #[error("a página tem {0} bytes, demais para Markdown")]
    TooLongForMarkdown(usize),
    /// Too many large answers of its site wait to be shaped. Its code has run.
    #[error("respostas grandes demais do site esperam ao mesmo tempo")]
    NoRoom,
    /// More headers, or longer ones, than a response may have.
    #[error("o site pôs cabeçalhos demais")]
    TooManyHeaders,
}

/// Fields and bytes that a guest's headers may have.
const MAX_HEADERS: usize = 100;
const MAX_HEADER_BYTES: usize = 64 << 10;

impl Ran {
    /// What shaping it costs, as bytes of JSON to go through.
    pub(super) fn weight(&self) -> usize {
        let bytes = self.answer.response.body.len();
        match self.call.request.entry {
            Entry::Screen(_) if self.call.view.markdown => bytes.saturating_mul(4),
            _ if self.answer.response.page.is_some() || self.call.view.looks_inside() => bytes,
            // For its tag alone.
            Entry::Agent(_) => bytes / 16,
            Entry::Screen(_) | Entry::Action(_) | Entry::ErrorPage(_) => 0,
        }
    }
}

/// Shapes an answer. With `dev` it is held against what is declared.
pub(super) fn shape(dev: bool, ran: Ran) -> Result<Shaped, ShapeError> {
    let Ran { call, answer, keeping } = ran;
    let (site, request) = (&call.site, &call.request);
    let logged = |error: &ShapeError| site.tenant.log_error(&call.context.request_id, &error.to_string());
    let mut page = answer.response.page.clone();
    let mut response = checked(&site.name, answer.response).inspect_err(logged)?;
    page = page.filter(|_| response.status() == StatusCode::OK);
    if let Some(claimed) = page.take() {
        page = Some(bounds::checked(claimed, &request.query, response.body(), dev).map_err(ShapeError::Bounds).inspect_err(logged)?);
    }
    match request.entry {
        Entry::Action(_) => {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
        }
        Entry::Agent(_) if request.method == "GET" && response.status() == StatusCode::OK => {
            if let Some(page) = &page {
                bounds::tell(&request.path, &request.query, response.headers_mut(), page);
            }
            let returns = site.contract.routes.get(call.route).and_then(|route| route.returns.as_ref()).filter(|_| dev);
            let shown = call.view.show(&site.contract, returns, response.body()).map_err(ShapeError::from).inspect_err(logged)?;
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
        Entry::Screen(_) if call.view.markdown => markdown_page(&mut response).inspect_err(logged)?,
        _ => {}
    }
    Ok(Shaped { site: Arc::clone(site), response, page: page.map(Box::new), looked: answer.looked, keeping, held: answer.held })
}

/// Gives a page the form of Markdown. What is no page stays as it is.
fn markdown_page(response: &mut http::Response<Bytes>) -> Result<(), ShapeError> {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    if !content_type.is_some_and(|value| value.starts_with("text/html")) {
        return Ok(());
    }
    let length = response.body().len();
    if length > markdown::LIMIT {
        return Err(ShapeError::TooLongForMarkdown(length));
    }
    *response.body_mut() = Bytes::from(markdown::from_html(&String::from_utf8_lossy(response.body())));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(markdown::MEDIA_TYPE));
    if response.status() == StatusCode::OK {
        let tag = entity_tag(response.body());
        response.headers_mut().insert(ETAG, tag);
    }
    Ok(())
}

/// [`text::entity_tag`] as a header's value.
pub fn entity_tag(bytes: &[u8]) -> HeaderValue {
    // Quotes and hexadecimal digits are always a valid value.
    HeaderValue::try_from(text::entity_tag(bytes)).unwrap_or(HeaderValue::from_static("\"\""))
}

/// Checks how many headers a guest has set, and how long they are.
pub fn within_limits(fields: impl Iterator<Item = usize>) -> Result<(), ShapeError> {
    let (count, bytes) = fields.fold((0, 0), |(count, bytes), field| (count + 1, bytes + field));
    if count > MAX_HEADERS || bytes > MAX_HEADER_BYTES { Err(ShapeError::TooManyHeaders) } else { Ok(()) }
}

/// Whether an answer of this status is its head alone.
pub fn has_no_body(status: StatusCode) -> bool {
    matches!(status, StatusCode::NO_CONTENT | StatusCode::RESET_CONTENT | StatusCode::NOT_MODIFIED)
}

/// The response of a site's guest, with its status and headers checked.
///
/// # Errors
/// [`ShapeError`]: then nothing of it can be sent.
pub fn checked(site: &str, response: Response) -> Result<http::Response<Bytes>, ShapeError> {
    let Response { status, headers, body, .. } = response;
    let status = StatusCode::from_u16(status).ok().filter(|code| code.as_u16() >= 200).ok_or(ShapeError::Status(status))?;
    within_limits(headers.iter().map(|(name, value)| name.len() + value.len()))?;
    let mut checked = HeaderMap::with_capacity(headers.len() + 6);
    for (name, value) in headers {
        let invalid = || ShapeError::Header(name.chars().take(64).collect());
        let field = HeaderName::from_bytes(name.as_bytes()).map_err(|_| invalid())?;
        let value = HeaderValue::from_maybe_shared(Bytes::from(value)).map_err(|_| invalid())?;
        // The tag of an answer by contract is of the bytes that the host sends.
        if !is_said_by_the_host(field.as_str()) && field != ETAG {
            checked.append(field, value);
        }
    }
    hold_to_host(&mut checked, site);
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
        let checked = checked("um", response(200, &said)).unwrap();
        let names: Vec<_> = checked.headers().keys().map(HeaderName::as_str).collect();
        assert_eq!(names, ["x-meu", "set-cookie"]);
    }

    #[test]
    fn line_breaks_and_bad_names_are_refused() {
        for pair in [("x-a", "1\r\nset-cookie: b=2"), ("x a", "1"), ("", "1"), ("x-a", "\0")] {
            assert!(matches!(checked("um", response(200, &[pair])), Err(ShapeError::Header(_))), "{pair:?}");
        }
    }

    #[test]
    fn statuses_are_final_ones() {
        for status in [0, 99, 100, 101, 199, 1000] {
            assert!(matches!(checked("um", response(status, &[])), Err(ShapeError::Status(_))), "{status}");
        }
        assert!(checked("um", response(204, &[])).unwrap().body().is_empty());
    }

    #[test]
    fn too_much_is_refused() {
        let many: Vec<_> = (0..101).map(|_| ("x-a", "1")).collect();
        assert!(matches!(checked("um", response(200, &many)), Err(ShapeError::TooManyHeaders)));
        let long = "a".repeat(MAX_HEADER_BYTES);
        assert!(matches!(checked("um", response(200, &[("x-a", &long)])), Err(ShapeError::TooManyHeaders)));
    }
}
