//! Nothing of one request reaches the next, in an instance that serves many: whatever came before, an answer is the one that a fresh
//! instance gives.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{Request, Response},
    server::Server,
    workspace,
};
use std::{fs, path::Path, process::Command};

const LABORATORY: &str = "tests/sites/laboratorio";
const SECRET: &str = "segredo-da-ana";

/// The laboratory, its instances as asked.
fn laboratory(folder: &Path, isolation: &str) -> String {
    let to = folder.join("laboratorio");
    fs::create_dir_all(folder).unwrap();
    assert!(Command::new("cp").arg("-r").args([&workspace::root().join(LABORATORY), &to]).status().unwrap().success());
    let settings = fs::read_to_string(to.join("site.toml")).unwrap();
    fs::write(to.join("site.toml"), format!("isolation = \"{isolation}\"\n{settings}")).unwrap();
    to.to_str().unwrap().to_owned()
}

fn agent(path: &str) -> Request {
    Request::get(path).header("Accept", "application/json")
}

/// Requests that fill an instance with what must not be seen again.
fn traces() -> Vec<Request> {
    let personal = |request: Request| {
        let request = request.header("Cookie", &format!("sabor={SECRET}; djo_sid={SECRET}")).header("X-Teste", SECRET);
        request.header("Authorization", SECRET)
    };
    let long = SECRET.repeat(500);
    let mut all = vec![
        personal(agent(&format!("/eco?q={SECRET}&r={SECRET}"))),
        personal(agent(&format!("/eco/{SECRET}/fim/{SECRET}"))),
        agent(&format!("/busca?q={SECRET}&pagina=77")),
        agent("/cabecalhos"),
        agent("/injecao"),
        agent("/status/418"),
        agent("/imprime"),
        agent("/biblioteca"),
        agent("/numeros"),
        agent("/ultimo"),
        Request::get("/com-pagina").header("Accept", "text/html"),
        personal(Request::post_json("/agir/entrar", &format!(r#"{{"nome":"{SECRET}"}}"#))),
        Request::post_json("/agir/eco", &format!(r#"{{"pacote":{{"pecas":[{{"nome":"roda"}}],"rotulos":{{"a":"{long}"}}}}}}"#)),
        Request::post_json("/agir/guardar/fixa", r#"{"valor":{"a":1}}"#),
        Request::post_json("/agir/lento", r#"{"voltas":300000}"#),
        Request::post_json("/agir/fundo", "{}"),
    ];
    all.extend(["fail", "divisao", "indice", "estouro", "nil", "depois"].map(|kind| personal(agent(&format!("/erro/{kind}")))));
    all.extend(["memoria", "memoria-pega", "resposta", "ciclo", "iguais", "pilha"].map(|limit| agent(&format!("/limite/{limit}"))));
    all
}

/// Requests that would show it.
fn probes() -> Vec<Request> {
    vec![
        agent("/eco"),
        agent("/busca"),
        agent("/nada"),
        agent("/sessao"),
        agent("/so-agente"),
        agent("/status/200"),
        agent("/numeros"),
        agent("/loja/nenhuma"),
        agent("/erro/nenhum"),
        agent("/erro/fail"),
        agent("/biblioteca"),
        Request::get("/duas").header("Accept", "text/html"),
        Request::post_json("/agir/eco", "{}"),
        Request::post_json("/agir/lento", r#"{"voltas":1}"#),
    ]
}

/// An answer without what is new in every one.
fn essence(response: &Response) -> String {
    let headers = response.headers.iter().filter(|(name, _)| name != "date" && name != "x-request-id");
    let told = format!("{} {:?} {}", response.status, headers.collect::<Vec<_>>(), response.text());
    // The built-in error answers name the request.
    match response.header("x-request-id") {
        Some(id) => told.replace(&id, "ID"),
        None => told,
    }
}

#[test]
fn an_instance_that_serves_many_answers_as_a_fresh_one() {
    let folder = tempfile::tempdir().unwrap();
    let fresh = Server::start(&[&laboratory(&folder.path().join("request"), "request")], &[]).unwrap();
    let reused = Server::start(&[&laboratory(&folder.path().join("reuse"), "reuse")], &[]).unwrap();
    let expected: Vec<String> = probes().iter().map(|probe| essence(&fresh.send(probe).unwrap())).collect();
    for trace in traces() {
        for (probe, expected) in probes().iter().zip(&expected) {
            reused.send(&trace).unwrap();
            let answer = essence(&reused.send(probe).unwrap());
            assert_eq!(answer, *expected, "{} {} after {} {}", probe.method, probe.path, trace.method, trace.path);
            assert!(!answer.contains(SECRET));
        }
    }
}

#[test]
fn what_was_read_by_one_request_is_not_held_against_the_next() {
    let server = Server::start(&["tests/sites/volume"], &[]).unwrap();
    for n in 0..20 {
        // This page reads a header and is not kept; the other reads none and is, in the same instance.
        assert_eq!(server.send(&agent("/le-cabecalho").header("X-N", &n.to_string())).unwrap().header("age"), None);
        let kept = server.send(&agent(&format!("/publica?n={n}"))).unwrap();
        assert!(kept.header("cache-control").unwrap().starts_with("public"), "{:?}", kept.headers);
        let not = server.send(&agent(&format!("/le-ip?n={n}"))).unwrap();
        assert!(!not.header("cache-control").unwrap().starts_with("public"), "{:?}", not.headers);
    }
}

#[test]
fn random_numbers_differ_from_request_to_request() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::start(&[&laboratory(folder.path(), "reuse")], &[]).unwrap();
    let sessions: std::collections::BTreeSet<String> = (0..200)
        .map(|_| {
            let answer = server.send(&Request::post_json("/agir/entrar", r#"{"nome":"ana"}"#)).unwrap();
            answer.header("set-cookie").unwrap()
        })
        .collect();
    assert_eq!(sessions.len(), 200);
}
