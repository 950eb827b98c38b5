//! Which site a request is for.

use std::sync::Arc;

use http::Version;
use http::header::HOST;

use super::{Audience, Scene};
use crate::server::Host;
use crate::tenant::Site;

/// A request whose site is known.
pub(super) struct Tenanted {
    /// The site.
    pub site: Arc<Site>,
}

/// Why no site answers.
#[derive(Debug, thiserror::Error)]
pub enum TenantError {
    /// No site has this host, and there is no default.
    #[error("no site for this host")]
    Unknown,
    /// Two `Host` fields, of which whoever stands before this host may have read the other one, or none, or one that names no host (RFC 9112
    /// §3.2).
    #[error("no Host, more than one, or none that could be")]
    BadHost,
    /// With `--dev`: the site's sources do not compile; its last good revision is served.
    #[error("{0}")]
    Broken(Arc<str>),
    /// With `--dev`: the site cannot be served, nor was it since the start.
    #[error("{0}")]
    Unserved(Arc<str>),
}

/// Chooses the site by the `Host` header, or the authority of an HTTP/2 request.
pub(super) fn select(host: &Host, scene: &mut Scene) -> Result<Tenanted, TenantError> {
    let mut named = scene.headers.get_all(HOST).iter();
    let field = named.next();
    if named.next().is_some() {
        return Err(TenantError::BadHost);
    }
    let is_named = scene.uri.host().is_some() || scene.version < Version::HTTP_11;
    if !is_named && !field.is_some_and(|field| is_host(field.as_bytes())) {
        return Err(TenantError::BadHost);
    }
    let authority = scene.uri.host().or_else(|| field?.to_str().ok()).unwrap_or("");
    let name = without_port(authority);
    let Some(site) = host.registry.find(name) else {
        if let Some(why) = host.registry.why_not(name) {
            return Err(TenantError::Unserved(why));
        }
        // There is no page of anybody's here: only who asks for one by name is written one.
        if !scene.accept.names_pages() {
            scene.audience = Audience::Program;
        }
        return Err(TenantError::Unknown);
    };
    scene.site = Some(Arc::clone(&site));
    // An author looks at the site in a browser: there the reason shows at once. Programs go on with the last good revision.
    if let Some(diagnostics) = site.diagnostics.as_ref().filter(|_| host.options.dev && scene.audience == Audience::Person && scene.reads())
    {
        return Err(TenantError::Broken(Arc::clone(diagnostics)));
    }
    Ok(Tenanted { site })
}

/// Whether a field names a host, or none at all: what could be something else in an address is none.
fn is_host(field: &[u8]) -> bool {
    let (inside, rest) = match field.strip_prefix(b"[") {
        Some(rest) => match rest.iter().position(|byte| *byte == b']') {
            Some(end) => (&rest[..end], &rest[end + 1..]),
            None => return false,
        },
        None => (&[][..], field),
    };
    let of_name = |byte: &u8| byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=%:".contains(byte);
    inside.iter().all(|byte| byte.is_ascii_hexdigit() || b":.".contains(byte)) && rest.iter().all(of_name)
}

/// The name of an authority: `exemplo.com:8080` → `exemplo.com`, `[::1]:80` → `[::1]`.
fn without_port(authority: &str) -> &str {
    match authority.trim_end_matches(|digit: char| digit.is_ascii_digit()).strip_suffix(':') {
        Some(name) if !name.contains(':') || name.ends_with(']') => name,
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_a_host_is_none() {
        for host in ["", "a.test", "a.test:80", "127.0.0.1:9", "[::1]", "[::ffff:1.2.3.4]:80", "a_b.test", "A.test."] {
            assert!(is_host(host.as_bytes()), "{host}");
        }
        for other in ["user@a.test", "a.test/b", "[::1", "a b", "a?b", "a#b", "a\\b", "[a/b]", "é.test"] {
            assert!(!is_host(other.as_bytes()), "{other}");
        }
    }

    #[test]
    fn ports_are_left_out() {
        for (authority, name) in [
            ("a.test", "a.test"),
            ("a.test:80", "a.test"),
            ("a.test:", "a.test"),
            ("[::1]", "[::1]"),
            ("[::1]:8080", "[::1]"),
            ("::1", "::1"),
            ("a.80", "a.80"),
            (":80", ""),
            ("", ""),
        ] {
            assert_eq!(without_port(authority), name);
        }
    }
}
