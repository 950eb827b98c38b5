//! The program as people and scripts run it: exit codes, languages, streams.
#![allow(clippy::unwrap_used)]

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    path::Path,
    process::{Command, Output, Stdio},
};

use tempfile::TempDir;

const SITE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/sites/blog");

/// The program in a clean environment and an empty folder.
fn program(folder: &Path, language: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_djo-host"));
    command.env_clear().env("LANG", language).current_dir(folder);
    command
}

fn run(language: &str, arguments: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    program(folder.path(), language).args(arguments).stdin(Stdio::null()).output().unwrap()
}

fn run_with_input(arguments: &[&str], input: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut child =
        program(folder.path(), "C").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The program may have ended before it read all of it.
    let _ = child.stdin.take().unwrap().write_all(input.as_bytes());
    child.wait_with_output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    folder
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn help_and_version_are_results() {
    for (language, usage, example) in [("C", "Usage: djo-host", "Example: "), ("pt_BR.UTF-8", "Uso: djo-host", "Exemplo: ")] {
        let output = run(language, &["--help"]);
        assert_eq!(code(&output), 0);
        assert!(out(&output).contains(usage), "{}", out(&output));
        assert!(err(&output).is_empty());
        for command in ["serve", "build", "check", "inspect", "validate"] {
            let output = run(language, &[command, "--help"]);
            assert_eq!(code(&output), 0);
            assert!(out(&output).contains(usage) && out(&output).contains(example), "{}", out(&output));
            assert!(!out(&output).contains('\u{1b}'), "colours without a terminal");
        }
    }
    let output = run("C", &["--version"]);
    assert_eq!((code(&output), out(&output)), (0, format!("djo-host {}\n", env!("CARGO_PKG_VERSION"))));
}

#[test]
fn what_is_not_understood_exits_with_2() {
    let cases: [&[&str]; 7] =
        [&[], &["serv"], &["serve", "--nada"], &["serve", "--addr", "8080"], &["serve", "-agent-conc", "0"], &["validate"], &["build"]];
    for arguments in cases {
        for language in ["C", "pt_BR.UTF-8"] {
            let output = run(language, arguments);
            assert_eq!(code(&output), 2, "{arguments:?}");
            assert!(out(&output).is_empty() && !err(&output).is_empty(), "{arguments:?}");
        }
    }
    assert!(err(&run("pt_BR.UTF-8", &["serv"])).starts_with("erro: comando desconhecido `serv`\n  você quis dizer `serve`?"));
    assert!(err(&run("C", &["serv"])).starts_with("error: unrecognized subcommand 'serv'"));
}

#[test]
fn what_fails_exits_with_1_in_the_language_of_the_user() {
    let english = run("en_US.UTF-8", &["check", "nowhere"]);
    assert_eq!((code(&english), err(&english)), (1, "error: nowhere: not found\n".into()));
    let portuguese = run("pt_PT", &["check", "nowhere"]);
    assert_eq!((code(&portuguese), err(&portuguese)), (1, "erro: nowhere: não existe\n".into()));
    for arguments in [&["build", "nowhere"][..], &["inspect", "nowhere"], &["validate", "--schema", "nowhere"], &["serve", "nowhere"]] {
        assert_eq!(code(&run("C", arguments)), 1, "{arguments:?}");
    }
}

#[test]
fn validate_decodes_as_an_action_does() {
    let schemas = folder(&[
        (
            "types.json",
            r#"{"type":"object","properties":{"titulo":{"type":"string"},"nota":{"type":"number","default":4}},"required":["titulo"],"additionalProperties":false}"#,
        ),
        ("beyond.json", r#"{"anyOf":[{"type":"string"},{"type":"integer","multipleOf":3}]}"#),
        ("broken.json", r#"{"type":"inteiro"}"#),
        ("input.json", r#"{"titulo":"Oi","nota":4.5}"#),
    ]);
    let path = |name: &str| text(&schemas.path().join(name)).to_owned();
    let validate = |schema: &str, input: &str| run_with_input(&["validate", "--schema", &path(schema)], input);

    let good = validate("types.json", r#"{"titulo":"Oi"}"#);
    assert_eq!((code(&good), out(&good)), (0, "{\"ok\":{\"titulo\":\"Oi\",\"nota\":4}}\n".into()));
    let bad = validate("types.json", r#"{"titulo":1,"autor":2}"#);
    assert_eq!(code(&bad), 1);
    assert!(err(&bad).is_empty(), "the result says it all: {}", err(&bad));
    let codes: Vec<&str> = ["invalid_field_type", "unknown_field"].into_iter().filter(|code| out(&bad).contains(code)).collect();
    assert!(out(&bad).starts_with("{\"problemas\":[") && codes.len() == 2, "{}", out(&bad));
    assert!(out(&validate("types.json", "{")).contains("invalid_json"));

    assert_eq!(out(&validate("beyond.json", "9")), "{\"ok\":9}\n");
    assert!(out(&validate("beyond.json", "8")).contains("\"problemas\":[{\"code\":\"invalid_range\""));
    let broken = validate("broken.json", "1");
    assert_eq!((code(&broken), out(&broken).as_str()), (1, ""));
    assert!(err(&broken).contains("not a usable JSON Schema"));

    let from_file = run("C", &["validate", "--schema", &path("types.json"), &path("input.json")]);
    assert_eq!(out(&from_file), "{\"ok\":{\"titulo\":\"Oi\",\"nota\":4.5}}\n");
    let dash = run_with_input(&["validate", "--schema", &path("types.json"), "-"], r#"{"titulo":""}"#);
    assert_eq!(code(&dash), 0);
}

#[test]
fn check_shows_everything_that_is_wrong() {
    let good = run("pt_BR.UTF-8", &["check", SITE]);
    assert_eq!(code(&good), 0, "{}", err(&good));
    assert!(out(&good).ends_with("nenhum problema\n"));

    let sites = folder(&[("ruim/rotas.djo", "Route.get:\"/\":{\"agent\": \"nada.djo\"}\n"), ("ruim/site.toml", "hots = []\n")]);
    let site = sites.path().join("ruim");
    let bad = run("C", &["check", text(&site)]);
    assert_eq!(code(&bad), 1);
    for part in ["rotas.djo:1:", "nada.djo", "site.toml:1:1", "chave desconhecida `hots`", "você quis dizer `hosts`?", "error: "] {
        assert!(err(&bad).contains(part), "no {part:?} in:\n{}", err(&bad));
    }
    assert!(out(&bad).is_empty());

    let json = run("C", &["check", "--json", text(&site)]);
    assert_eq!(code(&json), 1);
    let found: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let files: Vec<&str> = found.as_array().unwrap().iter().map(|problem| problem["arquivo"].as_str().unwrap()).collect();
    assert!(files.contains(&"rotas.djo") && files.contains(&"site.toml"), "{files:?}");
    let clean: serde_json::Value = serde_json::from_slice(&run("C", &["check", SITE, "--json"]).stdout).unwrap();
    assert_eq!(clean, serde_json::json!([]));
}

#[test]
fn build_writes_a_component_that_inspect_reads() {
    let folder = tempfile::tempdir().unwrap();
    let built = program(folder.path(), "C").args(["build", SITE]).output().unwrap();
    assert_eq!(code(&built), 0, "{}", err(&built));
    assert!(out(&built).starts_with("blog.wasm: ") && out(&built).contains("built in"), "{}", out(&built));
    let again = program(folder.path(), "C").args(["build", SITE, "-o", "again.wasm"]).output().unwrap();
    assert_eq!(code(&again), 0);
    let (first, second) = (fs::read(folder.path().join("blog.wasm")).unwrap(), fs::read(folder.path().join("again.wasm")).unwrap());
    assert!(first == second, "same sources, same bytes");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2, "nothing else is written");

    let shown = program(folder.path(), "pt_BR").args(["inspect", "blog.wasm"]).output().unwrap();
    for part in ["rotas", "GET /posts/{id}", "criar_post", "/ola.txt", "importa"] {
        assert!(out(&shown).contains(part), "no {part:?} in:\n{}", out(&shown));
    }
    let json = program(folder.path(), "C").args(["inspect", "--json", "blog.wasm"]).output().unwrap();
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((json["kind"].as_str(), json["size"].as_u64()), (Some("site"), Some(first.len() as u64)));
    let action = json["actions"].as_array().unwrap().iter().find(|action| action["name"] == "criar_post").unwrap();
    assert_eq!(action["input"]["additionalProperties"], false);

    let broken = self::folder(&[("ruim/rotas.djo", "Route.get:\n")]);
    let failed = program(folder.path(), "C").args(["build", text(&broken.path().join("ruim")), "-o", "failed.wasm"]).output().unwrap();
    assert_eq!(code(&failed), 1);
    assert!(!folder.path().join("failed.wasm").exists(), "a site that does not compile leaves no file");
    let none = program(folder.path(), "C").args(["inspect", SITE]).output().unwrap();
    assert_eq!(code(&none), 1);
}

#[cfg(unix)]
#[test]
fn serve_tells_what_it_serves_and_ends_when_it_is_told() {
    use rustix::process::{Pid, Signal, kill_process};

    let sites = folder(&[("ruim/rotas.djo", "Route.get:\n"), ("blog", "")]);
    fs::remove_file(sites.path().join("blog")).unwrap();
    std::os::unix::fs::symlink(SITE, sites.path().join("blog")).unwrap();
    let mut child = program(sites.path(), "pt_BR.UTF-8")
        .args(["serve", ".", "-dev"])
        .env("DJO_ADDR", "127.0.0.1:0")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let site = lines.next().unwrap().unwrap();
    assert!(site.starts_with("blog: blog.localhost, blog.exemplo.test · ") && site.contains(" rotas · "), "{site}");
    let address = lines.next().unwrap().unwrap();
    assert!(address.starts_with("servindo em http://127.0.0.1:") && !address.ends_with(":0"), "{address}");
    kill_process(Pid::from_child(&child), Signal::TERM).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!(code(&output), 0);
    let said = err(&output);
    assert!(said.contains("erro: ruim: ficou de fora") && said.contains("rotas.djo:1:"), "{said}");
    assert!(said.contains("encerrando"), "{said}");

    let strict = program(sites.path(), "C").args(["serve", ".", "--strict", "--addr", "127.0.0.1:0"]).output().unwrap();
    assert_eq!(code(&strict), 1);
}
