//! Calls to other servers: what one may be, and where a redirect leads. The host and the portable shim go by the same rules.

mod url;

#[cfg(test)]
mod tests;

use alloc::{
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

pub use url::{BadUrl, Origin, Url, is_name};

/// Redirects that are followed of one call.
pub const MAX_REDIRECTS: usize = 5;
/// Headers of one call.
const MAX_HEADERS: usize = 64;
/// Bytes of one header's value.
const MAX_VALUE: usize = 8 << 10;

const METHODS: [&str; 7] = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/// Headers that belong to the connection or to whoever makes the call. Among them `accept-encoding`: nothing is decompressed, so nothing
/// compressed is asked for.
const FORBIDDEN: [&str; 16] = [
    "accept-encoding",
    "connection",
    "content-length",
    "date",
    "expect",
    "host",
    "http2-settings",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
    "via",
];

/// What goes along when a redirect leads to another origin. Everything else may be a secret between the site and the first.
const CROSSING: [&str; 5] = ["accept", "accept-language", "content-language", "content-type", "user-agent"];

/// A call, checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// Upper case.
    pub method: String,
    /// Where to.
    pub url: Url,
    /// Names in lower case.
    pub headers: Vec<(String, String)>,
    /// What is sent; empty for nothing.
    pub body: Vec<u8>,
}

/// Why a call is not made, for the site's author.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadCall {
    /// The URL, or the one that a redirect leads to.
    Url(BadUrl),
    /// A method that cannot be called.
    Method(String),
    /// A header that is not the site's to set.
    Forbidden(String),
    /// No header name.
    HeaderName,
    /// A header's value with line breaks, or too long a one.
    HeaderValue(String),
    /// Too many headers.
    TooManyHeaders,
    /// A redirect out of TLS.
    Downgrade,
    /// Too many redirects.
    TooManyRedirects,
}

impl fmt::Display for BadCall {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Url(bad) => bad.fmt(f),
            Self::Method(method) => write!(f, "o método {method} não pode ser usado; use um de {}", METHODS.join(", ")),
            Self::Forbidden(name) => write!(f, "o cabeçalho {name} é do servidor"),
            Self::HeaderName => f.write_str("o nome do cabeçalho só pode ter letras, dígitos e hífens"),
            Self::HeaderValue(name) => write!(f, "o valor do cabeçalho {name} tem quebras de linha ou passa de {MAX_VALUE} bytes"),
            Self::TooManyHeaders => write!(f, "mais de {MAX_HEADERS} cabeçalhos"),
            Self::Downgrade => f.write_str("a resposta leva de `https://` para `http://`, o que não é seguido"),
            Self::TooManyRedirects => write!(f, "mais de {MAX_REDIRECTS} redirecionamentos"),
        }
    }
}

impl From<BadUrl> for BadCall {
    fn from(bad: BadUrl) -> Self {
        Self::Url(bad)
    }
}

impl Call {
    /// Checks what a site asks for.
    ///
    /// # Errors
    /// [`BadCall`]
    pub fn new(method: &str, url: &str, headers: Vec<(String, String)>, body: Vec<u8>) -> Result<Self, BadCall> {
        if !METHODS.contains(&method) {
            return Err(BadCall::Method(method.chars().take(20).filter(|character| !character.is_control()).collect()));
        }
        if headers.len() > MAX_HEADERS {
            return Err(BadCall::TooManyHeaders);
        }
        let headers = headers.into_iter().map(|(name, value)| header(&name, value)).collect::<Result<_, _>>()?;
        Ok(Self { method: method.to_string(), url: Url::parse(url)?, headers, body })
    }

    /// A header's first value, by its lower-case name.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(held, _)| held == name).map(|(_, value)| value.as_str())
    }

    /// The call that an answer leads to; `None` when it is the answer.
    ///
    /// # Errors
    /// Where it leads to what cannot be called.
    pub fn redirected(&self, status: u16, location: Option<&str>) -> Result<Option<Self>, BadCall> {
        let (301 | 302 | 303 | 307 | 308, Some(location)) = (status, location) else { return Ok(None) };
        let url = self.url.join(location)?;
        if self.url.origin.secure && !url.origin.secure {
            return Err(BadCall::Downgrade);
        }
        let mut next = Self { url, ..self.clone() };
        if next.url.origin != self.url.origin {
            next.headers.retain(|(name, _)| CROSSING.contains(&name.as_str()));
        }
        // As browsers do: what was posted is not posted again, unless the answer says so.
        let turns = match status {
            301 | 302 => self.method == "POST",
            303 => !matches!(self.method.as_str(), "GET" | "HEAD"),
            _ => false,
        };
        if turns {
            next.method = "GET".to_string();
            next.body = Vec::new();
            next.headers.retain(|(name, _)| !name.starts_with("content-"));
        }
        Ok(Some(next))
    }
}

fn header(name: &str, value: String) -> Result<(String, String), BadCall> {
    let name = name.to_ascii_lowercase();
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 256 || !name.bytes().all(token) {
        return Err(BadCall::HeaderName);
    }
    if FORBIDDEN.contains(&name.as_str()) {
        return Err(BadCall::Forbidden(name));
    }
    let value = value.trim_matches([' ', '\t']);
    if value.len() > MAX_VALUE || value.chars().any(char::is_control) {
        return Err(BadCall::HeaderValue(name));
    }
    Ok((name, value.to_string()))
}
