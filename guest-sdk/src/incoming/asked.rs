//! What a request says, taken out of the host's resources once.

use alloc::{
    borrow::Cow,
    string::{String, ToString},
    vec::Vec,
};

use crate::bindings::wasi::http::types::{IncomingRequest, Method, Scheme};

/// A request without its body.
pub(super) struct Asked {
    /// Upper case, as a rule.
    pub(super) method: String,
    /// Percent-encoded, without the query.
    pub(super) path: String,
    /// Without `?`.
    pub(super) query: String,
    /// It says that it came over TLS.
    pub(super) secure: bool,
    headers: Vec<(String, Vec<u8>)>,
}

impl Asked {
    /// Reads all of it.
    pub(super) fn read(request: &IncomingRequest) -> Self {
        let target = request.path_with_query().unwrap_or_default();
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let mut headers = request.headers().entries();
        // `wasi:http` tells it beside the headers.
        if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("host")) {
            headers.extend(request.authority().map(|authority| ("host".to_string(), authority.into_bytes())));
        }
        Self {
            method: method(request.method()),
            // A request without a path asks for the root.
            path: if path.is_empty() { "/".to_string() } else { path.to_string() },
            query: query.to_string(),
            secure: matches!(request.scheme(), Some(Scheme::Https)),
            headers,
        }
    }

    /// A header by its lower-case name; several of one name are joined by `, `, cookies by `; `.
    pub(super) fn header(&self, name: &str) -> Option<String> {
        let separator = if name == "cookie" { "; " } else { ", " };
        let mut values = self.headers.iter().filter(|(held, _)| held.eq_ignore_ascii_case(name)).map(|(_, value)| text(value));
        let mut joined = values.next()?.into_owned();
        for value in values {
            joined.push_str(separator);
            joined.push_str(&value);
        }
        Some(joined)
    }
}

fn text(value: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(value)
}

fn method(method: Method) -> String {
    let name = match method {
        Method::Get => "GET",
        Method::Head => "HEAD",
        Method::Post => "POST",
        Method::Put => "PUT",
        Method::Delete => "DELETE",
        Method::Connect => "CONNECT",
        Method::Options => "OPTIONS",
        Method::Trace => "TRACE",
        Method::Patch => "PATCH",
        Method::Other(name) => return name,
    };
    name.to_string()
}
