//! What to do with a request: the whole HTTP contract up to the point where code of the site runs. Pure, by the contract crate alone.

use alloc::{borrow::Cow, string::String, vec::Vec};

use djo_contract::{
    bounds::has_cursor,
    decode::{decode_action, decode_query},
    json, manifest,
    media::is_json_media_type,
    model::{Contract, NOTHING, Route, Wanted},
    negotiate::{Choice, Offer, Preference, asks_table},
    refusal::Refusal,
    route::{MAX_TARGET, Match, Router, decode_path, parse_query},
    tool::{cursor_in_query, first_input},
    value::Value,
};

use crate::site::Entry;

use super::refuse::Audience;
use super::reply::Reply;
use super::request::{BodyError, Incoming};
use super::shape::tagged;
use super::view::View;
use super::{file, inject};

/// Bytes of a body, where the site does not ask for less.
const MAX_BODY: u64 = 1 << 20;

/// A request's way, decided.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What happens.
    pub(crate) step: Step,
    /// What is known of the request.
    pub(crate) known: Known,
}

/// What is known of a request by the end of its way: the form of what it is answered depends on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// Who reads the answer, should it be an error.
    pub(crate) audience: Audience,
    /// The answer depends on `Accept`.
    pub(crate) varies: bool,
    /// The route asks for a cache: what is not kept says that nobody may.
    pub(crate) caches: bool,
}

/// What happens with a request.
#[derive(Debug)]
pub(crate) enum Step {
    /// All is said.
    Answer(Reply),
    /// It is refused.
    Refuse(Refusal),
    /// A page, a face or an action runs.
    Run(Run),
}

/// What the site's code is given.
#[derive(Debug)]
pub(crate) struct Run {
    /// What runs.
    pub(crate) entry: Entry,
    /// Values of the path's names.
    pub(crate) params: Vec<(String, String)>,
    /// A JSON object, or empty.
    pub(crate) arguments: Vec<u8>,
    /// As sent.
    pub(crate) body: Vec<u8>,
    /// What of an agent's answer is asked for.
    pub(crate) view: View,
}

/// What a static file or a document answers to.
const READ_METHODS: [&str; 3] = ["GET", "HEAD", "OPTIONS"];

/// Decides.
pub(crate) fn plan(contract: &Contract, router: &Router, request: &mut dyn Incoming) -> Plan {
    let accept = Preference::of(request.header("accept").as_deref());
    let program = accept.is_program(sends_json(request), request.reads());
    let audience = if program { Audience::Program } else { Audience::Person };
    let known = Known { audience, varies: true, caches: false };
    let mut scene = Scene { contract, accept, offered: manifest::is_offered(contract), known };
    let step = scene.step(router, request).unwrap_or_else(Step::Refuse);
    Plan { step, known: scene.known }
}

/// A request on its way.
struct Scene<'a> {
    contract: &'a Contract,
    accept: Preference,
    /// The site has something for agents.
    offered: bool,
    known: Known,
}

impl Scene<'_> {
    fn step(&mut self, router: &Router, request: &mut dyn Incoming) -> Result<Step, Refusal> {
        let mark = usize::from(!request.query().is_empty());
        if request.path().len() + mark + request.query().len() > MAX_TARGET {
            return Err(Refusal::Other { status: 414, erro: "endereço longo demais".into() });
        }
        if decode_path(request.path()).map_err(|_| Refusal::BadPath)? == manifest::PATH {
            return self.reading(request, |scene, request| scene.offered.then(|| Ok(kept(request.manifest(scene.contract), request))));
        }
        let at_root = self.offered && request.path() == "/";
        let (index, params) = match router.find(request.method(), request.path()) {
            Match::Found { route, params } => (route, params),
            // Agents are greeted at `/` whether or not a route reads it.
            Match::NotFound if at_root && request.reads() => return self.root(request),
            Match::NotFound if at_root => return other_method(request, READ_METHODS.into()),
            Match::MethodNotAllowed { allow } if at_root && !allow.contains(&"GET") => {
                if request.reads() {
                    return self.root(request);
                }
                return other_method(request, ["GET", "HEAD"].into_iter().chain(allow).collect());
            }
            Match::MethodNotAllowed { allow } => return other_method(request, allow),
            Match::BadPath => return Err(Refusal::BadPath),
            // Static files lie behind the routes.
            Match::NotFound => {
                let max_age = self.contract.wanted.max_age.unwrap_or(Wanted::MAX_AGE);
                return self.reading(request, |_, request| file::find(request).map(|found| file::reply(found, max_age, request)));
            }
        };
        let contract = self.contract;
        // What a table of routes was built from has them all, and a decoded contract's indices hold.
        let route = contract.routes.get(index).ok_or(Refusal::Internal { detail: None })?;
        self.known.caches = route.cache.is_some();
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        if let Some(action) = route.action {
            return self.action(route, action, number, params, request);
        }
        let Some(entry) = self.face(request, route, number)? else { return Ok(self.greeting(request)) };
        let (arguments, view) = self.query(route, entry, request)?;
        let body = if request.reads() { Vec::new() } else { self.body(request)? };
        Ok(Step::Run(Run { entry, params, arguments, body, view }))
    }

    fn action(
        &mut self,
        route: &Route,
        action: usize,
        number: u32,
        params: Vec<(String, String)>,
        request: &mut dyn Incoming,
    ) -> Result<Step, Refusal> {
        let contract = self.contract;
        self.known.audience = Audience::Program;
        self.known.varies = false;
        let action = contract.actions.get(action).ok_or(Refusal::Internal { detail: None })?;
        if !sends_json(request) {
            return Err(Refusal::UnsupportedMediaType);
        }
        let body = self.body(request)?;
        if route.options.continues.is_some() {
            // Only where executions are known is there anything to go on from.
            decode_action(&contract.types, &NOTHING, &[], &body)?;
            return Err(Refusal::Other { status: 404, erro: "não há o que continuar".into() });
        }
        if let Some(first) = first_input(contract, route, action) {
            if has_cursor(request.query()) {
                return Err(Refusal::InvalidInput(cursor_in_query()));
            }
            decode_action(&contract.types, &first, &params, &body)?;
        }
        let arguments = decode_action(&contract.types, action, &params, &body)?;
        if request.header("idempotency-key").is_some() {
            // Nothing here outlives the instance: who sends a key must not take the call for one that runs once.
            let erro = "este servidor não registra respostas por Idempotency-Key, e nada foi feito: mande o pedido sem ela";
            return Err(Refusal::Other { status: 501, erro: erro.into() });
        }
        let arguments = inject::complete(contract, action, arguments, request)?;
        Ok(Step::Run(Run { entry: Entry::Action(number), params, arguments: encode(&arguments), body, view: View::default() }))
    }

    /// The face of a route that answers; `None` for the greeting.
    fn face(&mut self, request: &dyn Incoming, route: &Route, number: u32) -> Result<Option<Entry>, Refusal> {
        if !request.reads() {
            // A form post: what a browser accepts of its answer is not asked.
            self.known.audience = Audience::Person;
            self.known.varies = false;
            return Ok(Some(Entry::Screen(number)));
        }
        let greets = !route.agent && self.offered && request.path() == "/";
        Ok(match self.agreed(request, Offer { screen: route.screen, agent: route.agent || greets })? {
            Audience::Program if greets => None,
            Audience::Program => Some(Entry::Agent(number)),
            Audience::Person => Some(Entry::Screen(number)),
        })
    }

    /// For whom of those that are offered something the answer is.
    fn agreed(&mut self, request: &dyn Incoming, offer: Offer) -> Result<Audience, Refusal> {
        let accept = if offer.agent && asks_table(request.query()) {
            Preference::of_table(request.header("accept").as_deref(), offer.screen)
        } else {
            self.accept
        };
        self.known.audience = match accept.choose(offer) {
            Choice::Screen => Audience::Person,
            Choice::Agent => Audience::Program,
            Choice::NotAcceptable { agent_request: true } if !offer.agent => {
                self.known.audience = Audience::Program;
                return Err(Refusal::NoAgentFace);
            }
            Choice::NotAcceptable { .. } => return Err(Refusal::NotAcceptable),
        };
        Ok(self.known.audience)
    }

    /// Declared query parameters, and for an agent what it wants to see of the answer.
    fn query(&self, route: &Route, entry: Entry, request: &dyn Incoming) -> Result<(Vec<u8>, View), Refusal> {
        let agent = matches!(entry, Entry::Agent(_));
        if request.query().is_empty() || route.query.is_empty() && !agent {
            return Ok((Vec::new(), View::default()));
        }
        let types = &self.contract.types;
        let pairs = parse_query(request.query()).map_err(|_| Refusal::BadPath)?;
        let view = if agent { View::asked(types, route.returns.as_ref(), &pairs)? } else { View::default() };
        if route.query.is_empty() {
            return Ok((Vec::new(), view));
        }
        Ok((encode(&decode_query(types, &route.query, &pairs).map_err(Refusal::InvalidInput)?), view))
    }

    /// `/`, which no route reads.
    fn root(&mut self, request: &dyn Incoming) -> Result<Step, Refusal> {
        self.agreed(request, Offer { screen: false, agent: true })?;
        Ok(self.greeting(request))
    }

    fn greeting(&self, request: &dyn Incoming) -> Step {
        Step::Answer(kept(request.greeting(self.contract), request))
    }

    /// What is only read, if it is there.
    fn reading(
        &mut self,
        request: &mut dyn Incoming,
        find: impl FnOnce(&Self, &mut dyn Incoming) -> Option<Result<Reply, Refusal>>,
    ) -> Result<Step, Refusal> {
        let reply = find(self, request).ok_or(Refusal::NotFound)?;
        let step = if request.reads() { Step::Answer(reply?) } else { other_method(request, READ_METHODS.into())? };
        self.known.varies = false;
        Ok(step)
    }

    /// The body, of at most the bytes that the site takes.
    fn body(&self, request: &mut dyn Incoming) -> Result<Vec<u8>, Refusal> {
        request.body(self.contract.wanted.limit("max_body", MAX_BODY)).map_err(|error| match error {
            BodyError::TooLarge => Refusal::BodyTooLarge,
            BodyError::Broken => Refusal::Other { status: 400, erro: Cow::Borrowed("o corpo não chegou inteiro") },
        })
    }
}

/// What is there for a method that nothing takes: the list of those that something does, for who asks for it.
fn other_method(request: &dyn Incoming, allow: Vec<&'static str>) -> Result<Step, Refusal> {
    if request.method() == "OPTIONS" {
        return Ok(Step::Answer(Reply::empty(204).with("allow", allow.join(", "))));
    }
    Err(Refusal::MethodNotAllowed { allow })
}

fn sends_json(request: &dyn Incoming) -> bool {
    request.header("content-type").is_some_and(|content_type| is_json_media_type(&content_type))
}

/// JSON that changes with the site alone.
fn kept(json: Cow<'static, str>, request: &dyn Incoming) -> Reply {
    tagged(Reply::json(200, json.into_owned()).with("cache-control", "max-age=60"), request)
}

/// Exactly: a Float stays one.
fn encode(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    json::write_exact(value, &mut text);
    text.into_bytes()
}
