//! What to do with a request: the whole HTTP contract up to the point where code of the site runs. Pure, by the contract crate alone.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use djo_contract::{
    decode::{decode_action, decode_query},
    json, manifest,
    media::is_json_media_type,
    model::{self, Contract, NOTHING, Route},
    negotiate::{Choice, Offer, Preference},
    range::{self, Wanted},
    refusal::Refusal,
    route::{Match, Router, parse_query, percent_decode},
    value::Value,
};

use crate::site::{Around, Entry, File};

use super::inject;
use super::refuse::{Audience, refuse};
use super::reply::{Content, Reply};
use super::shape::{conditional, tagged};
use super::view::View;

/// What is asked of a request. Its body is read at most once, and only when something needs it.
pub(crate) trait Incoming: Around {
    /// Upper case, as a rule.
    fn method(&self) -> &str;
    /// Percent-encoded, without the query.
    fn path(&self) -> &str;
    /// Without `?`.
    fn query(&self) -> &str;
    /// The whole body.
    fn body(&mut self) -> Result<Vec<u8>, BodyError>;
    /// A static file by its path in `publico/`.
    fn file(&mut self, path: &str) -> Option<File>;
    /// A value of the site's store.
    fn stored(&mut self, collection: &str, key: &str) -> Option<Vec<u8>>;
    /// A line for the site's log.
    fn log(&mut self, message: &str);

    /// The site's manifest.
    fn manifest(&self, contract: &Contract) -> Cow<'static, str>;
    /// The site's greeting.
    fn greeting(&self, contract: &Contract) -> Cow<'static, str>;

    /// It only reads: a HEAD is answered as a GET.
    fn reads(&self) -> bool {
        matches!(self.method(), "GET" | "HEAD")
    }
}

/// Why there is no body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BodyError {
    /// It is longer than a body may be.
    TooLarge,
    /// It ended before its end.
    Broken,
}

/// A request's way, decided.
#[derive(Debug)]
pub(crate) struct Plan {
    /// What happens.
    pub(crate) step: Step,
    /// Who reads the answer, should it be an error.
    pub(crate) audience: Audience,
    /// The answer depends on `Accept`.
    pub(crate) varies: bool,
}

/// What happens with a request.
#[derive(Debug)]
pub(crate) enum Step {
    /// All is said.
    Answer(Reply),
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

/// Decides.
pub(crate) fn plan(contract: &Contract, router: &Router, request: &mut dyn Incoming) -> Plan {
    let accept = Preference::of(request.header("accept").as_deref());
    let audience = if accept.is_json() { Audience::Program } else { Audience::Person };
    let mut scene = Scene { contract, audience, varies: true };
    let step = scene.step(router, request, accept);
    let step = step.unwrap_or_else(|refusal| Step::Answer(refuse(scene.audience, &refusal)));
    Plan { step, audience: scene.audience, varies: scene.varies }
}

/// What is known of a request on its way.
struct Scene<'a> {
    contract: &'a Contract,
    audience: Audience,
    varies: bool,
}

impl Scene<'_> {
    fn step(&mut self, router: &Router, request: &mut dyn Incoming, accept: Preference) -> Result<Step, Refusal> {
        if let Some(reply) = self.manifest(request) {
            return Ok(reply);
        }
        let (index, params) = match router.find(request.method(), request.path()) {
            Match::Found { route, params } => (route, params),
            Match::MethodNotAllowed { allow } => return self.other_method(request, allow),
            Match::BadPath => return Err(Refusal::BadPath),
            Match::NotFound if self.greets(request) => return Ok(self.greeting(request)),
            Match::NotFound => return self.file(request),
        };
        let contract = self.contract;
        // What a table of routes was built from has them all, and a decoded contract's indices hold.
        let route = contract.routes.get(index).ok_or(Refusal::Internal { detail: None })?;
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        if let Some(action) = route.action {
            self.audience = Audience::Program;
            self.varies = false;
            let action = contract.actions.get(action).ok_or(Refusal::Internal { detail: None })?;
            if !request.header("content-type").is_some_and(|content_type| is_json_media_type(&content_type)) {
                return Err(Refusal::UnsupportedMediaType);
            }
            let body = body(request)?;
            if route.options.continues.is_some() {
                // Only where executions are known is there anything to go on from.
                decode_action(&contract.types, &NOTHING, &[], &body)?;
                return Err(Refusal::Other { status: 404, erro: "não há o que continuar".into() });
            }
            let arguments = decode_action(&contract.types, action, &params, &body)?;
            let arguments = inject::complete(contract, action, arguments, request)?;
            return Ok(Step::Run(Run { entry: Entry::Action(number), params, arguments: encode(&arguments), body, view: View::default() }));
        }
        if !route.agent && self.greets(request) {
            return Ok(self.greeting(request));
        }
        let entry = self.face(request, route, number, accept)?;
        let (arguments, view) = self.query(route, entry, request)?;
        let body = if request.reads() { Vec::new() } else { body(request)? };
        Ok(Step::Run(Run { entry, params, arguments, body, view }))
    }

    fn face(&mut self, request: &dyn Incoming, route: &Route, number: u32, accept: Preference) -> Result<Entry, Refusal> {
        if !request.reads() {
            // A form post: what a browser accepts of its answer is not asked.
            self.audience = Audience::Person;
            self.varies = false;
            return Ok(Entry::Screen(number));
        }
        match accept.choose(Offer { screen: route.screen, agent: route.agent }) {
            Choice::Screen => {
                self.audience = Audience::Person;
                Ok(Entry::Screen(number))
            }
            Choice::Agent => {
                self.audience = Audience::Program;
                Ok(Entry::Agent(number))
            }
            Choice::NotAcceptable { agent_request: true } if !route.agent => {
                self.audience = Audience::Program;
                Err(Refusal::NoAgentFace)
            }
            Choice::NotAcceptable { .. } => Err(Refusal::NotAcceptable),
        }
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

    fn other_method(&mut self, request: &dyn Incoming, allow: Vec<&'static str>) -> Result<Step, Refusal> {
        if request.method() == "OPTIONS" {
            self.varies = false;
            return Ok(Step::Answer(Reply::empty(204).with("allow", allow.join(", "))));
        }
        Err(Refusal::MethodNotAllowed { allow })
    }

    fn manifest(&mut self, request: &dyn Incoming) -> Option<Step> {
        if request.path() != manifest::PATH || !request.reads() || !manifest::is_offered(self.contract) {
            return None;
        }
        self.varies = false;
        Some(kept(request.manifest(self.contract), request))
    }

    /// An agent asks for `/`, which has no face for it.
    fn greets(&self, request: &dyn Incoming) -> bool {
        request.path() == "/" && request.reads() && self.audience == Audience::Program && manifest::is_offered(self.contract)
    }

    fn greeting(&self, request: &dyn Incoming) -> Step {
        kept(request.greeting(self.contract), request)
    }

    /// Static files lie behind the routes.
    fn file(&mut self, request: &mut dyn Incoming) -> Result<Step, Refusal> {
        let path = file_path(request.path());
        let File { content_type, tag, place } = path.and_then(|path| request.file(&path)).ok_or(Refusal::NotFound)?;
        if !request.reads() {
            return self.other_method(request, Vec::from(["GET", "HEAD", "OPTIONS"]));
        }
        self.varies = false;
        let max_age = self.contract.wanted.max_age.unwrap_or(model::Wanted::MAX_AGE);
        let reply = Reply::empty(200).with("content-type", content_type).with("cache-control", format!("public, max-age={max_age}"));
        Ok(Step::Answer(file_reply(reply, place, tag, request)))
    }
}

/// The file, the part of it that is asked for, or 304. A range is defined for GET alone, and one that was asked for on the condition of
/// another tag is not wanted any more.
fn file_reply(reply: Reply, (start, length): (u32, u32), tag: String, request: &dyn Incoming) -> Reply {
    let condition = request.header("if-range").is_none_or(|condition| condition == tag);
    let range = request.header("range").filter(|_| condition && request.method() == "GET");
    let wanted = range.map_or(Wanted::Whole, |range| range::parse(&range, u64::from(length)));
    let reply = conditional(reply.with("accept-ranges", "bytes").of(Content::File { start, length }), tag, request);
    if reply.status != 200 {
        return reply;
    }
    match wanted {
        Wanted::Whole => reply,
        Wanted::Part(part) => {
            let (first, last) = (*part.start(), *part.end());
            // Within the file, whose length is 32 bits.
            let content = Content::File { start: start + first as u32, length: (last - first + 1) as u32 };
            Reply { status: 206, ..reply.with("content-range", format!("bytes {first}-{last}/{length}")) }.of(content)
        }
        Wanted::Nothing => {
            let reply = Reply { status: 416, ..reply.with("content-range", format!("bytes */{length}")) };
            reply.of(Content::Bytes(Vec::new()))
        }
    }
}

/// JSON that changes with the site alone.
fn kept(json: Cow<'static, str>, request: &dyn Incoming) -> Step {
    Step::Answer(tagged(Reply::json(200, json.into_owned()).with("cache-control", "max-age=60"), request))
}

fn body(request: &mut dyn Incoming) -> Result<Vec<u8>, Refusal> {
    request.body().map_err(|error| match error {
        BodyError::TooLarge => Refusal::BodyTooLarge,
        BodyError::Broken => Refusal::Other { status: 400, erro: Cow::Borrowed("o corpo não chegou inteiro") },
    })
}

/// Relative to `publico/`, decoded segment by segment: an encoded `/` is part of a name, which no file has.
fn file_path(path: &str) -> Option<String> {
    let mut decoded = String::new();
    for (index, segment) in path.strip_prefix('/')?.split('/').enumerate() {
        let segment = percent_decode(segment).ok().filter(|segment| !segment.contains('/'))?;
        if index > 0 {
            decoded.push('/');
        }
        decoded.push_str(&segment);
    }
    Some(decoded)
}

/// Exactly: a Float stays one.
fn encode(value: &Value) -> Vec<u8> {
    let mut text = String::new();
    json::write_exact(value, &mut text);
    text.into_bytes()
}
