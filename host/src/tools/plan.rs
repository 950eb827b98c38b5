//! What could never run is refused before anything is spent on it: no such tool, arguments that do not fit, no page to go on from.

use std::sync::Arc;

use djo_contract::issue::Issues;
use djo_contract::json;
use djo_contract::strict::from_strict;
use djo_contract::tool::Tool;
use djo_contract::value::Value;

use super::call::{Input, call, with_names};
use super::error::{Category, Directive, ToolError};
use super::failure::{Mending, internal};
use super::{Invocation, Options, TOOLS_URL};
use crate::execution::{Call, Caller, canonical, hash};
use crate::sandbox::Request;
use crate::store::Retained;
use crate::tenant::Site;

/// A call that could run.
pub struct Plan {
    /// What was asked.
    pub(super) asked: Asked,
    /// What runs.
    pub(super) call: Box<Call>,
}

/// What was asked: all that is told of a call after it has run.
pub(super) struct Asked {
    /// The site.
    pub(super) site: Arc<Site>,
    /// The tool that was named, by its place in the catalogue.
    place: usize,
    /// Who calls.
    pub(super) caller: Caller,
    /// As sent.
    pub(super) sent: Value,
    /// The model input, decoded: of a next page, that of the first.
    pub(super) arguments: Value,
    /// What the next page goes on from.
    pub(super) retained: Option<Retained>,
    /// What else was asked.
    pub(super) options: Options,
    /// The id of the HTTP request, for the log.
    pub(super) http_id: Arc<str>,
}

impl Asked {
    /// Puts on the log what went wrong.
    pub(super) fn log_error(&self, text: &str) {
        self.site.tenant.log_error(&self.http_id, text);
    }

    /// The tool.
    pub(super) fn tool(&self) -> &Tool {
        &self.site.tools.tools()[self.place]
    }

    /// By what its caller can correct it.
    pub(super) fn mending(&self) -> Mending<'_> {
        Mending { example: example(self.tool(), &self.options), sent: &self.sent }
    }

    /// A hash of tool and decoded input, which the request of the call holds before it is injected into: calls that have it in common ask for the same.
    pub(super) fn identity(&self, request: &Request) -> [u8; 32] {
        let source = self.options.continuation.as_deref().unwrap_or_default();
        hash(&[
            self.tool().name.as_bytes(),
            request.path.as_bytes(),
            request.query.as_bytes(),
            &canonical(&request.arguments),
            source.as_bytes(),
        ])
    }
}

impl Plan {
    /// The tool.
    pub fn tool(&self) -> &Tool {
        self.asked.tool()
    }
}

/// Checks a call.
///
/// # Errors
/// What the caller is told; nothing has been run.
pub fn plan(invocation: Invocation) -> Result<Plan, ToolError> {
    let Invocation { site, tool: name, arguments: mut sent, context, options } = invocation;
    let catalogue = Arc::clone(&site.tools);
    let Some((place, tool)) = catalogue.locate(&name) else {
        return Err(ToolError::tool_not_found(&catalogue, &name, TOOLS_URL));
    };
    let caller = Caller::of(&context);
    let types = &site.contract.types;
    if options.strict {
        sent = from_strict(types, tool.input(), sent);
    }
    let refused = |issues: &Issues| ToolError::invalid_arguments(example(tool, &options), &sent, issues);
    let (arguments, retained) = match &options.continuation {
        None if tool.continues.is_some() => return Err(no_continuation(tool)),
        None => (tool.decode(types, sent.clone()).map_err(|issues| refused(&with_names(&site, tool, &sent, issues)))?, None),
        Some(source) => {
            Tool::takes_nothing(&sent).map_err(|issues| refused(&issues))?;
            let retained = retained(&site, tool, source, &caller, &context.request_id)?;
            let decoded = first_input(&site, tool, &retained).ok_or_else(gone)?;
            (decoded, Some(retained))
        }
    };
    // The tool that a continuation continues is the one whose route it goes by.
    let first = tool.continues.as_ref().and_then(|name| catalogue.find(name)).unwrap_or(tool);
    let input = Input { arguments: &arguments, cursor: retained.as_ref().map(|retained| retained.cursor.as_str()) };
    let http_id = Arc::clone(&context.request_id);
    let call = call(&site, first, &input, context, options.timeout).map_err(|issues| refused(&issues))?;
    Ok(Plan { asked: Asked { site, place, caller, sent, arguments, retained, options, http_id }, call })
}

/// Arguments that would fit. Whatever the tool takes first, a next page takes nothing.
fn example<'a>(tool: &'a Tool, options: &Options) -> Option<&'a Value> {
    static NOTHING: Value = Value::Map(Vec::new());
    if options.continuation.is_some() { Some(&NOTHING) } else { tool.example.as_ref() }
}

/// What an execution retained, if it was one of this tool's and this caller's. `http_id` is the id of the request that goes on from it.
pub(super) fn retained(site: &Site, tool: &Tool, source: &str, caller: &Caller, http_id: &str) -> Result<Retained, ToolError> {
    let found = site.tenant.store.retained(source, caller.as_bytes()).map_err(|error| {
        site.tenant.log_error(http_id, &format!("continuation: {}", error.detail()));
        internal()
    })?;
    let continued = tool.continues.as_deref().unwrap_or(&tool.name);
    found.filter(|retained| retained.tool == continued).ok_or_else(gone)
}

/// The retained input, as the tool of this revision of the site takes it.
pub(super) fn first_input(site: &Site, tool: &Tool, retained: &Retained) -> Option<Value> {
    let first = tool.continues.as_ref().map_or(Some(tool), |name| site.tools.find(name))?;
    first.decode(&site.contract.types, json::parse_with(&retained.arguments, json::DECODED).ok()?).ok()
}

fn no_continuation(tool: &Tool) -> ToolError {
    let continued = tool.continues.as_deref().unwrap_or_default();
    let message = format!("esta ferramenta continua `{continued}`: envie o `continuation` que veio em `next_actions`");
    ToolError::new("CONTINUATION_REQUIRED", Category::Validation, message).recoverable(Directive::Replan)
}

pub(super) fn gone() -> ToolError {
    let message = "não há o que continuar: o pedido não é desta ferramenta, ou já passou uma hora; comece de novo";
    ToolError::new("CONTINUATION_NOT_FOUND", Category::NotFound, message).recoverable(Directive::Replan)
}
