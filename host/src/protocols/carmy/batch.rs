//! Several calls in one request: what only reads runs side by side, what writes runs in the order in which it was sent.

use std::sync::Arc;

use djo_contract::json;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, Response};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::envelope::Sent;
use super::execute::invocation;
use crate::respond::Body;
use crate::sandbox::Context;
use crate::server::Host;
use crate::tenant::Site;
use crate::tools::{Answer, Plan, new_execution_id, plan, run};

/// Runs the calls. A call that is refused, or fails, does not keep the others from running.
pub(super) async fn answer(host: &Arc<Host>, site: &Arc<Site>, context: &Context, calls: Vec<Sent>) -> Response<Body> {
    let count = calls.len();
    let mut answers: Vec<Option<Arc<Answer>>> = vec![None; count];
    let mut reads: Vec<(usize, Plan)> = Vec::new();
    for (index, sent) in calls.into_iter().enumerate() {
        match plan(invocation(site, context, sent)) {
            Err(error) => answers[index] = Some(Arc::new(Answer::failed(&new_execution_id(), &error))),
            Ok(plan) if plan.tool().effect.is_harmless() => reads.push((index, plan)),
            Ok(plan) => {
                // A write sees what was asked before it as done, and is done for what is asked after it.
                side_by_side(host, std::mem::take(&mut reads), &mut answers).await;
                answers[index] = Some(run(host, plan).await);
            }
        }
    }
    side_by_side(host, reads, &mut answers).await;
    list(&answers)
}

/// As many at once as the lane has places: calls of one request do not push each other out of it.
async fn side_by_side(host: &Arc<Host>, reads: Vec<(usize, Plan)>, answers: &mut [Option<Arc<Answer>>]) {
    let places = Arc::new(Semaphore::new(host.options.agent_conc.max(1)));
    // Dropped with the request, it ends what still runs.
    let mut running = JoinSet::new();
    for (index, plan) in reads {
        let (host, places) = (Arc::clone(host), Arc::clone(&places));
        running.spawn(async move {
            // It is never closed.
            let _place = places.acquire().await;
            (index, run(&host, plan).await)
        });
    }
    while let Some(ended) = running.join_next().await {
        if let Ok((index, answer)) = ended {
            answers[index] = Some(answer);
        }
    }
}

/// `{"status":"completed","results":[…]}`, with the cookies of all.
fn list(answers: &[Option<Arc<Answer>>]) -> Response<Body> {
    let mut headers = HeaderMap::new();
    let mut body = String::from(r#"{"status":"completed","results":["#);
    for (index, answer) in answers.iter().enumerate() {
        if index > 0 {
            body.push(',');
        }
        match answer {
            Some(answer) => {
                body.push_str(&answer.body());
                for (name, value) in &answer.headers {
                    headers.append(name, value.clone());
                }
            }
            // Its task broke: it has been logged.
            None => body.push_str(&json::to_string(&crate::tools::lost().value())),
        }
    }
    body.push_str("]}");
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    let mut response = Response::new(Body::from(body));
    *response.headers_mut() = headers;
    response
}
