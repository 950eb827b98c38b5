//! `GET` and `DELETE /agent/executions/{id}`: how a run stands, its events once more, its end. For who called it alone.

use std::sync::Arc;
use std::time::Duration;

use http::{HeaderName, Method, Response, StatusCode};

use super::execute::wants_stream;
use super::stream::streamed;
use super::{refused, respond};
use crate::execution::Caller;
use crate::pipeline::Scene;
use crate::respond::Body;
use crate::sandbox::Context;
use crate::tenant::Site;
use crate::tools::{Answer, Category, ToolError, recorded, running};

/// How long the end of a cancelled run is waited for.
const PATIENCE: Duration = Duration::from_secs(2);
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Answers.
pub(super) async fn answer(scene: &Scene, site: &Arc<Site>, id: &str) -> Response<Body> {
    let context = scene.context();
    let caller = Caller::of(&context);
    let Some(execution) = site.executions.find(id, &caller) else {
        return match recorded(site, id, &caller, &scene.id) {
            Some(answer) => told(&answer),
            None => refused(StatusCode::NOT_FOUND, &not_found()),
        };
    };
    if scene.method == Method::DELETE {
        execution.cancel();
        // A run that ended in the meantime answers with its end.
        let ended = tokio::time::timeout(PATIENCE, execution.ended()).await;
        return ended.map_or_else(|_| told(&running(&execution)), |answer| told(&answer));
    }
    if scene.method == Method::GET && wants_stream(&scene.headers) {
        let from = scene.header(&LAST_EVENT_ID).map_or(0, |last| after(last, id));
        return streamed(execution, from, false);
    }
    match execution.answer() {
        Some(answer) => told(&answer),
        None => told(&running(&execution)),
    }
}

/// The events of a run after the one that a client saw last, by its `Last-Event-ID`; `None` when there is no such run of this caller's.
pub(super) fn replay(site: &Site, context: &Context, last: &str) -> Option<Response<Body>> {
    let id = last.trim().split_once(':').map_or(last.trim(), |(id, _)| id);
    let execution = site.executions.find(id, &Caller::of(context))?;
    let from = after(last, id);
    Some(streamed(execution, from, false))
}

/// The place after the event that was seen last: `exec_…:3`, or `3`. What is neither has seen nothing.
fn after(last: &str, id: &str) -> usize {
    let number = last.trim().strip_prefix(id).map_or(last.trim(), |rest| rest.trim_start_matches(':'));
    number.parse::<usize>().map_or(0, |number| number.saturating_add(1))
}

/// To tell how a run ended is no failure, however it ended.
fn told(answer: &Answer) -> Response<Body> {
    let mut response = respond(answer);
    *response.status_mut() = StatusCode::OK;
    // Cookies went to who called, once.
    for name in answer.headers.keys() {
        response.headers_mut().remove(name);
    }
    response
}

pub(super) fn not_found() -> ToolError {
    ToolError::new("EXECUTION_NOT_FOUND", Category::NotFound, "não há esta execução, ou não é sua, ou já passou o tempo de consultá-la")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_seen_is_left_out() {
        for (last, from) in [("exec_1:3", 4), ("exec_1", 0), ("exec_1:", 0), ("7", 8), ("x", 0), ("exec_1:-1", 0), ("exec_2:3", 0)] {
            assert_eq!(after(last, "exec_1"), from, "{last}");
        }
    }
}
