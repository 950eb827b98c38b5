//! Habits of the house, enforced: dependency arrows, module heads, file lengths, no stubs, no machine's paths, links that lead somewhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::workspace;
use regex::Regex;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// The greatest length of a source file, in lines.
const LONGEST: usize = 500;

/// Which crates of the workspace each may depend on. A new edge is a change of architecture: it is made here, on purpose.
const ARROWS: &[(&str, &[&str])] = &[
    ("djo-contract", &[]),
    ("djo-vm", &["djo-contract"]),
    ("djo-lang", &["djo-contract", "djo-vm"]),
    ("djo-guest-macros", &["djo-contract"]),
    ("djo-guest-sdk", &["djo-contract", "djo-guest-macros"]),
    ("djo-runtime", &["djo-guest-sdk", "djo-vm"]),
    ("djo-shim", &["djo-contract", "djo-guest-sdk"]),
    ("djo-hostile", &["djo-guest-sdk"]),
    ("djo-host", &["djo-contract", "djo-lang", "djo-vm"]),
    ("djo-tests", &[]),
    ("djo-bench", &["djo-tests"]),
];

/// Folders that hold no source of the project.
const SKIPPED: &[&str] = &["target", ".git", ".just", ".djo", "node_modules", "wit/deps"];

/// Every file of the checkout, by path from its root.
fn files() -> Vec<PathBuf> {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let relative = path.strip_prefix(root).unwrap().to_owned();
            if SKIPPED.iter().any(|skipped| relative.ends_with(skipped)) {
                continue;
            }
            if path.is_dir() { walk(&path, root, found) } else { found.push(relative) }
        }
    }
    let root = workspace::root();
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    found.sort();
    found
}

/// Applies a check to the text of every file with one of these extensions ("" for none) and fails with all it finds.
fn every_file(extensions: &[&str], check: impl Fn(&Path, &str) -> Vec<String>) {
    let root = workspace::root();
    let mut problems = Vec::new();
    let mut seen = 0;
    for path in files() {
        let extension = path.extension().unwrap_or_default().to_string_lossy();
        if !extensions.contains(&extension.as_ref()) {
            continue;
        }
        if let Ok(text) = fs::read_to_string(root.join(&path)) {
            seen += 1;
            problems.extend(check(&path, &text).into_iter().map(|problem| format!("{}: {problem}", path.display())));
        }
    }
    assert!(seen > 0, "no file looked at: the walk is broken");
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

/// Line numbers, from 1, of the lines that match.
fn lines_with(text: &str, pattern: &Regex) -> Vec<usize> {
    text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)).map(|(i, _)| i + 1).collect()
}

fn manifest(folder: &str) -> toml::Table {
    let path = workspace::root().join(folder).join("Cargo.toml");
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).parse().unwrap()
}

/// Names a manifest depends on, in any of its dependency tables.
fn dependencies(manifest: &toml::Table) -> Vec<String> {
    let tables = ["dependencies", "dev-dependencies", "build-dependencies"];
    let of = |table: &toml::Table| -> Vec<String> {
        tables.iter().filter_map(|name| table.get(*name)?.as_table()).flat_map(|t| t.keys().cloned()).collect()
    };
    let mut all = of(manifest);
    for target in manifest.get("target").and_then(toml::Value::as_table).into_iter().flat_map(toml::Table::values) {
        all.extend(of(target.as_table().unwrap()));
    }
    all
}

fn members() -> BTreeMap<String, toml::Table> {
    let root = manifest(".");
    let folders = root["workspace"]["members"].as_array().unwrap();
    let read = |folder: &toml::Value| {
        let manifest = manifest(folder.as_str().unwrap());
        (manifest["package"]["name"].as_str().unwrap().to_owned(), manifest)
    };
    folders.iter().map(read).collect()
}

#[test]
fn dependencies_point_one_way() {
    let mut problems = Vec::new();
    for (name, manifest) in members() {
        let Some((_, allowed)) = ARROWS.iter().find(|(member, _)| *member == name) else {
            problems.push(format!("{name} has no entry in ARROWS of this test"));
            continue;
        };
        for dependency in dependencies(&manifest) {
            if dependency.starts_with("djo-") && !allowed.contains(&dependency.as_str()) {
                problems.push(format!("{name} must not depend on {dependency}"));
            }
            if dependency.starts_with("wasmtime") && name != "djo-host" {
                problems.push(format!("{name} must not depend on {dependency}: the sandbox is the host's"));
            }
        }
    }
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn members_share_the_workspace_lints() {
    for (name, manifest) in members() {
        assert_eq!(manifest["lints"]["workspace"].as_bool(), Some(true), "{name} does not inherit [workspace.lints]");
    }
}

#[test]
fn only_the_sandbox_names_the_engine() {
    let engine = Regex::new(r"\bwasmtime(_wasi(_http)?)?::").unwrap();
    every_file(&["rs"], |path, text| {
        if path.starts_with("host/src/sandbox") || path == Path::new("host/src/sandbox.rs") {
            return Vec::new();
        }
        lines_with(text, &engine).iter().map(|line| format!("line {line} uses wasmtime outside host/src/sandbox")).collect()
    });
}

#[test]
fn every_module_says_what_it_is() {
    every_file(&["rs"], |_, text| if text.starts_with("//!") { Vec::new() } else { vec!["does not open with //!".into()] });
}

#[test]
fn no_file_is_too_long() {
    every_file(&["rs", "sh", "djo", "html", "css", "wit"], |_, text| {
        let lines = text.lines().count();
        if lines <= LONGEST { Vec::new() } else { vec![format!("{lines} lines, at most {LONGEST}")] }
    });
}

/// Written in parts, so that this file does not find itself.
fn stubs() -> Regex {
    let names = ["todo", "unimplemented", "dbg"].join("|");
    Regex::new(&format!(r"\b({names})!\(|#\[{}", "ignore")).unwrap()
}

#[test]
fn nothing_is_a_stub() {
    every_file(&["rs"], |_, text| {
        lines_with(text, &stubs()).iter().map(|line| format!("line {line} is a stub or a skipped test")).collect()
    });
}

#[test]
fn no_path_of_a_machine() {
    let root = workspace::root();
    let homes = Regex::new(&["(^|[^\\w}])/(home|Users)/\\w", "(^|[^\\w}])/root(/|\\b[^/\\w])"].join("|")).unwrap();
    every_file(&["rs", "sh", "toml", "md", "json", "djo", "html", "css", "yml", "yaml", ""], |path, text| {
        let here = root.to_string_lossy();
        let mut found: Vec<usize> = text.lines().enumerate().filter(|(_, line)| line.contains(here.as_ref())).map(|(i, _)| i + 1).collect();
        if path != Path::new("tests/tests/tidy.rs") {
            found.extend(lines_with(text, &homes));
        }
        found.iter().map(|line| format!("line {line} names a path of a machine")).collect()
    });
}

#[test]
fn links_and_paths_in_documents_exist() {
    let root = workspace::root();
    let link = Regex::new(r"\]\(([^)#\s]+)(#[^)]*)?\)").unwrap();
    let code = Regex::new(r"`((?:\./)?[\w.-]+(?:/[\w.-]+)+/?)`").unwrap();
    every_file(&["md"], |path, text| {
        let folder = root.join(path).parent().unwrap().to_owned();
        let links =
            link.captures_iter(text).map(|c| c[1].to_owned()).filter(|target| !target.contains("://") && !target.starts_with("mailto:"));
        let broken_links =
            links.filter(|target| !folder.join(target).exists()).map(|target| format!("link to {target}, which does not exist"));
        // A path in backquotes counts when its first part is a folder of the checkout.
        let paths = code.captures_iter(text).map(|c| c[1].to_owned());
        let ours = paths.filter(|named| named.split('/').find(|part| *part != ".").is_some_and(|first| root.join(first).is_dir()));
        let built = |named: &String| named.starts_with("target/") || named.starts_with("./target/");
        let missing =
            ours.filter(|named| !built(named) && !root.join(named).exists()).map(|named| format!("names {named}, which does not exist"));
        broken_links.chain(missing).collect()
    });
}

#[test]
fn the_checks_find_what_they_look_for() {
    let macro_call = |name: &str| format!("    {name}!(\"later\");");
    for name in ["todo", "unimplemented", "dbg"] {
        assert_eq!(lines_with(&macro_call(name), &stubs()), [1], "{name}");
    }
    assert_eq!(lines_with(&["#[", "ignore = \"slow\"]"].concat(), &stubs()), [1]);
    assert!(lines_with("todo_list(1); ignore(2); format!(\"x\")", &stubs()).is_empty());
    let manifest: toml::Table = "[dependencies]\na = \"1\"\n[target.'cfg(unix)'.dev-dependencies]\nb = \"1\"".parse().unwrap();
    assert_eq!(dependencies(&manifest), ["a", "b"]);
}
