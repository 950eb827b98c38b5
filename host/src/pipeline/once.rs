//! `Idempotency-Key`: an action that is asked for twice under one key runs once, and is answered alike.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use http::header::{AUTHORIZATION, SET_COOKIE};
use http::{HeaderName, HeaderValue, StatusCode};
use sha2::{Digest, Sha256};

use super::Scene;
use super::inject::session_id;
use super::validate::{Validated, Work};
use crate::sandbox::{Entry, Request};
use crate::store::{Claim, Outcome, Scope, SiteStore, StoreError};
use crate::tenant::Site;

/// The field that carries the key.
const FIELD: HeaderName = HeaderName::from_static("idempotency-key");
/// The longest key, in bytes.
const MAX_KEY: usize = 256;

/// This process, among all that ever used a store.
static PROCESS: LazyLock<String> = LazyLock::new(|| {
    let random = |part: u8| RandomState::new().hash_one((part, std::process::id()));
    format!("{:016x}{:016x}", random(0), random(1))
});

/// A request that has its key, if it asked for one.
pub(super) struct Claimed {
    /// The site.
    pub site: Arc<Site>,
    /// What answers it: for a run that has ended before, its answer.
    pub work: Work,
}

/// Why a key cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum OnceError {
    /// The field holds no usable key.
    #[error("invalid Idempotency-Key")]
    Invalid,
    /// It was used with other arguments.
    #[error("the key was used with other arguments")]
    Mismatch,
    /// Its run has not ended.
    #[error("the run of the key has not ended")]
    Running,
    /// Its run started and nobody knows how it ended.
    #[error("the end of the key's run is unknown")]
    Unknown,
    /// The record cannot be written; nothing has run.
    #[error("{}", .0.detail())]
    Store(StoreError),
}

/// The duty to put the end of a keyed run on record. Dropped before it is done, it frees the key of a run that never started,
/// and marks one that did as unknown: its client has gone, and the run with it.
pub struct Ticket {
    store: Arc<SiteStore>,
    scope: Scope,
    started: bool,
    settled: bool,
}

/// Claims the key of an action's request. The ticket stays with the scene, which sees how the request ends.
pub(super) fn claim(scene: &mut Scene, validated: Validated) -> Result<Claimed, OnceError> {
    let Validated { site, mut work } = validated;
    if let Work::Run { request, .. } = &work
        && matches!(request.entry, Entry::Action(_))
        && scene.headers.contains_key(FIELD)
    {
        let scope = scope(scene, &site, request)?;
        let arguments = Sha256::digest(&request.arguments).into();
        match site.tenant.store.claim(&scope, &arguments, &PROCESS).map_err(OnceError::Store)? {
            Claim::Granted => {
                let store = Arc::clone(&site.tenant.store);
                scene.ticket = Some(Ticket { store, scope, started: false, settled: false });
            }
            Claim::Ended(outcome) => work = Work::Replay(replay(outcome)),
            Claim::Running => return Err(OnceError::Running),
            Claim::Unknown => return Err(OnceError::Unknown),
            Claim::Mismatch => return Err(OnceError::Mismatch),
        }
    }
    Ok(Claimed { site, work })
}

/// Action, credential and key, told apart by their lengths. The site is the store's.
fn scope(scene: &Scene, site: &Site, request: &Request) -> Result<Scope, OnceError> {
    let mut keys = scene.headers.get_all(FIELD).iter();
    let key = keys.next().and_then(|key| key.to_str().ok()).filter(|key| !key.is_empty() && key.len() <= MAX_KEY);
    let (Some(key), None) = (key, keys.next()) else { return Err(OnceError::Invalid) };
    let action = match request.entry {
        Entry::Action(route) => site.contract.routes.get(route as usize).and_then(|route| route.action),
        _ => None,
    };
    let action = action.and_then(|action| site.contract.actions.get(action)).map_or("", |action| &action.name);
    let (kind, credential) = credential(scene);
    let mut hasher = Sha256::new();
    for part in [action, kind, &credential, key] {
        hasher.update((part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    Ok(hasher.finalize().into())
}

/// Whose key it is: a session's, a credential's, or for want of both the address's.
fn credential(scene: &Scene) -> (&'static str, String) {
    if let Some(session) = session_id(scene) {
        return ("session", session.to_owned());
    }
    match scene.headers.get(AUTHORIZATION) {
        Some(value) => ("authorization", String::from_utf8_lossy(value.as_bytes()).into_owned()),
        None => ("client", scene.client.to_string()),
    }
}

fn replay(outcome: Outcome) -> http::Response<bytes::Bytes> {
    let mut response = http::Response::new(outcome.body.into());
    *response.status_mut() = StatusCode::from_u16(outcome.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    for (name, value) in outcome.headers {
        if let (Ok(name), Ok(value)) = (HeaderName::try_from(name), HeaderValue::try_from(value)) {
            response.headers_mut().append(name, value);
        }
    }
    response.headers_mut().insert(HeaderName::from_static("idempotent-replayed"), HeaderValue::from_static("true"));
    response
}

impl Ticket {
    /// Tells whether the run may have had effects.
    pub fn set_started(&mut self, started: bool) {
        self.started = started;
    }

    /// Puts the answer on record, before it is sent. A run that never started leaves its key free instead.
    pub fn settle(mut self, status: StatusCode, headers: &http::HeaderMap, body: Option<&[u8]>) {
        let Some(body) = body.filter(|_| self.started) else { return };
        let text = |(name, value): (&HeaderName, &HeaderValue)| Some((name.to_string(), value.to_str().ok()?.to_owned()));
        let headers = headers.iter().filter(|(name, _)| **name != SET_COOKIE).filter_map(text).collect();
        let outcome = Outcome { status: status.as_u16(), headers, body: body.to_vec() };
        match self.store.settle(&self.scope, &outcome) {
            Ok(()) => self.settled = true,
            Err(error) => tracing::error!("idempotency: {}", error.detail()),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let ended = if self.started { self.store.abandon(&self.scope) } else { self.store.release(&self.scope) };
        if let Err(error) = ended {
            tracing::error!("idempotency: {}", error.detail());
        }
    }
}
