//! A site through its whole HTTP contract, and what its module says of it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

extern crate djo_guest_sdk as djo;

use djo::Site as _;
use djo::testing::{form, get, post};
use djo_contract::{json, manifest, section};

#[djo::site(nome = "Feira", about = "Uma feira para testes")]
mod feira {
    use djo::prelude::*;

    /// De onde vem
    #[djo::data]
    #[derive(Clone)]
    struct Origem {
        cidade: String,
        #[djo(default = "SP", enum = ["SP", "MG"])]
        estado: String,
    }

    #[djo::data]
    #[derive(Clone, Copy, PartialEq)]
    enum Tipo {
        Fruta,
        #[djo(name = "raiz!")]
        Raiz,
    }

    /// Algo à venda
    #[djo::data]
    struct Produto {
        id: i64,
        /// Como se chama
        #[djo(min = 1, max = 20, pattern = "^[A-Z]")]
        nome: String,
        #[djo(min = 0, default = 1.5)]
        preco: f64,
        #[djo(default = "fruta")]
        tipo: Tipo,
        #[djo(default = [], max = 3, unicos)]
        etiquetas: Vec<String>,
        origem: Option<Origem>,
        #[djo(default = {"cidade": "Itu"})]
        deposito: Origem,
        #[djo(default = 0.5, nocall)]
        custo: f64,
        parecidos: Option<Vec<Produto>>,
        #[djo(default = {})]
        extra: BTreeMap<String, Value>,
    }

    const PRODUTOS: Collection<Produto> = Collection::new("produtos");

    #[djo::screen("/", cache = 30)]
    fn inicio(busca: Option<String>) -> Html {
        html(&busca.unwrap_or_default())
    }

    fn html(busca: &str) -> Html {
        djo::html!("<h1>Feira</h1><a href=\"/?busca={busca}\" title='{busca}'>{busca}</a>{{}}")
    }

    /// O que há
    #[djo::agent("/", tool = "listar")]
    fn lista(ctx: &mut Context, busca: Option<String>, #[djo(default = 2, min = 1)] limite: u32) -> Result<Page<Produto>> {
        let cursor = ctx.cursor();
        let page = PRODUTOS.list(List { limit: limite, cursor: cursor.as_deref(), prefix: busca.as_deref().unwrap_or("") })?;
        Ok(Page::from(page).of(PRODUTOS.count()?))
    }

    #[djo::agent("/produtos/{id}")]
    fn produto(id: i64) -> Result<Option<Produto>> {
        Ok(PRODUTOS.get(id)?)
    }

    #[djo::screen("/produtos/{id}")]
    fn pagina(id: i64) -> Result<Option<Html>> {
        Ok(PRODUTOS.get(id)?.map(|produto| djo::html!("<p>{produto.nome} {produto.tipo}</p>")))
    }

    /// Põe à venda
    #[djo::action("/produtos", effect = "write", idempotent = false, timeout_ms = 900, example = {"produto": {"id": 1, "nome": "Caju"}})]
    fn vender(
        ctx: &mut Context,
        /// O que é vendido
        produto: Produto,
        #[djo(inject = "header.X-Quem")] quem: String,
        #[djo(default = 1, min = 1)] vezes: i32,
    ) -> Result<Produto> {
        if produto.tipo == Tipo::Raiz && vezes > 1 {
            return Err(Error::refuse(Refusal::DomainRejection, "raízes só uma a uma").and(Directive::Replan));
        }
        if quem == "ninguém" {
            return Err(Error::status(403, "ninguém não vende"));
        }
        PRODUTOS.set(produto.id, &produto)?;
        ctx.set_status(201);
        ctx.set_header("X-Quem", quem)?;
        Ok(produto)
    }

    #[djo::action("/produtos/{id}/tirar")]
    fn tirar(id: i64) -> Result<()> {
        PRODUTOS.delete(id)?;
        Ok(())
    }

    #[djo::action("/quebrar")]
    fn quebrar(texto: String) -> Result<i64> {
        Ok(texto.parse::<i64>()?)
    }

    #[djo::agent("/imagem")]
    fn imagem() -> Vec<Content> {
        vec![Content::Image { media_type: "image/png".into(), bytes: vec![1, 2, 3] }]
    }

    #[djo::agent("/texto")]
    fn texto(ctx: &Context) -> Response {
        Response::new("text/plain; charset=utf-8", ctx.path())
    }

    #[djo::screen("/entrar", method = "POST")]
    fn entrar(ctx: &mut Context) -> Result<Redirect> {
        let quem = ctx.form("quem").ok_or_else(Error::not_found)?;
        ctx.session().set("usuario", &quem)?;
        ctx.set_cookie(&Cookie::new("visto", "sim"))?;
        Ok(Redirect::to("/eu?a=ã"))
    }

    #[djo::agent("/eu")]
    fn eu(ctx: &mut Context) -> Result<Option<String>> {
        ctx.session().get("usuario")
    }

    #[djo::screen("/sair", method = "POST")]
    fn sair(ctx: &mut Context) -> Result<Redirect> {
        ctx.session().end()?;
        Ok(Redirect::to("/"))
    }

    #[djo::error_page(404)]
    fn sumiu() -> Html {
        Html::raw("<h1>Sumiu</h1>")
    }
}

use feira::Site;

const CAJU: &str = r#"{"produto":{"id":7,"nome":"Caju","origem":{"cidade":"Itu"},"tipo":"raiz!"}}"#;

#[test]
fn the_contract_is_what_the_module_says() {
    let contract = section::decode(&Site::contract()).unwrap();
    insta::assert_snapshot!(json::to_string(&json::parse(manifest::manifest(&contract).as_bytes()).unwrap()));
    assert_eq!(contract.error_pages, [404]);
    let paths: Vec<_> =
        contract.routes.iter().map(|route| (route.method.as_str(), route.path.as_str(), route.screen, route.agent)).collect();
    assert_eq!(paths[..3], [("GET", "/", true, true), ("GET", "/produtos/{id}", true, true), ("POST", "/produtos", false, false)]);
    assert_eq!((contract.routes[0].cache, contract.routes[0].tool.as_deref()), (Some(30), Some("listar")));
    assert_eq!((contract.routes[2].options.timeout_ms, contract.routes[2].options.effect.as_deref()), (Some(900), Some("write")));
}

#[test]
fn values_come_decoded_with_their_defaults() {
    let reply = post("/produtos", CAJU).header("x-quem", "ana").send::<Site>();
    let body = r#"{"id":7,"nome":"Caju","preco":1.5,"tipo":"raiz!","etiquetas":[],"origem":{"cidade":"Itu","estado":"SP"},"deposito":{"cidade":"Itu","estado":"SP"},"parecidos":null,"extra":{}}"#;
    assert_eq!((reply.status, reply.text().as_str()), (201, body));
    assert_eq!((reply.header("x-quem"), reply.header("cache-control")), (Some("ana"), Some("no-store")));
    let reply = get("/produtos/7?campos=nome,origem.estado").json().send::<Site>();
    assert_eq!((reply.status, reply.text().as_str()), (200, r#"{"nome":"Caju","origem":{"estado":"SP"}}"#));
    assert_eq!(get("/produtos/7").header("accept", "text/html").send::<Site>().text(), "<p>Caju raiz!</p>");
    assert_eq!(post("/produtos/7/tirar", "").send::<Site>().text(), r#"{"ok":true}"#);
    assert_eq!(get("/produtos/7").json().send::<Site>().text(), r#"{"erro":"não encontrado"}"#);
}

#[test]
fn what_does_not_fit_runs_nothing() {
    let reply = post("/produtos", r#"{"produto":{"id":"x","nome":"a","custo":1},"vezes":0}"#).header("x-quem", "ana").send::<Site>();
    let campos = r#"{"erro":"entrada inválida","campos":{"produto.id":"deve ser Int, mas veio String","produto.nome":"#;
    assert_eq!(reply.status, 422);
    assert!(reply.text().starts_with(campos), "{}", reply.text());
    assert!(reply.text().contains(r#""produto.custo":"campo desconhecido""#));
    assert_eq!(get("/produtos/x").json().send::<Site>().status, 404);
    assert_eq!(get("/?limite=0").json().send::<Site>().status, 422);
    assert_eq!(post("/produtos", CAJU).send::<Site>().status, 500, "the header is missing");
}

#[test]
fn errors_end_in_their_statuses() {
    let sell =
        |quem: &str, extra: &str| post("/produtos", &CAJU.replace("}}}", &format!("}}}}{extra}}}"))).header("x-quem", quem).send::<Site>();
    let reply = sell("ninguém", "");
    assert_eq!((reply.status, reply.text().as_str()), (403, r#"{"erro":"ninguém não vende"}"#));
    let reply = post("/quebrar", r#"{"texto":"x"}"#).send::<Site>();
    assert_eq!((reply.status, reply.text().as_str()), (500, r#"{"erro":"erro interno"}"#));
    assert_eq!(post("/quebrar", r#"{"texto":"7"}"#).send::<Site>().text(), "7");
    let page = get("/produtos/9").header("accept", "text/html").send::<Site>();
    assert_eq!((page.status, page.text().as_str()), (404, "<h1>Sumiu</h1>"));
    assert_eq!(get("/nada").header("accept", "text/html").send::<Site>().text(), "<h1>Sumiu</h1>");
}

#[test]
fn a_refusal_is_data_for_the_host() {
    let request = djo::Request {
        method: "POST".into(),
        path: "/produtos".into(),
        query: String::new(),
        body: Vec::new(),
        entry: djo::Entry::Action(2),
        params: Vec::new(),
        arguments: br#"{"produto":{"id":1,"nome":"Nabo","tipo":"raiz!","deposito":{"cidade":"a","estado":"SP"}},"quem":"eu","vezes":2}"#
            .into(),
    };
    let failure = Site::run(request, &get("/produtos")).unwrap_err();
    assert_eq!((failure.message.as_str(), failure.kind.as_str()), ("raízes só uma a uma", "domain_rejection"));
    assert_eq!(failure.refusal.as_deref(), Some(br#"{"kind":"domain_rejection","acao":"replan"}"#.as_slice()));
    assert!(failure.file.ends_with("site.rs") && failure.line > 0, "{}:{}", failure.file, failure.line);
}

#[test]
fn lists_say_whether_there_is_more() {
    for id in 1..=3 {
        let body = format!(r#"{{"produto":{{"id":{id},"nome":"Caju"}}}}"#);
        assert_eq!(post("/produtos", &body).header("x-quem", "ana").send::<Site>().status, 201);
    }
    let page = |query: &str| {
        let request = djo::Request {
            method: "GET".into(),
            path: "/".into(),
            query: query.into(),
            body: Vec::new(),
            entry: djo::Entry::Agent(0),
            params: Vec::new(),
            arguments: Vec::new(),
        };
        Site::run(request, &get("/")).unwrap().page.unwrap()
    };
    let first = page("");
    assert_eq!((first.returned, first.truncated, first.total, first.next_cursor.as_deref()), (2, true, Some(3), Some("2")));
    let second = page("cursor=2");
    assert_eq!((second.returned, second.truncated, second.next_cursor), (1, false, None));
    assert_eq!(get("/?tabela&campos=id").json().send::<Site>().text(), "id\r\n1\r\n2\r\n");
}

#[test]
fn other_results_say_for_themselves_what_they_are() {
    let image = get("/imagem").json().send::<Site>();
    assert_eq!(image.header("content-type"), Some("application/vnd.djo.content+json"));
    assert_eq!(image.text(), r#"[{"type":"image","data":"AQID","mimeType":"image/png"}]"#);
    let text = get("/texto").json().send::<Site>();
    assert_eq!((text.header("content-type"), text.text().as_str()), (Some("text/plain; charset=utf-8"), "/texto"));
    let page = get("/?busca=%3Ca%26b%3E").header("accept", "text/html").send::<Site>();
    assert_eq!(page.text(), "<h1>Feira</h1><a href=\"/?busca=%3Ca%26b%3E\" title='&lt;a&amp;b&gt;'>&lt;a&amp;b&gt;</a>{}");
    assert_eq!(page.header("cache-control"), Some("public, max-age=30"));
}

#[test]
fn sessions_outlive_the_request() {
    let begun = form("/entrar", "quem=Ana+Lima").send::<Site>();
    assert_eq!((begun.status, begun.header("location")), (303, Some("/eu?a=%C3%A3")));
    let cookies: Vec<_> = begun.headers.iter().filter(|(name, _)| name == "set-cookie").map(|(_, value)| value.as_str()).collect();
    assert_eq!(cookies[0], "visto=sim; Path=/; HttpOnly; SameSite=Lax");
    let session = cookies[1].split(';').next().unwrap();
    assert!(cookies[1].ends_with("; Path=/; HttpOnly; SameSite=Lax") && session.len() == "djo_sessao=".len() + 32);
    assert_eq!(get("/eu").json().header("cookie", session).send::<Site>().text(), "\"Ana Lima\"");
    assert_eq!(get("/eu").json().header("cookie", "djo_sessao=00000000000000000000000000000000").send::<Site>().status, 404);
    let ended = form("/sair", "").header("cookie", session).send::<Site>();
    assert_eq!(ended.header("set-cookie"), Some("djo_sessao=; Path=/; HttpOnly; SameSite=Lax; Max-Age=0"));
    assert_eq!(get("/eu").json().header("cookie", session).send::<Site>().status, 404);
}
