//! A contract as JSON. Absent, false and empty members are left out.

use alloc::{string::String, vec::Vec};

use super::{VERSION, types};
use crate::{
    json,
    model::{Action, ActionOptions, Contract, Route, Site, Wanted},
    value::Value,
};

/// An object under construction.
#[derive(Default)]
pub(super) struct Object(Vec<(String, Value)>);

impl Object {
    pub(super) fn put(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    pub(super) fn some<T: Into<Value>>(self, name: &str, value: Option<T>) -> Self {
        match value {
            Some(value) => self.put(name, value),
            None => self,
        }
    }

    pub(super) fn flag(self, name: &str, flag: bool) -> Self {
        if flag { self.put(name, Value::Bool(true)) } else { self }
    }

    pub(super) fn list<T>(self, name: &str, items: &[T], each: impl Fn(&T) -> Value) -> Self {
        if items.is_empty() { self } else { self.put(name, Value::Arr(items.iter().map(each).collect())) }
    }
}

impl From<Object> for Value {
    fn from(object: Object) -> Self {
        Self::Map(object.0)
    }
}

pub(super) fn count(number: usize) -> Value {
    Value::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

fn number(number: u32) -> Value {
    Value::Int(number.into())
}

pub(super) fn contract(contract: &Contract) -> String {
    let value: Value = Object::default()
        .put("djo_contract", Value::Int(VERSION))
        .some("site", contract.site.as_ref().map(site))
        .list("types", &contract.types.structs, |one| types::write_struct(one).into())
        .list("routes", &contract.routes, |one| route(one).into())
        .list("actions", &contract.actions, |one| action(one).into())
        .list("error_pages", &contract.error_pages, |status| Value::Int((*status).into()))
        .some("wanted", (contract.wanted != Wanted::default()).then(|| wanted(&contract.wanted)))
        .into();
    let mut out = String::new();
    json::write_exact(&value, &mut out);
    out
}

fn wanted(wanted: &Wanted) -> Object {
    let limits = wanted.limits.iter().map(|(name, number)| (name.clone(), Value::Int(i64::try_from(*number).unwrap_or(i64::MAX))));
    Object::default()
        .list("hosts", &wanted.hosts, |host| host.as_str().into())
        .some("limits", (!wanted.limits.is_empty()).then(|| Value::Map(limits.collect())))
        .some("max_age", wanted.max_age.map(number))
}

fn site(site: &Site) -> Object {
    Object::default().put("nome", site.nome.as_str()).put("about", site.about.as_str())
}

fn route(route: &Route) -> Object {
    Object::default()
        .put("method", route.method.as_str())
        .put("path", route.path.as_str())
        .some("about", route.about.as_deref())
        .flag("screen", route.screen)
        .flag("agent", route.agent)
        .some("action", route.action.map(count))
        .some("returns", route.returns.as_ref().map(types::write_type))
        .some("cache", route.cache.map(number))
        .some("tool", route.tool.as_deref())
        .list("query", &route.query, |(name, ty)| Object::default().put("name", name.as_str()).put("type", types::write_type(ty)).into())
        .some("options", (route.options != ActionOptions::default()).then(|| options(&route.options)))
}

fn options(options: &ActionOptions) -> Object {
    Object::default()
        .some("effect", options.effect.as_deref())
        .some("idempotent", options.idempotent.map(Value::Bool))
        .some("confirmation", options.confirmation.as_deref())
        .some("timeout_ms", options.timeout_ms.map(number))
        .some("continues", options.continues.as_deref())
        .some("example", options.example.clone())
}

fn action(action: &Action) -> Object {
    Object::default()
        .put("name", action.name.as_str())
        .some("description", action.description.as_deref())
        .put("input", types::write_struct(&action.input))
}
