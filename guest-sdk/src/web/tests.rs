//! Requests against a small site, up to the point where its code would run, and from there on.
#![allow(clippy::unwrap_used)]

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

use super::dispatch::{BodyError, Incoming, Plan, Run, Step, plan};
use super::refuse::Audience;
use super::reply::{Content, Reply};
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

    fn body(&mut self) -> Result<Vec<u8>, BodyError> {
        self.read = true;
        self.body.map(Into::into)
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

fn answer(mut request: Asked) -> Reply {
    match planned(&mut request).step {
        Step::Answer(reply) => reply,
        Step::Run(run) => panic!("runs {:?}", run.entry),
    }
}

fn run(mut request: Asked) -> Run {
    match planned(&mut request).step {
        Step::Run(run) => run,
        Step::Answer(reply) => panic!("answers {reply:?}"),
    }
}

fn text(reply: &Reply) -> String {
    let Content::Bytes(bytes) = &reply.content else { panic!("a file") };
    String::from_utf8(bytes.clone()).unwrap()
}

#[test]
fn faces_are_chosen_by_accept() {
    assert_eq!(run(asked("GET", "/posts", &[JSON], "")).entry, Entry::Agent(1));
    assert_eq!(run(asked("GET", "/posts", &[HTML], "")).entry, Entry::Screen(1));
    assert_eq!(run(asked("HEAD", "/posts", &[], "")).entry, Entry::Screen(1));
    assert_eq!(run(asked("GET", "/api", &[], "")).entry, Entry::Agent(4));
    assert_eq!(run(asked("POST", "/posts", &[JSON], "a=1")).entry, Entry::Screen(2));
}

#[test]
fn what_no_face_gives_is_406() {
    let reply = answer(asked("GET", "/api", &[("accept", "text/html")], ""));
    assert_eq!((reply.status, reply.header("content-type")), (406, Some("text/html; charset=utf-8")));
    assert_eq!(answer(asked("GET", "/posts", &[("accept", "image/png")], "")).status, 406);
}

#[test]
fn agents_are_greeted_at_the_root_and_find_the_manifest() {
    let reply = answer(asked("GET", "/", &[JSON], ""));
    assert!(text(&reply).starts_with("{\"saudacao\":\"Olá!"), "{reply:?}");
    assert_eq!(run(asked("GET", "/", &[HTML], "")).entry, Entry::Screen(0));
    let manifest = answer(asked("GET", "/.well-known/ai-manifest.json", &[], ""));
    assert!(text(&manifest).starts_with("{\"format\":\"djo-manifest/1\""));
    let tag: &'static str = manifest.header("etag").unwrap().to_owned().leak();
    let again = answer(asked("GET", "/.well-known/ai-manifest.json", &[("if-none-match", tag)], ""));
    assert_eq!((again.status, again.content.len()), (304, 0));
}

#[test]
fn other_methods_are_told_which_there_are() {
    let reply = answer(asked("DELETE", "/posts", &[JSON], ""));
    assert_eq!((reply.status, reply.header("allow")), (405, Some("GET, HEAD, POST, OPTIONS")));
    let reply = answer(asked("OPTIONS", "/posts", &[], ""));
    assert_eq!((reply.status, reply.header("allow"), reply.content.len()), (204, Some("GET, HEAD, POST, OPTIONS"), 0));
    assert_eq!(answer(asked("POST", "/meu%20estilo.css", &[], "")).status, 405);
}

#[test]
fn paths_that_lead_nowhere() {
    assert_eq!(answer(asked("GET", "/nada", &[JSON], "")).status, 404);
    assert_eq!(text(&answer(asked("GET", "/nada", &[JSON], ""))), r#"{"erro":"não encontrado"}"#);
    for path in ["/%zz", "/a%2fb", "/a%00b"] {
        assert_eq!(answer(asked("GET", path, &[], "")).status, 400, "{path}");
    }
}

#[test]
fn static_files_lie_behind_the_routes() {
    let reply = answer(asked("GET", "/meu%20estilo.css", &[JSON], ""));
    assert_eq!((reply.status, &reply.content), (200, &Content::File { start: 100, length: 7 }));
    assert_eq!((reply.header("content-type"), reply.header("etag")), (Some("text/css; charset=utf-8"), Some("\"abc\"")));
    let known = answer(asked("GET", "/meu%20estilo.css", &[("if-none-match", "\"abc\"")], ""));
    assert_eq!((known.status, known.content.len()), (304, 0));
}

#[test]
fn parts_of_files_are_cut_out() {
    let part = |headers: &[(&'static str, &'static str)]| {
        let reply = answer(asked("GET", "/meu%20estilo.css", headers, ""));
        (reply.status, reply.header("content-range").map(ToOwned::to_owned), reply.content)
    };
    let range = |status, range: &str, content| (status, Some(range.to_owned()), content);
    assert_eq!(part(&[("range", "bytes=2-3")]), range(206, "bytes 2-3/7", Content::File { start: 102, length: 2 }));
    assert_eq!(part(&[("range", "bytes=-1"), ("if-range", "\"abc\"")]), range(206, "bytes 6-6/7", Content::File { start: 106, length: 1 }));
    assert_eq!(part(&[("range", "bytes=7-")]), range(416, "bytes */7", Content::Bytes(Vec::new())));
    assert_eq!(part(&[("range", "bytes=2-3"), ("if-range", "\"x\"")]), (200, None, Content::File { start: 100, length: 7 }));
    assert_eq!(part(&[("range", "bytes=2-3"), ("if-none-match", "*")]).0, 304);
}

#[test]
fn actions_take_json_that_fits() {
    let refused = |headers: &[(&'static str, &'static str)], body| answer(asked("POST", "/posts/7/notas", headers, body));
    assert_eq!(refused(&[], "{}").status, 415);
    assert_eq!(refused(&[("content-type", "text/plain")], "{}").status, 415);
    assert_eq!(refused(&[SENDS_JSON], "{").status, 400);
    let reply = refused(&[SENDS_JSON], r#"{"nota":"dez","x":1}"#);
    assert_eq!(reply.status, 422);
    let campos = r#"{"erro":"entrada inválida","campos":{"nota":"deve ser Float, mas veio String","x":"campo desconhecido"}"#;
    assert!(text(&reply).starts_with(campos), "{}", text(&reply));
    let run = run(asked("POST", "/posts/7/notas", &[SENDS_JSON, HTML], r#"{"nota":9.5}"#));
    assert_eq!(run.entry, Entry::Action(3));
    assert_eq!(String::from_utf8(run.arguments).unwrap(), r#"{"id":7,"nota":9.5}"#);
}

#[test]
fn what_the_context_fills_is_not_taken_from_the_body() {
    let call = |source: &str, headers: &[(&'static str, &'static str)], body| {
        let contract = injecting(source);
        let headers: Vec<_> = headers.iter().copied().chain([SENDS_JSON]).collect();
        plan(&contract, &Router::new(&contract).unwrap(), &mut asked("POST", "/posts/7/notas", &headers, body)).step
    };
    let filled = |source, headers: &[(&'static str, &'static str)]| match call(source, headers, r#"{"nota":1.5}"#) {
        Step::Run(run) => String::from_utf8(run.arguments).unwrap(),
        Step::Answer(reply) => reply.status.to_string(),
    };
    assert_eq!(filled("session.usuario", &[("cookie", "a=1; djo_sessao=s1")]), r#"{"id":7,"nota":1.5,"quem":"ana"}"#);
    assert_eq!(filled("session.usuario", &[("cookie", "djo_sessao=s2")]), "401");
    assert_eq!(filled("session.outra", &[("cookie", "djo_sessao=s1")]), "401");
    assert_eq!(filled("header.X-Cliente", &[("x-cliente", "beto")]), r#"{"id":7,"nota":1.5,"quem":"beto"}"#);
    assert_eq!(filled("header.X-Cliente", &[]), "500");
    assert_eq!(filled("request.id", &[]), r#"{"id":7,"nota":1.5,"quem":"abc"}"#);
    let Step::Answer(reply) = call("request.id", &[], r#"{"nota":1.5,"quem":"eu"}"#) else { panic!("runs") };
    assert_eq!(reply.status, 422);
}

#[test]
fn a_body_is_read_only_where_one_is_taken() {
    let mut request = asked("POST", "/posts/7/notas", &[], "{}");
    planned(&mut request);
    assert!(!request.read, "refused by its type alone");
    let mut request = asked("GET", "/posts", &[JSON], "x");
    planned(&mut request);
    assert!(!request.read);
    for (error, status) in [(BodyError::TooLarge, 413), (BodyError::Broken, 400)] {
        let request = Asked { body: Err(error), ..asked("POST", "/posts/7/notas", &[SENDS_JSON], "") };
        assert_eq!(answer(request).status, status);
    }
}

#[test]
fn an_action_speaks_json_whatever_is_accepted() {
    let plan = planned(&mut asked("POST", "/posts/7/notas", &[SENDS_JSON, HTML], "["));
    assert_eq!((plan.audience, plan.varies), (Audience::Program, false));
    let Step::Answer(reply) = plan.step else { panic!("runs") };
    assert_eq!(reply.header("content-type"), Some("application/json"));
}

#[test]
fn declared_query_parameters_are_checked() {
    let run = run(asked("GET", "/posts?pagina=2&outra=x", &[HTML], ""));
    assert_eq!(String::from_utf8(run.arguments).unwrap(), r#"{"pagina":2}"#);
    assert_eq!(answer(asked("GET", "/posts?pagina=dois", &[JSON], "")).status, 422);
    assert_eq!(answer(asked("GET", "/posts?pagina=%zz", &[JSON], "")).status, 400);
}

fn seen(query: &'static str, headers: &[(&'static str, &'static str)], response: Response, looked: Looked) -> Reply {
    let request = asked("GET", query, headers, "");
    let run = run(asked("GET", query, headers, ""));
    answered(&contract(), &request, run.entry, &run.view, response, looked)
}

fn posts() -> Response {
    let body = br#"[{"id":1,"titulo":"a,b"},{"id":2,"titulo":"c"}]"#;
    Response { status: 200, headers: vec![("content-type".into(), "application/json".into())], body: body.to_vec(), page: None }
}

#[test]
fn agents_choose_fields_and_tables() {
    let reply = seen("/posts?campos=titulo", &[JSON], posts(), Looked::default());
    assert_eq!(text(&reply), r#"[{"titulo":"a,b"},{"titulo":"c"}]"#);
    let reply = seen("/posts?tabela&campos=titulo,id", &[JSON], posts(), Looked::default());
    assert_eq!(text(&reply), "id,titulo\r\n1,\"a,b\"\r\n2,c\r\n");
    assert_eq!(reply.header("content-type"), Some("text/csv; charset=utf-8"));
    assert_eq!(answer(asked("GET", "/posts?campos=autor", &[JSON], "")).status, 400);
    assert_eq!(answer(asked("GET", "/api?tabela", &[JSON], "")).status, 400);
    // People see their page, whatever the query says.
    assert_eq!(run(asked("GET", "/posts?campos=autor", &[HTML], "")).entry, Entry::Screen(1));
}

#[test]
fn only_what_is_nobodys_own_may_be_kept() {
    let control = |headers: &[(&'static str, &'static str)], response, looked| {
        seen("/posts", headers, response, looked).header("cache-control").unwrap().to_owned()
    };
    let personal = Looked { personal: true };
    assert_eq!(control(&[JSON], posts(), Looked::default()), "public, max-age=30");
    assert_eq!(control(&[JSON], posts(), personal), "private, no-store");
    assert_eq!(control(&[JSON, ("cookie", "a=1")], posts(), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON, ("authorization", "x")], posts(), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON], Response { status: 201, ..posts() }, Looked::default()), "private, no-store");
    let with = |name: &str, value: &str| Response { headers: vec![(name.into(), value.into())], ..posts() };
    assert_eq!(control(&[JSON], with("set-cookie", "a=1"), Looked::default()), "private, no-store");
    assert_eq!(control(&[JSON], with("cache-control", "no-cache"), Looked::default()), "no-cache");
}

#[test]
fn a_tag_that_is_known_needs_no_body() {
    let reply = seen("/posts", &[JSON], posts(), Looked::default());
    let tag: &'static str = reply.header("etag").unwrap().to_owned().leak();
    let list: &'static str = format!("\"outra\", W/{tag}").leak();
    for held in [tag, "*", list] {
        let reply = seen("/posts", &[JSON, ("if-none-match", held)], posts(), Looked::default());
        assert_eq!((reply.status, reply.content.len(), reply.header("etag")), (304, 0, Some(tag)));
        assert_eq!(reply.header("content-type"), None);
    }
    assert_eq!(seen("/posts", &[JSON, ("if-none-match", "\"outra\"")], posts(), Looked::default()).status, 200);
    assert_eq!(seen("/posts", &[HTML], posts(), Looked::default()).header("etag"), None);
}

#[test]
fn every_response_says_the_same_of_itself() {
    let reply = finish(Reply::empty(404), Some(&contract()), "abc", true);
    for (name, value) in [
        ("x-request-id", "abc"),
        ("vary", "Accept"),
        ("x-content-type-options", "nosniff"),
        ("link", "</.well-known/ai-manifest.json>; rel=\"ai-manifest\""),
    ] {
        assert_eq!(reply.header(name), Some(value));
    }
    assert_eq!(finish(Reply::empty(404), Some(&Contract::default()), "abc", false).header("link"), None);
}
