//! The commands of `djo-host` beside `serve`: build, inspect, check, validate.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{client::Request, server::Server, workspace};
use serde_json::Value;
use std::{
    fs,
    io::Write,
    path::Path,
    process::{Command, Output, Stdio},
};

const EXEMPLO: &str = "sites/exemplo";

fn djo_host(arguments: &[&str]) -> Output {
    djo_host_with(arguments, "")
}

fn djo_host_with(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(workspace::djo_host().unwrap())
        .current_dir(workspace::root())
        .args(arguments)
        .env("LANG", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    child.wait_with_output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn everything(output: &Output) -> String {
    stdout(output) + &String::from_utf8_lossy(&output.stderr)
}

fn build(site: &str, folder: &Path, name: &str) -> String {
    let file = folder.join(name).to_string_lossy().into_owned();
    let output = djo_host(&["build", site, "-o", &file]);
    assert!(output.status.success(), "{}", everything(&output));
    file
}

#[test]
fn a_built_site_is_small_reproducible_and_served_alike() {
    let folder = tempfile::tempdir().unwrap();
    let file = build(EXEMPLO, folder.path(), "exemplo.wasm");
    let bytes = fs::read(&file).unwrap();
    assert_eq!(bytes, fs::read(build(EXEMPLO, folder.path(), "de-novo.wasm")).unwrap(), "the same source gives the same bytes");
    assert!(bytes.len() < 1_000_000, "{} bytes", bytes.len());
    let (source, built) = (Server::start(&[EXEMPLO], &[]).unwrap(), Server::start(&[&file], &[]).unwrap());
    for path in ["/", "/posts/1", "/sobre", "/estilo.css", "/nunca"] {
        let ask = |server: &Server| server.send(&Request::get(path).header("Accept", "text/html")).unwrap();
        let (source, built) = (ask(&source), ask(&built));
        assert_eq!((source.status, source.text()), (built.status, built.text()), "{path}");
    }
}

#[test]
fn inspect_shows_routes_actions_and_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let file = build(EXEMPLO, folder.path(), "exemplo.wasm");
    let text = djo_host(&["inspect", &file]);
    assert!(text.status.success());
    for part in ["/posts/{id}", "criar_post", "titulo", "Beira-rio"] {
        assert!(stdout(&text).contains(part), "{part} is missing from:\n{}", stdout(&text));
    }
    let json = djo_host(&["inspect", &file, "--json"]);
    let json: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert!(json.is_object());
}

#[test]
fn inspect_of_what_is_no_component_fails() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("x.wasm");
    fs::write(&file, b"nada").unwrap();
    assert_eq!(djo_host(&["inspect", &file.to_string_lossy()]).status.code(), Some(1));
}

#[test]
fn check_tells_every_error_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let site = folder.path().join("torto");
    fs::create_dir_all(site.join("core")).unwrap();
    fs::write(site.join("rotas.djo"), "Route.action:\"/oi\":\"oii\"\n").unwrap();
    fs::write(site.join("core/a.djo"), "action oi\n    params[n[Imt]]\n    return naoexiste\n").unwrap();
    let site = site.to_string_lossy().into_owned();
    let text = djo_host(&["check", &site]);
    assert_eq!(text.status.code(), Some(1));
    for part in ["rotas.djo:1:", "core/a.djo:2:", "core/a.djo:3:", "Int"] {
        assert!(everything(&text).contains(part), "{part} is missing from:\n{}", everything(&text));
    }
    let json = djo_host(&["check", &site, "--json"]);
    assert_eq!(json.status.code(), Some(1));
    let parsed: Value = serde_json::from_str(&stdout(&json)).unwrap();
    assert!(parsed.to_string().contains("core/a.djo"), "{parsed}");
}

#[test]
fn as_json_what_is_no_site_is_told_as_what_is_wrong_with_one() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("x.wasm"), "").unwrap();
    for place in [folder.path().to_path_buf(), folder.path().join("nada"), folder.path().join("x.wasm")] {
        let place = place.to_string_lossy().into_owned();
        let checked = djo_host(&["check", &place, "--json"]);
        assert_eq!((checked.status.code(), checked.stderr.len()), (Some(1), 0), "{}", everything(&checked));
        let told: Value = serde_json::from_str(&stdout(&checked)).unwrap();
        let [one] = told.as_array().unwrap().as_slice() else { panic!("{told}") };
        assert_eq!((one["arquivo"].as_str(), one["codigo"].as_str(), one["linha"].as_u64()), (Some(&*place), Some("site"), Some(1)));
        assert!(one["mensagem"].as_str().is_some_and(|message| !message.is_empty()), "{told}");
    }
}

#[test]
fn the_sites_of_this_project_have_no_error() {
    for site in [EXEMPLO, "tests/sites/blog", "tests/sites/laboratorio"] {
        let output = djo_host(&["check", site]);
        assert!(output.status.success(), "{site}:\n{}", everything(&output));
    }
}

#[test]
fn validate_decodes_as_an_action_would() {
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("schema.json");
    let text = r#"{"type":"object","required":["n"],"additionalProperties":false,"properties":{"n":{"type":"integer"},"s":{"type":"string","default":"x"}}}"#;
    fs::write(&schema, text).unwrap();
    let schema = schema.to_string_lossy().into_owned();
    let good = djo_host_with(&["validate", "--schema", &schema], r#"{"n": 4.0}"#);
    assert_eq!(good.status.code(), Some(0), "{}", everything(&good));
    assert_eq!(serde_json::from_str::<Value>(&stdout(&good)).unwrap()["ok"], serde_json::json!({"n": 4, "s": "x"}));
    let bad = djo_host_with(&["validate", "--schema", &schema], r#"{"m": 1}"#);
    assert_eq!(bad.status.code(), Some(1));
    let problems = serde_json::from_str::<Value>(&stdout(&bad)).unwrap()["problemas"].clone();
    assert_eq!((problems[0]["code"].as_str(), problems[1]["code"].as_str()), (Some("missing_field"), Some("unknown_field")));
}

#[test]
fn bad_usage_ends_with_2_and_help_has_an_example() {
    assert_eq!(djo_host(&["serve", "--nunca-existiu"]).status.code(), Some(2));
    assert_eq!(djo_host(&["nada"]).status.code(), Some(2));
    for command in ["serve", "build", "check", "inspect", "validate"] {
        let help = djo_host(&[command, "--help"]);
        assert!(help.status.success());
        let example = format!("djo-host {command} ");
        assert!(stdout(&help).matches(&example).count() > 0, "{command} --help shows no example:\n{}", stdout(&help));
    }
}

#[test]
fn a_site_that_is_not_there_ends_with_1() {
    assert_eq!(djo_host(&["build", "sites/nao-existe"]).status.code(), Some(1));
    assert_eq!(djo_host(&["check", "sites/nao-existe"]).status.code(), Some(1));
}

/// With standard output on a file that takes nothing.
#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_a_failure() {
    let full = || fs::File::options().write(true).open("/dev/full").unwrap();
    for arguments in [&["check", EXEMPLO][..], &["--help"], &["--version"]] {
        let output = Command::new(workspace::djo_host().unwrap())
            .current_dir(workspace::root())
            .args(arguments)
            .env("LANG", "pt_BR.UTF-8")
            .stdout(full())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(1), "{arguments:?}");
    }
}

#[test]
fn help_is_a_command_and_the_last_default_counts() {
    let help = djo_host(&["help", "serve"]);
    assert!(help.status.success() && stdout(&help).contains("--agent-rate"), "{}", everything(&help));
    let server = Server::start(&[EXEMPLO, "tests/sites/blog"], &["--default", "exemplo", "-default", "blog"]).unwrap();
    // Only the blog has such a route.
    assert_eq!(server.send(&Request::get("/soma").header("Accept", "application/json")).unwrap().status, 405);
}

#[test]
fn whom_nobody_serves_is_told_apart_from_who_offers_nothing() {
    let server = Server::start(&[EXEMPLO, "tests/sites/blog"], &[]).unwrap();
    let output = djo_host(&["agent", &server.address().to_string()]);
    assert_eq!(output.status.code(), Some(1));
    assert!(everything(&output).contains("no site answers to this host"), "{}", everything(&output));
}
