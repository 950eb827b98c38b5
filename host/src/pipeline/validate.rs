//! Checks what a request brings against the declared types, before any code of the site runs.

use std::sync::Arc;

use bytes::Bytes;
use djo_contract::bounds::has_cursor;
use djo_contract::decode::{InputError, decode_action, decode_arguments, decode_query};
use djo_contract::issue::{Issue, Issues};
use djo_contract::json;
use djo_contract::media::is_json_media_type;
use djo_contract::model::NOTHING;
use djo_contract::path::Path;
use djo_contract::route::parse_query;
use djo_contract::tool::{CONTINUATION, cursor_in_query};
use djo_contract::types::Kind;
use djo_contract::value::Value;
use http::header::CONTENT_TYPE;

use super::Scene;
use super::admit::Admitted;
use super::body::{self, AppBody, BodyError};
use super::negotiate::Face;
use crate::documents::DocumentName;
use crate::execution::{Call, View, ViewError};
use crate::protocols::Door;
use crate::sandbox::{Context, Entry, Request};
use crate::site::assets::Asset;
use crate::tenant::Site;
use crate::tools::{Chain, ToolError, go_on};

/// A request that may be answered.
pub(super) struct Validated(pub(super) Work);

/// What there is to do.
pub(super) enum Work {
    /// Run code of the site.
    Run(Box<Call>),
    /// Answer as a run under the same key was answered.
    Replay(Box<http::Response<Bytes>>),
    /// Send a document.
    Document(Arc<Site>, DocumentName),
    /// Hand it to a door of a protocol, which reads the body for itself.
    Door(Arc<Site>, Door),
    /// Send a static file.
    Asset(Asset),
    /// Tell the methods there are.
    Options(Vec<&'static str>),
    /// Hand the request to a plain application.
    App(Arc<Site>, AppBody),
}

/// Why what it brings was refused.
#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    /// An action takes JSON alone. This is also the guard against forms of other sites.
    #[error("the body is not application/json")]
    NotJson,
    /// The body.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The body, the path's values or the query do not fit the types.
    #[error("invalid input")]
    Input(InputError),
    /// The next page of nothing that is known.
    #[error("{}", .0.message)]
    Continuation(ToolError),
    /// What is asked to be seen cannot be.
    #[error(transparent)]
    View(#[from] ViewError),
    /// The query is not valid percent-encoding.
    #[error("invalid query")]
    Query,
}

/// Reads and decodes what the request brings.
pub(super) async fn decode(scene: &mut Scene, admitted: Admitted) -> Result<Validated, ValidateError> {
    let Admitted { site, face } = admitted;
    let work = match face {
        Face::Asset(asset) => Work::Asset(asset),
        Face::Options(allow) => Work::Options(allow),
        Face::App => {
            let body = body::capped(scene.body.take(), site.max_body)?;
            Work::App(site, body)
        }
        Face::Door(door) => Work::Door(site, door),
        Face::Document(name) => Work::Document(site, name),
        Face::Run { route, entry: Entry::Agent(_), params } => {
            Work::Run(reading(site, route, scene.path().to_owned(), scene.query(), params, scene.context())?)
        }
        // In a box: an agent's read, a document, a file would be moved about with the room for waiting for a body.
        Face::Run { route, entry, params } => Work::Run(Box::pin(with_body(scene, site, route, entry, params)).await?),
    };
    Ok(Validated(work))
}

/// The call of what may bring a body: an action, or a page.
async fn with_body(
    scene: &mut Scene,
    site: Arc<Site>,
    route: usize,
    entry: Entry,
    params: Vec<(String, String)>,
) -> Result<Box<Call>, ValidateError> {
    let (arguments, body) = match entry {
        Entry::Action(_) if site.contract.routes[route].options.continues.is_some() => {
            return next_page(scene, &site, route, &params).await;
        }
        Entry::Action(_) => action(scene, &site, route, &params).await?,
        _ => page(scene, &site, route).await?,
    };
    let request = Request {
        // A HEAD is answered as a GET, to the code of the site too.
        method: if scene.reads() { "GET".to_owned() } else { scene.method.as_str().to_owned() },
        path: scene.path().to_owned(),
        query: scene.query().to_owned(),
        body: body.into(),
        entry,
        params,
        arguments,
    };
    let view = View::of_page(scene.markdown && matches!(entry, Entry::Screen(_)));
    Ok(Box::new(Call { site, route, request: Arc::new(request), view, context: scene.context(), timeout: None }))
}

/// The call that reads the agent face of a route.
///
/// # Errors
/// What is wrong with the query.
pub fn reading(
    site: Arc<Site>,
    route: usize,
    path: String,
    raw_query: &str,
    params: Vec<(String, String)>,
    context: Context,
) -> Result<Box<Call>, ValidateError> {
    let pairs = parse_query(raw_query).map_err(|_| ValidateError::Query)?;
    let view = View::of(&site.contract, &site.contract.routes[route], raw_query, &pairs)?;
    let request = Request {
        method: "GET".to_owned(),
        path,
        query: raw_query.to_owned(),
        body: Vec::new(),
        // A contract has far fewer routes than a u32 counts.
        entry: Entry::Agent(u32::try_from(route).unwrap_or(u32::MAX)),
        params,
        arguments: query(&site, route, &pairs)?,
    };
    Ok(Box::new(Call { site, route, request: Arc::new(request), view, context, timeout: None }))
}

/// An action's decoded arguments, and the body they came from.
async fn action(scene: &mut Scene, site: &Arc<Site>, route: usize, params: &[(String, String)]) -> Result<(Vec<u8>, Bytes), ValidateError> {
    let continued = site.tools.of_route(route).filter(|tool| tool.route == route && tool.next_page != route);
    let body = json_body(scene, site).await?;
    if continued.is_some() && has_cursor(scene.query()) {
        return Err(ValidateError::Input(cursor_in_query().into()));
    }
    let contract = &site.contract;
    let action = contract.routes[route].action.and_then(|action| contract.actions.get(action)).ok_or(ValidateError::NotJson)?;
    let Some(tool) = continued else {
        let arguments = decode_action(&contract.types, action, params, &body).map_err(ValidateError::Input)?;
        return Ok((encode(&arguments), body));
    };
    // The cursor is in the execution input alone.
    let given = decode_action(&contract.types, tool.model(), params, &body).map_err(ValidateError::Input)?;
    scene.chain = Some(Box::new(Chain::first(site, tool, &scene.context(), encode(&given))));
    let arguments = decode_arguments(&contract.types, action, None, given).map_err(|issues| ValidateError::Input(issues.into()))?;
    Ok((encode(&arguments), body))
}

/// The call of a continuation: it takes nothing, and what it goes on from is in its query.
async fn next_page(scene: &mut Scene, site: &Arc<Site>, route: usize, params: &[(String, String)]) -> Result<Box<Call>, ValidateError> {
    let body = json_body(scene, site).await?;
    decode_action(&site.contract.types, &NOTHING, &[], &body).map_err(ValidateError::Input)?;
    let pairs = parse_query(scene.query()).map_err(|_| ValidateError::Query)?;
    let source = pairs.iter().find(|(name, _)| name == CONTINUATION);
    let missing = || issue(Issue::missing(&Path::ROOT.name(CONTINUATION), &Kind::String.into()));
    let (_, source) = source.ok_or_else(missing)?;
    let tool = site.tools.continued_by(route).ok_or(ValidateError::NotJson)?;
    let (call, chain) = go_on(site, tool, source, params, scene.context()).map_err(ValidateError::Continuation)?;
    scene.chain = Some(Box::new(chain));
    Ok(call)
}

fn issue(issue: Issue) -> ValidateError {
    let mut issues = Issues::default();
    issues.add(|| issue);
    ValidateError::Input(InputError::Issues(issues))
}

/// The body of an action.
async fn json_body(scene: &mut Scene, site: &Site) -> Result<Bytes, ValidateError> {
    if !scene.header(&CONTENT_TYPE).is_some_and(is_json_media_type) {
        return Err(ValidateError::NotJson);
    }
    Ok(scene.read(site, site.max_body).await?)
}

/// A page's declared query parameters, and its body.
async fn page(scene: &mut Scene, site: &Site, route: usize) -> Result<(Vec<u8>, Bytes), ValidateError> {
    let mut arguments = Vec::new();
    if !site.contract.routes[route].query.is_empty() {
        let pairs = parse_query(scene.query()).map_err(|_| ValidateError::Query)?;
        arguments = query(site, route, &pairs)?;
    }
    let body = if scene.reads() { Bytes::new() } else { scene.read(site, site.max_body).await? };
    Ok((arguments, body))
}

/// The declared query parameters of a route, decoded.
fn query(site: &Site, route: usize, pairs: &[(String, String)]) -> Result<Vec<u8>, ValidateError> {
    let declared = &site.contract.routes[route].query;
    if declared.is_empty() {
        return Ok(Vec::new());
    }
    let decoded = decode_query(&site.contract.types, declared, pairs);
    Ok(encode(&decoded.map_err(|issues| ValidateError::Input(InputError::Issues(issues)))?))
}

/// Exactly: a Float stays one on its way into the guest.
fn encode(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    json::write_exact(value, &mut text);
    text.into_bytes()
}
