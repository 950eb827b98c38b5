//! `docs/erros.md` shows the mistakes of `lang/tests/diagnosticos/principiante.txt`, each with what the author reads. `just bless`
//! rewrites sources and messages; the prose between heading and source is the document's own.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::workspace;
use std::{collections::BTreeMap, env, fs};

const CASES: &str = "lang/tests/diagnosticos/principiante.txt";
const DOCUMENT: &str = "docs/erros.md";

fn read(path: &str) -> String {
    fs::read_to_string(workspace::root().join(path)).unwrap()
}

/// Title, source with its file names, message.
fn cases() -> Vec<(String, String, String)> {
    let text = format!("\n{}", read(CASES));
    let parts = text.split("\n## ").skip(1).map(|part| {
        let (title, rest) = part.split_once('\n').unwrap();
        let (source, message) = rest.split_once("\n+++\n").unwrap_or_else(|| panic!("{title} has no message"));
        (title.to_owned(), source.to_owned(), message.trim().to_owned())
    });
    parts.collect()
}

/// The document's introduction, and the prose of each section.
fn prose(document: &str) -> (String, BTreeMap<String, String>) {
    let mut parts = document.split("\n## ");
    let introduction = parts.next().unwrap_or_default().trim().to_owned();
    let sections = parts.filter_map(|part| {
        let (title, rest) = part.split_once('\n')?;
        Some((title.to_owned(), rest.split("```").next().unwrap_or_default().trim().to_owned()))
    });
    (introduction, sections.collect())
}

fn render(document: &str) -> String {
    let (introduction, prose) = prose(document);
    let mut text = format!("{introduction}\n");
    for (title, source, message) in cases() {
        text.push_str(&format!("\n## {title}\n\n"));
        if let Some(prose) = prose.get(&title).filter(|prose| !prose.is_empty()) {
            text.push_str(&format!("{prose}\n\n"));
        }
        let mut files = format!("\n{source}").split("\n--- ").skip(1).map(str::to_owned).collect::<Vec<_>>();
        for file in &mut files {
            let (name, body) = file.split_once('\n').unwrap_or((file, ""));
            text.push_str(&format!("```\n// {name}\n{}\n```\n\n", body.trim_end()));
        }
        text.push_str(&format!("```text\n{message}\n```\n"));
    }
    text
}

#[test]
fn every_mistake_is_shown_with_its_message() {
    let document = read(DOCUMENT);
    let rendered = render(&document);
    if env::var_os("DJO_BLESS").is_some() {
        fs::write(workspace::root().join(DOCUMENT), &rendered).unwrap();
    }
    assert!(read(DOCUMENT) == rendered, "{DOCUMENT} is not what {CASES} says; `just bless` rewrites it");
}

#[test]
fn every_mistake_has_a_message_and_a_word_of_explanation() {
    let (introduction, prose) = prose(&read(DOCUMENT));
    assert!(introduction.starts_with("# "));
    for (title, source, message) in cases() {
        assert!(source.starts_with("--- ") && message.contains("erro["), "{title}");
        assert!(prose.get(&title).is_some_and(|prose| prose.len() > 40), "{title} is not explained");
    }
    assert_eq!(prose.len(), cases().len(), "a section has no case");
}
