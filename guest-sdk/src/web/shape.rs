//! The form of HTTP for what a run answered: checked, with tags, how long it may be kept, and what every response carries.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};

use djo_contract::{bounds::Bounds, field, manifest, model::Contract};
use sha2::{Digest, Sha256};

use crate::random::hex;
use crate::{Entry, PageBounds, Response};

use super::reply::{Content, Reply};
use super::request::Incoming;
use super::view::View;

/// Bytes of a response, where the site does not ask for less.
const MAX_RESPONSE: u64 = 8 << 20;
/// The longest body that caches may keep.
const MAX_KEPT: usize = 256 << 10;

/// What the run asked about its request: an answer that depends on it is nobody else's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Looked {
    /// At a header (cookies are headers) or the client's address.
    pub(crate) personal: bool,
}

/// The reply to a run's answer.
///
/// # Errors
/// What is wrong with the answer, for the log: nothing of it can be sent.
pub(crate) fn answered(
    contract: &Contract,
    request: &dyn Incoming,
    entry: Entry,
    view: &View,
    response: Response,
    looked: Looked,
) -> Result<Reply, String> {
    let page = response.page.clone();
    let reply = checked(response, contract.wanted.limit("max_response", MAX_RESPONSE))?;
    Ok(match entry {
        Entry::Action(_) => reply.set("cache-control", "no-store"),
        Entry::ErrorPage(_) => reply,
        Entry::Screen(number) => kept(reply, contract, number, request, looked),
        Entry::Agent(number) if reply.status == 200 => {
            let reply = page.iter().try_fold(reply, |reply, page| bounded(reply, page, request))?;
            let reply = seen(reply, contract, view)?;
            tagged(kept(reply, contract, number, request, looked), request)
        }
        Entry::Agent(number) => kept(reply, contract, number, request, looked),
    })
}

/// The response as far as it is the site's to say.
fn checked(response: Response, most: u64) -> Result<Reply, String> {
    let Response { status, headers, body, .. } = response;
    if !(200..1000).contains(&status) {
        return Err(format!("o site respondeu com o status {status}"));
    }
    if body.len() as u64 > most {
        return Err(format!("a resposta tem {} bytes; o máximo é {most}", body.len()));
    }
    let mut reply = Reply::empty(status);
    for (name, value) in headers {
        let name = name.to_ascii_lowercase();
        if !field::is_token(&name) || value.chars().any(|letter| letter.is_control() && letter != '\t') {
            return Err("o site respondeu com um cabeçalho que não pode haver".into());
        }
        // The tag is of the bytes that are sent, which the site does not know.
        if !field::is_said_by_the_host(&name) && name != "etag" {
            reply.headers.push((name, value));
        }
    }
    Ok(if matches!(status, 204 | 205 | 304) { reply } else { reply.of(Content::Bytes(body)) })
}

/// Tells how much there is and where the next page is.
fn bounded(mut reply: Reply, page: &PageBounds, request: &dyn Incoming) -> Result<Reply, String> {
    let bounds = Bounds {
        returned: page.returned,
        truncated: page.truncated,
        total: page.total,
        refinement_hint: page.refinement_hint.as_deref(),
        next_cursor: page.next_cursor.as_deref(),
    };
    let Content::Bytes(body) = &reply.content else { return Ok(reply) };
    let bounds = bounds.checked(request.query(), body, false).map_err(|error| error.to_string())?;
    for (name, value) in bounds.headers(request.path(), request.query()) {
        // Of links there may be others.
        reply = if name == "link" { reply.with(name, value) } else { reply.set(name, value) };
    }
    Ok(reply)
}

/// The part and the form of the answer that was asked for.
fn seen(reply: Reply, contract: &Contract, view: &View) -> Result<Reply, String> {
    let Content::Bytes(body) = &reply.content else { return Ok(reply) };
    Ok(match view.apply(&contract.types, body)? {
        Some((content_type, seen)) => reply.set("content-type", content_type).of(Content::Bytes(seen.into_bytes())),
        None => reply,
    })
}

/// Says how long the answer may be kept, and by whom, where the route asks for that.
fn kept(reply: Reply, contract: &Contract, route: u32, request: &dyn Incoming, looked: Looked) -> Reply {
    let Some(seconds) = contract.routes.get(route as usize).and_then(|route| route.cache).filter(|_| request.reads()) else { return reply };
    let personal = looked.personal
        || request.header("cookie").is_some()
        || request.header("authorization").is_some()
        || reply.header("set-cookie").is_some()
        || reply.status != 200
        || reply.content.len() > MAX_KEPT
        || says_no(&reply);
    let value = if personal { "private, no-store".to_string() } else { format!("public, max-age={seconds}") };
    vary(reply.set("cache-control", value), "Cookie")
}

/// The page itself forbids it.
fn says_no(reply: &Reply) -> bool {
    let mut words = reply.values("cache-control").flat_map(|list| list.split(',')).map(str::trim);
    words.any(|word| ["private", "no-store"].iter().any(|no| word.eq_ignore_ascii_case(no)))
}

/// Adds a name to `Vary` unless it is there.
pub(crate) fn vary(reply: Reply, name: &str) -> Reply {
    let there = reply.values("vary").flat_map(|list| list.split(',')).any(|item| item.trim().eq_ignore_ascii_case(name));
    if there { reply } else { reply.with("vary", name) }
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
        reply.headers.retain(|(name, _)| name != "content-type");
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
    let mut reply = reply.set("x-content-type-options", "nosniff").set("x-request-id", request_id);
    if contract.is_some_and(manifest::is_offered) {
        reply = reply.with("link", manifest::LINK);
    }
    if varies { vary(reply, "Accept") } else { reply }
}
