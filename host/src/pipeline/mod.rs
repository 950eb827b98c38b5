//! The path of a request, in one direction. Each stage takes the type that the one before it made, so that none can be skipped.

mod admit;
mod answer;
mod app;
pub mod body;
pub mod client;
mod conditional;
mod inbound;
mod negotiate;
mod once;
mod request_id;
mod route;
mod scene;
mod tenant;
mod validate;

use std::sync::Arc;

use http::Response;

pub use admit::AdmitError;
pub use answer::Answered;
pub use conditional::Reply;
pub use inbound::Inbound;
pub use negotiate::NegotiateError;
pub use once::{OnceError, settle};
pub use route::RouteError;
pub use scene::{Audience, Scene, joined};
pub use tenant::TenantError;
pub use validate::{ValidateError, reading};

use crate::execution::ExecutionError;
use crate::respond::{self, Body};
use crate::server::Host;
use crate::site::assets::AssetError;

/// Why a stage refused a request.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum Refused {
    #[error(transparent)]
    Tenant(#[from] TenantError),
    #[error(transparent)]
    Route(#[from] RouteError),
    #[error(transparent)]
    Negotiate(#[from] NegotiateError),
    #[error(transparent)]
    Admit(#[from] AdmitError),
    #[error(transparent)]
    Validate(#[from] ValidateError),
    #[error(transparent)]
    Once(#[from] OnceError),
    #[error(transparent)]
    Execution(#[from] ExecutionError),
    #[error(transparent)]
    Asset(#[from] AssetError),
}

/// Answers a request. Never fails: what goes wrong becomes a response.
pub async fn answer(host: &Arc<Host>, scene: &mut Scene) -> Response<Body> {
    let reply = match stages(host, scene).await {
        Ok(reply) => reply,
        // In a box, as all that few requests come to: the future of each would be as large as the largest of all.
        Err(refused) => Box::pin(respond::refuse(host, scene, refused)).await,
    };
    respond::complete(scene, reply)
}

async fn stages(host: &Arc<Host>, scene: &mut Scene) -> Result<Reply, Refused> {
    // The site first: routes, limits and keys of everything below are its own.
    let tenanted = tenant::select(host, scene)?;
    // Pure and cheap, and it decides which lane and which body cap count.
    let matched = route::find(scene, tenanted)?;
    // Before anything is spent on it: a request that accepts nothing of what there is ends here.
    let negotiated = negotiate::choose(scene, matched)?;
    // Before a byte of the body is read or parsed, so that a flood of garbage is metered like any other.
    let admitted = admit::admit(host, scene, negotiated)?;
    // Refused input never reaches the sandbox.
    let validated = validate::decode(scene, admitted).await?;
    // Of the decoded arguments, so that the same request is the same however it was written; before anything could run twice.
    let claimed = once::claim(scene, validated)?;
    // The only stage that runs code of the site; what happens on the way is the same for every door.
    let answered = answer::answer(host, scene, claimed).await?;
    // Last, since the tag is of the bytes that would be sent.
    Ok(conditional::check(scene, answered)?)
}
