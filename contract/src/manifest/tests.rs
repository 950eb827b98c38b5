//! The documents of the blog, as a change would show in them.
#![allow(clippy::unwrap_used)]

use alloc::string::String;

use super::*;
use crate::{fixture::blog, model::Method};

fn pretty(text: &str) -> String {
    serde_json::to_string_pretty(&serde_json::from_str::<serde_json::Value>(text).unwrap()).unwrap()
}

#[test]
fn manifest_of_the_blog() {
    insta::assert_snapshot!(pretty(&manifest(&blog())));
}

#[test]
fn greeting_of_the_blog() {
    insta::assert_snapshot!(pretty(&greeting(&blog())));
}

#[test]
fn a_site_without_a_name_greets_too() {
    let contract = Contract { site: None, routes: Vec::from([crate::fixture::route(Method::Get, "/")]), ..blog() };
    assert!(!is_offered(&contract) && is_offered(&blog()));
    assert_eq!(
        greeting(&contract),
        r#"{"saudacao":"Olá! Este site atende agentes.","manifesto":"/.well-known/ai-manifest.json","rotas":[],"acoes":[]}"#
    );
}

#[test]
fn an_action_is_listed_once_by_the_name_of_its_tool() {
    let mut contract = blog();
    let action = contract.routes.iter().find(|route| route.action.is_some()).unwrap().clone();
    let own = contract.actions[action.action.unwrap()].name.clone();
    let path = |more: &str| alloc::format!("{}/{more}", action.path);
    let mut named = Route { path: path("mais"), tool: Some("mais".into()), ..action.clone() };
    named.options.continues = Some(own.clone());
    let mut unnamed = Route { path: path("outra"), tool: None, ..action.clone() };
    unnamed.options.continues = Some(own.clone());
    contract.routes = Vec::from([action.clone(), named, unnamed]);
    let listed: serde_json::Value = serde_json::from_str(&manifest(&contract)).unwrap();
    let actions = listed["actions"].as_array().unwrap();
    assert_eq!(actions.iter().map(|action| action["name"].as_str().unwrap()).collect::<Vec<_>>(), [own.as_str(), "mais"]);
    let known = ["name", "method", "path", "description", "path_params", "input", "returns"];
    assert!(actions.iter().flat_map(|action| action.as_object().unwrap().keys()).all(|key| known.contains(&key.as_str())));
}
