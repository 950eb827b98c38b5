//! Calls: a tool by its name, a resource by its address. Progress goes to the client as it comes; a client that cancels, or goes away,
//! ends the run.

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use djo_contract::value::Value;
use rmcp::model::{CallToolResponse, ErrorData, ProgressNotificationParam, ProgressToken, ReadResourceResponse, ReadResourceResult};
use rmcp::service::{RequestContext, RoleServer};

use super::server::{Server, takes_any_result};
use super::{resources, result};
use crate::documents;
use crate::sandbox::aside;
use crate::tools::{Answer, CancelOnDrop, Category, Event, Execution, Invocation, Options, new_execution_id, plan, start};

/// For how long a client may hold back a report of progress.
const PATIENCE: Duration = Duration::from_secs(1);
/// Bytes of what `_meta` holds for a call.
const MAX_TEXT: usize = 512;
const MAX_REQUEST_ID: usize = 256;

/// Calls a tool. What it refuses is a result on which the model can act; a tool that is not there is an error of the protocol.
pub(super) async fn tool(server: &Server, name: &str, context: &RequestContext<RoleServer>) -> Result<CallToolResponse, ErrorData> {
    let Some(tool) = server.site.tools.find(name) else {
        return Err(ErrorData::invalid_params(format!("a ferramenta `{}` não existe", djo_contract::path::echo(name)), None));
    };
    let answer = run(server, name, options(context)?, context).await;
    server.headers.lock().unwrap_or_else(PoisonError::into_inner).extend(answer.headers.clone());
    let any = takes_any_result(context);
    if answer.bytes() < aside::LARGE {
        return Ok(result::of(&answer, &server.site.contract, tool, any).into());
    }
    let (site, tool) = (Arc::clone(&server.site), tool.clone());
    let made = server.host.sandbox.aside(&server.site.aside, move || result::of(&answer, &site.contract, &tool, any)).await;
    made.map(Into::into).map_err(|aside::Full| ErrorData::internal_error("erro interno", None))
}

/// Reads a resource.
pub(super) async fn resource(server: &Server, uri: &str, context: &RequestContext<RoleServer>) -> Result<ReadResourceResponse, ErrorData> {
    let at = |extra: Option<serde_json::Value>| Some(serde_json::json!({ "uri": uri, "error": extra }));
    let not_found = || ErrorData::resource_not_found("não há este recurso", Some(serde_json::json!({ "uri": uri })));
    let (tool, call) = match resources::find(server, uri) {
        Some(found) => found.map_err(|problem| ErrorData::invalid_params("o endereço do recurso não serve", at(Some(problem))))?,
        None => return Err(not_found()),
    };
    let read = tokio::select! {
        read = crate::tools::read(&server.host, tool, call) => read,
        () = context.ct.cancelled() => return Err(ErrorData::internal_error("cancelado", at(None))),
    };
    match read {
        Ok(response) => Ok(ReadResourceResult::new(vec![resources::contents(uri, &response)]).into()),
        Err(error) if error.category == Category::NotFound => Err(not_found()),
        Err(error) => Err(ErrorData::internal_error(error.message.clone(), at(Some(documents::json(&error.to_json()))))),
    }
}

/// What can be asked of a call beside its arguments is in its `_meta`, for the program that calls and not for its model.
fn options(context: &RequestContext<RoleServer>) -> Result<Options, ErrorData> {
    let text = |name: &str, most: usize| match context.meta.get(name) {
        None => Ok(None),
        Some(serde_json::Value::String(text)) if !text.is_empty() && text.len() <= most => Ok(Some(text.clone())),
        Some(_) => Err(ErrorData::invalid_params(format!("_meta[\"{name}\"] deve ser um texto de 1 a {most} bytes"), None)),
    };
    Ok(Options {
        request_id: text(result::REQUEST_ID, MAX_REQUEST_ID)?,
        confirm: text(result::CONFIRM, MAX_TEXT)?,
        continuation: text(result::CONTINUATION, MAX_TEXT)?,
        ..Options::default()
    })
}

/// Runs a call to its end, or until nobody waits for it.
async fn run(server: &Server, tool: &str, options: Options, context: &RequestContext<RoleServer>) -> Arc<Answer> {
    let arguments = server.arguments.clone().unwrap_or_else(|| Value::Map(Vec::new()));
    let site = Arc::clone(&server.site);
    let invocation = Invocation { site, tool: tool.to_owned(), arguments, context: server.context.clone(), options };
    let plan = match plan(invocation) {
        Ok(plan) => plan,
        Err(error) => return Arc::new(Answer::failed(&new_execution_id(), &error)),
    };
    let execution = start(&server.host, plan);
    if let Some(handle) = server.handle {
        execution.set_handle(handle);
    }
    // Whatever drops this, the client going away included, ends the run.
    let _guard = CancelOnDrop(Arc::clone(&execution));
    let token = context.meta.get_progress_token();
    tokio::select! {
        answer = followed(&execution, token, context) => answer,
        () = context.ct.cancelled() => {
            execution.cancel();
            execution.ended().await
        }
    }
}

/// Waits for the end, and tells the client of progress if it asked for that.
async fn followed(execution: &Execution, token: Option<ProgressToken>, context: &RequestContext<RoleServer>) -> Arc<Answer> {
    let Some(token) = token else { return execution.ended().await };
    let mut from = 0;
    loop {
        let (events, is_over) = execution.events(from);
        from += events.len();
        for report in events.iter().filter_map(|event| progress(event, &token)) {
            // A client that does not take it goes without it.
            let _ = tokio::time::timeout(PATIENCE, context.peer.notify_progress(report)).await;
        }
        if is_over {
            return execution.ended().await;
        }
        execution.more_than(from).await;
    }
}

/// A report of the run, as the protocol has it.
fn progress(event: &Event, token: &ProgressToken) -> Option<ProgressNotificationParam> {
    let Event::Progress(report) = event else { return None };
    let mut progress = ProgressNotificationParam::new(token.clone(), report.done);
    progress.total = report.total;
    progress.message.clone_from(&report.message);
    Some(progress)
}
