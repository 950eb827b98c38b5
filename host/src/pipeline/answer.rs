//! What a request asked for, in the form in which it could be sent: a site's code is executed, everything else is at hand.

use std::sync::Arc;

use bytes::Bytes;
use http::header::{ALLOW, LINK};
use http::{HeaderValue, StatusCode};

use super::Scene;
use super::app;
use super::conditional::Reply;
use super::once::Claimed;
use super::validate::Work;
use crate::execution::{ExecutionError, execute};
use crate::server::Host;
use crate::site::assets::Asset;

/// An answer in the form in which it could be sent.
pub enum Answered {
    /// Complete but for what every answer carries; its tag may be one that the client has.
    Ready(http::Response<Bytes>),
    /// Complete, as a door of a protocol sends it.
    Sent(Reply),
    /// A static file.
    Asset(Asset),
    /// The methods there are.
    Options(http::Response<Bytes>),
}

/// Answers.
pub(super) async fn answer(host: &Arc<Host>, scene: &mut Scene, claimed: Claimed) -> Result<Answered, ExecutionError> {
    let Claimed(work) = claimed;
    Ok(match work {
        Work::Run(call) => {
            let ticket = &mut scene.ticket;
            let started = |started| ticket.as_mut().map_or((), |ticket| ticket.set_started(started));
            let mut answered = execute(host, call, started).await?;
            scene.is_kept = answered.is_kept;
            if let (Some(chain), Some(page)) = (scene.chain.take(), &answered.page) {
                match chain.link(page) {
                    Ok(link) => answered.response.headers_mut().extend(link.as_deref().and_then(next_page)),
                    Err(error) => scene.log_error(&error.to_string()),
                }
            }
            Answered::Ready(answered.response)
        }
        Work::Replay(response) => Answered::Ready(*response),
        Work::Document(site, name) => {
            Answered::Ready(site.documents.as_ref().map(|documents| documents.get(name).response()).unwrap_or_default())
        }
        Work::App(site, body) => {
            let response = Box::pin(app::run(host, scene, &site, body)).await?;
            let checked = app::checked(response).inspect_err(|error| site.tenant.log_error(&scene.id, &error.to_string()));
            // It knows for itself what its visitors have already.
            Answered::Sent(checked?)
        }
        Work::Door(site, door) => Box::pin(door.answer(host, scene, &site)).await,
        Work::Asset(asset) => Answered::Asset(asset),
        Work::Options(allow) => Answered::Options(options(&allow)),
    })
}

/// Where the next page is.
fn next_page(url: &str) -> Option<(http::HeaderName, HeaderValue)> {
    Some((LINK, HeaderValue::try_from(format!("<{url}>; rel=\"next\"")).ok()?))
}

fn options(allow: &[&'static str]) -> http::Response<Bytes> {
    let mut response = http::Response::new(Bytes::new());
    *response.status_mut() = StatusCode::NO_CONTENT;
    if let Ok(allow) = HeaderValue::from_str(&allow.join(", ")) {
        response.headers_mut().insert(ALLOW, allow);
    }
    response
}
