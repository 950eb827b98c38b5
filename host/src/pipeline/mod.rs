//! The path of a request, in one direction. Each stage takes the type that the one before it made, so that none can be skipped.

mod admit;
mod app;
pub mod body;
mod cached;
pub mod client;
mod conditional;
mod execute;
mod inject;
mod negotiate;
mod once;
mod request_id;
mod route;
mod scene;
mod shape;
mod tenant;
mod validate;
mod view;

use djo_contract::decode::InjectError;
use http::Response;

pub use admit::AdmitError;
pub use conditional::Reply;
pub use execute::{ExecuteError, attempt};
pub use negotiate::NegotiateError;
pub use once::OnceError;
pub use route::RouteError;
pub use scene::{Audience, Scene, joined};
pub use shape::{ShapeError, checked, entity_tag};
pub use tenant::TenantError;
pub use validate::ValidateError;
pub use view::{ResultError, ViewError};

use crate::respond::{self, Body};
use crate::server::Host;

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
    Inject(#[from] InjectError),
    #[error(transparent)]
    Execute(#[from] ExecuteError),
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Answers a request. Never fails: what goes wrong becomes a response.
pub async fn answer(host: &Host, mut scene: Scene) -> Response<Body> {
    let result = stages(host, &mut scene).await;
    respond::respond(host, scene, result).await
}

async fn stages(host: &Host, scene: &mut Scene) -> Result<Reply, Refused> {
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
    // After the claim: what the context adds is no part of what the client asked for twice.
    let completed = inject::complete(scene, claimed)?;
    // After validation, so that only what could run has a key; before the lane, so that a hit takes no place in it.
    let looked = cached::look_up(scene, completed).await;
    // The only stage that runs code of the site.
    let answered = execute::run(host, scene, looked).await?;
    // What a guest says is checked before it is believed.
    let shaped = shape::shape(host, scene, answered)?;
    // Of the checked answer: nothing that a client could not be sent is kept.
    let kept = cached::keep(shaped);
    // Last, since the tag is of the bytes that would be sent.
    Ok(conditional::check(scene, kept))
}
