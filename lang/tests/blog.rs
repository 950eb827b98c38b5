//! Every route of the blog that the conformance cases use, run natively.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use djo_contract::model::Method;
use djo_vm::host::{Entry, Request};
use memory::{Site, body, header};

fn blog() -> Site {
    Site::new(&common::site("tests/sites/blog"))
}

#[test]
fn agents_get_json() {
    let mut site = blog();
    let posts = site.agent("/posts", &[], "").unwrap();
    let post = |id: u32| {
        format!(
            r#"{{"id":{id},"titulo":"Titulo do post","publicado":true,"autor":{{"nome":"Ana","idade":30}},"tags":[],"extra":{{}},"resumo":null}}"#
        )
    };
    assert_eq!(body(&posts), format!("[{},{},{}]", post(1), post(2), post(3)));
    assert_eq!((posts.status, header(&posts, "content-type")), (200, Some("application/json")));
    let one = site.agent("/posts/{id}", &[("id", "2")], "").unwrap();
    assert_eq!((one.status, body(&one)), (200, post(2).as_str()));
    for id in ["9", "abc"] {
        let none = site.agent("/posts/{id}", &[("id", id)], "").unwrap();
        assert_eq!((none.status, body(&none)), (404, r#"{"erro":"post não encontrado"}"#));
    }
    assert_eq!(body(&site.agent("/posts/novos", &[], "").unwrap()), format!("[{}]", post(99)));
    assert_eq!(body(&site.agent("/sem-tipo", &[], "").unwrap()), r#"{"livre":true,"lista":[1,2.5,"três",null]}"#);
    assert_eq!(body(&site.agent("/mentira", &[], "").unwrap()), r#"{"nome":7,"sobra":1}"#);
    assert_eq!(body(&site.agent("/contador", &[], "").unwrap()), r#"{"n":1}"#);
    assert_eq!(body(&site.agent("/contador", &[], "").unwrap()), r#"{"n":2}"#);
}

#[test]
fn screens_get_html() {
    let mut site = blog();
    let start = site.screen("/").unwrap();
    assert_eq!((start.status, header(&start, "content-type")), (200, Some("text/html; charset=utf-8")));
    assert!(body(&start).starts_with("<!doctype html>\n<html lang=\"pt-BR\">"), "{}", body(&start));
    assert!(body(&start).contains("<nav><a href=\"/\">Blog</a></nav>"));
    assert!(body(&start).contains("<h1>Início</h1>"));
    assert_eq!(body(&site.screen("/sobre").unwrap()).trim(), "<p>Sobre</p>");
    let posts = site.screen("/posts").unwrap();
    assert_eq!(body(&posts).matches("<li class=\"ok\">Titulo do post — Ana</li>").count(), 3);
    assert!(body(&site.screen("/contador").unwrap()).contains("<b>1</b>"));
    let escapes = site.screen("/escapes").unwrap();
    let shown = body(&escapes);
    assert!(shown.contains("<p title=\"&lt;b&gt;&quot;oi&quot; &amp; &#39;tchau&#39;&lt;/b&gt;\">&lt;b&gt;&quot;oi&quot;"), "{shown}");
    assert!(shown.contains("<a href=\"#\">x</a><a href=\"/busca?q=a%20b&amp;c=%3Cd%3E\">y</a>"), "{shown}");
    assert!(shown.contains(r#"var d = "\u003cb\u003e\"oi\" \u0026 'tchau'\u003c/b\u003e";"#), "{shown}");
    assert!(shown.contains("<i><b>\"oi\" & 'tchau'</b></i>"), "{shown}");
}

#[test]
fn what_fails_says_where() {
    let mut site = blog();
    let failure = site.agent("/quebrada", &[], "").unwrap_err();
    assert_eq!((failure.message.as_str(), failure.kind.as_str()), ("segredo interno 123", "erro"));
    assert_eq!((failure.file.as_str(), failure.line), ("agentes/quebrada.djo", 1));
    let failure = site.screen("/quebrada").unwrap_err();
    assert_eq!((failure.file.as_str(), failure.line), ("paginas/quebrada.djo.html", 1));
    let failure = site.action("/falhar", &[], "{}").unwrap_err();
    assert_eq!((failure.kind.as_str(), failure.message.as_str()), ("conta", "divisão por zero"));
    assert_eq!(failure.trace, [("falhar".to_owned(), "core/pedidos.djo".to_owned(), 31)]);
    let failure = site.action("/soma", &[], r#"{"a":9223372036854775807}"#).unwrap_err();
    assert_eq!(failure.kind, "conta");
    let failure = site.action("/eterno", &[], "{}").unwrap_err();
    assert_eq!(failure.kind, "tempo");
}

#[test]
fn actions_answer_what_they_return() {
    let mut site = blog();
    let made = site.action("/posts", &[], r#"{"titulo":"Oi","nota":4,"autor":{"nome":"Ana"}}"#).unwrap();
    assert_eq!((made.status, body(&made)), (201, r#"{"titulo":"Oi","autor":"Ana","idade":18,"nota":4}"#));
    assert_eq!(site.host.log, [(djo_vm::host::Level::Print, "criando".to_owned())]);
    assert_eq!(body(&site.action("/posts/{id}/publicar", &[("id", "7")], "{}").unwrap()), r#"{"id":7,"publicado":true}"#);
    let said = site.action("/posts/{id}/comentarios", &[("id", "1")], r#"{"texto":"um"}"#).unwrap();
    assert_eq!(body(&said), r#"{"id":1,"post":1,"texto":"um"}"#);
    assert_eq!(body(&site.action("/soma", &[], r#"{"a":5}"#).unwrap()), "15");
    assert_eq!(body(&site.action("/soma", &[], r#"{"a":5.0,"b":0}"#).unwrap()), "5");
    let order = site.action("/pedido", &[], r#"{"itens":[{"sku":"AB-01"},{"sku":"CD-02","quantidade":5}]}"#).unwrap();
    assert_eq!(body(&order), r#"{"id":1,"itens":[{"sku":"AB-01","quantidade":1},{"sku":"CD-02","quantidade":5}],"total":6}"#);
    let nothing = site.action("/nada", &[], "").unwrap();
    assert_eq!((nothing.status, body(&nothing)), (200, r#"{"ok":true}"#));
    let kinds = site.action("/tipos", &[], r#"{"i":1,"x":2,"s":"","b":false,"a":[],"m":{}}"#).unwrap();
    assert_eq!(body(&kinds), r#"{"i":1,"x":2,"s":"","b":false,"a":[],"m":{},"opcional":null}"#);
}

#[test]
fn a_session_lives_in_a_cookie() {
    let mut site = blog();
    let refused = site.action("/segredo", &[], "{}").unwrap();
    assert_eq!((refused.status, body(&refused)), (401, r#"{"erro":"entre primeiro"}"#));
    assert_eq!((refused.headers.len(), site.host.store_calls), (1, 0));
    let entered = site.action("/entrar", &[], r#"{"nome":"Bia"}"#).unwrap();
    let cookie = header(&entered, "set-cookie").unwrap();
    assert!(cookie.ends_with("; Path=/; HttpOnly; SameSite=Lax"), "{cookie}");
    let id = cookie.split(';').next().unwrap().to_owned();
    assert_eq!(id.len(), "djo_sessao=".len() + 32);
    site.host.headers.insert("cookie".into(), format!("outro=1; {id}"));
    let secret = site.action("/segredo", &[], "{}").unwrap();
    assert_eq!(body(&secret), r#"{"segredo":"42","nome":"Bia"}"#);
    assert_eq!(header(&secret, "set-cookie"), None);
    site.host.headers.insert("cookie".into(), format!("djo_sessao={}", "0".repeat(32)));
    assert_eq!(site.action("/segredo", &[], "{}").unwrap().status, 401);
}

#[test]
fn a_form_redirects_or_complains() {
    let mut site = blog();
    let entry = Entry::Screen(site.route(Method::Post, "/contato"));
    let mut send = |form: &str| {
        site.host.headers.insert("content-type".into(), "application/x-www-form-urlencoded; charset=utf-8".into());
        site.run(&Request { method: "POST".into(), path: "/contato".into(), body: form.into(), entry, ..Request::default() }).unwrap()
    };
    let sent = send("nome=Ana+Maria");
    assert_eq!((sent.status, header(&sent, "location"), sent.body.len()), (303, Some("/sobre"), 0));
    let missing = send("nome=");
    assert_eq!((missing.status, header(&missing, "content-type")), (400, Some("text/html; charset=utf-8")));
    assert_eq!(body(&missing), "<p>Falta o nome</p>");
}

#[test]
fn the_image_is_small_and_reproducible() {
    let (a, b) = (blog(), blog());
    assert_eq!(a.image, b.image);
    assert!(a.image.len() < 10_000, "{} bytes", a.image.len());
}
