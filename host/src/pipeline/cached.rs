//! The cache of a route that asks for one: looked up before a run, filled after it, never with anything personal.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use http::header::{AGE, AUTHORIZATION, CACHE_CONTROL, COOKIE, SET_COOKIE};
use http::{HeaderMap, HeaderValue, StatusCode};

use super::Scene;
use super::once::Claimed;
use super::shape::Shaped;
use super::validate::Work;
use crate::cache::{Key, Lead, Lookup, MAX_BODY, Stored};
use crate::respond::{copied, vary};
use crate::sandbox::{Entry, Looked as LookedAt};
use crate::tenant::Site;

/// A request that the cache has been asked about.
pub(super) struct Looked {
    /// The site.
    pub site: Arc<Site>,
    /// What answers it.
    pub source: Source,
}

/// Where the answer comes from.
pub(super) enum Source {
    /// The cache.
    Hit(Arc<Stored>),
    /// Work, and what becomes of its answer.
    Work(Box<Work>, Keeping),
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

/// Looks the request up where its route asks for a cache and the request carries nothing personal.
pub(super) async fn look_up(scene: &Scene, claimed: Claimed) -> Looked {
    let Claimed { site, work } = claimed;
    let source = match &work {
        Work::Run { route, request, view } if scene.reads() => match site.contract.routes[*route].cache {
            None => Source::Work(Box::new(work), Keeping::NotAsked),
            Some(_) if scene.headers.contains_key(COOKIE) || scene.headers.contains_key(AUTHORIZATION) => {
                Source::Work(Box::new(work), Keeping::Private)
            }
            Some(seconds) => {
                let agent = matches!(request.entry, Entry::Agent(_));
                let query = view.canonical_query.as_ref().filter(|_| agent).unwrap_or(&request.query);
                let key = Key { agent, path: request.path.clone(), query: query.clone() };
                let keep = Duration::from_secs(u64::from(seconds));
                match site.cache.look_up(key).await {
                    Lookup::Hit(stored) => Source::Hit(stored),
                    Lookup::Lead(lead) => Source::Work(Box::new(work), Keeping::For(keep, Some(lead))),
                    Lookup::Alone => Source::Work(Box::new(work), Keeping::For(keep, None)),
                }
            }
        },
        _ => Source::Work(Box::new(work), Keeping::NotAsked),
    };
    Looked { site, source }
}

/// What a stored response is sent as.
pub(super) fn replay(stored: &Stored) -> http::Response<Bytes> {
    let mut response = http::Response::new(stored.body.clone());
    *response.status_mut() = stored.status;
    *response.headers_mut() = copied(&stored.headers);
    response.headers_mut().insert(AGE, stored.made.elapsed().as_secs().into());
    response
}

/// Keeps a shaped answer where it may be kept, and says in its headers what became of it.
pub(super) fn keep(shaped: Shaped) -> Shaped {
    let Shaped::Guest { entry, mut response, looked, keeping } = shaped else { return shaped };
    match keeping {
        Keeping::NotAsked => {}
        Keeping::For(keep, lead) if may_keep(&response, looked) => {
            let value = HeaderValue::try_from(format!("public, max-age={}", keep.as_secs()));
            if let Ok(value) = value {
                response.headers_mut().insert(CACHE_CONTROL, value);
            }
            vary(response.headers_mut(), "Cookie");
            if let Some(lead) = lead {
                let (status, headers, body) = (response.status(), response.headers().clone(), response.body().clone());
                lead.store(Arc::new(Stored { status, headers, body, made: Instant::now(), keep }));
            }
        }
        Keeping::Private | Keeping::For(..) => {
            response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("private, no-store"));
            vary(response.headers_mut(), "Cookie");
        }
    }
    Shaped::Guest { entry, response, looked, keeping: Keeping::NotAsked }
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
