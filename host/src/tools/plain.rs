//! Next pages over plain HTTP. The route of a continuation takes `{}`, as the tool that it is; which request it goes on from is said in
//! its query, by the link that came with the page before or by an execution that gave one.

use std::sync::Arc;

use djo_contract::json;
use djo_contract::tool::{CONTINUATION, Tool};
use djo_contract::value::Value;

use super::call::{Input, call, path};
use super::error::ToolError;
use super::live::new_id;
use super::pages::{Chain, PageError};
use super::plan::{first_input, gone, retained};
use crate::execution::{Call, Caller};
use crate::sandbox::{Context, PageBounds};
use crate::tenant::Site;

/// The call of a tool's next page, by the name under which its request is retained, and what the page after it goes on from.
///
/// # Errors
/// Nothing of the kind is retained for this caller, or the store cannot be read.
pub fn go_on(
    site: &Arc<Site>,
    tool: &Tool,
    source: &str,
    params: &[(String, String)],
    context: Context,
) -> Result<(Box<Call>, Chain), ToolError> {
    let caller = Caller::of(&context);
    let retained = retained(site, tool, source, &caller, &context.request_id)?;
    let arguments = first_input(site, tool, &retained).ok_or_else(gone)?;
    let input = Input { arguments: &arguments, cursor: Some(&retained.cursor) };
    let call = call(site, tool, &input, context, None).map_err(|_| gone())?;
    // The path names what the request was about: it is not the place to ask about something else.
    if call.request.params != params {
        return Err(gone());
    }
    let chain = Chain { site: Arc::clone(site), caller, tool: tool.name.clone(), arguments: retained.arguments, seen: retained.seen };
    Ok((call, chain))
}

impl Chain {
    /// What the next page of a first one goes on from.
    pub fn first(site: &Arc<Site>, tool: &Tool, context: &Context, arguments: Vec<u8>) -> Self {
        let caller = Caller::of(context);
        Self { site: Arc::clone(site), caller, tool: tool.name.clone(), arguments, seen: Vec::new() }
    }

    /// Retains the request of a page that has a next one; answers where to ask for that.
    ///
    /// # Errors
    /// The chain turns in a circle, or the request cannot be retained.
    pub fn link(self, page: &PageBounds) -> Result<Option<String>, PageError> {
        let Some(cursor) = &page.next_cursor else { return Ok(None) };
        let contract = &self.site.contract;
        let route = self.site.tools.find(&self.tool).and_then(|tool| contract.routes.get(tool.next_page));
        let arguments = json::parse_with(&self.arguments, json::DECODED).unwrap_or(Value::Nil);
        let Some((path, _)) = route.and_then(|route| path(&route.path, &arguments).ok()) else { return Ok(None) };
        let id = new_id();
        self.retain(&id, cursor)?;
        Ok(Some(format!("{path}?{CONTINUATION}={id}")))
    }
}
