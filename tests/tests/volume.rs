//! The cache between sites and between runs that cannot be kept, and what a table saves.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{self, Request, Response},
    server::Server,
    workspace,
};
use std::{collections::BTreeSet, fs, path::Path, thread};

const VOLUME: &str = "tests/sites/volume";

fn agent(path: &str) -> Request {
    Request::get(path).header("Accept", "application/json")
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn two_sites_with_the_same_paths_keep_their_answers_apart() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["um", "dois"] {
        copy(&workspace::root().join(VOLUME), &folder.path().join(name));
        fs::write(folder.path().join(name).join("site.toml"), "").unwrap();
    }
    fs::write(folder.path().join("dois/agentes/publica.djo"), "Http.json:{\"site\": \"dois\"}\n").unwrap();
    let server = Server::start(&[&folder.path().to_string_lossy()], &[]).unwrap();
    let ask = |name: &str| server.send(&agent("/publica").header("Host", &format!("{name}.localhost"))).unwrap();
    for _ in 0..2 {
        assert_eq!(ask("um").text(), r#"{"n":1,"q":null}"#);
        assert_eq!(ask("dois").text(), r#"{"site":"dois"}"#);
    }
    assert!(ask("um").header("age").is_some() && ask("dois").header("age").is_some());
}

#[test]
fn those_who_waited_for_what_cannot_be_kept_run_for_themselves() {
    let server = Server::start(&[VOLUME], &["--agent-conc", "32"]).unwrap();
    let address = server.address();
    let clients: Vec<_> = (0..16).map(|_| thread::spawn(move || client::send(address, &agent("/abre-sessao")).unwrap())).collect();
    let answers: Vec<Response> = clients.into_iter().map(|client| client.join().unwrap()).collect();
    let bodies: BTreeSet<String> = answers.iter().map(Response::text).collect();
    let cookies: BTreeSet<String> = answers.iter().map(|answer| answer.header("set-cookie").unwrap()).collect();
    assert_eq!((bodies.len(), cookies.len()), (16, 16), "each has its own run and its own session");
    assert!(answers.iter().all(|answer| answer.status == 200 && answer.header("age").is_none()));
}

/// Every field of an answer but those of one request alone, in the order of their names.
fn said(answer: &Response) -> Vec<(String, String)> {
    const OWN: [&str; 3] = ["age", "date", "x-request-id"];
    let mut fields: Vec<_> = answer.headers.iter().filter(|(name, _)| !OWN.contains(&name.as_str())).cloned().collect();
    fields.sort();
    fields
}

#[test]
fn a_kept_answer_says_what_the_first_one_said() {
    // A rate would be told in fields that change with each request.
    let server = Server::start(&[VOLUME], &["--agent-rate", "0"]).unwrap();
    let mut ids = BTreeSet::new();
    for (path, accept) in [
        ("/publica", "application/json"),
        ("/publica", "text/html"),
        ("/publica", "text/markdown"),
        ("/lista", "application/json"),
        ("/lista?tabela=planilha", "text/csv"),
    ] {
        let mut request = Request::get(path).header("Accept", accept);
        let (first, kept) = (server.send(&request).unwrap(), server.send(&request).unwrap());
        assert_eq!((first.header("age").is_some(), kept.header("age").is_some()), (false, true), "{path} {accept}");
        assert_eq!((first.status, said(&first), first.text()), (200, said(&kept), kept.text()), "{path} {accept}");
        for field in ["x-content-type-options", "link", "x-request-id", "content-length"] {
            let times = kept.headers.iter().filter(|(name, _)| name == field).count();
            assert_eq!(times, 1, "{path} {accept}: {field}");
        }
        ids.extend([&first, &kept].map(|answer| answer.header("x-request-id").unwrap()));
        request.method = "HEAD".into();
        let head = server.send(&request).unwrap();
        assert_eq!((head.status, said(&head), head.text().as_str()), (200, said(&kept), ""), "{path} {accept}");
        if let Some(tag) = kept.header("etag") {
            let known = server.send(&Request::get(path).header("Accept", accept).header("If-None-Match", &tag)).unwrap();
            let without = |field: &(String, String)| !["content-type", "content-length"].contains(&field.0.as_str());
            let expected: Vec<_> = said(&kept).into_iter().filter(without).collect();
            assert_eq!((known.status, said(&known)), (304, expected), "{path} {accept}");
        }
    }
    assert_eq!(ids.len(), 10, "every answer has an id of its own");
}

#[test]
fn a_restart_begins_with_an_empty_cache() {
    let mut server = Server::start(&[VOLUME], &[]).unwrap();
    let first = server.send(&agent("/publica")).unwrap().text();
    assert_eq!(server.send(&agent("/publica")).unwrap().text(), first);
    server.restart(&[VOLUME], &[]).unwrap();
    assert_ne!(server.send(&agent("/publica")).unwrap().text(), first);
}

/// A site whose `/posts` is a hundred posts of four fields.
fn hundred_posts(folder: &Path, author: &str, author_fields: &str) -> Server {
    let site = folder.join("cem");
    fs::create_dir_all(&site).unwrap();
    fs::create_dir_all(site.join("core")).unwrap();
    fs::write(site.join("rotas.djo"), "Route.get:\"/posts\":{\"agent\": \"posts.djo\", \"returns\": [\"Post\"]}\n").unwrap();
    let types =
        format!("struct Autor\n{author_fields}\nstruct Post\n    id[Int]\n    titulo[String]\n    publicado[Bool]\n    autor[Autor]\n");
    fs::write(site.join("core/tipos.djo"), types).unwrap();
    let post = format!("{{\"id\": n, \"titulo\": \"Titulo do post\", \"publicado\": true, \"autor\": {author}}}");
    let page = format!("posts = []\nn = 1\nwhile n <= 100\n    Arr.push:posts:{post}\n    n = n + 1\nHttp.json:posts\n");
    fs::write(site.join("posts.djo"), page).unwrap();
    Server::start(&[&site.to_string_lossy()], &[]).unwrap()
}

/// Bytes of the list as JSON and as CSV.
fn sizes(server: &Server) -> (usize, usize) {
    let json = server.send(&agent("/posts")).unwrap();
    let csv = server.send(&agent("/posts?tabela")).unwrap();
    assert_eq!((json.status, csv.status), (200, 200));
    assert_eq!(serde_json::from_slice::<Vec<serde_json::Value>>(&json.body).unwrap().len(), 100);
    assert_eq!(csv.text().matches("\r\n").count(), 101, "a header and a hundred rows");
    (json.body.len(), csv.body.len())
}

#[test]
fn a_table_of_the_posts_of_the_manual_has_37_percent_of_the_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let server = hundred_posts(folder.path(), "{\"nome\": \"Ana\"}", "    nome[String]\n");
    let text = server.send(&agent("/posts?tabela")).unwrap().text();
    assert!(text.starts_with("id,titulo,publicado,autor.nome\r\n1,Titulo do post,true,Ana\r\n2,Titulo do post,true,Ana\r\n"), "{text}");
    let (json, csv) = sizes(&server);
    assert!((csv * 100 + json / 2) / json <= 37, "{csv} of {json} bytes");
}

#[test]
fn the_more_names_there_are_the_more_a_table_saves() {
    let folder = tempfile::tempdir().unwrap();
    let server = hundred_posts(folder.path(), "{\"nome\": \"Ana\", \"idade\": 30}", "    nome[String]\n    idade[Int]\n");
    let (json, csv) = sizes(&server);
    assert!(csv * 100 <= json * 37, "{csv} of {json} bytes");
}

#[test]
fn of_more_than_five_hundred_answers_the_oldest_leave() {
    let server = Server::start(&[VOLUME], &[]).unwrap();
    let ask = |query: usize| server.send(&agent(&format!("/publica?q={query}"))).unwrap();
    for query in 0..=500 {
        assert_eq!(ask(query).header("age"), None, "the first time nothing is kept yet: {query}");
    }
    assert!(ask(1).header("age").is_some(), "the second oldest is still there");
    assert!(ask(500).header("age").is_some());
    let again = ask(0);
    assert_eq!((again.header("age"), again.text().as_str()), (None, r#"{"n":502,"q":"0"}"#), "the oldest had to run again");
}
