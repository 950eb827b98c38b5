//! The doors for agents beside a site's own routes, each at reserved paths: thin adapters that turn what a protocol sends into an
//! [`Invocation`](crate::tools::Invocation) and what came of it into the protocol's own words. A new door is a variant of [`Door`].

pub mod carmy;
pub mod mcp;

use std::sync::Arc;

use djo_contract::refusal::Refusal;

use crate::pipeline::{Answered, Scene};
use crate::server::Host;
use crate::tenant::Site;

/// A place of a protocol that a path leads to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Door {
    /// carmy/1: discovery, catalogue, executions.
    Carmy(carmy::Place),
    /// The Model Context Protocol.
    Mcp,
}

impl Door {
    /// The door that a path belongs to. Only sites that have tools have doors.
    pub fn find(path: &str) -> Option<Self> {
        if path == mcp::URL { Some(Self::Mcp) } else { carmy::Place::find(path).map(Self::Carmy) }
    }

    /// The methods it answers.
    pub fn allow(&self) -> &'static [&'static str] {
        match self {
            Self::Carmy(place) => place.allow(),
            Self::Mcp => &mcp::METHODS,
        }
    }

    /// Whether what it answers depends on `Accept`.
    pub fn varies(&self) -> bool {
        match self {
            Self::Carmy(place) => place.varies(),
            Self::Mcp => true,
        }
    }

    /// Answers a request. A door refuses in its own words.
    pub async fn answer(self, host: &Arc<Host>, scene: &mut Scene, site: &Arc<Site>) -> Answered {
        match self {
            Self::Carmy(place) => carmy::answer(host, scene, site, place).await,
            Self::Mcp => mcp::answer(host, scene, site).await,
        }
    }

    /// The JSON of a refusal that came before the door could answer.
    pub fn refusal(&self, refusal: &Refusal) -> String {
        match self {
            Self::Carmy(_) => carmy::refusal(refusal),
            Self::Mcp => mcp::refusal(refusal),
        }
    }
}
