//! Parameters of an action that the request's context fills, never its body.

use alloc::string::ToString;

use djo_contract::{
    cookie::cookie,
    decode::{InjectError, fill_injected},
    model::{Action, Contract},
    refusal::Refusal,
    session,
    value::Value,
    wire,
};

use super::request::Incoming;

/// Completes decoded arguments. What cannot be filled is logged; the client learns no more than that it must log in, or that it failed.
pub(crate) fn complete(contract: &Contract, action: &Action, arguments: Value, request: &mut dyn Incoming) -> Result<Value, Refusal> {
    let completed = fill_injected(&contract.types, action, arguments, |source| fetch(contract, source, request));
    completed.map_err(|error: InjectError| {
        request.log(&error.to_string());
        if error.status() == 401 { Refusal::Unauthorized } else { Refusal::Internal { detail: None } }
    })
}

fn fetch(contract: &Contract, source: &str, request: &mut dyn Incoming) -> Option<Value> {
    match source.split_once('.')? {
        ("session", name) => data(request)?.get(name).cloned(),
        ("header", name) => request.header(&name.to_ascii_lowercase()).map(Value::Str),
        ("site", "nome") => contract.site.as_ref().map(|site| Value::Str(site.nome.clone())),
        ("request", "id") => Some(Value::Str(request.request_id())),
        ("client", "ip") => Some(Value::Str(request.client_ip())).filter(|ip| *ip != Value::from("")),
        _ => None,
    }
}

/// The data of the request's session, if it has one that is known.
fn data(request: &mut dyn Incoming) -> Option<Value> {
    let id = cookie(&request.header("cookie")?, session::COOKIE)?;
    wire::decode_shown(&request.stored(session::COLLECTION, &id)?).ok()
}
