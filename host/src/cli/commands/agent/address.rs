//! The address of a site or of something in it, as people type it: `localhost:8080/posts/2`.

use http::Uri;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// What cannot stand in a request target as it is. `%` can: it is taken to be encoded already.
const TYPED: &AsciiSet = &CONTROLS.add(b' ').add(b'"').add(b'<').add(b'>').add(b'\\').add(b'^').add(b'`').add(b'{').add(b'|').add(b'}');

/// Where to ask, and for what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Address {
    authority: String,
    host: String,
    port: u16,
    target: String,
    https: bool,
}

/// What was typed is no address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not an address")]
pub(crate) struct AddressError;

impl Address {
    /// Reads an address; without a scheme it is `http://`.
    ///
    /// # Errors
    /// [`AddressError`]
    pub(crate) fn parse(text: &str) -> Result<Self, AddressError> {
        let text = text.split('#').next().unwrap_or_default();
        let lower = text.to_ascii_lowercase();
        let (https, rest) = match text.split_once("://") {
            Some((_, rest)) if lower.starts_with("http://") => (false, rest),
            Some((_, rest)) if lower.starts_with("https://") => (true, rest),
            // A scheme that is none of ours, unless the colon belongs to a path or a query.
            Some((before, _)) if !before.contains(['/', '?']) => return Err(AddressError),
            _ => (false, text),
        };
        let (authority, target) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let slash = if target.starts_with('/') { "" } else { "/" };
        let target = format!("{slash}{}", utf8_percent_encode(target, TYPED));
        let uri: Uri = format!("http://{authority}{target}").parse().map_err(|_| AddressError)?;
        let parsed = uri.authority().filter(|parsed| !parsed.host().is_empty() && !authority.contains('@')).ok_or(AddressError)?;
        let port = match parsed.port() {
            Some(port) => port.as_u16(),
            // A colon with no number that could be a port.
            None if authority.rsplit(']').next().is_some_and(|end| end.contains(':')) => return Err(AddressError),
            None if https => 443,
            None => 80,
        };
        let host = parsed.host().trim_start_matches('[').trim_end_matches(']').to_owned();
        Ok(Self { authority: authority.to_owned(), host, port, target, https })
    }

    /// `host:port` as it was typed: what the request's `Host` says.
    pub(crate) fn authority(&self) -> &str {
        &self.authority
    }

    /// The host to connect to, without brackets.
    pub(super) fn host(&self) -> &str {
        &self.host
    }

    /// The port to connect to.
    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Path and query, percent-encoded.
    pub(crate) fn target(&self) -> &str {
        &self.target
    }

    /// Whether nothing but the site is named.
    pub(crate) fn is_root(&self) -> bool {
        self.target == "/"
    }

    /// Whether TLS is asked for.
    pub(super) fn is_https(&self) -> bool {
        self.https
    }

    /// The scheme it is asked by.
    pub(super) fn scheme(&self) -> &'static str {
        if self.https { "https" } else { "http" }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn parts(text: &str) -> (String, u16, String) {
        let address = Address::parse(text).unwrap();
        (address.host().to_owned(), address.port(), address.target().to_owned())
    }

    #[test]
    fn http_is_assumed_and_the_root_too() {
        for text in ["localhost:8080", "localhost:8080/", "http://localhost:8080", "HTTP://localhost:8080/#x"] {
            assert_eq!(parts(text), ("localhost".into(), 8080, "/".into()), "{text}");
            assert!(Address::parse(text).unwrap().is_root());
        }
        assert_eq!(parts("[::1]:9/a"), ("::1".into(), 9, "/a".into()));
        assert_eq!(parts("exemplo.test"), ("exemplo.test".into(), 80, "/".into()));
        assert_eq!(parts("HTTPS://exemplo.test"), ("exemplo.test".into(), 443, "/".into()));
        assert_eq!(parts("https://[::1]:8443/x"), ("::1".into(), 8443, "/x".into()));
        assert_eq!(["h", "https://h"].map(|text| Address::parse(text).unwrap().scheme()), ["http", "https"]);
    }

    #[test]
    fn what_people_type_becomes_a_target() {
        assert_eq!(parts("h:1/posts?campos=id,titulo").2, "/posts?campos=id,titulo");
        assert_eq!(parts("h:1/busca?q=pão doce&u=http://x").2, "/busca?q=p%C3%A3o%20doce&u=http://x");
        assert_eq!(parts("h:1?tabela").2, "/?tabela");
        assert_eq!(parts("h:1/a%2Fb/{id}").2, "/a%2Fb/%7Bid%7D");
        assert!(!Address::parse("h:1?tabela").unwrap().is_root());
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", "/posts", "ftp://h/", "h:porta", "h:99999", "h:", "http://", "ana:senha@h", "h h", "sítio.test"] {
            assert_eq!(Address::parse(text), Err(AddressError), "{text:?}");
        }
    }
}
