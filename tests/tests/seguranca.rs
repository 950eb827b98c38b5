//! `docs/seguranca.md` is true of the tests: every promise names one, and every test that it names is there.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::workspace;
use regex::Regex;
use serde_json::Value;
use std::{collections::BTreeSet, fs};

fn document() -> String {
    fs::read_to_string(workspace::root().join("docs/seguranca.md")).unwrap()
}

/// Ids of all HTTP cases.
fn cases() -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in fs::read_dir(workspace::root().join("tests/cases")).unwrap() {
        let cases: Value = serde_json::from_str(&fs::read_to_string(file.unwrap().path()).unwrap()).unwrap();
        let list = cases.as_array().or_else(|| cases["cases"].as_array()).cloned().unwrap_or_default();
        ids.extend(list.iter().filter_map(|case| case["id"].as_str().map(str::to_owned)));
    }
    ids
}

/// The names that a text gives of tests: file and function, or `cases` and id.
fn named(text: &str) -> Vec<(String, String)> {
    let reference = Regex::new(r"`([\w./-]+\.rs|cases)::([\w-]+)`").unwrap();
    reference.captures_iter(text).map(|found| (found[1].to_owned(), found[2].to_owned())).collect()
}

#[test]
fn every_test_that_is_named_is_there() {
    let cases = cases();
    let named = named(&document());
    assert!(named.len() > 70, "{} tests are named", named.len());
    for (file, name) in named {
        if file == "cases" {
            assert!(cases.contains(&name), "there is no case {name}");
            continue;
        }
        let text = fs::read_to_string(workspace::root().join(&file)).unwrap_or_else(|error| panic!("{file}: {error}"));
        let test = Regex::new(&format!(r"#\[(tokio::)?test(\([^)]*\))?\]\s+(#\[[^\]]*\]\s+)*(async )?fn {name}\b")).unwrap();
        assert!(test.is_match(&text), "{file} has no test {name}");
    }
}

#[test]
fn every_promise_names_a_test() {
    let promises = document();
    let mut inside = false;
    let mut seen = 0;
    for line in promises.lines() {
        match line {
            _ if line.starts_with("| promessa |") => inside = true,
            _ if !line.starts_with('|') => inside = false,
            _ if inside && !line.starts_with("|---") => {
                assert!(!named(line).is_empty(), "no test: {line}");
                seen += 1;
            }
            _ => {}
        }
    }
    assert!(seen > 40, "{seen} promises");
}

#[test]
fn what_fuzzing_covers_is_there() {
    let targets = fs::read_dir(workspace::root().join("fuzz/fuzz_targets")).unwrap();
    let targets: BTreeSet<_> = targets.map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned()).collect();
    let told = Regex::new(r"(?m)^- `(\w+)`: ").unwrap();
    let document = document();
    let told: BTreeSet<_> = told.captures_iter(&document).map(|found| found[1].to_owned()).collect();
    assert_eq!(told, targets);
}
