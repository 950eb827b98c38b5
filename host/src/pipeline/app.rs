//! A plain wasi:http application: its request as it came, its answer as it comes.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use djo_contract::field::is_said_by_the_host;
use http::{Request, Response};

use super::Scene;
use super::body::AppBody;
use crate::execution::{RunFailure, ShapeError, has_no_body, put_on_record, within_limits};
use crate::lane::PATIENCE;
use crate::metrics::Counter;
use crate::respond::Body;
use crate::sandbox::GuestBody;
use crate::server::Host;
use crate::tenant::Site;

/// Runs the application until the head of its answer is there. Its place of the site's is held until its code has ended.
pub(super) async fn run(host: &Host, scene: &Scene, site: &Arc<Site>, body: AppBody) -> Result<Response<GuestBody>, RunFailure> {
    let place = match tokio::time::timeout(PATIENCE, Arc::clone(&site.places).acquire_owned()).await {
        Ok(Ok(place)) => place,
        _ => return Err(RunFailure::SiteFull),
    };
    site.metrics.count(Counter::Runs);
    let over = body.over();
    let mut request = Request::new(body);
    request.method_mut().clone_from(&scene.method);
    request.uri_mut().clone_from(&scene.uri);
    request.headers_mut().clone_from(&scene.headers);
    let started = Instant::now();
    let answered = host.sandbox.stream(&site.tenant, scene.context(), request, place).await;
    if over.load(Ordering::Relaxed) {
        return Err(RunFailure::BodyTooLarge);
    }
    let mut response = answered.map_err(|error| put_on_record(site, &scene.id, scene.path(), started.elapsed(), error))?;
    let (site, id, path) = (Arc::clone(site), Arc::clone(&scene.id), scene.path().to_owned());
    response.body_mut().on_fault(move |error| {
        put_on_record(&site, &id, &path, started.elapsed(), error);
    });
    Ok(response)
}

/// Checks the head of an application's answer. What it says of the connection is left out, as it is of every site.
///
/// # Errors
/// [`ShapeError`]: then nothing of it is sent, and its code ends.
pub(super) fn checked(response: Response<GuestBody>) -> Result<Response<Body>, ShapeError> {
    let (mut head, body) = response.into_parts();
    if head.status.as_u16() < 200 {
        return Err(ShapeError::Status(head.status.as_u16()));
    }
    within_limits(head.headers.iter().map(|(name, value)| name.as_str().len() + value.len()))?;
    let left_out: Vec<_> = head.headers.keys().filter(|name| is_said_by_the_host(name.as_str())).cloned().collect();
    for name in left_out {
        head.headers.remove(name);
    }
    let body = if has_no_body(head.status) {
        body.detach();
        Body::empty()
    } else {
        Body::from(body)
    };
    Ok(Response::from_parts(head, body))
}
