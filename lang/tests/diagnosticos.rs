//! Every diagnostic, with the source that causes it beside the message that it gets.
//!
//! Each file of `diagnosticos/` holds cases: a line `## what the case shows`, the site's files (each after a line
//! `--- path`), and after a line `+++` what the author sees. `DJO_BLESS=1 cargo test -p djo-lang` rewrites the latter.
//! A case without `rotas.djo` has an empty one.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use std::{collections::BTreeSet, fs, path::PathBuf};

use djo_lang::{Checked, Sources, check, diagnostic};

struct Case {
    title: String,
    source: String,
    expected: String,
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/diagnosticos")
}

fn read(text: &str) -> Vec<Case> {
    let mut cases = Vec::new();
    for part in format!("\n{text}").split("\n## ").skip(1) {
        let (title, rest) = part.split_once('\n').expect("a title has its line");
        let (source, expected) = rest.split_once("\n+++\n").unwrap_or((rest.trim_end_matches("\n+++"), ""));
        cases.push(Case { title: title.to_owned(), source: format!("{source}\n"), expected: expected.trim_end().to_owned() });
    }
    cases
}

fn checked(case: &Case) -> Checked {
    let mut sources = common::files(&case.source);
    sources.files.entry("rotas.djo".into()).or_default();
    if case.source.contains("--- (sem rotas)") {
        sources.files.remove("rotas.djo");
        sources.files.remove("(sem rotas)");
    }
    check(&sources)
}

fn all() -> Vec<(PathBuf, Vec<Case>)> {
    let mut paths: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), read(&fs::read_to_string(path).unwrap()))).collect()
}

#[test]
fn each_case_gets_its_message() {
    let bless = std::env::var_os("DJO_BLESS").is_some();
    let mut wrong = Vec::new();
    for (path, cases) in all() {
        let mut blessed = String::new();
        for case in &cases {
            let found = checked(case);
            let rendered = diagnostic::render(&found.files, &found.diagnostics, false);
            let rendered: Vec<&str> = rendered.lines().map(str::trim_end).collect();
            let rendered = rendered.join("\n");
            if rendered != case.expected {
                wrong.push(format!("{}: {}\n--- esperado\n{}\n--- veio\n{rendered}\n", path.display(), case.title, case.expected));
            }
            blessed.push_str(&format!("## {}\n{}+++\n{rendered}\n\n", case.title, case.source));
        }
        let blessed = format!("{}\n", blessed.trim_end());
        // Only what changed, in one step: the other tests read these files meanwhile.
        if bless && blessed != fs::read_to_string(&path).unwrap() {
            let aside = std::env::temp_dir().join(format!("djo-bless-{}", std::process::id()));
            fs::write(&aside, blessed).unwrap();
            fs::copy(&aside, &path).unwrap();
            fs::remove_file(aside).unwrap();
        }
    }
    assert!(bless || wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A case has diagnostics, unless its title says that it is fine.
#[test]
fn each_case_is_an_error_or_says_that_it_is_none() {
    for (path, cases) in all() {
        for case in cases {
            let fine = case.title.starts_with("certo: ");
            assert_eq!(checked(&case).diagnostics.is_empty(), fine, "{}: {}", path.display(), case.title);
        }
    }
}

#[test]
fn every_code_has_a_case() {
    let mut seen: BTreeSet<&str> = BTreeSet::new();
    for (_, cases) in all() {
        for case in cases {
            seen.extend(checked(&case).diagnostics.iter().map(|diagnostic| diagnostic.code));
        }
    }
    // These need bytes that no text file holds; their tests are below.
    seen.extend([diagnostic::codes::NOT_UTF8, diagnostic::codes::FILE_TOO_LARGE]);
    let missing: Vec<_> = diagnostic::codes::ALL.iter().filter(|code| !seen.contains(*code)).collect();
    assert!(missing.is_empty(), "codes without a case: {missing:?}");
}

#[test]
fn messages_follow_the_house_style() {
    for (_, cases) in all() {
        for case in cases {
            for found in checked(&case).diagnostics {
                let first = found.message.chars().next().unwrap();
                assert!(!first.is_uppercase() || is_type(&found.message), "{}", found.message);
                assert!(!found.message.ends_with('.'), "{}", found.message);
                assert!(found.hints.iter().all(|hint| !hint.ends_with('.')), "{:?}", found.hints);
            }
        }
    }
}

/// A message may start with the name of a type.
fn is_type(message: &str) -> bool {
    ["Int", "Float", "String", "Bool", "Arr", "Map"].iter().any(|name| message.starts_with(name))
}

#[test]
fn a_file_that_is_not_utf8() {
    let sources = Sources::default().with("rotas.djo", "").with("core/a.djo", b"const A = \"caf\xE9\"\n".to_vec());
    let expected = "erro[nao-e-utf8]: o arquivo não está em UTF-8
 --> core/a.djo:1:15
  |
1 | const A = \"caf\u{FFFD}\"
  |               ^
  |
  = dica: salve-o como UTF-8 no seu editor";
    let rendered: Vec<String> = common::rendered(&sources).lines().map(|line| line.trim_end().to_owned()).collect();
    assert_eq!(rendered.join("\n"), expected);
}

#[test]
fn a_file_beyond_the_limit() {
    let sources = Sources::default().with("rotas.djo", "").with("core/a.djo", vec![b'/'; (4 << 20) + 1]);
    let checked = check(&sources);
    assert_eq!(checked.diagnostics[0].code, diagnostic::codes::FILE_TOO_LARGE);
    assert_eq!(checked.diagnostics[0].message, "o arquivo tem 4194305 bytes; o limite é de 4194304");
}

#[test]
fn diagnostics_are_data_too() {
    let sources = Sources::default().with("rotas.djo", "// olá\nRoute.get:\"/é\":\"x\"\n");
    let checked = check(&sources);
    let json = diagnostic::to_json(&checked.files, &checked.diagnostics);
    assert_eq!(
        json,
        r#"[{"arquivo":"rotas.djo","linha":2,"coluna":16,"fim":{"linha":2,"coluna":19},"gravidade":"erro","codigo":"arquivo-faltando","mensagem":"o arquivo `x` não existe","dicas":["o caminho é a partir da raiz do site, e termina em `.djo.html` ou `.djo`"],"relacionados":[]}]"#
    );
}
