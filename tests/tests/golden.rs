//! What the sites of this project publish for agents, to the byte: a change of the contract is a diff of `tests/golden`.
//! `just bless` rewrites it.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, workspace};
use serde_json::Value;
use std::{env, fs, process::Command};

/// Compares with a golden file, or writes it.
fn golden(name: &str, text: &str) {
    let path = workspace::root().join("tests/golden").join(name);
    if env::var_os("DJO_BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert!(expected == text, "{name} is not what the server says; `just bless` rewrites it.\n--- served\n{text}");
}

/// A JSON document as it is served: compact, then indented for the golden file.
fn document(server: &Server, path: &str, name: &str) {
    let served = server.send(&Request::get(path).header("Accept", "application/json")).unwrap();
    assert_eq!(served.status, 200);
    assert!(served.header("content-type").is_some_and(|kind| kind.starts_with("application/") && kind.contains("json")));
    assert_eq!(served.header("cache-control").as_deref(), Some("max-age=60"));
    let value: Value = serde_json::from_slice(&served.body).unwrap();
    assert_eq!(served.text(), value.to_string(), "compact, in raw UTF-8, without a final newline");
    golden(name, &format!("{value:#}\n"));
    let known = Request::get(path).header("Accept", "application/json").header("If-None-Match", &served.header("etag").unwrap());
    assert_eq!(server.send(&known).unwrap().status, 304);
}

/// What a site publishes by itself, beside what the host makes of its contract.
const DOCUMENTS: [(&str, &str); 5] = [
    ("/.well-known/ai-manifest.json", "manifesto.json"),
    ("/", "saudacao.json"),
    ("/.well-known/openapi.json", "openapi.json"),
    ("/.well-known/api-catalog", "api-catalog.json"),
    ("/.well-known/agent-card.json", "agent-card.json"),
];

fn documents(site: &str, folder: &str) {
    let server = Server::start(&[site], &[]).unwrap();
    for (path, name) in DOCUMENTS {
        document(&server, path, &format!("{folder}/{name}"));
    }
    let served = server.send(&Request::get("/llms.txt")).unwrap();
    golden(&format!("{folder}/llms.txt"), &served.text());
}

#[test]
fn the_documents_of_exemplo() {
    documents("sites/exemplo", "exemplo");
}

#[test]
fn the_documents_of_the_blog() {
    documents("tests/sites/blog", "blog");
}

#[test]
fn the_manifest_and_the_greeting_of_loja() {
    let server = Server::start(&["sites/loja"], &[]).unwrap();
    document(&server, "/.well-known/ai-manifest.json", "loja/manifesto.json");
    document(&server, "/", "loja/saudacao.json");
}

/// A portable component is the same site to this host, agents and all, not a plain application.
#[test]
fn what_is_portable_says_the_same_of_itself() {
    let folder = tempfile::tempdir().unwrap();
    for site in ["loja", "exemplo"] {
        let file = folder.path().join(format!("{site}.wasm"));
        let file = file.to_str().unwrap();
        let output = Command::new(workspace::djo_host().unwrap())
            .current_dir(workspace::root())
            .args(["build", &format!("sites/{site}"), "--portable", "-o", file])
            .output()
            .unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let server = Server::start(&[file], &[]).unwrap();
        document(&server, "/.well-known/ai-manifest.json", &format!("{site}/manifesto.json"));
    }
}
