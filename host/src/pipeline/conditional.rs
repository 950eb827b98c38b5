//! The 304 for who has an answer already.

use bytes::Bytes;
use http::StatusCode;
use http::header::{CONTENT_TYPE, ETAG, IF_NONE_MATCH};

use super::Scene;
use super::answer::Answered;
use super::scene::joined;
use crate::respond::Body;
use crate::site::assets::{Asset, AssetError};

/// An answer that is ready but for what every answer carries.
pub type Reply = http::Response<Body>;

/// Answers 304 when the answer's tag is one that the client has.
///
/// # Errors
/// [`AssetError`]: a file that cannot be sent as it is asked for.
pub(super) fn check(scene: &mut Scene, answered: Answered) -> Result<Reply, AssetError> {
    Ok(match answered {
        Answered::Asset(asset) => file(scene, &asset)?,
        Answered::Options(response) => response.map(Body::from),
        Answered::Sent(reply) => reply,
        Answered::Ready(response) => unless_known(scene, response),
    })
}

fn file(scene: &mut Scene, asset: &Asset) -> Result<Reply, AssetError> {
    let answer = asset.respond(&scene.headers, &scene.method).inspect_err(|error| {
        if let AssetError::Unreadable(_) = error {
            scene.log_error(&error.to_string());
        }
    });
    // A file is the same for everybody; why there is none is said in the form of who asks.
    scene.varies = answer.is_err();
    Ok(answer?.map(Body::of_asset))
}

fn unless_known(scene: &Scene, mut response: http::Response<Bytes>) -> Reply {
    let tag = response.headers().get(ETAG).and_then(|tag| tag.to_str().ok());
    let known = joined(&scene.headers, &IF_NONE_MATCH).zip(tag).is_some_and(|(list, tag)| matches(&list, tag));
    if known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
        response.headers_mut().remove(CONTENT_TYPE);
        return response.map(|_| Body::empty());
    }
    response.map(Body::from)
}

/// `If-None-Match` by weak comparison (RFC 9110 §13.1.2).
pub(super) fn matches(list: &str, tag: &str) -> bool {
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
}
