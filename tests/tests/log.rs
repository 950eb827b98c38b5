//! What is written to the log: bounded for each site, in one form, and never waited for.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use djo_tests::client::{self, Request};
use djo_tests::server::{Server, free_address};
use djo_tests::workspace;

/// A site whose page fails with as long an error as it can, and one that behaves.
fn sites(folder: &Path) {
    for (name, page) in [("ruim", "fail:(String.repeat:\"A\":4000)\n"), ("bom", "Http.json:1\n")] {
        let site = folder.join(name);
        fs::create_dir_all(site.join("agentes")).unwrap();
        fs::write(site.join("rotas.djo"), "Route.get:\"/\":{\"agent\": \"agentes/a.djo\"}\n").unwrap();
        fs::write(site.join("agentes/a.djo"), page).unwrap();
    }
}

fn get(name: &str) -> Request {
    Request::get("/").header("Host", &format!("{name}.localhost")).header("Accept", "application/json")
}

#[test]
fn failures_of_a_site_do_not_fill_it() {
    let folder = tempfile::tempdir().unwrap();
    sites(folder.path());
    let server = Server::start(&[folder.path().to_str().unwrap()], &[]).unwrap();
    let address = server.address();
    thread::scope(|scope| {
        (0..4).for_each(|_| {
            scope.spawn(|| (0..250).for_each(|_| assert_eq!(client::send(address, &get("ruim")).unwrap().status, 500)));
        });
    });
    let written = server.output();
    // A thousand of them would be 4 MB.
    assert!((100_000..600_000).contains(&written.len()), "{} bytes", written.len());
    thread::sleep(Duration::from_secs(3));
    assert_eq!(server.send(&get("ruim")).unwrap().status, 500);
    assert!(server.logs("so many lines are left out"), "it is told how much is missing");
}

#[test]
fn what_fails_beneath_a_request_is_told_with_its_id() {
    let server = Server::start(&["tests/sites/agentes"], &[]).unwrap();
    let store = server.data().join("sites/agentes/store.db");
    fs::create_dir_all(store.parent().unwrap()).unwrap();
    fs::write(store, "nada que um banco de dados leia".repeat(100)).unwrap();
    let execute = |body: &str| Request::post_json("/agent/execute", body);
    for (what, request) in [
        ("executions", Request::get("/agent/executions/exec_1")),
        ("continuation", execute(r#"{"tool":"buscar_mais","arguments":{},"continuation":"exec_1"}"#)),
        ("keyed run", execute(r#"{"tool":"buscar","arguments":{"q":"x"},"request_id":"um"}"#)),
    ] {
        let answer = server.send(&request).unwrap();
        let id = answer.header("x-request-id").unwrap();
        assert!(!answer.text().contains("database"), "{}", answer.text());
        assert!(server.logs(&id), "{what}: no {id} in\n{}", server.output());
        let output = server.output();
        let line = output.lines().find(|line| line.contains(&id)).unwrap();
        assert!(line.contains(&format!("{what}: ")) && line.contains("not a database"), "{line}");
    }
}

#[test]
fn a_reader_that_stalls_stops_nobody() {
    let folder = tempfile::tempdir().unwrap();
    sites(folder.path());
    let address = free_address().unwrap();
    let mut command = Command::new(workspace::djo_host().unwrap());
    command.arg("serve").arg(folder.path()).args(["--addr", &address.to_string(), "--agent-rate", "0", "--data"]);
    let mut child =
        command.arg(folder.path().join("dados")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let up = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        client::send(address, &get("bom")).is_ok()
    });
    // More than a pipe holds, and nobody takes any of it.
    let failed = (0..100).all(|_| client::send(address, &get("ruim")).is_ok_and(|answer| answer.status == 500));
    let answered = client::send(address, &get("bom")).is_ok_and(|answer| answer.status == 200);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(up && failed && answered, "up {up}, failed {failed}, answered {answered}");
}

#[test]
fn as_json_all_of_it_is() {
    let folder = tempfile::tempdir().unwrap();
    sites(folder.path());
    let broken = folder.path().join("torto");
    fs::create_dir_all(&broken).unwrap();
    fs::write(broken.join("rotas.djo"), "Route.get:\n").unwrap();
    let address = free_address().unwrap();
    let mut command = Command::new(workspace::djo_host().unwrap());
    command.env("LANG", "C.UTF-8").arg("serve").arg(folder.path()).args(["--addr", &address.to_string(), "--log", "json", "--data"]);
    let mut child =
        command.arg(folder.path().join("dados")).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let stderr = child.stderr.take().unwrap();
    let reader = thread::spawn(move || BufReader::new(stderr).lines().map(Result::unwrap).collect::<Vec<_>>());
    let up = (0..500).any(|_| {
        thread::sleep(Duration::from_millis(20));
        client::send(address, &get("ruim")).is_ok_and(|answer| answer.status == 500)
    });
    assert!(Command::new("kill").args(["-TERM", &child.id().to_string()]).status().unwrap().success());
    child.wait().unwrap();
    let lines = reader.join().unwrap();
    assert!(up && lines.len() >= 3, "{lines:#?}");
    let text: Vec<String> = lines
        .iter()
        .map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
            format!("{} {}", line["level"], line["message"])
        })
        .collect();
    for told in ["torto: left out", "AAAA", "stopping"] {
        assert!(text.iter().any(|line| line.contains(told)), "{told}: {text:#?}");
    }
}
