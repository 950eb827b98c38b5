//! The examples of `docs/linguagem.md` are true: its files compile as one site, its expressions give what stands beside them.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, workspace};
use serde_json::Value;
use std::{fs, path::Path, process::Command};

/// A fenced block: what stands after the fence, and its text.
fn blocks(text: &str) -> Vec<(String, String)> {
    let mut blocks = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => open = Some((info.to_owned(), String::new())),
            (Some(_), Some(_)) => blocks.extend(open.take()),
            (Some((_, body)), None) => *body += &format!("{line}\n"),
            (None, None) => {}
        }
    }
    blocks
}

fn reference() -> Vec<(String, String)> {
    blocks(&fs::read_to_string(workspace::root().join("docs/linguagem.md")).unwrap())
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

#[test]
fn the_files_of_the_reference_are_a_site() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("referencia");
    let mut files = 0;
    for (info, text) in reference() {
        if let Some(name) = info.strip_prefix("djo ") {
            write(&site, name, &text);
            files += 1;
        }
    }
    assert!(files > 5, "the reference shows {files} files");
    let server = Server::start(&[&site.to_string_lossy()], &[]).unwrap();
    let page = server.send(&Request::get("/posts").header("Accept", "text/html")).unwrap().text();
    assert!(page.contains(r#"<article class="rascunho"><a href="/posts/1?de=Posts">Oi &amp; tchau</a></article>"#), "{page}");
    let created = server.send(&Request::post_json("/posts", r#"{"titulo":"Oi","nota":4,"autor":{"nome":"Ana"}}"#)).unwrap();
    assert_eq!((created.status, created.text().as_str()), (201, r#"{"titulo":"Oi","autor":"Ana","pagina":1}"#));
    let found = server.send(&Request::get("/busca?q=a+b&pagina=2").header("Accept", "application/json")).unwrap();
    assert_eq!(found.text(), r#"{"q":"a b","pagina":2}"#);
}

#[test]
fn every_expression_gives_what_stands_beside_it() {
    let all = reference();
    let lines: Vec<&str> = all.iter().filter(|(info, _)| info == "djo-exemplos").flat_map(|(_, text)| text.lines()).collect();
    let pairs: Vec<(&str, &str)> = lines.iter().map(|line| line.rsplit_once(" => ").unwrap_or_else(|| panic!("no => in {line}"))).collect();
    assert!(pairs.len() > 20, "the reference shows {} expressions", pairs.len());
    let list: Vec<String> = pairs.iter().map(|(expression, _)| format!("    (Json.encode:({expression}))")).collect();
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("exemplos");
    write(&site, "rotas.djo", "Route.get:\"/x\":{\"agent\": \"x.djo\"}\n");
    write(&site, "x.djo", &format!("Http.json:[\n{}\n]\n", list.join(",\n")));
    let server = Server::start(&[&site.to_string_lossy()], &[]).unwrap();
    let response = server.send(&Request::get("/x")).unwrap();
    let values: Vec<String> = serde_json::from_str(&response.text()).unwrap_or_else(|_| panic!("{}", response.text()));
    for ((expression, expected), value) in pairs.iter().zip(values) {
        assert_eq!(value, *expected, "{expression}");
        assert!(serde_json::from_str::<Value>(expected).is_ok(), "{expected} is not JSON");
    }
}

#[test]
fn the_readme_shows_what_the_agent_command_prints() {
    let server = Server::start(&["sites/exemplo"], &[]).unwrap();
    let address = server.address().to_string();
    let output = Command::new(workspace::djo_host().unwrap()).args(["agent", &address]).env("LANG", "C.UTF-8").output().unwrap();
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap().replace(&address, "localhost:8080");
    let readme = fs::read_to_string(workspace::root().join("README.md")).unwrap();
    assert!(readme.contains(printed.trim_end()), "README.md should show:\n{printed}");
}
