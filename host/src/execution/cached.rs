//! The cache of a route that asks for one: looked up before a run, filled after it, never with anything personal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AGE, AUTHORIZATION, CACHE_CONTROL, COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::inject::Completed;
use super::shape::Shaped;
use super::{Answered, Call};
use crate::cache::{Asked, Form, Lead, Lookup, MAX_BODY, Stored};
use crate::memory::Held;
use crate::metrics::Counter;
use crate::respond::{REQUEST_ID, say_always, vary};
use crate::sandbox::{Entry, Looked as LookedAt};
use crate::tenant::Site;

/// A call that the cache has been asked about.
#[allow(clippy::large_enum_variant, reason = "one for each call, moved once: a box would cost more than it saves")]
pub(super) enum Looked {
    /// It has been answered before: what is kept was checked then.
    Hit(Answered),
    /// It must run.
    Miss(Missed),
}

/// A call that must run, and what becomes of its answer.
pub(super) struct Missed {
    /// The call.
    pub(super) call: Box<Call>,
    /// What becomes of its answer.
    pub(super) keeping: Keeping,
}

/// What becomes of an answer.
pub(super) enum Keeping {
    /// The route asks for no cache.
    NotAsked,
    /// The route asks for one, but this request or its answer may be one client's own.
    Private,
    /// It may be kept so long, and others may be waiting for it.
    For(Duration, Option<Lead>),
}

/// Looks the call up where its route asks for a cache and the request carries nothing personal.
pub(super) async fn look_up(completed: Completed) -> Looked {
    let Completed(call) = completed;
    let miss = |call, keeping| Looked::Miss(Missed { call, keeping });
    let cache = call.site.contract.routes.get(call.route).and_then(|route| route.cache).filter(|_| call.reads());
    let Some(seconds) = cache else { return miss(call, Keeping::NotAsked) };
    let headers = &call.context.headers;
    if headers.contains_key(COOKIE) || headers.contains_key(AUTHORIZATION) {
        return miss(call, Keeping::Private);
    }
    let keep = Duration::from_secs(u64::from(seconds));
    let (stored, age) = match call.site.cache.look_up(asked(&call)) {
        Lookup::Hit(stored, age) => (stored, age),
        Lookup::Lead(lead) => return miss(call, Keeping::For(keep, Some(lead))),
        // In a box: hits, which are many, pass by here with the room for it.
        Lookup::Made(making) => match Box::pin(making.made()).await {
            Some(made) => made,
            None => return miss(call, Keeping::For(keep, None)),
        },
    };
    call.site.metrics.count(Counter::CacheHits);
    Looked::Hit(replay(&stored, age))
}

/// What tells the call's answer apart from others of its site.
fn asked(call: &Call) -> Asked<'_> {
    let agent = matches!(call.request.entry, Entry::Agent(_));
    let form = match agent {
        true => Form::Data,
        false if call.view.markdown => Form::Markdown,
        false => Form::Page,
    };
    let query = call.view.canonical_query.as_ref().filter(|_| agent).unwrap_or(&call.request.query);
    Asked { form, path: &call.request.path, query }
}

/// What a stored response is sent as.
fn replay(stored: &Stored, age: Duration) -> Answered {
    let mut response = http::Response::new(stored.body.clone());
    *response.status_mut() = stored.status;
    *response.headers_mut() = stored.headers.clone();
    response.headers_mut().insert(AGE, age.as_secs().into());
    Answered { response, page: stored.page.clone(), is_kept: true, held: Held::default() }
}

/// Keeps a shaped answer where it may be kept, and says in its headers what became of it.
pub(super) fn keep(shaped: Shaped) -> Answered {
    let Shaped { site, mut response, page, looked, keeping, held } = shaped;
    match keeping {
        Keeping::NotAsked => {}
        Keeping::For(keep, lead) if may_keep(&response, looked) => {
            let value = HeaderValue::try_from(format!("public, max-age={}", keep.as_secs()));
            if let Ok(value) = value {
                response.headers_mut().insert(CACHE_CONTROL, value);
            }
            vary(response.headers_mut(), "Cookie");
            if let Some(lead) = lead {
                let (status, body) = (response.status(), response.body().clone());
                let headers = to_keep(response.headers().clone(), &site);
                lead.store(Arc::new(Stored { status, headers, body, page: page.clone(), made: Instant::now(), keep }));
            }
        }
        Keeping::Private | Keeping::For(..) => {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
            vary(response.headers_mut(), "Cookie");
        }
    }
    Answered { response, page, is_kept: false, held }
}

/// The headers of a response that is kept, ready to be sent but for what is of one request alone. That has its place already: a copy
/// that grew would be copied twice.
fn to_keep(mut headers: HeaderMap, site: &Site) -> HeaderMap {
    // Only routes that are read have a cache, and which face of one answers is chosen by `Accept`.
    say_always(&mut headers, Some(site), true);
    for name in [AGE, REQUEST_ID] {
        headers.insert(name, HeaderValue::from_static("0"));
    }
    headers
}

/// Only what every client would be given alike.
fn may_keep(response: &http::Response<Bytes>, looked: LookedAt) -> bool {
    response.status() == StatusCode::OK
        && !looked.headers
        && !looked.client
        && response.body().len() <= MAX_BODY
        && !response.headers().contains_key(SET_COOKIE)
        && !says_no(response.headers())
}

/// The page itself forbids it.
fn says_no(headers: &HeaderMap) -> bool {
    let mut values = headers.get_all(CACHE_CONTROL).iter().filter_map(|value| value.to_str().ok());
    values.any(|list| list.split(',').map(str::trim).any(|word| ["private", "no-store"].iter().any(|no| word.eq_ignore_ascii_case(no))))
}
