//! The doors' entries: the input of an action, and declared query parameters.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::{check::Walk, text, transform::Transform};
use crate::{
    issue::{Issue, Issues},
    json::{self, SyntaxIssue},
    model::Action,
    path::Path,
    types::{Kind, Type, Types},
    value::Value,
};

/// Why an input is refused.
#[derive(Clone, Debug, PartialEq)]
pub enum InputError {
    /// It is no JSON document: 400.
    Syntax(SyntaxIssue),
    /// It does not fit the type: 422.
    Issues(Issues),
}

impl InputError {
    /// The refusal as entries of `problemas`.
    pub fn problemas(&self) -> Value {
        match self {
            Self::Syntax(issue) => Value::Arr(Vec::from([issue.to_json()])),
            Self::Issues(issues) => issues.to_json(),
        }
    }
}

impl fmt::Display for InputError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax(issue) => issue.fmt(out),
            Self::Issues(issues) => issues.fmt(out),
        }
    }
}

impl core::error::Error for InputError {}

impl From<SyntaxIssue> for InputError {
    fn from(issue: SyntaxIssue) -> Self {
        Self::Syntax(issue)
    }
}

impl From<Issues> for InputError {
    fn from(issues: Issues) -> Self {
        Self::Issues(issues)
    }
}

/// Decodes a call of an action over HTTP: its body, and the values of its path. An empty body is `{}`.
///
/// The result is a Map of the parameters in their order, without the injected ones ([`super::fill_injected`]).
///
/// # Errors
/// What is wrong with the body or the path's values.
pub fn decode_action(types: &Types, action: &Action, path_params: &[(String, String)], body: &[u8]) -> Result<Value, InputError> {
    let input = if body.is_empty() { Value::Map(Vec::new()) } else { json::parse(body)? };
    Ok(decode_arguments(types, action, Some(path_params), input)?)
}

/// Decodes the arguments of an action. Without `path_params` the parameters of the path are members of the input, as in a tool call.
///
/// # Errors
/// All issues, in the order of the parameters; or one, when defaults make too much of it.
pub fn decode_arguments(types: &Types, action: &Action, path_params: Option<&[(String, String)]>, input: Value) -> Result<Value, Issues> {
    let fields = &action.input.fields;
    let mut walk = Walk::new(types);
    let members = match input {
        Value::Map(members) => {
            walk.fields(fields, &members, &Path::ROOT, path_params);
            members
        }
        other => {
            let object = Type::new(Kind::Map(None));
            walk.issues.add(|| Issue::wrong_type(&Path::ROOT, types, &object, &other));
            Vec::new()
        }
    };
    let members = walk.issues.or(|| members)?;
    let mut transform = Transform::new(types);
    let made = transform.fields(fields, members, path_params);
    transform.finish(Value::Map(made))
}

/// Decodes the declared parameters of a query: of each name the first value. Others are ignored, absent ones stay absent.
///
/// # Errors
/// All issues, in the order of the declaration.
pub fn decode_query(types: &Types, declared: &[(String, Type)], pairs: &[(String, String)]) -> Result<Value, Issues> {
    let mut walk = Walk::new(types);
    let mut out = Vec::new();
    for (name, ty) in declared {
        let Some((_, given)) = pairs.iter().find(|(given, _)| given == name) else {
            continue;
        };
        let place = Path::ROOT.name(name);
        match text::from_text(ty, given) {
            Ok(value) => {
                walk.value(ty, &value, &place);
                out.push((name.clone(), Transform::new(types).value(ty, value)));
            }
            Err(found) => walk.issues.add(|| Issue::wrong_type(&place, types, ty, &found)),
        }
    }
    walk.issues.or(|| Value::Map(out))
}
