//! The Model Context Protocol at `/mcp`, by `rmcp`: revision 2026-07-28 and the ones before it. Source: agent execution, §4.
//!
//! Nothing is kept between requests: a handler is made for each one, with the site and the caller in it, and tools run by the same
//! [`crate::tools`] as those of `/agent/execute`. What `rmcp` leaves to others is here: whose page may call (`origin`), reading the
//! body by the host's own rules (`message`), and cancellation by a request of its own, which revisions before 2026-07-28 have: their
//! `initialize` is answered with a session id that is kept nowhere and only tells whose request ids are meant.

mod batch;
mod call;
mod lists;
mod message;
mod origin;
mod page;
mod resources;
mod result;
mod server;
mod tools;

use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use djo_contract::json;
use djo_contract::refusal::Refusal;
use djo_contract::value::Value;
use http::header::{CACHE_CONTROL, CONNECTION, CONTENT_TYPE, HOST};
use http::{HeaderMap, HeaderName, HeaderValue, Request, Response, StatusCode};
use http_body_util::{BodyExt as _, Full};
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use crate::execution::{Caller, hash};
use crate::pipeline::body::BodyError;
use crate::pipeline::{Answered, Scene};
use crate::respond::Body;
use crate::server::Host;
use crate::tenant::Site;
use crate::tools::new_execution_id;
pub use lists::Lists;
use message::{Message, Unreadable};
use server::Server;

/// Where a site speaks the protocol.
pub const URL: &str = "/mcp";
/// The newest revision that it speaks. From it on results may be of any shape; before, structured ones are objects.
pub const REVISION: &str = "2026-07-28";
/// The methods that it answers there: no stream is opened by a client that asks for nothing, and no session is there to be deleted.
pub(super) const METHODS: [&str; 2] = ["POST", "OPTIONS"];

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Codes of JSON-RPC.
const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const INVALID_PARAMS: i32 = -32602;
const INTERNAL_ERROR: i32 = -32603;

/// Answers a request.
pub(super) async fn answer(host: &Arc<Host>, scene: &mut Scene, site: &Arc<Site>) -> Answered {
    let mut response = match exchange(host, scene, site).await {
        Ok(response) => response,
        Err(refused) => *refused,
    };
    response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    Answered::Sent(response)
}

async fn exchange(host: &Arc<Host>, scene: &mut Scene, site: &Arc<Site>) -> Result<Response<Body>, Box<Response<Body>>> {
    if !origin::is_allowed(scene, site) {
        return Err(refused(StatusCode::FORBIDDEN, INVALID_REQUEST, "esta origem não pode chamar este site", &Value::Nil));
    }
    let bytes = scene.read(site, site.max_body).await.map_err(|error| unread(&error))?;
    let Some(messages) = batch::messages(&scene.headers, &bytes) else { return one(host, scene, site, bytes).await };
    let mut answers = batch::Answers::default();
    for message in messages.map_err(unreadable)? {
        let id = json::parse(&message).ok().and_then(|message| message.get("id").cloned()).unwrap_or(Value::Nil);
        let answer = one(host, scene, site, message).await.unwrap_or_else(|refused| *refused);
        answers.add(answer, &site.tenant.share.memory, || error(INTERNAL_ERROR, &Refusal::Overloaded.erro(), &id)).await;
    }
    Ok(answers.response())
}

/// A body that is no message.
fn unreadable(Unreadable { code, reason, id }: Unreadable) -> Box<Response<Body>> {
    // A request that was understood is answered as every one is; what is no message at all, by HTTP's own word.
    let status = if code == INVALID_PARAMS { StatusCode::OK } else { StatusCode::BAD_REQUEST };
    refused(status, code, &reason, &id)
}

/// Answers one message.
async fn one(host: &Arc<Host>, scene: &mut Scene, site: &Arc<Site>, bytes: Bytes) -> Result<Response<Body>, Box<Response<Body>>> {
    let message = Message::read(&bytes).map_err(unreadable)?;
    let bytes = message.stand_in.map_or(bytes, Bytes::from);
    let context = scene.context();
    // Only within a session do two requests that bear one id mean the same.
    let session = scene.headers.get(SESSION).map(|session| {
        let caller = Caller::of(&context);
        move |id: &str| hash(&[caller.as_bytes(), session.as_bytes(), id.as_bytes()])
    });
    if let (Some(id), Some(handle)) = (&message.cancels, &session) {
        site.executions.cancel(&handle(id));
    }
    let headers = Arc::new(Mutex::new(HeaderMap::new()));
    let server = Server {
        headers: Arc::clone(&headers),
        host: Arc::clone(host),
        site: Arc::clone(site),
        context,
        arguments: message.arguments,
        handle: session.map(|handle| handle(&json::to_string(&message.id))),
    };
    let begins = message.method == "initialize";
    // The host has been found to be one of the site's, and origins are looked at above.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .with_max_request_body_bytes(site.max_body)
        .disable_allowed_hosts();
    let service = StreamableHttpService::new(move || Ok(server.clone()), Arc::new(NeverSessionManager::default()), config);
    let response = service.handle(request(scene, bytes)).await;
    let mut response = reshaped(response, &message.id).await;
    response.headers_mut().extend(std::mem::take(&mut *headers.lock().unwrap_or_else(PoisonError::into_inner)));
    if begins && response.status() == StatusCode::OK {
        // As unforgeable and as random as the id of an execution.
        let id = new_execution_id();
        if let Ok(id) = HeaderValue::from_str(id.trim_start_matches("exec_")) {
            response.headers_mut().insert(SESSION, id);
        }
    }
    Ok(response)
}

/// The request with its body at hand.
fn request(scene: &Scene, body: Bytes) -> Request<Full<Bytes>> {
    let mut request = Request::new(Full::new(body));
    *request.method_mut() = scene.method.clone();
    *request.uri_mut() = scene.uri.clone();
    *request.headers_mut() = HeaderMap::clone(&scene.headers);
    // HTTP/2 may name the host in the target alone.
    if let Some(authority) = scene.uri.authority()
        && let Ok(value) = HeaderValue::from_str(authority.as_str())
    {
        request.headers_mut().entry(HOST).or_insert(value);
    }
    request
}

/// An answer of `rmcp`'s. Some of its refusals are plain text: they are given the shape that all errors of the protocol have.
async fn reshaped(response: Response<http_body_util::combinators::BoxBody<Bytes, std::convert::Infallible>>, id: &Value) -> Response<Body> {
    let is_json = response.headers().get(CONTENT_TYPE).is_some_and(|value| value == "application/json");
    let (mut head, body) = response.into_parts();
    if head.status.is_success() || is_json {
        return Response::from_parts(head, Body::Foreign(Box::new(body)));
    }
    let Ok(text) = body.collect().await.map(|body| body.to_bytes());
    let told = String::from_utf8_lossy(&text);
    // What JSON it was is known by now: what it does not take is a message of another shape.
    if head.status == StatusCode::UNSUPPORTED_MEDIA_TYPE && told.starts_with("fail to deserialize") {
        head.status = StatusCode::BAD_REQUEST;
    }
    head.headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Response::from_parts(head, Body::from(error(INVALID_REQUEST, &told, id)))
}

/// The JSON of a refusal of the pipeline's.
pub(super) fn refusal(refusal: &Refusal) -> String {
    error(INVALID_REQUEST, &refusal.erro(), &Value::Nil)
}

fn error(code: i32, message: &str, id: &Value) -> String {
    let error = Value::Map(vec![("code".into(), Value::Int(code.into())), ("message".into(), message.into())]);
    json::to_string(&Value::Map(vec![("jsonrpc".into(), "2.0".into()), ("id".into(), id.clone()), ("error".into(), error)]))
}

fn refused(status: StatusCode, code: i32, message: &str, id: &Value) -> Box<Response<Body>> {
    let mut response = Response::new(Body::from(error(code, message, id)));
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    Box::new(response)
}

/// A body that could not be read. What is left of it is thrown away: the connection cannot be used again.
fn unread(error: &BodyError) -> Box<Response<Body>> {
    let (status, message) = match error {
        BodyError::TooLarge(most) => (StatusCode::PAYLOAD_TOO_LARGE, format!("o corpo passa de {most} bytes")),
        BodyError::TooSlow => (StatusCode::REQUEST_TIMEOUT, "o corpo demorou demais".to_owned()),
        BodyError::NoRoom => (StatusCode::SERVICE_UNAVAILABLE, Refusal::Overloaded.erro().into_owned()),
        BodyError::Broken(_) => (StatusCode::BAD_REQUEST, "o corpo não chegou inteiro".to_owned()),
    };
    let mut response = refused(status, INVALID_REQUEST, &message, &Value::Nil);
    response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
    response
}
