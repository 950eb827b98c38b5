//! `Idempotency-Key`: an action that is asked for twice under one key runs once, and is answered alike.

use djo_contract::form;
use http::header::SET_COOKIE;
use http::{HeaderName, HeaderValue, StatusCode};

use super::Scene;
use super::validate::{Validated, Work};
use crate::execution::{Call, Caller, Claimed as Key, Keyed, Ticket, canonical, claim as claim_key};
use crate::sandbox::Entry;
use crate::store::{Outcome, StoreError};
use crate::text::header_text;

/// The field that carries the key.
const FIELD: HeaderName = HeaderName::from_static("idempotency-key");
/// The longest key, in bytes.
const MAX_KEY: usize = 256;

/// A request that has its key, if it asked for one.
pub(super) struct Claimed(pub(super) Work);

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

/// Claims the key of an action's request. The ticket stays with the scene, which sees how the request ends.
pub(super) fn claim(scene: &mut Scene, validated: Validated) -> Result<Claimed, OnceError> {
    let Validated(work) = validated;
    if let Work::Run(call) = &work
        && matches!(call.request.entry, Entry::Action(_))
        && scene.headers.contains_key(FIELD)
    {
        let claimed = keyed(scene, call).inspect_err(|error| {
            if let OnceError::Store(error) = error {
                scene.log_error(&format!("keyed run: {}", error.detail()));
            }
        });
        match claimed? {
            Key::Granted(ticket) => scene.ticket = Some(ticket),
            Key::Ended(outcome) => return Ok(Claimed(Work::Replay(Box::new(replay(outcome))))),
            Key::Running(_) => return Err(OnceError::Running),
            Key::Unknown(_) => return Err(OnceError::Unknown),
            Key::Mismatch => return Err(OnceError::Mismatch),
        }
    }
    Ok(Claimed(work))
}

/// A key counts for one action and one caller. The site is the store's.
fn keyed(scene: &Scene, call: &Call) -> Result<Key, OnceError> {
    let mut keys = scene.headers.get_all(FIELD).iter();
    let key = keys.next().and_then(|key| key.to_str().ok()).filter(|key| !key.is_empty() && key.len() <= MAX_KEY);
    let (Some(key), None) = (key, keys.next()) else { return Err(OnceError::Invalid) };
    let contract = &call.site.contract;
    let action = contract.routes.get(call.route).and_then(|route| route.action).and_then(|action| contract.actions.get(action));
    // The page that is asked for is in no argument.
    let cursor = form::cursor(&call.request.query);
    let arguments = canonical(&call.request.arguments);
    let fingerprint: Vec<&[u8]> = [&*arguments].into_iter().chain(cursor.as_deref().map(str::as_bytes)).collect();
    let keyed = Keyed {
        space: &format!("action {}", action.map_or("", |action| &action.name)),
        caller: Caller::of(&call.context),
        key,
        fingerprint: &fingerprint,
        execution: None,
        repeatable: call.site.tools.of_route(call.route).is_some_and(djo_contract::tool::Tool::is_repeatable),
        http_id: &scene.id,
    };
    claim_key(&call.site.tenant, &keyed).map_err(OnceError::Store)
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

/// Puts the answer of a keyed request on record. A run that never started leaves its key free instead.
pub fn settle(ticket: Ticket, status: StatusCode, headers: &http::HeaderMap, body: Option<&[u8]>) {
    let Some(body) = body.filter(|_| ticket.has_started()) else { return };
    let text = |(name, value): (&HeaderName, &HeaderValue)| Some((name.to_string(), header_text(value)?.to_owned()));
    let headers = headers.iter().filter(|(name, _)| **name != SET_COOKIE).filter_map(text).collect();
    ticket.settle(&Outcome { status: status.as_u16(), headers, body: body.to_vec() });
}
