//! `POST /agent/execute`: one call, answered as JSON or as a stream of events, or several, answered as a list.

use std::sync::Arc;

use djo_contract::media::is_json_media_type;
use djo_contract::refusal::Refusal;
use http::header::{ACCEPT, CONNECTION, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};

use super::batch;
use super::envelope::{Envelope, Sent, read};
use super::executions::{not_found, replay};
use super::stream::streamed;
use super::{SCHEMA, refused, respond, schema};
use crate::pipeline::body::BodyError;
use crate::pipeline::{Scene, joined};
use crate::respond::Body;
use crate::server::Host;
use crate::tenant::Site;
use crate::tools::{Answer, Category, Invocation, ToolError, new_execution_id, plan, run, start};

/// Bytes of a body.
const MAX_BODY: usize = 1 << 20;
/// What a client has seen of a stream.
const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Answers.
pub(super) async fn answer(host: &Arc<Host>, scene: &mut Scene, site: &Arc<Site>) -> Response<Body> {
    let streams = wants_stream(&scene.headers);
    // Who asks for the rest of a stream gets that, or nothing: a run is never begun again by it.
    if streams && let Some(last) = scene.header(&LAST_EVENT_ID) {
        return replay(site, &scene.context(), last).unwrap_or_else(|| refused(StatusCode::NOT_FOUND, &not_found()));
    }
    let Some(strict) = schema(scene.query()) else { return refused(StatusCode::BAD_REQUEST, &ToolError::invalid_request(SCHEMA)) };
    let mut envelope = match envelope(scene, site).await {
        Ok(envelope) => envelope,
        Err(response) => return *response,
    };
    match &mut envelope {
        Envelope::One(sent) => sent.options.strict = strict,
        Envelope::Several(calls) => calls.iter_mut().for_each(|sent| sent.options.strict = strict),
    }
    match envelope {
        Envelope::Several(calls) => batch::answer(host, site, &scene.context(), calls).await,
        Envelope::One(sent) => match plan(invocation(site, &scene.context(), sent)) {
            Err(error) => respond(&Answer::failed(&new_execution_id(), &error)),
            Ok(plan) if streams => streamed(start(host, plan), 0, true),
            Ok(plan) => respond(&*run(host, plan).await),
        },
    }
}

/// A call on behalf of who sent the request.
pub(super) fn invocation(site: &Arc<Site>, context: &crate::sandbox::Context, sent: Sent) -> Invocation {
    let Sent { tool, arguments, options } = sent;
    Invocation { site: Arc::clone(site), tool, arguments, context: context.clone(), options }
}

/// The body, read and understood.
async fn envelope(scene: &mut Scene, site: &Site) -> Result<Envelope, Box<Response<Body>>> {
    if !scene.header(&CONTENT_TYPE).is_some_and(is_json_media_type) {
        let error = ToolError::invalid_request("o Content-Type deve ser application/json");
        return Err(Box::new(refused(StatusCode::BAD_REQUEST, &error)));
    }
    let bytes = scene.read(site, MAX_BODY).await.map_err(|error| Box::new(unread(&error)))?;
    read(&bytes).map_err(|error| Box::new(refused(StatusCode::BAD_REQUEST, &error)))
}

/// A body that could not be read. What is left of it is thrown away: the connection cannot be used again.
fn unread(error: &BodyError) -> Response<Body> {
    let mut response = match error {
        BodyError::TooLarge(most) => {
            let error = ToolError::new("PAYLOAD_TOO_LARGE", Category::Capacity, format!("o corpo passa de {most} bytes"));
            refused(StatusCode::PAYLOAD_TOO_LARGE, &error.recoverable(crate::tools::Directive::CorrectCall))
        }
        BodyError::TooSlow => refused(StatusCode::REQUEST_TIMEOUT, &ToolError::invalid_request("o corpo demorou demais")),
        BodyError::NoRoom => {
            let error = ToolError::new("CAPACITY", Category::Capacity, Refusal::Overloaded.erro());
            refused(StatusCode::SERVICE_UNAVAILABLE, &error.retryable(Some(1)))
        }
        BodyError::Broken(_) => refused(StatusCode::BAD_REQUEST, &ToolError::invalid_request("o corpo não chegou inteiro")),
    };
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}

/// Whether a client names the type of event streams among what it accepts.
pub(super) fn wants_stream(headers: &HeaderMap) -> bool {
    let accept = joined(headers, &ACCEPT).unwrap_or_default();
    accept.split(',').any(|range| {
        let mut parts = range.split(';').map(str::trim);
        let named = parts.next().is_some_and(|name| name.eq_ignore_ascii_case("text/event-stream"));
        let refused = |parameter: &str| match parameter.split_once('=') {
            Some((name, value)) if name.trim().eq_ignore_ascii_case("q") => value.trim().parse() == Ok(0.0_f32),
            _ => false,
        };
        named && !parts.any(refused)
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn streams_are_asked_for_by_name() {
        for (accept, wanted) in [
            ("text/event-stream", true),
            ("application/json, Text/Event-Stream;q=0.5", true),
            ("text/event-stream;q=0", false),
            ("text/event-stream; q=0.0", false),
            ("*/*", false),
            ("", false),
        ] {
            let headers = HeaderMap::from_iter([(ACCEPT, accept.parse().unwrap())]);
            assert_eq!(wants_stream(&headers), wanted, "{accept}");
        }
    }
}
