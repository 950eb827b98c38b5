//! Injected parameters: what the host fills in from a request's context, checked by its own type.

use alloc::{string::String, vec::Vec};
use core::fmt;

use super::{decode, text, transform::Transform};
use crate::{
    issue::Issues,
    json::SyntaxIssue,
    model::Action,
    types::{Kind, Presence, Source, Types},
    value::Value,
};

/// Why a parameter could not be filled. For the log: a client learns no more than the status.
#[derive(Clone, Debug, PartialEq)]
pub enum InjectError {
    /// The context does not have it, and the parameter needs it.
    Absent {
        /// The parameter.
        parameter: String,
        /// `session.usuario`, `header.X-Cliente`, …
        source: String,
    },
    /// What the context has is not of the parameter's type.
    Invalid {
        /// The parameter.
        parameter: String,
        /// Where the value came from.
        source: String,
        /// What is wrong with it.
        issues: Issues,
    },
    /// The decoded arguments that it completes cannot be read.
    Unreadable(SyntaxIssue),
}

impl InjectError {
    /// Where the value should have come from; empty when it is not about one.
    pub fn source_name(&self) -> &str {
        match self {
            Self::Absent { source, .. } | Self::Invalid { source, .. } => source,
            Self::Unreadable(_) => "",
        }
    }

    /// What the client is told: 401 where a session lacks something, else 500.
    pub fn status(&self) -> u16 {
        if self.source_name().starts_with("session.") { 401 } else { 500 }
    }
}

impl fmt::Display for InjectError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent { parameter, source } => write!(out, "o parâmetro {parameter} vem de {source}, que não existe neste pedido"),
            Self::Unreadable(issue) => write!(out, "os argumentos: {issue}"),
            Self::Invalid { parameter, source, issues } => write!(out, "o parâmetro {parameter} vem de {source}: {issues}"),
        }
    }
}

impl core::error::Error for InjectError {}

/// Completes decoded arguments with the injected parameters, so that all stand in the order of the action. `fetch` is asked by source;
/// texts of headers and the like are converted as those of a path are.
///
/// # Errors
/// The first parameter that cannot be filled.
pub fn fill_injected(
    types: &Types,
    action: &Action,
    arguments: Value,
    mut fetch: impl FnMut(&str) -> Option<Value>,
) -> Result<Value, InjectError> {
    let fields = &action.input.fields;
    let Value::Map(given) = arguments else {
        return Ok(arguments);
    };
    if !fields.iter().any(|field| matches!(field.source, Source::Inject(_))) {
        return Ok(Value::Map(given));
    }
    let mut given = given.into_iter().peekable();
    let mut out = Vec::with_capacity(fields.len());
    for field in fields {
        let Source::Inject(source) = &field.source else {
            out.extend(given.next_if(|(name, _)| *name == field.name));
            continue;
        };
        let names = || (field.name.clone(), source.clone());
        let fetched = match fetch(source) {
            Some(Value::Str(text)) if matches!(field.ty.kind, Kind::Int | Kind::Float | Kind::Bool) && !source.starts_with("session.") => {
                Some(text::from_text(&field.ty, &text).unwrap_or_else(|found| found))
            }
            other => other,
        };
        match fetched {
            Some(value) => {
                let value = decode(types, &field.ty, value).map_err(|issues| {
                    let (parameter, source) = names();
                    InjectError::Invalid { parameter, source, issues }
                })?;
                out.push((field.name.clone(), value));
            }
            None if field.presence == Presence::Required => {
                let (parameter, source) = names();
                return Err(InjectError::Absent { parameter, source });
            }
            None => out.extend(Transform::new(types).absent(field).map(|value| (field.name.clone(), value))),
        }
    }
    Ok(Value::Map(out))
}
