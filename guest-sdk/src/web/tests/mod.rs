//! Requests against a small site, up to the point where its code would run, and from there on.
#![allow(clippy::unwrap_used)]

mod answers;
mod requests;

use alloc::{
    borrow::{Cow, ToOwned},
    boxed::Box,
    format,
    string::{String, ToString},
    vec,
    vec::Vec,
};
use std::collections::BTreeMap;

use djo_contract::{
    manifest,
    model::{Action, Contract, Method, Route},
    route::Router,
    types::{Constraints, Field, Kind, Presence, Source, Struct, Type, Types},
    value::Value,
    wire,
};

use crate::{Around, Entry, File, Response};

use super::dispatch::{Plan, Run, Step, plan};
use super::refuse::{Audience, refuse};
use super::reply::{Content, Reply};
use super::request::{BodyError, Incoming};
use super::shape::{Looked, answered, finish};

struct Asked {
    method: &'static str,
    path: &'static str,
    query: &'static str,
    headers: BTreeMap<&'static str, &'static str>,
    body: Result<&'static str, BodyError>,
    read: bool,
}

impl Around for Asked {
    fn header(&self, name: &str) -> Option<String> {
        self.headers.get(name).map(|value| (*value).to_owned())
    }

    fn client_ip(&self) -> String {
        String::new()
    }

    fn secure(&self) -> bool {
        false
    }

    fn request_id(&self) -> String {
        "abc".into()
    }

    fn is_timed(&self) -> bool {
        false
    }
}

impl Incoming for Asked {
    fn method(&self) -> &str {
        self.method
    }

    fn path(&self) -> &str {
        self.path
    }

    fn query(&self) -> &str {
        self.query
    }

    fn body(&mut self, most: u64) -> Result<Vec<u8>, BodyError> {
        self.read = true;
        let body = self.body?;
        if body.len() as u64 > most { Err(BodyError::TooLarge) } else { Ok(body.into()) }
    }

    fn file(&mut self, path: &str) -> Option<File> {
        (path == "meu estilo.css").then(|| File { content_type: "text/css; charset=utf-8".into(), tag: "\"abc\"".into(), place: (100, 7) })
    }

    fn stored(&mut self, collection: &str, key: &str) -> Option<Vec<u8>> {
        let session = Value::Map(vec![("usuario".into(), "ana".into())]);
        (collection == djo_contract::session::COLLECTION && key == "s1").then(|| wire::encode(&session))
    }

    fn manifest(&self, contract: &Contract) -> Cow<'static, str> {
        manifest::manifest(contract).into()
    }

    fn greeting(&self, contract: &Contract) -> Cow<'static, str> {
        manifest::greeting(contract).into()
    }

    fn log(&mut self, _message: &str) {}
}

const JSON: (&str, &str) = ("accept", "application/json");
const HTML: (&str, &str) = ("accept", "text/html,*/*;q=0.8");
const SENDS_JSON: (&str, &str) = ("content-type", "application/json");

fn asked(method: &'static str, target: &'static str, headers: &[(&'static str, &'static str)], body: &'static str) -> Asked {
    let (path, query) = target.split_once('?').unwrap_or((target, ""));
    Asked { method, path, query, headers: headers.iter().copied().collect(), body: Ok(body), read: false }
}

fn ty(kind: Kind) -> Type {
    Type { kind, nullable: false, constraints: Constraints::default() }
}

fn field(name: &str, kind: Kind, source: Source) -> Field {
    Field { name: name.into(), ty: ty(kind), presence: Presence::Required, description: None, hidden: false, source }
}

fn route(method: Method, path: &str, screen: bool, agent: bool) -> Route {
    Route { screen, agent, ..Route::new(method, path) }
}

/// The contract with a parameter of the action `dar_nota` that the request's context fills.
fn injecting(source: &str) -> Contract {
    let mut contract = contract();
    contract.actions[0].input.fields.push(field("quem", Kind::String, Source::Inject(source.into())));
    contract
}

/// Routes: 0 GET / (screen), 1 GET /posts (both, cached, returns [Post], query pagina), 2 POST /posts (screen: a form),
/// 3 POST /posts/{id}/notas (action), 4 GET /api (agent).
fn contract() -> Contract {
    let post = Struct {
        name: "Post".into(),
        description: None,
        fields: vec![field("id", Kind::Int, Source::Input), field("titulo", Kind::String, Source::Input)],
    };
    let input = Struct {
        name: String::new(),
        description: None,
        fields: vec![field("id", Kind::Int, Source::Path), field("nota", Kind::Float, Source::Input)],
    };
    let mut posts = route(Method::Get, "/posts", true, true);
    posts.returns = Some(ty(Kind::Arr(Some(Box::new(ty(Kind::Struct(0)))))));
    posts.cache = Some(30);
    posts.query = vec![("pagina".into(), ty(Kind::Int))];
    let mut notas = route(Method::Post, "/posts/{id}/notas", false, false);
    notas.action = Some(0);
    Contract {
        site: None,
        types: Types { structs: vec![post] },
        routes: vec![
            route(Method::Get, "/", true, false),
            posts,
            route(Method::Post, "/posts", true, false),
            notas,
            route(Method::Get, "/api", false, true),
        ],
        actions: vec![Action { name: "dar_nota".into(), description: None, input }],
        error_pages: vec![404],
        ..Contract::default()
    }
}

fn planned(request: &mut Asked) -> Plan {
    let contract = contract();
    let router = Router::new(&contract).unwrap();
    plan(&contract, &router, request)
}

fn answer(request: Asked) -> Reply {
    answer_of(&contract(), request)
}

/// The whole reply to a request for which nothing runs.
fn answer_of(contract: &Contract, mut request: Asked) -> Reply {
    let Plan { step, known } = plan(contract, &Router::new(contract).unwrap(), &mut request);
    let reply = match step {
        Step::Answer(reply) => reply,
        Step::Refuse(refusal) => refuse(known, &refusal),
        Step::Run(run) => panic!("runs {:?}", run.entry),
    };
    finish(reply, Some(contract), "abc", known.varies)
}

fn run(mut request: Asked) -> Run {
    match planned(&mut request).step {
        Step::Run(run) => run,
        other => panic!("answers {other:?}"),
    }
}

fn text(reply: &Reply) -> String {
    let Content::Bytes(bytes) = &reply.content else { panic!("a file") };
    String::from_utf8(bytes.clone()).unwrap()
}
