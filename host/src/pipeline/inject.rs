//! Parameters that the host fills in from a request's context (`inject:`), never from what the client sent as input.

use djo_contract::decode::{InjectError, fill_injected};
use djo_contract::json;
use djo_contract::model::Action;
use djo_contract::types::Source;
use djo_contract::value::Value;
use djo_contract::wire;
use http::header::COOKIE;

use super::Scene;
use super::once::Claimed;
use super::validate::Work;
use crate::sandbox::Entry;
use crate::tenant::Site;

/// Completes the arguments of an action with what its `inject:` parameters name.
///
/// # Errors
/// The first parameter that cannot be filled; it is on the log, and the client learns no more than the status.
pub(super) fn complete(scene: &Scene, mut claimed: Claimed) -> Result<Claimed, InjectError> {
    let Work::Run { request, .. } = &mut claimed.work else { return Ok(claimed) };
    let Entry::Action(route) = request.entry else { return Ok(claimed) };
    let contract = &claimed.site.contract;
    let action = contract.routes.get(route as usize).and_then(|route| route.action).and_then(|action| contract.actions.get(action));
    let Some(action) = action.filter(|action| takes_injected(action)) else { return Ok(claimed) };
    // The host wrote these arguments itself a moment ago.
    let arguments = json::parse(&request.arguments).unwrap_or(Value::Map(Vec::new()));
    let completed = fill_injected(&contract.types, action, arguments, fetch(scene, &claimed.site)).inspect_err(|error| {
        tracing::warn!(site = &*claimed.site.name, request = &*scene.id, "{error}");
    })?;
    let mut text = String::new();
    json::write_exact(&completed, &mut text);
    request.arguments = text.into_bytes();
    Ok(claimed)
}

fn takes_injected(action: &Action) -> bool {
    action.input.fields.iter().any(|field| matches!(field.source, Source::Inject(_)))
}

/// What the request's context has by a source's name.
fn fetch(scene: &Scene, site: &Site) -> impl FnMut(&str) -> Option<Value> {
    let mut session = None;
    move |source| match source.split_once('.')? {
        ("session", name) => session.get_or_insert_with(|| read_session(scene, site)).get(name).cloned(),
        ("header", name) => scene.headers.get(name.to_ascii_lowercase())?.to_str().ok().map(Value::from),
        ("site", "nome") => site.contract.site.as_ref().map(|site| Value::from(site.nome.as_str())),
        ("request", "id") => Some(Value::from(&*scene.id)),
        ("client", "ip") => Some(Value::from(scene.client.to_string())),
        _ => None,
    }
}

/// The data of the session that the request's cookie names; an empty map when there is none.
fn read_session(scene: &Scene, site: &Site) -> Value {
    let none = Value::Map(Vec::new());
    let Some(id) = session_id(scene) else { return none };
    match site.tenant.store.get(djo_vm::SESSION_COLLECTION, id) {
        Ok(Some(bytes)) => wire::decode(&bytes).unwrap_or(none),
        Ok(None) => none,
        Err(error) => {
            tracing::error!(site = &*site.name, "session: {}", error.detail());
            none
        }
    }
}

/// The value of the session cookie.
pub(super) fn session_id(scene: &Scene) -> Option<&str> {
    let cookies = scene.headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let mut pairs = cookies.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    pairs.find(|(name, _)| *name == djo_vm::SESSION_COOKIE).map(|(_, id)| id)
}
