//! What a request asks for: a route, a static file, or what the host generates.

use std::borrow::Cow;
use std::sync::Arc;

use djo_contract::manifest;
use djo_contract::route::{MAX_TARGET, Match, decode_path};
use http::Method;

use super::tenant::Tenanted;
use super::{Audience, Scene};
use crate::documents::DocumentName;
use crate::protocols::Door;
use crate::site::assets::Asset;
use crate::tenant::Site;

/// A request whose target is known.
pub(super) struct Matched {
    /// The site.
    pub site: Arc<Site>,
    /// What it asks for.
    pub target: Target,
}

/// What a request can ask for.
pub(super) enum Target {
    /// A route, as an index of the contract's list, and the values of its path's names.
    Route {
        /// The index.
        index: usize,
        /// Names and decoded values.
        params: Vec<(String, String)>,
    },
    /// A document of the host's own making.
    Document(DocumentName),
    /// A door of a protocol for agents.
    Door(Door),
    /// `/`, which no route reads: agents are greeted there.
    Root,
    /// A static file.
    Asset(Asset),
    /// `OPTIONS`: the methods there are.
    Options(Vec<&'static str>),
    /// Whatever it is: the site is a plain application.
    App,
}

/// Why nothing was found.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The path is no valid path.
    #[error("invalid path")]
    BadPath,
    /// The target is longer than the host looks at.
    #[error("the target is too long")]
    TooLong,
    /// Nothing is there.
    #[error("not found")]
    NotFound,
    /// Something is there, but not for this method.
    #[error("method not allowed")]
    MethodNotAllowed(Vec<&'static str>),
}

/// What a static file or a document answers to.
const READ_METHODS: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// Finds the target. Routes come before static files.
pub(super) fn find(scene: &mut Scene, tenanted: Tenanted) -> Result<Matched, RouteError> {
    let Tenanted { site } = tenanted;
    if scene.uri.path_and_query().is_some_and(|target| target.as_str().len() > MAX_TARGET) {
        return Err(RouteError::TooLong);
    }
    if site.is_plain {
        scene.varies = false;
        // What a tunnel would carry is nothing that this host could check.
        let target = (scene.method != Method::CONNECT).then_some(Target::App).ok_or(RouteError::BadPath)?;
        return Ok(Matched { site, target });
    }
    // What is the host's own is at its address however that is written, as routes and files are. Most are written as they are read.
    let encoded = match decode_path(scene.path()).map_err(|_| RouteError::BadPath)? {
        Cow::Borrowed(_) => None,
        Cow::Owned(path) => Some(path),
    };
    let path = encoded.as_deref();
    if path.unwrap_or(scene.path()) == manifest::PATH {
        let target = reading(scene, || site.documents.as_ref().map(|_| Target::Document(DocumentName::Manifest)))?;
        scene.varies = false;
        return Ok(Matched { site, target });
    }
    if !site.tools.is_empty()
        && let Some(door) = Door::find(path.unwrap_or(scene.path()))
    {
        scene.audience = Audience::Program;
        scene.varies = door.varies();
        let allow = door.allow();
        scene.door = Some(door.clone());
        let answers = allow.is_empty() || (allow.contains(&scene.method.as_str()) && scene.method != Method::OPTIONS);
        let target = if answers { Target::Door(door) } else { other_method(scene, allow.to_vec())? };
        return Ok(Matched { site, target });
    }
    let target = match site.router.find(scene.method.as_str(), scene.path()) {
        Match::Found { route, params } => {
            let found = &site.contract.routes[route];
            scene.caches = found.cache.is_some();
            if found.action.is_some() {
                scene.audience = Audience::Program;
                scene.varies = false;
            }
            Target::Route { index: route, params }
        }
        // Agents are greeted at `/` whether or not a route reads it.
        Match::NotFound if scene.path() == "/" && site.documents.is_some() => reading(scene, || Some(Target::Root))?,
        Match::MethodNotAllowed { allow } if scene.path() == "/" && site.documents.is_some() && !allow.contains(&"GET") => {
            if scene.reads() { Target::Root } else { other_method(scene, ["GET", "HEAD"].into_iter().chain(allow).collect())? }
        }
        Match::MethodNotAllowed { allow } => other_method(scene, allow)?,
        Match::BadPath => return Err(RouteError::BadPath),
        Match::NotFound => {
            // What the site itself has of that path comes before what is made from its contract.
            let generated = || site.documents.as_ref().and_then(|_| DocumentName::at(path.unwrap_or(scene.path()))).map(Target::Document);
            let target = reading(scene, || site.assets.find(scene.path()).map(Target::Asset).or_else(generated))?;
            scene.varies = false;
            target
        }
    };
    Ok(Matched { site, target })
}

/// What is there for a method that nothing takes: the list of those that something does, for who asks for it.
fn other_method(scene: &Scene, allow: Vec<&'static str>) -> Result<Target, RouteError> {
    if scene.method == Method::OPTIONS { Ok(Target::Options(allow)) } else { Err(RouteError::MethodNotAllowed(allow)) }
}

/// A target that is only read, if it is there.
fn reading(scene: &Scene, find: impl FnOnce() -> Option<Target>) -> Result<Target, RouteError> {
    let target = find().ok_or(RouteError::NotFound)?;
    if scene.reads() { Ok(target) } else { other_method(scene, READ_METHODS.to_vec()) }
}
