//! Entity tags of agent answers, and the 304 for who has them already.

use bytes::Bytes;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use http::{HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::scene::joined;
use super::shape::Shaped;
use super::Scene;
use crate::respond::Body;
use crate::sandbox::Entry;

/// An answer that is ready but for what every answer carries.
pub type Reply = http::Response<Body>;

/// Tags what an agent reads, and answers 304 when its tag is one that the client has.
pub fn check(scene: &Scene, shaped: Shaped) -> Reply {
    match shaped {
        Shaped::Asset(asset) => asset.respond(&scene.headers),
        Shaped::Options(response) => response.map(Body::from),
        Shaped::Guest { entry: Entry::Agent(_), response } if scene.reads() && response.status() == StatusCode::OK => {
            tagged(scene, response)
        }
        Shaped::Guest { response, .. } => response.map(Body::from),
    }
}

fn tagged(scene: &Scene, mut response: http::Response<Bytes>) -> Reply {
    let tag = entity_tag(response.body());
    let known = joined(&scene.headers, &IF_NONE_MATCH).is_some_and(|list| matches(&list, &tag));
    if let Ok(value) = HeaderValue::from_str(&tag) {
        response.headers_mut().insert(ETAG, value);
    }
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
        return response.map(|_| Body::empty());
    }
    response.map(Body::from)
}

/// A strong tag of some bytes: half of their SHA-256, quoted.
pub fn entity_tag(bytes: &[u8]) -> String {
    use std::fmt::Write as _;
    let mut tag = String::with_capacity(34);
    tag.push('"');
    for byte in &Sha256::digest(bytes)[..16] {
        let _ = write!(tag, "{byte:02x}");
    }
    tag.push('"');
    tag
}

/// `If-None-Match` by weak comparison (RFC 9110 §13.1.2).
pub fn matches(list: &str, tag: &str) -> bool {
    let list = list.trim();
    list == "*" || list.split(',').any(|candidate| candidate.trim().trim_start_matches("W/") == tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_stars_and_weak_tags_match() {
        let tag = "\"abc\"";
        for list in ["*", " * ", "\"abc\"", "W/\"abc\"", "\"x\", W/\"abc\"", "\"x\",\"abc\""] {
            assert!(matches(list, tag), "{list}");
        }
        for list in ["", "abc", "\"ab\"", "\"x\", \"y\"", "\"abc", "**"] {
            assert!(!matches(list, tag), "{list}");
        }
    }

    #[test]
    fn tags_are_of_the_bytes() {
        assert_eq!(entity_tag(b"a"), entity_tag(b"a"));
        assert_ne!(entity_tag(b"a"), entity_tag(b"b"));
        assert_eq!(entity_tag(b"").len(), 34);
    }
}
