//! Which face answers: the screen for people, the agent face for programs.

use std::sync::Arc;

use djo_contract::negotiate::{negotiate, Choice, Offer};
use http::header::ACCEPT;

use super::route::{Matched, Target};
use super::scene::joined;
use super::{Audience, Scene};
use crate::sandbox::Entry;
use crate::site::assets::Asset;
use crate::tenant::Site;

/// A request whose face is chosen.
pub struct Negotiated {
    /// The site.
    pub site: Arc<Site>,
    /// What will answer.
    pub face: Face,
}

/// What answers a request.
pub enum Face {
    /// Code of the site.
    Run {
        /// The route.
        route: usize,
        /// Its page, agent face or action.
        entry: Entry,
        /// Values of the path's names.
        params: Vec<(String, String)>,
    },
    /// A static file.
    Asset(Asset),
    /// The methods there are.
    Options(Vec<&'static str>),
}

/// Why no face will do.
#[derive(Debug, thiserror::Error)]
pub enum NegotiateError {
    /// A program asks for a route that has only a screen.
    #[error("the route has no agent face")]
    NoAgentFace,
    /// The request accepts nothing of what the route has.
    #[error("nothing acceptable")]
    NotAcceptable,
}

/// Chooses the face by `Accept`.
pub fn choose(scene: &mut Scene, matched: Matched) -> Result<Negotiated, NegotiateError> {
    let Matched { site, target } = matched;
    let face = match target {
        Target::Asset(asset) => Face::Asset(asset),
        Target::Options(allow) => Face::Options(allow),
        Target::Route { index, params } => Face::Run { route: index, entry: entry(scene, &site, index)?, params },
    };
    Ok(Negotiated { site, face })
}

fn entry(scene: &mut Scene, site: &Site, index: usize) -> Result<Entry, NegotiateError> {
    let route = &site.contract.routes[index];
    // A contract has far fewer routes than a u32 counts: its section is bounded.
    let number = index as u32;
    if route.action.is_some() {
        return Ok(Entry::Action(number));
    }
    if !scene.reads() {
        // A form post: what a browser accepts of its answer is not asked.
        scene.varies = false;
        scene.audience = Audience::Person;
        return Ok(Entry::Screen(number));
    }
    let accept = joined(&scene.headers, &ACCEPT);
    match negotiate(accept.as_deref(), Offer { screen: route.screen, agent: route.agent }) {
        Choice::Screen => {
            scene.audience = Audience::Person;
            Ok(Entry::Screen(number))
        }
        Choice::Agent => {
            scene.audience = Audience::Program;
            Ok(Entry::Agent(number))
        }
        Choice::NotAcceptable { agent_request: true } if !route.agent => {
            scene.audience = Audience::Program;
            Err(NegotiateError::NoAgentFace)
        }
        Choice::NotAcceptable { .. } => Err(NegotiateError::NotAcceptable),
    }
}
