//! What to do with a request: the whole HTTP contract up to the point where code of the site runs. Pure, by the contract crate alone.

use alloc::{string::String, vec::Vec};

use djo_contract::{
    decode::{decode_action, decode_query},
    json,
    model::{Contract, Route},
    negotiate::{Choice, Offer, negotiate, prefers_json},
    route::{Match, Router, parse_query},
    value::Value,
};
use djo_vm::host::Entry;

use super::media::is_json_media_type;
use super::refuse::{self, Audience};
use super::reply::{Content, Reply};

/// What is asked of a request. Reading the body happens at most once, and only when something needs it.
pub(crate) trait Incoming {
    fn method(&self) -> &str;
    /// Percent-encoded, without the query.
    fn path(&self) -> &str;
    /// Without `?`.
    fn query(&self) -> &str;
    /// By lower-case name.
    fn header(&self, name: &str) -> Option<String>;
    fn body(&mut self) -> Result<Vec<u8>, BodyError>;
    /// A static file by its path in `publico/`: content type, start and length.
    fn file(&mut self, path: &str) -> Option<(String, u32, u32)>;
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
    Run {
        entry: Entry,
        params: Vec<(String, String)>,
        /// A JSON object, or empty.
        arguments: Vec<u8>,
        body: Vec<u8>,
    },
}

/// What is known of a request on its way.
struct Scene {
    audience: Audience,
    varies: bool,
}

/// Decides.
pub(crate) fn plan(contract: &Contract, router: &Router, request: &mut dyn Incoming) -> Plan {
    let accept = request.header("accept");
    let audience = if prefers_json(accept.as_deref()) { Audience::Program } else { Audience::Person };
    let mut scene = Scene { audience, varies: true };
    let step = scene.step(contract, router, request, accept.as_deref());
    let step = step.unwrap_or_else(Step::Answer);
    Plan { step, audience: scene.audience, varies: scene.varies }
}

impl Scene {
    fn step(&mut self, contract: &Contract, router: &Router, request: &mut dyn Incoming, accept: Option<&str>) -> Result<Step, Reply> {
        let (index, params) = match router.find(request.method(), request.path()) {
            Match::Found { route, params } => (route, params),
            Match::MethodNotAllowed { allow } => return Err(self.other_method(request.method(), &allow)),
            Match::BadPath => return Err(refuse::bad_path(self.audience)),
            Match::NotFound => return self.file(request),
        };
        let Some(route) = contract.routes.get(index) else { return Err(refuse::internal(self.audience)) };
        let number = u32::try_from(index).unwrap_or(u32::MAX);
        if let Some(action) = route.action {
            self.audience = Audience::Program;
            self.varies = false;
            let Some(action) = contract.actions.get(action) else { return Err(refuse::internal(self.audience)) };
            if !request.header("content-type").is_some_and(|content_type| is_json_media_type(&content_type)) {
                return Err(refuse::not_json());
            }
            let body = self.body(request)?;
            let arguments = decode_action(&contract.types, action, &params, &body).map_err(|error| refuse::input(self.audience, &error))?;
            return Ok(Step::Run { entry: Entry::Action(number), params, arguments: encode(&arguments), body });
        }
        let entry = self.face(request, route, number, accept)?;
        let arguments = self.query(contract, route, request)?;
        let body = if reads(request) { Vec::new() } else { self.body(request)? };
        Ok(Step::Run { entry, params, arguments, body })
    }

    fn face(&mut self, request: &dyn Incoming, route: &Route, number: u32, accept: Option<&str>) -> Result<Entry, Reply> {
        if !reads(request) {
            // A form post: what a browser accepts of its answer is not asked.
            self.audience = Audience::Person;
            self.varies = false;
            return Ok(Entry::Screen(number));
        }
        match negotiate(accept, Offer { screen: route.screen, agent: route.agent }) {
            Choice::Screen => {
                self.audience = Audience::Person;
                Ok(Entry::Screen(number))
            }
            Choice::Agent => {
                self.audience = Audience::Program;
                Ok(Entry::Agent(number))
            }
            Choice::NotAcceptable { agent_request: true } if !route.agent => Err(refuse::no_agent_face()),
            Choice::NotAcceptable { .. } => Err(refuse::not_acceptable(self.audience)),
        }
    }

    fn query(&self, contract: &Contract, route: &Route, request: &dyn Incoming) -> Result<Vec<u8>, Reply> {
        if route.query.is_empty() {
            return Ok(Vec::new());
        }
        let pairs = parse_query(request.query()).map_err(|_| refuse::bad_path(self.audience))?;
        let arguments = decode_query(&contract.types, &route.query, &pairs);
        Ok(encode(&arguments.map_err(|issues| refuse::input(self.audience, &issues.into()))?))
    }

    fn body(&self, request: &mut dyn Incoming) -> Result<Vec<u8>, Reply> {
        request.body().map_err(|error| match error {
            BodyError::TooLarge => refuse::too_large(self.audience),
            BodyError::Broken => refuse::broken_body(self.audience),
        })
    }

    fn other_method(&mut self, method: &str, allow: &[&str]) -> Reply {
        let allow = allow.join(", ");
        if method == "OPTIONS" {
            self.varies = false;
            return Reply::empty(204).with("allow", allow);
        }
        refuse::method(self.audience).with("allow", allow)
    }

    /// Static files lie behind the routes.
    fn file(&mut self, request: &mut dyn Incoming) -> Result<Step, Reply> {
        let path = file_path(request.path());
        let Some((content_type, start, length)) = path.and_then(|path| request.file(&path)) else {
            return Err(refuse::not_found(self.audience));
        };
        if !reads(request) {
            return Err(self.other_method(request.method(), &["GET", "HEAD", "OPTIONS"]));
        }
        self.varies = false;
        let reply = Reply::empty(200).with("content-type", content_type).with("cache-control", "public, max-age=3600");
        Ok(Step::Answer(reply.of(Content::File { start, length })))
    }
}

/// It only reads: a HEAD is answered as a GET.
fn reads(request: &dyn Incoming) -> bool {
    matches!(request.method(), "GET" | "HEAD")
}

/// Relative to `publico/`, decoded segment by segment: an encoded `/` is part of a name, which no file has.
fn file_path(path: &str) -> Option<String> {
    let mut decoded = String::new();
    for (index, segment) in path.strip_prefix('/')?.split('/').enumerate() {
        let segment = djo_contract::route::percent_decode(segment).ok().filter(|segment| !segment.contains('/'))?;
        if index > 0 {
            decoded.push('/');
        }
        decoded.push_str(&segment);
    }
    Some(decoded)
}

fn encode(value: &Value) -> Vec<u8> {
    json::to_string(value).into_bytes()
}
