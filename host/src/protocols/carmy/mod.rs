//! carmy/1: what a site's tools are, and running them. Source: agent execution, §1 to §3.

mod batch;
pub mod discovery;
mod envelope;
mod execute;
mod executions;
mod stream;

use std::sync::Arc;

use djo_contract::refusal::Refusal;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, RETRY_AFTER};
use http::{HeaderValue, Response, StatusCode};

pub use discovery::Discovery;
pub use stream::EventStream;

use crate::pipeline::{Answered, Scene};
use crate::respond::Body;
use crate::server::Host;
use crate::tenant::Site;
use crate::tools::{Answer, Category, EXECUTIONS_URL, TOOLS_URL, ToolError};

/// Where a site says that it speaks this protocol.
pub const DISCOVERY_URL: &str = "/.well-known/agent";
/// Where tools are run.
pub const EXECUTE_URL: &str = "/agent/execute";

/// A path of the protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// What there is.
    Discovery,
    /// The catalogue.
    Tools,
    /// Running tools.
    Execute,
    /// One execution.
    Execution(String),
    /// A reserved path without anything.
    Nothing,
}

impl Place {
    /// The place of a path.
    pub fn find(path: &str) -> Option<Self> {
        Some(match path {
            DISCOVERY_URL => Self::Discovery,
            TOOLS_URL => Self::Tools,
            EXECUTE_URL => Self::Execute,
            _ => match path.strip_prefix(EXECUTIONS_URL) {
                Some(id) if !id.is_empty() && id.len() <= 64 && !id.contains('/') => Self::Execution(id.to_owned()),
                _ if path.starts_with("/agent/") => Self::Nothing,
                _ => return None,
            },
        })
    }

    /// The methods it answers; none where nothing is.
    pub fn allow(&self) -> &'static [&'static str] {
        match self {
            Self::Discovery | Self::Tools => &["GET", "HEAD", "OPTIONS"],
            Self::Execute => &["POST", "OPTIONS"],
            Self::Execution(_) => &["GET", "HEAD", "DELETE", "OPTIONS"],
            Self::Nothing => &[],
        }
    }

    /// Whether what it answers depends on `Accept`.
    pub fn varies(&self) -> bool {
        matches!(self, Self::Execute | Self::Execution(_))
    }
}

/// Answers a request of this protocol.
pub(super) async fn answer(host: &Arc<Host>, scene: &mut Scene, site: &Arc<Site>, place: Place) -> Answered {
    match place {
        Place::Discovery => document(site, Discovery::agent),
        Place::Tools => match schema(scene.query()) {
            Some(strict) => document(site, if strict { Discovery::strict_tools } else { Discovery::tools }),
            None => Answered::Sent(refused(StatusCode::BAD_REQUEST, &ToolError::invalid_request(SCHEMA))),
        },
        Place::Execute => Answered::Sent(execute::answer(host, scene, site).await),
        Place::Execution(id) => Answered::Sent(executions::answer(scene, site, &id).await),
        Place::Nothing => Answered::Sent(refused(StatusCode::NOT_FOUND, &not_found())),
    }
}

/// What is wrong with a query that names schemas of another kind.
const SCHEMA: &str = "schema só pode ser strict";

/// Whether a query asks for the schemas of strict modes (`?schema=strict`); `None` when it asks for what there is not.
fn schema(query: &str) -> Option<bool> {
    let mut named = query.split('&').filter_map(|pair| pair.strip_prefix("schema=").or_else(|| (pair == "schema").then_some("")));
    match (named.next(), named.next()) {
        (None, _) => Some(false),
        (Some("strict"), None) => Some(true),
        _ => None,
    }
}

fn document(site: &Site, choose: fn(&Discovery) -> &crate::documents::Document) -> Answered {
    match &site.discovery {
        Some(discovery) => Answered::Ready(choose(discovery).response()),
        None => Answered::Sent(refused(StatusCode::NOT_FOUND, &not_found())),
    }
}

fn not_found() -> ToolError {
    ToolError::new("NOT_FOUND", Category::NotFound, "não encontrado")
}

/// A refusal in the one shape that all answers of this door have.
fn refused(status: StatusCode, error: &ToolError) -> Response<Body> {
    let mut response = respond(&Answer::failed(&crate::tools::new_execution_id(), error));
    *response.status_mut() = status;
    response
}

/// The JSON of a refusal of the pipeline's.
pub(super) fn refusal(refusal: &Refusal) -> String {
    let message = refusal.erro().into_owned();
    let error = match refusal.status() {
        404 => ToolError::new("NOT_FOUND", Category::NotFound, message),
        405 => ToolError::new("METHOD_NOT_ALLOWED", Category::Validation, message),
        429 => ToolError::new("RATE_LIMITED", Category::Capacity, message).retryable(Some(1)),
        status if status >= 500 => ToolError::new("INTERNAL", Category::Internal, message),
        _ => ToolError::invalid_request(message),
    };
    Answer::failed(&crate::tools::new_execution_id(), &error).body()
}

/// An answer as it is sent.
fn respond(answer: &Answer) -> Response<Body> {
    let mut response = Response::new(Body::from(answer.body()));
    *response.status_mut() = answer.status;
    let headers = response.headers_mut();
    headers.extend(answer.headers.clone());
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    if let Some(seconds) = answer.retry_after {
        headers.insert(RETRY_AFTER, seconds.into());
    }
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strict_schemas_are_asked_for_in_the_query() {
        for (query, asked) in
            [("", Some(false)), ("a=1&schema=strict", Some(true)), ("schema=outro", None), ("schema", None), ("schemas=x", Some(false))]
        {
            assert_eq!(schema(query), asked, "{query}");
        }
        assert_eq!(schema("schema=strict&schema=strict"), None);
    }

    #[test]
    fn paths_have_places() {
        assert_eq!(Place::find("/.well-known/agent"), Some(Place::Discovery));
        assert_eq!(Place::find("/agent/executions/exec_1"), Some(Place::Execution("exec_1".into())));
        for nothing in ["/agent/", "/agent/x", "/agent/executions/", "/agent/executions/a/b", "/agent/tools/"] {
            assert_eq!(Place::find(nothing), Some(Place::Nothing), "{nothing}");
        }
        assert_eq!((Place::find("/agent"), Place::find("/agentes")), (None, None));
    }
}
