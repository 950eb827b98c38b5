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
