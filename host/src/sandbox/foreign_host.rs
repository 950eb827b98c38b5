//! A built site on a host that is not ours: nothing but wasi:http, through the streaming door. And the typed door of the same component.
#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use djo_contract::section;
use djo_lang::source::Sources;
use http::{Request, StatusCode};
use http_body_util::{BodyExt, Full};
use wasmtime::component::{Component, Linker, ResourceTable};
use wasmtime::{Config, Engine, Store};
use wasmtime_wasi::{WasiCtx, WasiCtxView, WasiView};
use wasmtime_wasi_http::p2::bindings::http::types::Scheme;
use wasmtime_wasi_http::p2::bindings::{Proxy, ProxyPre};
use wasmtime_wasi_http::{WasiHttpCtx, WasiHttpCtxView, WasiHttpView};

use super::bindings::exports::djo::site::handler;
use super::bindings::{TypedDoor, TypedDoorPre};
use super::outbound::{Calls, Hooks, Outbound};
use super::pool::Pool;
use crate::build::{Parts, Reach, compose};
use crate::site::assets;
use crate::site::config::SiteConfig;
use crate::site::sources::SiteSources;

/// Longer than what is in memory at once while it is sent.
const LARGE: usize = 300_000;

struct State {
    wasi: WasiCtx,
    http: WasiHttpCtx,
    table: ResourceTable,
    hooks: Hooks,
}

impl WasiView for State {
    fn ctx(&mut self) -> WasiCtxView<'_> {
        WasiCtxView { ctx: &mut self.wasi, table: &mut self.table }
    }
}

impl WasiHttpView for State {
    fn http(&mut self) -> WasiHttpCtxView<'_> {
        WasiHttpCtxView { ctx: &mut self.http, table: &mut self.table, hooks: &mut self.hooks }
    }
}

/// The blog of the cases as a portable component, compiled once for all tests.
fn blog() -> &'static ProxyPre<State> {
    static BLOG: OnceLock<ProxyPre<State>> = OnceLock::new();
    BLOG.get_or_init(|| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/sites/blog");
        let sources = SiteSources::read(&folder).unwrap();
        let files = assets::read_all(&folder, 100, LARGE).unwrap();
        let large = vec![b'x'; LARGE];
        let mut files: Vec<_> = files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect();
        files.push(("grande.txt", &large));
        portable(&Sources { files: sources.files }, files)
    })
}

/// A site as a portable component.
fn portable(sources: &Sources, files: Vec<(&str, &[u8])>) -> ProxyPre<State> {
    let compiled = djo_lang::compile(sources).unwrap();
    let contract = section::encode(&compiled.contract);
    let parts = Parts { image: &compiled.image, contract: contract.as_bytes(), files };
    let component = compose(&parts, Reach::Portable).unwrap();
    let mut config = Config::new();
    config.concurrency_support(false);
    let engine = Engine::new(&config).unwrap();
    let mut linker = Linker::new(&engine);
    // The proxy world, and nothing else.
    wasmtime_wasi_http::p2::add_to_linker_async(&mut linker).unwrap();
    let component = Component::new(&engine, component).unwrap();
    ProxyPre::new(linker.instantiate_pre(&component).unwrap()).unwrap()
}

/// A host that allows calls to these origins.
fn store(engine: &Engine, allow: &str) -> Store<State> {
    let config = SiteConfig::parse(&format!("[outbound]\nallow = [{allow}]")).unwrap();
    let hooks = Hooks(Calls::new(&Arc::new(Outbound::new(&config)), &Pool::new(0).share(&"site".into()), &"site".into(), &"1".into()));
    let state = State { wasi: WasiCtx::builder().build(), http: WasiHttpCtx::new(), table: ResourceTable::new(), hooks };
    Store::new(engine, state)
}

/// One instance, as a host that reuses them has it.
struct Instance {
    store: Store<State>,
    proxy: Proxy,
}

struct Answer {
    status: StatusCode,
    headers: http::HeaderMap,
    body: Bytes,
}

impl Answer {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name).map(|value| value.to_str().unwrap())
    }

    fn text(&self) -> &str {
        std::str::from_utf8(&self.body).unwrap()
    }
}

impl Instance {
    async fn new() -> Self {
        Self::of(blog(), "").await
    }

    async fn of(site: &ProxyPre<State>, allow: &str) -> Self {
        let mut store = store(site.engine(), allow);
        let proxy = site.instantiate_async(&mut store).await.unwrap();
        Self { store, proxy }
    }

    async fn send(&mut self, method: &str, target: &str, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Answer {
        let mut request = Request::builder().method(method).uri(format!("http://blog.localhost{target}"));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let body = Full::new(body.into());
        let (sender, receiver) = tokio::sync::oneshot::channel();
        let mut http = self.store.data_mut().http();
        let request = http.new_incoming_request(Scheme::Http, request.body(body).unwrap()).unwrap();
        let out = http.new_response_outparam(sender).unwrap();
        // The body comes while the guest writes it: both sides go on at once.
        let read = async {
            let (parts, body) = receiver.await.unwrap().unwrap().into_parts();
            Answer { status: parts.status, headers: parts.headers, body: body.collect().await.unwrap().to_bytes() }
        };
        let called = self.proxy.wasi_http_incoming_handler().call_handle(&mut self.store, request, out);
        let (called, answer) = tokio::join!(called, read);
        called.unwrap();
        answer
    }

    async fn get(&mut self, target: &str, accept: &str) -> Answer {
        self.send("GET", target, &[("accept", accept)], "").await
    }

    async fn post(&mut self, target: &str, json: &str) -> Answer {
        self.send("POST", target, &[("content-type", "application/json")], json.to_owned()).await
    }
}

const JSON: &str = "application/json";

#[tokio::test]
async fn people_and_programs_see_their_faces() {
    let mut blog = Instance::new().await;
    let page = blog.get("/posts", "text/html").await;
    assert_eq!((page.status, page.header("content-type")), (StatusCode::OK, Some("text/html; charset=utf-8")));
    let list = blog.get("/posts", JSON).await;
    assert_eq!((list.status, list.header("content-type")), (StatusCode::OK, Some(JSON)));
    assert!(list.text().starts_with("[{\"id\":1,"), "{}", list.text());
    let unchanged = blog.send("GET", "/posts", &[("accept", JSON), ("if-none-match", list.header("etag").unwrap())], "").await;
    assert_eq!((unchanged.status, unchanged.body.len()), (StatusCode::NOT_MODIFIED, 0));
    assert_eq!(blog.get("/sobre", JSON).await.status, StatusCode::NOT_ACCEPTABLE);
    assert_eq!(blog.get("/lugar/nenhum", JSON).await.text(), r#"{"erro":"não encontrado"}"#);
}

#[tokio::test]
async fn a_head_says_what_a_get_says() {
    let mut blog = Instance::new().await;
    let get = blog.get("/posts", JSON).await;
    let head = blog.send("HEAD", "/posts", &[("accept", JSON)], "").await;
    for name in ["content-length", "content-type", "etag"] {
        assert_eq!(head.header(name), get.header(name), "{name}");
    }
}

#[tokio::test]
async fn actions_check_their_input_for_themselves() {
    let mut blog = Instance::new().await;
    let forged = [("content-type", JSON), ("x-djo-route", "0"), ("djo-arguments", "{}")];
    assert_eq!(blog.send("POST", "/posts", &forged, "{}").await.status, StatusCode::UNPROCESSABLE_ENTITY);
    let refused = blog.post("/posts", r#"{"titulo": 1, "autor": {"nome": "Ana"}, "x": 1}"#).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(refused.text().contains(r#""titulo":"deve ser String, mas veio Int""#), "{}", refused.text());
    assert_eq!(blog.send("POST", "/posts", &[("content-type", "text/plain")], "{}").await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    assert_eq!(blog.post("/posts", "{").await.status, StatusCode::BAD_REQUEST);
    let deep = format!("{{\"extra\":{}{}}}", "[".repeat(63), "]".repeat(63));
    assert_eq!(blog.post("/posts", &deep).await.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(blog.post("/posts", &"[".repeat(100_000)).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(blog.post("/posts", &" ".repeat((1 << 20) + 1)).await.status, StatusCode::PAYLOAD_TOO_LARGE);
    let longest = format!("{}{{}}", " ".repeat((1 << 20) - 2));
    assert_eq!(blog.post("/posts", &longest).await.status, StatusCode::UNPROCESSABLE_ENTITY);
}

#[tokio::test]
async fn data_lasts_as_long_as_the_instance() {
    let mut blog = Instance::new().await;
    let first = blog.get("/contador", JSON).await;
    let second = blog.get("/contador", JSON).await;
    assert_ne!(first.text(), second.text());
    assert_eq!(Instance::new().await.get("/contador", JSON).await.text(), first.text());
}

#[tokio::test]
async fn errors_say_nothing_of_what_went_wrong() {
    let mut blog = Instance::new().await;
    let broken = blog.get("/quebrada", JSON).await;
    assert_eq!((broken.status, broken.text()), (StatusCode::INTERNAL_SERVER_ERROR, r#"{"erro":"erro interno"}"#));
    assert_eq!(blog.get("/posts", JSON).await.status, StatusCode::OK, "the instance goes on");
}

#[tokio::test]
async fn files_are_streamed() {
    let mut blog = Instance::new().await;
    let file = blog.get("/ola.txt", "*/*").await;
    assert_eq!((file.status, file.header("content-type")), (StatusCode::OK, Some("text/plain; charset=utf-8")));
    let large = blog.get("/grande.txt", "*/*").await;
    assert_eq!((large.status, large.header("content-length")), (StatusCode::OK, Some("300000")));
    let twice = blog.send("GET", "/grande.txt", &[("range", "bytes=0-1"), ("range", "bytes=0-1")], "").await;
    assert_eq!((twice.status, twice.body.len()), (StatusCode::OK, 300_000));
    let outside = blog.send("GET", "/grande.txt", &[("range", "bytes=300000-"), ("accept", JSON)], "").await;
    assert_eq!((outside.status, outside.header("content-range")), (StatusCode::RANGE_NOT_SATISFIABLE, Some("bytes */300000")));
    assert_eq!(outside.text(), r#"{"erro":"o arquivo não tem os bytes pedidos"}"#);
    assert!(large.body.len() == LARGE && large.body.iter().all(|byte| *byte == b'x'));
}

#[tokio::test]
async fn the_typed_door_takes_what_is_matched_and_decoded() {
    let mut store = store(blog().engine(), "");
    let pre = TypedDoorPre::new(blog().instance_pre().clone()).unwrap();
    let door: TypedDoor = pre.instantiate_async(&mut store).await.unwrap();
    let request = handler::Request {
        method: "GET".into(),
        path: "/posts".into(),
        query: String::new(),
        body: Vec::new(),
        entry: handler::Entry::Agent(2),
        params: Vec::new(),
        arguments: Vec::new(),
    };
    let handler = door.djo_site_handler();
    let answer = handler.call_handle(&mut store, &request).await.unwrap().unwrap();
    assert_eq!(answer.status, 200);
    assert!(answer.body.starts_with(b"[{\"id\":1,"));
    let nothing = handler::Request { entry: handler::Entry::Action(2), ..request };
    let failure = handler.call_handle(&mut store, &nothing).await.unwrap().unwrap_err();
    assert_eq!(failure.kind, "imagem");
}

/// A site of what our host decides before, or in place of, a site's code.
fn guarded() -> &'static ProxyPre<State> {
    static SITE: OnceLock<ProxyPre<State>> = OnceLock::new();
    SITE.get_or_init(|| {
        let routes = [
            "Route.get:\"/lista\":{\"agent\": \"lista.djo\", \"returns\": [\"I\"]}",
            "Route.get:\"/host\":{\"agent\": \"host.djo\"}",
            "Route.get:\"/cabecalhos\":{\"html\": \"cabecalhos.djo\"}",
            "Route.action:\"/recusar\":\"recusar\"",
            "Route.action:\"/onde\":\"onde\"",
        ];
        let actions = "struct I\n    id[Int]\n\n\
            action recusar\n    \"r\"\n    params[]\n    fail:\"sem estoque\":{\"kind\": \"unavailable\", \"restam\": 2, \"retry_after\": 7}\n\n\
            action onde\n    \"i\"\n    params[ip[String?, inject: \"client.ip\"]]\n    return {\"ip\": ip, \"lido\": (Http.ip:)}\n";
        let list = "Http.json:(Pagina:{\"itens\": [(I:{\"id\": 1})], \"truncated\": true, \"next_cursor\": \"b c\", \"total\": 9})\n";
        let headers = "Http.header:\"Proxy-Authenticate\":\"Basic\"\nHttp.header:\"Server\":\"eu\"\nHttp.header:\"ETag\":\"x\"\n\
            Http.header:\"X-Meu\":\"1\"\nHttp.setcookie:\"a\":\"1\"\nHttp.html:\"<p>x</p>\"\n";
        let sources = Sources::default()
            .with("rotas.djo", routes.join("\n"))
            .with("core/a.djo", actions)
            .with("lista.djo", list)
            .with("host.djo", "Http.json:(Http.header:\"host\")\n")
            .with("cabecalhos.djo", headers);
        portable(&sources, Vec::new())
    })
}

#[tokio::test]
async fn a_tools_refusal_is_told_as_what_it_is() {
    let refused = Instance::of(guarded(), "").await.post("/recusar", "{}").await;
    assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.text(), r#"{"erro":"sem estoque","kind":"unavailable","restam":2,"retry_after":7}"#);
    assert_eq!((refused.header("retry-after"), refused.header("cache-control")), (Some("7"), Some("no-store")));
}

#[tokio::test]
async fn a_header_that_is_not_the_sites_to_say_costs_no_other() {
    let page = Instance::of(guarded(), "").await.get("/cabecalhos", "text/html").await;
    for (name, value) in [
        ("content-type", Some("text/html; charset=utf-8")),
        ("x-meu", Some("1")),
        ("content-length", Some("8")),
        ("proxy-authenticate", None),
        ("server", None),
        ("etag", None),
    ] {
        assert_eq!(page.header(name), value, "{name}");
    }
    assert!(page.header("set-cookie").is_some_and(|cookie| cookie.starts_with("a=1;")));
}

#[tokio::test]
async fn a_page_of_a_list_leads_on() {
    let page = Instance::of(guarded(), "").await.get("/lista?campos=id", JSON).await;
    assert_eq!((page.text(), page.header("x-total-count")), (r#"[{"id":1}]"#, Some("9")));
    assert_eq!(page.header("link"), Some("</lista?campos=id&cursor=b%20c>; rel=\"next\""));
}

#[tokio::test]
async fn a_run_knows_what_the_host_tells_of_its_request() {
    let mut site = Instance::of(guarded(), "").await;
    assert_eq!(site.get("/host", JSON).await.text(), "\"blog.localhost\"");
    assert_eq!(site.post("/onde", "{}").await.text(), r#"{"ip":null,"lido":null}"#);
}

#[tokio::test]
async fn agents_are_greeted_and_errors_are_in_the_form_that_was_sent() {
    let mut site = Instance::of(guarded(), "").await;
    for accept in ["*/*", JSON] {
        assert!(site.get("/", accept).await.text().starts_with("{\"saudacao\""), "{accept}");
    }
    assert_eq!(site.get("/", "text/html").await.status, StatusCode::NOT_ACCEPTABLE);
    let missing = site.post("/nada", "{}").await;
    assert_eq!((missing.status, missing.text()), (StatusCode::NOT_FOUND, r#"{"erro":"não encontrado"}"#));
    let allowed = site.send("OPTIONS", "/", &[], "").await;
    assert_eq!((allowed.status, allowed.header("allow")), (StatusCode::NO_CONTENT, Some("GET, HEAD, OPTIONS")));
    let keyed = site.send("POST", "/onde", &[("content-type", JSON), ("idempotency-key", "k")], "{}").await;
    assert_eq!(keyed.status, StatusCode::NOT_IMPLEMENTED);
}

/// Answers each request by the next of these responses, and tells what it was sent.
fn upstream(responses: Vec<String>) -> (std::net::SocketAddr, std::thread::JoinHandle<Vec<String>>) {
    use std::io::{Read, Write};
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let serve = move || {
        let answer = |response: String| {
            let (mut stream, _) = listener.accept().unwrap();
            let mut asked = Vec::new();
            // A request's head, and the four bytes of the body that the test sends.
            while !asked.ends_with(b"\r\n\r\n") && !asked.ends_with(b"oi=1") {
                let mut byte = [0];
                stream.read_exact(&mut byte).unwrap();
                asked.push(byte[0]);
                if asked.ends_with(b"\r\n\r\n") && asked.starts_with(b"POST") {
                    let mut body = [0; 4];
                    stream.read_exact(&mut body).unwrap();
                    asked.extend_from_slice(&body);
                }
            }
            stream.write_all(response.as_bytes()).unwrap();
            String::from_utf8(asked).unwrap()
        };
        responses.into_iter().map(answer).collect()
    };
    (address, std::thread::spawn(serve))
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_go_by_the_http_of_the_host_that_there_is() {
    let moved = "HTTP/1.1 302 Found\r\nLocation: /depois?q=1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n".to_owned();
    let found = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 7\r\nConnection: close\r\n\r\n{\"n\":1}".to_owned();
    let (address, served) = upstream(vec![moved, found]);
    let face = format!(
        "r = Http.post:\"http://{address}/antes\":\"oi=1\":{{\"headers\": {{\"x-chave\": \"k\"}}}}\nHttp.json:[r.status, r.json.n]\n"
    );
    let elsewhere = "try\n    r = Http.get:\"http://10.0.0.1/\"\ncatch e\n    Http.json:e.mensagem\n";
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\"}\nRoute.get:\"/fora\":{\"agent\": \"b.djo\"}\n")
        .with("a.djo", face)
        .with("b.djo", elsewhere);
    let mut site = Instance::of(&portable(&sources, Vec::new()), &format!("\"http://{address}\"")).await;
    let answer = site.get("/", JSON).await;
    assert_eq!((answer.status, answer.text()), (StatusCode::OK, "[200,1]"));
    let refused = site.get("/fora", JSON).await;
    assert_eq!(refused.text(), "\"Http.get: este servidor não permite chamar `http://10.0.0.1`\"");
    let asked = served.join().unwrap();
    let first = asked[0].to_ascii_lowercase();
    assert!(first.starts_with("post /antes http/1.1\r\n") && first.ends_with("oi=1") && first.contains("x-chave: k\r\n"), "{first}");
    assert!(asked[1].starts_with("GET /depois?q=1 HTTP/1.1\r\n"), "{}", asked[1]);
}
