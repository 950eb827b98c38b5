//! What a site publishes about itself, made once per revision and served from memory.

use bytes::Bytes;
use djo_contract::manifest::{greeting, is_offered, manifest};
use djo_contract::model::Contract;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue};

use crate::execution::entity_tag;
use crate::respond::copied;

/// A document, ready to be sent.
pub struct Document {
    /// Its content type, tag and how long it may be kept.
    pub headers: HeaderMap,
    /// Its bytes.
    pub body: Bytes,
}

/// The documents of a site that serves agents.
pub struct Documents {
    /// The manifest.
    pub manifest: Document,
    /// What an agent gets at `/` where the site has no face for it.
    pub greeting: Document,
}

impl Documents {
    /// The documents of a contract; `None` when it offers nothing to agents.
    pub fn of(contract: &Contract) -> Option<Self> {
        is_offered(contract).then(|| Self { manifest: Document::json(manifest(contract)), greeting: Document::json(greeting(contract)) })
    }
}

impl Document {
    /// The document as a response.
    pub fn response(&self) -> http::Response<Bytes> {
        let mut response = http::Response::new(self.body.clone());
        *response.headers_mut() = copied(&self.headers);
        response
    }

    fn json(text: String) -> Self {
        let body = Bytes::from(text);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=60"));
        headers.insert(ETAG, entity_tag(&body));
        Self { headers, body }
    }
}
