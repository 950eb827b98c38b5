//! `djo-host agent` as a process, against a real server.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, workspace};
use std::{
    net::{Ipv4Addr, TcpListener},
    process::{Command, Output},
};

const BLOG: &str = "tests/sites/blog";

fn agent_in(language: &str, arguments: &[&str]) -> Output {
    let mut command = Command::new(workspace::djo_host().unwrap());
    command.arg("agent").args(arguments).env("LANG", language).env_remove("LC_ALL").env_remove("LC_MESSAGES");
    command.output().unwrap()
}

fn agent(arguments: &[&str]) -> Output {
    agent_in("C.UTF-8", arguments)
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn at(server: &Server, path: &str) -> String {
    format!("{}{path}", server.address())
}

#[test]
fn without_a_path_it_lists_what_there_is() {
    let server = Server::start(&[BLOG], &[]).unwrap();
    for path in ["", "/"] {
        let listed = agent(&[&at(&server, path)]);
        assert_eq!(listed.status.code(), Some(0), "{}", err(&listed));
        let text = out(&listed);
        let parts = [
            "Blog: Um blog para testes\n",
            "/.well-known/ai-manifest.json\n",
            "\nReads\n",
            "  GET /posts/{id}\n    Um post\n    in the path: {id} string\n    in the URL: ?campos=a,b.c\n",
            "    in the URL: ?campos=a,b.c ?tabela\n",
            "    cache: 2 s\n",
            "\nActions\n",
            "  POST /posts · criar_post\n    Cria um post novo\n    in the body:\n      titulo       string   required\n",
            "      autor.idade  integer  default 18\n",
            "  POST /posts/{id}/comentarios · comentar\n    Comenta um post\n    in the path: {id} integer\n",
            "      itens[].sku ",
        ];
        for part in parts {
            assert!(text.contains(part), "{part:?} is missing from:\n{text}");
        }
        assert!(!text.contains("/sobre"), "a page for the screen alone is not listed:\n{text}");
    }
    let portuguese = out(&agent_in("pt_BR.UTF-8", &[&at(&server, "")]));
    for part in ["\nLeituras\n", "\nAções\n", "no corpo:\n", "obrigatório", "padrão 18", "no caminho: {id} integer"] {
        assert!(portuguese.contains(part), "{part:?} is missing from:\n{portuguese}");
    }
}

#[test]
fn with_a_path_it_shows_the_answer() {
    let server = Server::start(&[BLOG], &[]).unwrap();
    let shown = agent(&[&at(&server, "/posts/2?campos=id,autor.nome")]);
    assert_eq!(shown.status.code(), Some(0));
    let link = "Link: </.well-known/ai-manifest.json>; rel=\"ai-manifest\"";
    let body = "{\n  \"id\": 2,\n  \"autor\": {\n    \"nome\": \"Ana\"\n  }\n}";
    assert_eq!(out(&shown), format!("200 OK\nContent-Type: application/json\n{link}\n\n{body}\n"));

    let table = out(&agent(&[&format!("http://{}", at(&server, "/posts?tabela&campos=id,titulo"))]));
    assert!(table.starts_with("200 OK\nContent-Type: text/csv; charset=utf-8\n"), "{table}");
    assert!(table.ends_with("\n\nid,titulo\n1,Titulo do post\n2,Titulo do post\n3,Titulo do post\n"), "{table}");
}

#[test]
fn a_failure_is_shown_and_ends_with_1() {
    let server = Server::start(&[BLOG], &[]).unwrap();
    let screen_only = agent(&[&at(&server, "/sobre")]);
    assert_eq!(screen_only.status.code(), Some(1));
    let text = out(&screen_only);
    assert!(text.starts_with("406 Not Acceptable\nContent-Type: application/json\nLink: "), "{text}");
    assert!(text.contains("  \"dica\": \"declare \\\"agent\\\" na rota\"\n"), "{text}");
    for (path, status) in [("/posts/9", "404 "), ("/nunca", "404 "), ("/posts?campos=x", "400 "), ("/quebrada", "500 ")] {
        let failed = agent(&[&at(&server, path)]);
        assert_eq!(failed.status.code(), Some(1), "{path}");
        assert!(out(&failed).starts_with(status) && err(&failed).is_empty(), "{path}: {}", out(&failed));
    }
}

#[test]
fn post_calls_an_action() {
    let server = Server::start(&[BLOG], &[]).unwrap();
    for dashes in ["-post", "--post"] {
        let called = agent(&[dashes, r#"{"a":-2}"#, &at(&server, "/soma")]);
        assert_eq!(called.status.code(), Some(0), "{}", err(&called));
        assert!(out(&called).starts_with("200 OK\n") && out(&called).ends_with("\n\n8\n"), "{}", out(&called));
    }
    let refused = agent(&["--post", r#"{"texto":""}"#, &at(&server, "/posts/abc/comentarios")]);
    assert_eq!(refused.status.code(), Some(1));
    for part in ["422 Unprocessable", "\"id\": \"deve ser Int, mas veio String\"", "\"texto\": "] {
        assert!(out(&refused).contains(part), "{part:?} is missing from:\n{}", out(&refused));
    }
    assert!(out(&agent(&["--post", "{", &at(&server, "/soma")])).contains("linha 1, coluna 2"));
    assert!(out(&agent(&["--post", "-1", &at(&server, "/soma")])).starts_with("422 "), "a body may begin with a dash");
}

#[test]
fn raw_is_the_body_to_the_byte() {
    let server = Server::start(&[BLOG], &[]).unwrap();
    for (address, path, accept) in [
        (at(&server, ""), "/.well-known/ai-manifest.json", "application/json"),
        (at(&server, "/posts"), "/posts", "application/json"),
        (at(&server, "/posts?tabela"), "/posts?tabela", "application/json"),
        (at(&server, "/sobre"), "/sobre", "application/json"),
    ] {
        let served = server.send(&Request::get(path).header("Accept", accept)).unwrap();
        let raw = agent(&["-raw", &address]);
        assert_eq!(raw.stdout, served.body, "{address}");
        assert_eq!(raw.status.code(), Some(i32::from(served.status >= 400)));
    }
}

#[test]
fn sites_are_named_by_their_host() {
    let server = Server::start(&[BLOG, "sites/exemplo"], &[]).unwrap();
    let port = server.address().port();
    assert!(out(&agent(&[&format!("blog.localhost:{port}")])).starts_with("Blog: "));
    assert!(out(&agent(&[&format!("EXEMPLO.localhost:{port}/")])).starts_with("Beira-rio: "));
    assert_eq!(agent(&[&format!("127.0.0.1:{port}")]).status.code(), Some(1));
}

#[test]
fn no_answer_ends_with_1_and_no_address_with_2() {
    let silent = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = silent.local_addr().unwrap().to_string();
    drop(silent);
    let failed = agent(&[&address]);
    assert_eq!((failed.status.code(), out(&failed).as_str()), (Some(1), ""));
    assert_eq!(err(&failed), format!("error: {address}: nothing listens there\n"));
    assert_eq!(err(&agent_in("pt_BR", &[&address])), format!("erro: {address}: ninguém atende nesse endereço\n"));
    assert_eq!(agent(&[&format!("https://{address}/")]).status.code(), Some(1));
    for bad in [&["ftp://x"][..], &["/posts"], &[], &["--nada", "localhost"], &["a", "b"]] {
        assert_eq!(agent(bad).status.code(), Some(2), "{bad:?}");
    }
}

#[test]
fn a_site_without_anything_for_agents_has_no_manifest() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("mudo");
    std::fs::create_dir(&site).unwrap();
    std::fs::write(site.join("rotas.djo"), "Route.get:\"/\":\"a.djo.html\"\n").unwrap();
    std::fs::write(site.join("a.djo.html"), "<p>oi</p>\n").unwrap();
    let server = Server::start(&[&site.to_string_lossy()], &[]).unwrap();
    let failed = agent(&[&at(&server, "")]);
    assert_eq!(failed.status.code(), Some(1));
    assert!(out(&failed).starts_with("404 Not Found\n"), "{}", out(&failed));
    assert!(err(&failed).contains("no route of this site has an agent face"), "{}", err(&failed));
}
