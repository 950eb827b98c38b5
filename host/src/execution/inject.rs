//! Parameters that the host fills in from a request's context (`inject:`), never from what the client sent as input.

use std::sync::Arc;

use djo_contract::decode::{InjectError, fill_injected};
use djo_contract::json;
use djo_contract::model::Action;
use djo_contract::types::Source;
use djo_contract::value::Value;
use djo_contract::wire;

use super::Call;
use crate::sandbox::{Context, Entry};
use crate::tenant::Site;

/// A call with everything its code is given.
pub(super) struct Completed(pub(super) Box<Call>);

/// Completes the arguments of an action with what its `inject:` parameters name.
///
/// # Errors
/// The first parameter that cannot be filled; it is on the log, and the client learns no more than the status.
pub(super) fn complete(mut call: Box<Call>) -> Result<Completed, InjectError> {
    let Call { site, request, context, .. } = &mut *call;
    let Entry::Action(route) = request.entry else { return Ok(Completed(call)) };
    let contract = &site.contract;
    let action = contract.routes.get(route as usize).and_then(|route| route.action).and_then(|action| contract.actions.get(action));
    let Some(action) = action.filter(|action| takes_injected(action)) else { return Ok(Completed(call)) };
    let completed = json::parse_with(&request.arguments, json::DECODED)
        .map_err(InjectError::Unreadable)
        .and_then(|arguments| fill_injected(&contract.types, action, arguments, fetch(context, site)))
        .inspect_err(|error| site.tenant.log_error(&context.request_id, &error.to_string()))?;
    let mut text = String::new();
    json::write_exact(&completed, &mut text);
    Arc::make_mut(request).arguments = text.into_bytes();
    Ok(Completed(call))
}

fn takes_injected(action: &Action) -> bool {
    action.input.fields.iter().any(|field| matches!(field.source, Source::Inject(_)))
}

/// What the request's context has by a source's name.
fn fetch(context: &Context, site: &Site) -> impl FnMut(&str) -> Option<Value> {
    let mut session = None;
    move |source| match source.split_once('.')? {
        ("session", name) => session.get_or_insert_with(|| read_session(context, site)).get(name).cloned(),
        ("header", name) => context.header(name).map(Value::from),
        ("site", "nome") => site.contract.site.as_ref().map(|site| Value::from(site.nome.as_str())),
        ("request", "id") => Some(Value::from(&*context.request_id)),
        ("client", "ip") => Some(Value::from(context.client.to_canonical().to_string())),
        _ => None,
    }
}

/// The data of the session that the request's cookie names; an empty map when there is none.
fn read_session(context: &Context, site: &Site) -> Value {
    let none = Value::Map(Vec::new());
    let Some(id) = context.session() else { return none };
    match site.tenant.store.get(djo_vm::SESSION_COLLECTION, &id) {
        Ok(Some(bytes)) => wire::decode_shown(&bytes).unwrap_or(none),
        Ok(None) => none,
        Err(error) => {
            site.tenant.log_error(&context.request_id, &format!("session: {}", error.detail()));
            none
        }
    }
}
