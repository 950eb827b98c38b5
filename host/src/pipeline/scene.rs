//! A request as it came in, and what is known of it so far: enough to write an answer from wherever it stops.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use djo_contract::negotiate::Preference;
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, Method, Uri, Version};

use super::body::{self, BodyError};
use super::inbound::Inbound;
use super::request_id;
use crate::execution::Ticket;
use crate::memory::Held;
use crate::protocols::Door;
use crate::rate::Standing;
use crate::sandbox::Context;
use crate::tenant::Site;
use crate::tools::Chain;

/// For whom an answer is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A person with a browser: HTML.
    Person,
    /// A program: JSON.
    Program,
}

/// The request, and what stages have learnt about it.
pub struct Scene {
    /// As in `X-Request-Id`.
    pub id: Arc<str>,
    /// The method.
    pub method: Method,
    /// The target.
    pub uri: Uri,
    /// The version of HTTP.
    pub version: Version,
    /// The headers.
    pub headers: Arc<HeaderMap>,
    /// The body, still on the wire, until `validate` reads it.
    pub body: Option<Inbound>,
    /// The memory that the body takes once it was read.
    pub held: Held,
    /// Who sent it, as far as the host trusts anyone to say.
    pub client: IpAddr,
    /// It came over TLS.
    pub secure: bool,
    /// The forms that it accepts.
    pub accept: Preference,
    /// Whom to write for.
    pub audience: Audience,
    /// Pages are wanted as Markdown.
    pub markdown: bool,
    /// The answer depends on `Accept`.
    pub varies: bool,
    /// The route asks for a cache: what is not kept says that nobody may.
    pub caches: bool,
    /// The answer is one that was kept, with what every answer says.
    pub is_kept: bool,
    /// The site, once it is known.
    pub site: Option<Arc<Site>>,
    /// The door of a protocol that it came to: it refuses in its own words.
    pub door: Option<Door>,
    /// The duty to record how the request ends, where it asked for that.
    pub ticket: Option<Ticket>,
    /// What the next page of its answer goes on from, where a route of its own gives that.
    pub chain: Option<Box<Chain>>,
    /// How its client stands with its rate, where the request was counted.
    pub standing: Option<Standing>,
}

impl Scene {
    /// What the head alone tells.
    pub fn new(request: http::Request<impl Into<Inbound>>, client: IpAddr, secure: bool) -> Self {
        let (head, body) = request.into_parts();
        let sends_json =
            head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).is_some_and(djo_contract::media::is_json_media_type);
        let accept = Preference::of(joined(&head.headers, &ACCEPT).as_deref());
        let program = accept.is_program(sends_json, head.method == Method::GET || head.method == Method::HEAD);
        Self {
            id: request_id::next(),
            method: head.method,
            uri: head.uri,
            version: head.version,
            headers: Arc::new(head.headers),
            body: Some(body.into()),
            held: Held::default(),
            client,
            secure,
            accept,
            audience: if program { Audience::Program } else { Audience::Person },
            markdown: accept.is_markdown(true),
            varies: true,
            caches: false,
            is_kept: false,
            site: None,
            door: None,
            ticket: None,
            chain: None,
            standing: None,
        }
    }

    /// Puts on the log what went wrong.
    pub fn log_error(&self, text: &str) {
        if let Some(site) = &self.site {
            site.tenant.log_error(&self.id, text);
        }
    }

    /// The whole body, of at most `most` bytes, which a site takes.
    ///
    /// # Errors
    /// [`BodyError`]
    pub async fn read(&mut self, site: &Site, most: usize) -> Result<Bytes, BodyError> {
        let Some(body) = self.body.take() else { return Ok(Bytes::new()) };
        let (bytes, held) = body::read(body, most, &site.tenant.share.memory).await?;
        self.held = held;
        Ok(bytes)
    }

    /// The path as sent.
    pub fn path(&self) -> &str {
        self.uri.path()
    }

    /// The query as sent, without `?`.
    pub fn query(&self) -> &str {
        self.uri.query().unwrap_or("")
    }

    /// A `GET`, or a `HEAD`, which is answered as one.
    pub fn reads(&self) -> bool {
        self.method == Method::GET || self.method == Method::HEAD
    }

    /// A header's text, when it is there once and is text.
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        let mut values = self.headers.get_all(name).iter();
        values.next()?.to_str().ok().filter(|_| values.next().is_none())
    }

    /// What a run may ask about the request.
    pub fn context(&self) -> Context {
        Context {
            headers: Arc::clone(&self.headers),
            client: self.client,
            secure: self.secure,
            request_id: Arc::clone(&self.id),
            progress: None,
        }
    }
}

/// All values of a list header as one; `None` when it is absent. Values that are not text are left out.
pub fn joined<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<Cow<'a, str>> {
    let mut values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    let mut all = Cow::from(values.next()?);
    for value in values {
        let all = all.to_mut();
        all.push_str(", ");
        all.push_str(value);
    }
    Some(all)
}
