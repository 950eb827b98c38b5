//! What a site tells agents about itself: the manifest (HTTP contract, §3) and the greeting at `/` (§4).

use alloc::{format, string::String, vec::Vec};

use crate::{
    json,
    model::{Contract, NOTHING, Route, Site},
    route::path_params,
    schema::{input_schema, parameter_schema, returns_schema},
    select::result_struct,
    tool::first_input,
    types::{Kind, Source},
    value::Value,
};

/// Where the manifest is.
pub const PATH: &str = "/.well-known/ai-manifest.json";
/// The `Link` that every response of a site with a manifest carries.
pub const LINK: &str = "</.well-known/ai-manifest.json>; rel=\"ai-manifest\"";

/// Whether a site has anything for agents: without an agent face or an action it has no manifest and no greeting.
pub fn is_offered(contract: &Contract) -> bool {
    contract.routes.iter().any(|route| route.agent || route.action.is_some())
}

type Members = Vec<(String, Value)>;

fn put(members: &mut Members, name: &str, value: impl Into<Value>) {
    members.push((name.into(), value.into()));
}

/// The manifest as JSON text.
pub fn manifest(contract: &Contract) -> String {
    let mut members = Vec::new();
    put(&mut members, "format", "djo-manifest/1");
    if let Some(site) = &contract.site {
        put(&mut members, "site", site_json(site));
    }
    let routes = contract.routes.iter().filter(|route| route.agent).map(|route| read(contract, route)).collect();
    put(&mut members, "routes", Value::Arr(routes));
    let actions = contract.routes.iter().filter_map(|route| action(contract, route)).collect();
    put(&mut members, "actions", Value::Arr(actions));
    json::to_string(&Value::Map(members))
}

/// The greeting that stands in for an agent face of `/`, as JSON text.
pub fn greeting(contract: &Contract) -> String {
    let mut members = Vec::new();
    let text = match &contract.site {
        Some(Site { nome, about }) => format!("Olá! Este é o site {nome}. {about}"),
        None => "Olá! Este site atende agentes.".into(),
    };
    put(&mut members, "saudacao", text.trim_end());
    put(&mut members, "manifesto", PATH);
    let summary = |route: &Route, description: Option<&str>| Value::Map(heading(route, None, description));
    let reads = contract.routes.iter().filter(|route| route.agent).map(|route| summary(route, route.about.as_deref())).collect();
    put(&mut members, "rotas", Value::Arr(reads));
    let actions = contract.routes.iter().filter_map(|route| {
        let action = contract.actions.get(route.action?)?;
        Some(summary(route, action.description.as_deref().or(route.about.as_deref())))
    });
    put(&mut members, "acoes", Value::Arr(actions.collect()));
    if let Some(site) = &contract.site {
        put(&mut members, "site", site_json(site));
    }
    json::to_string(&Value::Map(members))
}

fn site_json(site: &Site) -> Value {
    Value::Map(Vec::from([("nome".into(), site.nome.as_str().into()), ("about".into(), site.about.as_str().into())]))
}

fn heading(route: &Route, name: Option<&str>, description: Option<&str>) -> Members {
    let mut members = Vec::new();
    if let Some(name) = name {
        put(&mut members, "name", name);
    }
    put(&mut members, "method", route.method.as_str());
    put(&mut members, "path", route.path.as_str());
    if let Some(description) = description {
        put(&mut members, "description", description);
    }
    members
}

fn read(contract: &Contract, route: &Route) -> Value {
    let mut members = heading(route, None, route.about.as_deref());
    let string = || Value::Map(Vec::from([("type".into(), "string".into())]));
    let params: Members = path_params(&route.path).map(|name| (name.into(), string())).collect();
    if !params.is_empty() {
        put(&mut members, "path_params", Value::Map(params));
    }
    let query = query_names(route);
    if !query.is_empty() {
        put(&mut members, "query", Value::Arr(query.into_iter().map(Value::from).collect()));
    }
    if let Some(returns) = &route.returns {
        put(&mut members, "returns", returns_schema(&contract.types, returns));
    }
    if let Some(seconds) = route.cache {
        put(&mut members, "cache", Value::Int(seconds.into()));
    }
    Value::Map(members)
}

/// The query parameters that an agent route takes: its own, then `campos` and `tabela` where its type allows them.
pub fn query_names(route: &Route) -> Vec<&str> {
    let mut names: Vec<&str> = route.query.iter().map(|(name, _)| name.as_str()).collect();
    if let Some(returns) = &route.returns
        && result_struct(returns).is_some()
    {
        names.push("campos");
        if matches!(returns.kind, Kind::Arr(_)) {
            names.push("tabela");
        }
    }
    names
}

/// An action by the name that it has as a tool. A continuation without one of its own is left out: it is no action beside the one that it
/// continues, and a link leads to it.
fn action(contract: &Contract, route: &Route) -> Option<Value> {
    let action = contract.actions.get(route.action?)?;
    let name = route.tool.as_ref().unwrap_or(&action.name);
    if route.options.continues.as_ref() == Some(name) {
        return None;
    }
    let description = action.description.as_deref().or(route.about.as_deref());
    let mut members = heading(route, Some(name), description);
    let from_path = action.input.fields.iter().filter(|field| field.source == Source::Path);
    let params: Members = from_path.map(|field| (field.name.clone(), parameter_schema(&contract.types, field))).collect();
    if !params.is_empty() {
        put(&mut members, "path_params", Value::Map(params));
    }
    if route.options.continues.is_some() {
        // Its request is the one that it goes on from.
        put(&mut members, "input", input_schema(&contract.types, &NOTHING));
    } else {
        let first = first_input(contract, route, action);
        put(&mut members, "input", input_schema(&contract.types, first.as_ref().unwrap_or(action)));
    }
    if let Some(returns) = &route.returns {
        put(&mut members, "returns", returns_schema(&contract.types, returns));
    }
    Some(Value::Map(members))
}

#[cfg(test)]
mod tests;
