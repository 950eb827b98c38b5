//! Which face answers: the screen for people, the agent face for programs.

use std::sync::Arc;

use djo_contract::negotiate::{Choice, Offer, Preference, asks_table};
use http::header::ACCEPT;

use super::route::{Matched, Target};
use super::scene::joined;
use super::{Audience, Scene};
use crate::documents::DocumentName;
use crate::protocols::Door;
use crate::sandbox::Entry;
use crate::site::assets::Asset;
use crate::tenant::Site;

/// A request whose face is chosen.
pub(super) struct Negotiated {
    /// The site.
    pub site: Arc<Site>,
    /// What will answer.
    pub face: Face,
}

/// What answers a request.
pub(super) enum Face {
    /// Code of the site.
    Run {
        /// The route.
        route: usize,
        /// Its page, agent face or action.
        entry: Entry,
        /// Values of the path's names.
        params: Vec<(String, String)>,
    },
    /// A door of a protocol for agents.
    Door(Door),
    /// A document of the host's own making.
    Document(DocumentName),
    /// A static file.
    Asset(Asset),
    /// The methods there are.
    Options(Vec<&'static str>),
    /// A plain application.
    App,
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
pub(super) fn choose(scene: &mut Scene, matched: Matched) -> Result<Negotiated, NegotiateError> {
    let Matched { site, target } = matched;
    let face = match target {
        Target::Asset(asset) => Face::Asset(asset),
        Target::Options(allow) => Face::Options(allow),
        Target::App => Face::App,
        Target::Door(door) => Face::Door(door),
        Target::Document(name) => {
            // It is of one form, whatever is accepted, and so is what is refused there.
            scene.audience = Audience::Program;
            Face::Document(name)
        }
        Target::Root => match agreed(scene, Offer { screen: false, agent: true })? {
            Choice::Agent => Face::Document(DocumentName::Greeting),
            _ => return Err(NegotiateError::NotAcceptable),
        },
        Target::Route { index, params } => route(scene, &site, index, params)?,
    };
    Ok(Negotiated { site, face })
}

/// The face of a route that answers.
fn route(scene: &mut Scene, site: &Site, index: usize, params: Vec<(String, String)>) -> Result<Face, NegotiateError> {
    let route = &site.contract.routes[index];
    // A contract has far fewer routes than a u32 counts: its section is bounded.
    let number = index as u32;
    let run = |entry| Face::Run { route: index, entry, params };
    if route.action.is_some() {
        return Ok(run(Entry::Action(number)));
    }
    if !scene.reads() {
        // A form post: what a browser accepts of its answer is not asked.
        scene.varies = false;
        scene.audience = Audience::Person;
        scene.markdown = false;
        return Ok(run(Entry::Screen(number)));
    }
    let greets = !route.agent && scene.path() == "/" && site.documents.is_some();
    // A third form of the screen: errors of who also takes JSON are JSON all the same.
    scene.markdown = route.screen && scene.accept.is_markdown(route.agent || greets);
    if scene.markdown {
        return Ok(run(Entry::Screen(number)));
    }
    match agreed(scene, Offer { screen: route.screen, agent: route.agent || greets })? {
        Choice::Agent if greets => Ok(Face::Document(DocumentName::Greeting)),
        Choice::Agent => Ok(run(Entry::Agent(number))),
        _ => Ok(run(Entry::Screen(number))),
    }
}

/// What the request accepts of an offer, told to the scene.
fn agreed(scene: &mut Scene, offer: Offer) -> Result<Choice, NegotiateError> {
    let accept = if offer.agent && asks_table(scene.query()) {
        Preference::of_table(joined(&scene.headers, &ACCEPT).as_deref(), offer.screen)
    } else {
        scene.accept
    };
    let choice = accept.choose(offer);
    match choice {
        Choice::Screen => scene.audience = Audience::Person,
        Choice::Agent => scene.audience = Audience::Program,
        Choice::NotAcceptable { agent_request: true } if !offer.agent => {
            scene.audience = Audience::Program;
            return Err(NegotiateError::NoAgentFace);
        }
        Choice::NotAcceptable { .. } => return Err(NegotiateError::NotAcceptable),
    }
    Ok(choice)
}
