//! `djo-host new`: what it makes builds without a word and answers people and agents.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, workspace};
use std::{
    fs,
    path::Path,
    process::{Command, Output},
};

fn djo_host(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(workspace::djo_host().unwrap());
    // What is built for the guest's target is built once for all tests.
    command.env("CARGO_TARGET_DIR", workspace::root().join("target"));
    command.current_dir(folder).args(arguments).env("LANG", "C.UTF-8").env_remove("LC_ALL").output().unwrap()
}

/// Makes a site, checks it and serves it.
fn served(folder: &Path, name: &str, arguments: &[&str]) -> Server {
    let made = djo_host(folder, &[&["new", name], arguments].concat());
    assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
    let said = String::from_utf8(made.stdout).unwrap();
    assert!(said.contains(&format!("djo-host serve {name} --dev")), "{said}");
    let checked = djo_host(folder, &["check", name, "--json"]);
    assert_eq!((checked.status.code(), String::from_utf8(checked.stdout).unwrap().trim()), (Some(0), "[]"));
    Server::start(&[&folder.join(name).to_string_lossy()], &["--dev"]).unwrap()
}

#[test]
fn a_new_blog_answers_people_and_agents() {
    let folder = tempfile::tempdir().unwrap();
    let server = served(folder.path(), "meu-blog", &[]);
    let send = |request: Request| server.send(&request).unwrap();
    let page = send(Request::get("/").header("Accept", "text/html"));
    assert_eq!(page.status, 200);
    for part in ["<title>meu-blog</title>", "Olá, mundo", "/posts/2"] {
        assert!(page.text().contains(part), "{part} is missing from:\n{}", page.text());
    }
    assert_eq!(send(Request::get("/estilo.css")).status, 200);
    let posts = send(Request::get("/posts?campos=id,titulo").header("Accept", "application/json"));
    assert_eq!(posts.text(), r#"[{"id":2,"titulo":"Duas faces"},{"id":1,"titulo":"Olá, mundo"}]"#);

    let form = Request {
        method: "POST".into(),
        path: "/posts/1/comentar".into(),
        body: Some(b"autor=Ana&texto=Oi+%26+tchau".to_vec()),
        ..Request::default()
    };
    let sent = send(form.header("Content-Type", "application/x-www-form-urlencoded"));
    assert_eq!((sent.status, sent.header("location").as_deref()), (303, Some("/posts/1#comentarios")));
    let action = send(Request::post_json("/posts/1/comentarios", r#"{"autor":"Bia","texto":"Oi"}"#));
    assert_eq!(action.status, 201, "{}", action.text());
    let comments = send(Request::get("/posts/1/comentarios?campos=autor,texto"));
    assert_eq!(comments.text(), r#"[{"autor":"Ana","texto":"Oi & tchau"},{"autor":"Bia","texto":"Oi"}]"#);
    let page = send(Request::get("/posts/1").header("Accept", "text/html")).text();
    assert!(page.contains("<strong>Ana</strong>: Oi &amp; tchau"), "{page}");
    assert_eq!(send(Request::get("/posts/9").header("Accept", "text/html")).status, 404);
    assert_eq!(send(Request::post_json("/posts/9/comentarios", r#"{"autor":"a","texto":"b"}"#)).status, 404);
    let manifest = send(Request::get("/.well-known/ai-manifest.json")).text();
    assert!(manifest.contains(r#""nome":"meu-blog""#), "{manifest}");
}

#[test]
fn a_new_api_keeps_tasks() {
    let folder = tempfile::tempdir().unwrap();
    let server = served(folder.path(), "tarefas", &["--template", "api"]);
    let send = |request: Request| server.send(&request).unwrap();
    assert_eq!(send(Request::get("/tarefas")).text(), "[]");
    for n in 1..=11 {
        let made = send(Request::post_json("/tarefas", &format!(r#"{{"titulo":"t{n}","prazo":"2026-03-08"}}"#)));
        assert_eq!((made.status, made.text()), (201, format!(r#"{{"id":{n},"titulo":"t{n}","feita":false,"prazo":"2026-03-08"}}"#)));
    }
    assert_eq!(send(Request::post_json("/tarefas/2/concluir", "{}")).text(), r#"{"id":2,"titulo":"t2","feita":true,"prazo":"2026-03-08"}"#);
    assert_eq!(send(Request::get("/tarefas/2?campos=feita")).text(), r#"{"feita":true}"#);
    let all = send(Request::get("/tarefas?tabela&campos=id")).text();
    assert_eq!(all, format!("id\r\n{}", (1..=11).map(|n| format!("{n}\r\n")).collect::<String>()), "in order of number");
    assert_eq!(send(Request::get("/tarefas/12")).status, 404);
    assert_eq!(send(Request::post_json("/tarefas/12/concluir", "{}")).status, 404);
    assert_eq!(send(Request::post_json("/tarefas", r#"{"titulo":"","prazo":"ontem"}"#)).status, 422);
}

#[test]
fn nothing_is_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("loja")).unwrap();
    fs::write(folder.path().join("loja/rotas.djo"), "meu").unwrap();
    fs::write(folder.path().join("arquivo"), "meu").unwrap();
    for name in ["loja", "arquivo"] {
        let refused = djo_host(folder.path(), &["new", name]);
        assert_eq!(refused.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&refused.stderr).contains("is there already"), "{name}");
    }
    assert_eq!(fs::read_to_string(folder.path().join("loja/rotas.djo")).unwrap(), "meu");
    assert_eq!(fs::read_dir(folder.path().join("loja")).unwrap().count(), 1);
    fs::create_dir(folder.path().join("vazia")).unwrap();
    assert_eq!(djo_host(folder.path(), &["new", "vazia"]).status.code(), Some(0), "an empty folder is nobody's");
}

#[test]
fn a_name_must_fit_a_host() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["não", "a b", "-a", "..", "."] {
        assert_ne!(djo_host(folder.path(), &["new", "--", name]).status.code(), Some(0), "{name}");
    }
    assert_eq!(djo_host(folder.path(), &["new", "a", "--template", "nada"]).status.code(), Some(2));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is made");
}

#[test]
fn a_new_site_in_rust_becomes_a_component() {
    let folder = tempfile::tempdir().unwrap();
    let root = workspace::root();
    let sdk = root.join("guest-sdk");
    let made = djo_host(folder.path(), &["new", "recados", "--template", "rust", "--sdk", &sdk.to_string_lossy()]);
    let said = String::from_utf8_lossy(&made.stdout).into_owned();
    assert!(made.status.success() && said.contains("djo-host build recados && djo-host serve recados --dev"), "{said}");
    // Versions that are on this machine already.
    fs::copy(root.join("sites/loja/Cargo.lock"), folder.path().join("recados/Cargo.lock")).unwrap();
    let built = djo_host(folder.path(), &["build", "recados"]);
    assert!(built.status.success(), "{}", String::from_utf8_lossy(&built.stderr));
    let inspected = djo_host(folder.path(), &["inspect", "recados/site.wasm", "--json"]);
    let said = String::from_utf8(inspected.stdout).unwrap();
    for part in [r#""kind":"typed-door""#, "djo:site/handler@0.1.0", "wasi:http/incoming-handler@0.2", "djo:site/store@0.1.0"] {
        assert!(said.contains(part), "{part} is missing from {said}");
    }
    assert!(!said.contains("wasi:cli"), "a guest without std asks for nothing of a command line: {said}");
}
