//! Which case files run against which sites, and which cases wait for their feature.

use crate::{
    case::{self, Case},
    workspace,
};
use serde::Deserialize;
use std::collections::BTreeMap;

/// Case files that share a server.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// A short name for messages.
    pub name: String,
    /// What `djo-host serve` gets: folders from the root of the checkout.
    pub sites: Vec<String>,
    /// Further arguments of `serve`.
    #[serde(default)]
    pub arguments: Vec<String>,
    /// Files of `tests/cases`.
    pub files: Vec<String>,
}

/// Reads `tests/cases/suites.json`.
///
/// # Errors
/// When it is missing or malformed.
pub fn suites() -> Result<Vec<Suite>, String> {
    read("suites.json")
}

/// Ids of cases whose feature does not exist yet, each with the reason.
///
/// # Errors
/// When `tests/cases/pending.json` is missing or malformed.
pub fn pending() -> Result<BTreeMap<String, String>, String> {
    read("pending.json")
}

/// The cases of one file.
///
/// # Errors
/// When the file is missing or malformed.
pub fn cases(file: &str) -> Result<Vec<Case>, String> {
    case::load(&workspace::root().join("tests/cases").join(file))
}

fn read<T: serde::de::DeserializeOwned>(file: &str) -> Result<T, String> {
    let path = workspace::root().join("tests/cases").join(file);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
