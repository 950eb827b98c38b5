//! What comes in with a request and what goes out, beyond what the blog's routes show.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use djo_contract::model::Method;
use djo_vm::host::{Entry, Request, Response};
use memory::{Site, body, header};

fn site(files: &str) -> Site {
    Site::new(&common::files(files))
}

/// Sends a form to the one POST route of a site.
fn post(site: &mut Site, media: &str, form: &[u8]) -> Response {
    site.host.headers.insert("content-type".into(), media.into());
    let entry = Entry::Screen(site.route(Method::Post, "/f"));
    site.run(&Request { method: "POST".into(), path: "/f".into(), body: form.into(), entry, ..Request::default() }).unwrap()
}

const FORM: &str = "
--- rotas.djo
Route.post:\"/f\":\"paginas/f.djo\"
--- paginas/f.djo
Http.json:[(Http.form:\"a\"), (Http.form:\"b c\"), (Http.form:\"foto\"), (Http.form:\"nada\")]
";

#[test]
fn forms_of_both_kinds() {
    let mut site = site(FORM);
    let sent = post(&mut site, "application/x-www-form-urlencoded", b"a=1+2%26&b+c=%C3%A9&a=segundo&foto");
    assert_eq!(body(&sent), r#"["1 2&","é","",null]"#);
    let multipart = "prologo\r\n--xyz\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nlinha 1\r\nlinha 2\r\n--xyz\r\n\
        content-disposition: form-data; name=\"b c\"\r\nContent-Type: text/plain\r\n\r\n\u{e9}\r\n--xyz\r\n\
        Content-Disposition: form-data; name=\"foto\"; filename=\"a.png\"\r\n\r\nbytes\r\n--xyz--\r\n";
    let sent = post(&mut site, "Multipart/Form-Data; charset=utf-8; boundary=\"xyz\"", multipart.as_bytes());
    assert_eq!(body(&sent), "[\"linha 1\\r\\nlinha 2\",\"é\",null,null]");
    for (media, form) in [
        ("text/plain", "a=1"),
        ("multipart/form-data", "--x\r\n\r\n\r\n--x--"),
        ("multipart/form-data; boundary=x", "--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nsem fim"),
        ("multipart/form-data; boundary=x", "--x"),
        ("", ""),
    ] {
        assert_eq!(body(&post(&mut site, media, form.as_bytes())), "[null,null,null,null]", "{media} {form}");
    }
}

#[test]
fn declared_query_parameters_have_their_type() {
    let mut site = site(
        "
--- rotas.djo
Route.get:\"/\":{\"agent\": \"a.djo\", \"query\": {\"pagina\": \"Int\", \"q\": \"String\"}}
--- a.djo
Http.json:[(Http.query:\"pagina\"), (Http.query:\"q\"), (Http.query:\"outra\")]
",
    );
    let entry = Entry::Agent(0);
    let request = Request { query: "pagina=2&outra=3".into(), arguments: br#"{"pagina":2}"#.to_vec(), entry, ..Request::default() };
    assert_eq!(body(&site.run(&request).unwrap()), r#"[2,null,"3"]"#);
}

#[test]
fn bodies_as_text_and_as_json() {
    let files = "
--- rotas.djo
Route.post:\"/f\":\"f.djo\"
--- f.djo
try
    Http.json:[(Http.json_body:), (Http.body:)]
catch e
    Http.json:(e.tipo + \": \" + e.mensagem)
";
    let mut site = site(files);
    assert_eq!(body(&post(&mut site, "application/json", b"{\"a\": [1, 2.0]}")), r#"[{"a":[1,2]},"{\"a\": [1, 2.0]}"]"#);
    assert_eq!(body(&post(&mut site, "application/json", b"{")), r#"[null,"{"]"#);
    assert_eq!(body(&post(&mut site, "text/plain", b"oi")), r#"[null,"oi"]"#);
    assert!(body(&post(&mut site, "text/plain", b"\"\xff\"")).contains("UTF-8"));
}

const PAGES: &str = "
--- rotas.djo
Route.get:\"/\":\"paginas/a.djo.html\"
Route.get:\"/sai\":\"paginas/sai.djo.html\"
Route.get:\"/vazia\":\"paginas/vazia.djo.html\"
Route.get:\"/quebra\":\"paginas/quebra.djo.html\"
--- paginas/layout.djo.html
<title>{{ titulo }}</title><main>{{ conteudo }}</main>
--- paginas/item.djo.html
<li>{{ item.nome }}</li>
--- paginas/a.djo.html
{% layout \"paginas/layout.djo.html\" %}
{% djo %}
titulo = \"<T>\"
itens = [{\"nome\": \"a&b\"}, {\"nome\": nil}]
{% end %}
<ul>{% for item in itens %}{% include \"paginas/item.djo.html\" %}{% end %}</ul>
--- paginas/sai.djo.html
{% layout \"paginas/layout.djo.html\" %}
{% djo %}
if (Http.query:\"x\") == nil
    Http.redirect:\"/\"
    return
titulo = \"x\"
{% end %}
<p>fica</p>
--- paginas/vazia.djo.html
{% djo %}
x = 1
{% end %}
--- paginas/quebra.djo.html
<p>antes</p>
{% item = Json.decode:\"5\" %}
{% include \"paginas/item.djo.html\" %}
--- paginas/404.djo.html
<p>não há {{ Http.path: }}</p>
";

#[test]
fn layouts_includes_and_pages_that_end_early() {
    let mut site = site(PAGES);
    let page = site.screen("/").unwrap();
    let shown: String = body(&page).split_whitespace().collect();
    assert_eq!(shown, "<title>&lt;T&gt;</title><main><ul><li>a&amp;b</li><li></li></ul></main>");
    let left = site.screen("/sai").unwrap();
    assert_eq!((left.status, header(&left, "location"), body(&left)), (303, Some("/"), ""));
    assert_eq!(site.screen("/vazia").unwrap().body.iter().filter(|byte| !byte.is_ascii_whitespace()).count(), 0);
    let failure = site.screen("/quebra").unwrap_err();
    assert_eq!((failure.file.as_str(), failure.line, failure.kind.as_str()), ("paginas/item.djo.html", 1, "tipo"));
    let missing = site.run(&Request { path: "/x".into(), entry: Entry::ErrorPage(404), ..Request::default() }).unwrap();
    assert_eq!((missing.status, body(&missing).trim()), (404, "<p>não há /x</p>"));
}

#[test]
fn over_tls_cookies_are_secure() {
    let mut site = site(
        "
--- rotas.djo
Route.get:\"/\":{\"agent\": \"a.djo\"}
--- a.djo
Session.set:\"a\":1
Http.setcookie:\"b\":\"2\"
Http.json:true
",
    );
    site.host.secure = true;
    let answer = site.agent("/", &[], "").unwrap();
    let cookies: Vec<&str> = answer.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| value.as_str()).collect();
    assert_eq!(cookies.len(), 2);
    assert!(cookies.iter().all(|cookie| cookie.ends_with("; Secure")), "{cookies:?}");
}

#[test]
fn a_failed_run_leaves_no_session() {
    let mut site = site(
        "
--- rotas.djo
Route.get:\"/\":{\"agent\": \"a.djo\"}
--- a.djo
Session.set:\"a\":1
fail:\"fim\"
",
    );
    site.agent("/", &[], "").unwrap_err();
    assert!(site.host.store.is_empty());
}

#[test]
fn stored_structs_follow_the_site_as_it_changes() {
    let write = "
--- rotas.djo
Route.get:\"/\":{\"agent\": \"a.djo\"}
--- core/a.djo
struct P
    id[Int]
    velho[String] = \"v\"
    nota[Int] = 3

struct Antiga
    x[Int]
--- a.djo
Store.set:\"p\":1:(P:{\"id\": 1})
Store.set:\"p\":2:(Antiga:{\"x\": 5})
Http.json:1
";
    let read = "
--- rotas.djo
Route.get:\"/\":{\"agent\": \"a.djo\"}
--- core/a.djo
struct P
    novo[Arr] = []
    nota[Float] = 0
    id[Int]
    talvez[String?]
--- a.djo
Http.json:[(Store.get:\"p\":1), (Store.get:\"p\":2)]
";
    let mut before = site(write);
    before.agent("/", &[], "").unwrap();
    let mut after = site(read);
    after.host.store = before.host.store.clone();
    assert_eq!(body(&after.agent("/", &[], "").unwrap()), r#"[{"novo":[],"nota":3,"id":1,"talvez":null},{"x":5}]"#);
    let mut strict = site(&read.replace("    talvez[String?]", "    exigido[String]"));
    strict.host.store = before.host.store;
    let failure = strict.agent("/", &[], "").unwrap_err();
    assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("store", "P guardado não tem o campo obrigatório `exigido`"));
}

#[test]
fn what_a_struct_hid_is_not_shown_when_the_struct_is_gone() {
    let routes = "--- rotas.djo\nRoute.get:\"/\":{\"agent\": \"a.djo\"}\n--- a.djo\n";
    let mut before = site(&format!(
        "{routes}Store.set:\"u\":1:[(Usuario:{{\"nome\": \"Ana\", \"senha\": \"s3\"}})]\n--- core/a.djo\nstruct Usuario\n    nome[String]\n    nocall senha[String] = \"\"\n"
    ));
    before.agent("/", &[], "").unwrap();
    let mut after = site(&format!("{routes}Http.json:(Store.get:\"u\":1)\n"));
    after.host.store = before.host.store;
    let failure = after.agent("/", &[], "").unwrap_err();
    let message = "o valor guardado é um `Usuario`, com o campo `nocall` `senha`, e o site não tem mais essa struct";
    assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("store", message));
}

#[test]
fn what_a_struct_no_longer_has_need_not_be_known() {
    let routes = "--- rotas.djo\nRoute.get:\"/\":{\"agent\": \"a.djo\"}\n--- a.djo\n";
    let structs = "--- core/a.djo\nstruct P\n    id[Int]\n    donos[Map[Arr[Usuario]]]\n\nstruct Usuario\n    nome[String]\n    nocall senha[String] = \"\"\n";
    let set = "Store.set:\"p\":1:(P:{\"donos\": {\"a\": [(Usuario:{\"nome\": \"Ana\"})]}, \"id\": 7})\n";
    let mut before = site(&format!("{routes}{set}{structs}"));
    before.agent("/", &[], "").unwrap();
    let mut after = site(&format!("{routes}Http.json:(Store.get:\"p\":1)\n--- core/a.djo\nstruct P\n    id[Int]\n"));
    after.host.store = before.host.store;
    assert_eq!(body(&after.agent("/", &[], "").unwrap()), r#"{"id":7}"#);
}

#[test]
fn a_session_that_a_later_build_cannot_read_is_none() {
    let routes = "--- rotas.djo\nRoute.get:\"/\":{\"agent\": \"a.djo\"}\n--- a.djo\n";
    let set = "Session.set:\"u\":(Usuario:{\"nome\": \"Ana\"})\nSession.set:\"n\":1\n";
    let mut before = site(&format!("{routes}{set}--- core/a.djo\nstruct Usuario\n    nome[String]\n    nocall senha[String] = \"\"\n"));
    let entered = before.agent("/", &[], "").unwrap();
    let cookie = header(&entered, "set-cookie").unwrap().split(';').next().unwrap().to_owned();
    let mut ended = site(&format!("{routes}Session.clear:\nHttp.json:1\n"));
    ended.host.store = before.host.store.clone();
    ended.host.headers.insert("cookie".into(), cookie.clone());
    let answer = ended.agent("/", &[], "").unwrap();
    assert!(header(&answer, "set-cookie").unwrap().ends_with("Max-Age=0"));
    assert!(ended.host.store.is_empty(), "who reads a part of it alone finds it no more");
    let mut after = site(&format!("{routes}x = Session.get:\"n\"\nSession.set:\"n\":2\nHttp.json:[x, (Session.get:\"n\")]\n"));
    after.host.store = before.host.store;
    after.host.random = 8;
    after.host.headers.insert("cookie".into(), cookie.clone());
    let answer = after.agent("/", &[], "").unwrap();
    assert_eq!(body(&answer), "[null,2]");
    assert_ne!(header(&answer, "set-cookie").unwrap().split(';').next(), Some(cookie.as_str()));
    assert_eq!(after.host.store.len(), 1);
    assert!(after.host.log[0].1.contains("uma sessão que não se lê mais é como nenhuma: o valor guardado é um `Usuario`"));
}

#[test]
fn damaged_values_raise() {
    let mut site = site(
        "
--- rotas.djo
Route.get:\"/\":{\"agent\": \"a.djo\"}
--- a.djo
try
    x = Store.get:\"p\":1
    Http.json:x
catch e
    Http.json:e.tipo
",
    );
    for bytes in [&b"\x09"[..], b"", b"\x06\x05", b"\x05\x02\xff\xff", b"\x00\x00", &[4, 0, 0, 0, 0, 0, 0, 0xf0, 0x7f]] {
        site.host.store.insert(("p".into(), "1".into()), bytes.into());
        assert_eq!(body(&site.agent("/", &[], "").unwrap()), "\"store\"", "{bytes:?}");
    }
}
