//! The form of HTTP for what a run answered: tags, how long it may be kept, and what every response carries.

use alloc::{format, string::String, vec::Vec};

use djo_contract::{manifest, model::Contract};
use sha2::{Digest, Sha256};

use crate::random::hex;
use crate::{Entry, Response};

use super::dispatch::Incoming;
use super::reply::{Content, Reply};
use super::view::View;

/// What the run asked about its request: an answer that depends on it is nobody else's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// At a header (cookies are headers) or the client's address.
    pub(crate) personal: bool,
}

/// The reply to a run's answer.
pub(crate) fn answered(
    contract: &Contract,
    request: &dyn Incoming,
    entry: Entry,
    view: &View,
    response: Response,
    looked: Looked,
) -> Reply {
    let mut reply = Reply { status: response.status, headers: response.headers, content: Content::Bytes(Vec::new()) };
    let mut body = response.body;
    if reply.status == 200
        && let Some((content_type, seen)) = view.apply(&contract.types, &body)
    {
        reply.headers.retain(|(name, _)| name != "content-type");
        reply = reply.with("content-type", content_type);
        body = seen.into_bytes();
    }
    let reply = reply.of(Content::Bytes(body));
    match entry {
        Entry::Action(_) => reply.with("cache-control", "no-store"),
        Entry::ErrorPage(status) => Reply { status, ..reply }.with("cache-control", "no-store"),
        Entry::Screen(number) | Entry::Agent(number) => {
            let seconds = contract.routes.get(number as usize).and_then(|route| route.cache);
            let reply = match seconds {
                Some(seconds) => kept(reply, request, seconds, looked),
                None => reply,
            };
            if matches!(entry, Entry::Agent(_)) && reply.status == 200 { tagged(reply, request) } else { reply }
        }
    }
}

/// Says how long the answer may be kept, and by whom.
fn kept(mut reply: Reply, request: &dyn Incoming, seconds: u32, looked: Looked) -> Reply {
    reply = reply.with("vary", "Cookie");
    if reply.header("cache-control").is_some() {
        return reply;
    }
    let personal = looked.personal
        || request.header("cookie").is_some()
        || request.header("authorization").is_some()
        || reply.header("set-cookie").is_some()
        || reply.status != 200;
    let value = if personal { "private, no-store".into() } else { format!("public, max-age={seconds}") };
    reply.with("cache-control", value)
}

/// A strong tag of the bytes, and 304 for who has them already.
pub(crate) fn tagged(reply: Reply, request: &dyn Incoming) -> Reply {
    let Content::Bytes(bytes) = &reply.content else { return reply };
    let tag = entity_tag(bytes);
    conditional(reply, tag, request)
}

/// The reply with its tag, or 304 where the tag is known.
pub(crate) fn conditional(reply: Reply, tag: String, request: &dyn Incoming) -> Reply {
    let known = request.header("if-none-match").is_some_and(|held| matches(&held, &tag));
    let mut reply = reply.with("etag", tag);
    if known {
        reply.status = 304;
        reply.headers.retain(|(name, _)| matches!(name.as_str(), "etag" | "cache-control" | "vary"));
        reply.content = Content::Bytes(Vec::new());
    }
    reply
}

/// Half of the SHA-256, quoted.
fn entity_tag(bytes: &[u8]) -> String {
    format!("\"{}\"", hex(&Sha256::digest(bytes)[..16]))
}

/// `If-None-Match`: a list or `*`, compared weakly.
fn matches(held: &str, tag: &str) -> bool {
    held.trim() == "*" || held.split(',').any(|item| item.trim().trim_start_matches("W/") == tag)
}

/// What every response carries.
pub(crate) fn finish(reply: Reply, contract: Option<&Contract>, request_id: &str, varies: bool) -> Reply {
    // A browser must not take an answer for something else than it says it is.
    let mut reply = reply.with("x-content-type-options", "nosniff").with("x-request-id", request_id);
    if varies {
        reply = reply.with("vary", "Accept");
    }
    if contract.is_some_and(manifest::is_offered) {
        reply = reply.with("link", manifest::LINK);
    }
    reply
}
