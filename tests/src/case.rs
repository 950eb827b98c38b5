//! The format of a case file: a list of `{"id", "spec", "steps": [{"req", "res"}…]}`, or `{"id", "spec", "req", "res"}`
//! for a single step. `CONTRIBUTING.md` describes it with examples.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::{collections::BTreeMap, path::Path};

/// One case: steps in order on one server, with values saved between them.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Unique among all case files: a group letter and a number.
    pub id: String,
    /// The rule it holds the server to.
    #[serde(default)]
    pub spec: String,
    /// More than one step.
    #[serde(default)]
    pub steps: Vec<Step>,
    /// The request of a case with a single step.
    pub req: Option<Req>,
    /// The answer wanted in a case with a single step.
    pub res: Option<Res>,
}

/// A request with the answer it wants, or a pause.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Seconds to wait before the request, or instead of one.
    #[serde(default)]
    pub sleep: f64,
    /// The request.
    pub req: Option<Req>,
    /// The answer wanted.
    #[serde(default)]
    pub res: Res,
}

/// What to send. At most one of `json`, `body`, `hex`, `fill`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Req {
    /// The method, `GET` by default.
    #[serde(default)]
    pub m: String,
    /// The path and query as sent; `${name}` is replaced by a saved value.
    pub p: String,
    /// Headers; `${name}` is replaced in their values.
    #[serde(default)]
    pub h: BTreeMap<String, String>,
    /// A body as JSON, with its `Content-Type` unless `h` has one.
    #[serde(default, deserialize_with = "given")]
    pub json: Option<Value>,
    /// A body as text.
    pub body: Option<String>,
    /// A body as hexadecimal digits.
    pub hex: Option<String>,
    /// A body as a text repeated so many times.
    pub fill: Option<(String, usize)>,
    /// How often the step is sent.
    #[serde(default = "once")]
    pub times: u32,
}

/// What the answer must be. Everything given must hold.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Res {
    /// The status, or a list of those allowed; 200 by default.
    pub s: Option<Value>,
    /// Header to regular expression; null: the header must be absent.
    #[serde(default)]
    pub h: BTreeMap<String, Option<String>>,
    /// The body as JSON, exactly; the order of members does not count, 4 and 4.0 are equal.
    #[serde(default, deserialize_with = "given")]
    pub json: Option<Value>,
    /// A part of the body: objects may have more members; a String that starts with `~` is a regular expression.
    #[serde(default, deserialize_with = "given")]
    pub has: Option<Value>,
    /// The exact text.
    pub body: Option<String>,
    /// A regular expression that the body matches.
    pub re: Option<String>,
    /// Regular expressions that the body must not match.
    #[serde(default)]
    pub no: Vec<String>,
    /// There is no body.
    #[serde(default)]
    pub empty: bool,
    /// Lists that must have a matching element.
    #[serde(default)]
    pub some: Vec<Some_>,
    /// Values to keep: name to `body`, `header:NAME` or `json:PATH`.
    #[serde(default)]
    pub save: BTreeMap<String, String>,
    /// Saved names whose value must be the same here.
    #[serde(default)]
    pub same: BTreeMap<String, String>,
    /// Saved names whose value must differ here.
    #[serde(default)]
    pub diff: BTreeMap<String, String>,
}

/// A list in the body must have an element with `has` and without the members of `lacks`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Some_ {
    /// Where the list is: member names with dots between; empty for the body itself.
    #[serde(rename = "in")]
    pub path: String,
    /// As [`Res::has`].
    pub has: Map<String, Value>,
    /// Members the element must not have.
    #[serde(default)]
    pub lacks: Vec<String>,
}

fn once() -> u32 {
    1
}

/// Keeps `null` apart from an absent member.
fn given<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(deserializer).map(Some)
}

impl Case {
    /// Its steps, the single one of a short case included.
    pub fn into_steps(self) -> Vec<Step> {
        let single = self.req.map(|req| Step { sleep: 0.0, req: Some(req), res: self.res.unwrap_or_default() });
        single.into_iter().chain(self.steps).collect()
    }
}

/// Reads a case file. The error names the file and what is wrong with it.
pub fn load(path: &Path) -> Result<Vec<Case>, String> {
    let text = std::fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    serde_json::from_str(&text).map_err(|error| format!("{}: {error}", path.display()))
}
