//! What a handler reads of its request and says of its answer, as a page of a djo site would.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

extern crate djo_guest_sdk as djo;

use djo::testing::{Call, form, get, post};

#[djo::site(nome = "Leitura", about = "O que chega e o que sai")]
mod leitura {
    use djo::prelude::*;

    /// Vazio se nada veio
    fn shown(value: Option<String>) -> String {
        value.map_or("nada".to_string(), |value| format!("[{value}]"))
    }

    #[djo::screen("/query")]
    fn query(ctx: &mut Context) -> Result<Response> {
        Ok(Response::new("text/plain", format!("{} {}", shown(ctx.query("a")), shown(ctx.cursor()))))
    }

    #[djo::screen("/cookie")]
    fn cookie(ctx: &mut Context) -> Result<Response> {
        Ok(Response::new("text/plain", shown(ctx.cookie("a"))))
    }

    #[djo::screen("/form", method = "POST")]
    fn enviado(ctx: &mut Context) -> Result<Response> {
        Ok(Response::new("text/plain", shown(ctx.form("a"))))
    }

    #[djo::screen("/status/{n}")]
    fn status(ctx: &mut Context, n: u16) -> Result<Html> {
        ctx.set_status(n);
        Ok(djo::html!("<p>oi</p>"))
    }

    /// Recusa sempre
    #[djo::action("/recusar")]
    fn recusar(tipo: String) -> Result<()> {
        let kind = match tipo.as_str() {
            "chamada" => Refusal::InvalidCall,
            "regra" => Refusal::DomainRejection,
            "fora" => Refusal::Unavailable,
            "demais" => Refusal::RateLimited,
            "tempo" => Refusal::Timeout,
            _ => Refusal::Internal,
        };
        Err(Error::refuse(kind, "só há <2>"))
    }

    #[djo::screen("/recusada")]
    fn recusada() -> Result<Html> {
        Err(Error::refuse(Refusal::DomainRejection, "só há <2>"))
    }

    /// De onde vem o pedido
    #[djo::action("/de_onde")]
    fn de_onde(#[djo(inject = "client.ip")] ip: Option<String>) -> Result<Option<String>> {
        Ok(ip)
    }

    #[djo::error_page(404)]
    fn sumiu(ctx: &mut Context) -> Result<Response> {
        ctx.set_header("X-Meu", "1")?;
        Ok(Response::new("text/plain", format!("{} {}", ctx.method(), ctx.path())))
    }
}

use leitura::Site;

fn read(call: Call) -> String {
    call.header("accept", "text/html").send::<Site>().text()
}

#[test]
fn a_bad_pair_of_a_query_spoils_no_other() {
    for (target, shown) in [
        ("/query", "nada nada"),
        ("/query?b=%zz&a=1+2", "[1 2] nada"),
        ("/query?a=%zz&cursor=", "[%zz] nada"),
        ("/query?a&cursor=%C3%A9", "[] [é]"),
    ] {
        assert_eq!(read(get(target)), shown, "{target}");
    }
}

#[test]
fn cookies_are_read_as_browsers_and_others_write_them() {
    for (cookies, shown) in [("b=1; a=\"2\"", "[2]"), ("a=%C3%A9%zz", "[é%zz]"), ("a=%ff", "nada"), ("ab=1", "nada"), ("a=", "[]")] {
        assert_eq!(read(get("/cookie").header("cookie", cookies)), shown, "{cookies}");
    }
}

#[test]
fn forms_are_read_by_their_kind() {
    assert_eq!(read(form("/form", "b=%zz&a=1")), "[1]");
    let part = "--x\r\ncontent-disposition: form-data; name=\"a\"\r\n\r\n2\r\n--x--\r\n";
    let sent = |kind: &str| read(form("/form", part).header("content-type", kind));
    assert_eq!(sent("multipart/form-data; boundary=x"), "[2]");
    assert_eq!(sent("text/plain"), "nada");
}

#[test]
fn a_status_that_no_answer_has_is_a_defect() {
    for (status, answered) in [(0, 500), (100, 500), (199, 500), (600, 500), (200, 200), (599, 599)] {
        assert_eq!(get(&format!("/status/{status}")).send::<Site>().status, answered, "{status}");
    }
    for status in [204, 304] {
        let reply = get(&format!("/status/{status}")).send::<Site>();
        assert_eq!((reply.status, reply.header("content-type"), reply.body.len()), (status, None, 0));
    }
}

#[test]
fn a_refusal_is_told_to_who_called() {
    for (kind, status, name) in [
        ("chamada", 422, "invalid_call"),
        ("regra", 409, "domain_rejection"),
        ("fora", 503, "unavailable"),
        ("demais", 429, "rate_limited"),
        ("tempo", 504, "timeout"),
    ] {
        let reply = post("/recusar", &format!(r#"{{"tipo":"{kind}"}}"#)).send::<Site>();
        assert_eq!((reply.status, reply.header("cache-control")), (status, Some("no-store")), "{kind}");
        assert!(reply.text().starts_with(&format!(r#"{{"erro":"só há <2>","kind":"{name}""#)), "{}", reply.text());
    }
    let fault = post("/recusar", r#"{"tipo":"x"}"#).send::<Site>();
    assert_eq!((fault.status, fault.text().as_str()), (500, r#"{"erro":"erro interno"}"#));
    let page = get("/recusada").header("accept", "text/html").send::<Site>();
    assert!(page.status == 409 && page.text().contains("<p>só há &lt;2&gt;.</p>"), "{}", page.text());
}

#[test]
fn a_page_for_what_is_not_there_is_only_read() {
    let page = form("/nada", "a=1").header("accept", "text/html").send::<Site>();
    assert_eq!((page.status, page.text().as_str()), (404, "GET /nada"));
    assert_eq!((page.header("content-type"), page.header("x-meu")), (Some("text/html; charset=utf-8"), None));
    assert_eq!((page.header("cache-control"), page.header("vary")), (Some("no-store"), Some("Accept")));
}

#[test]
fn the_clients_address_is_told_where_it_is_known() {
    assert_eq!(post("/de_onde", "{}").send::<Site>().text(), "\"127.0.0.1\"");
}
