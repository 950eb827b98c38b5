//! `site.toml` with everything right, and with everything wrong.
#![allow(clippy::unwrap_used)]

use std::fs;

use super::*;

fn problems(text: &str) -> String {
    SiteConfig::parse(text).unwrap_err().to_string()
}

#[test]
fn everything_can_be_left_out() {
    assert_eq!(SiteConfig::parse("").unwrap(), SiteConfig::default());
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(SiteConfig::load(folder.path()).unwrap(), SiteConfig::default());
}

#[test]
fn everything_can_be_set() {
    let text = r#"
        hosts = ["Exemplo.com.br", "www.exemplo.com.br"]
        component = "target/wasm32-wasip2/release/loja.wasm"
        isolation = "reuse"
        [limits]
        memory_mb = 32
        timeout_ms = 1_500
        cpu_ms = 700
        max_body = "2MiB"
        max_response = 65536
        store_mb = 1
        outbound_calls = 0
        concurrency = 8
        [outbound]
        allow = ["https://api.exemplo.com"]
        [static]
        max_age = 0
    "#;
    let expected = SiteConfig {
        hosts: vec!["exemplo.com.br".into(), "www.exemplo.com.br".into()],
        component: Some("target/wasm32-wasip2/release/loja.wasm".into()),
        isolation: Some(Isolation::Reuse),
        limits: Limits {
            memory_mb: 32,
            timeout_ms: 1500,
            cpu_ms: 700,
            max_body: 2 << 20,
            max_response: 65536,
            store_mb: 1,
            outbound_calls: 0,
            concurrency: 8,
        },
        outbound: Outbound { allow: vec![Origin { secure: true, host: "api.exemplo.com".into(), port: 443 }] },
        r#static: Static { max_age: Some(0) },
        given: vec!["hosts", "memory_mb", "timeout_ms", "cpu_ms", "max_body", "max_response", "store_mb", "outbound_calls", "concurrency"],
        withheld: vec![],
    };
    let mut read = SiteConfig::parse(text).unwrap();
    read.given.sort_unstable();
    let mut expected = expected;
    expected.given.sort_unstable();
    assert_eq!(read, expected);
}

#[test]
fn an_unknown_key_has_a_place_and_a_suggestion() {
    assert_eq!(
        problems("hots = [\"a.com\"]\n\n[limits]\n  memory = 3\nmax_age = 1\nhosts = []\n[statics]\n"),
        "site.toml:1:1: chave desconhecida `hots` (você quis dizer `hosts`?)\n\
         site.toml:4:3: chave desconhecida `memory` em `[limits]` (você quis dizer `memory_mb`?)\n\
         site.toml:5:1: chave desconhecida `max_age` em `[limits]` (`max_age` fica em `[static]`)\n\
         site.toml:6:1: chave desconhecida `hosts` em `[limits]` (`hosts` fica no começo do arquivo, fora das tabelas)\n\
         site.toml:7:2: chave desconhecida `statics` (você quis dizer `static`?)"
    );
    assert_eq!(problems("[outbound]\nzzzzzzzz = 1"), "site.toml:2:1: chave desconhecida `zzzzzzzz` em `[outbound]` (conhecidas: `allow`)");
}

#[test]
fn all_problems_come_at_once() {
    let text = r#"hosts = ["a.com", "A.com", 3, "*.b.com"]
component = "loja"
isolation = "none"
outbound = 1
[limits]
memory_mb = 0
timeout_ms = "10s"
cpu_ms = 99999999999999999999
max_body = "1MB"
max_response = "1B"
store_mb = -1
concurrency = 1.5
[static]
max_age = true
"#;
    assert_eq!(
        problems(text),
        r#"site.toml:1:19: o host `a.com` está repetido
site.toml:1:28: `hosts[2]` deve ser uma String, mas veio um Int
site.toml:1:31: `*.b.com`: um host não pode ter `*`: escreva cada nome
site.toml:2:13: `loja` não é o caminho de um arquivo `.wasm`
site.toml:3:13: `isolation` deve ser `"request"` ou `"reuse"`
site.toml:4:12: `outbound` deve ser uma tabela, `[outbound]`, mas veio um Int
site.toml:6:13: `memory_mb` vai de 1 a 4096, mas veio 0
site.toml:7:14: `timeout_ms` deve ser um Int, mas veio uma String
site.toml:8:10: `cpu_ms` vai de 1 a 600000, mas veio 99999999999999999999
site.toml:9:12: "1MB" não é um tamanho (use um número de bytes, ou B, KiB, MiB, GiB: "1MiB")
site.toml:10:16: `max_response` vai de 1KiB a 1GiB, mas veio "1B"
site.toml:11:12: `store_mb` vai de 1 a 1048576, mas veio -1
site.toml:12:15: `concurrency` deve ser um Int, mas veio um Float
site.toml:14:11: `max_age` deve ser um Int, mas veio um Bool"#
    );
}

#[test]
fn a_component_lies_in_the_sites_folder() {
    for path in ["../../fora/segredo.wasm", "a/../../b.wasm", "/etc/x.wasm", ".."] {
        let expected =
            format!("site.toml:1:13: `{path}` leva para fora da pasta do site (escreva um caminho a partir da pasta do site, sem `..`)");
        assert_eq!(problems(&format!("component = \"{path}\"")), expected);
    }
    assert_eq!(SiteConfig::parse("component = \"a/./b.wasm\"").unwrap().component, Some("a/b.wasm".into()));
}

#[test]
fn broken_toml_has_a_place() {
    let text = problems("hosts = [\"a.com\"\n[limits\nmemory_mb = = 3\n");
    assert!(text.starts_with("site.toml:"), "{text}");
    assert!(text.lines().all(|line| line.contains("TOML inválido: ")), "{text}");
    assert!(problems("a = 1\na = 2").contains("site.toml:2:1: TOML inválido"));
}

#[test]
fn columns_count_code_points() {
    assert_eq!(
        problems("isolation = \"request\"\nhosts = [\"ção.com\", 1]"),
        "site.toml:2:10: `ção.com`: um host com acento se escreve na forma `xn--…`\n\
         site.toml:2:21: `hosts[1]` deve ser uma String, mas veio um Int"
    );
}

#[test]
fn a_file_that_is_no_settings_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    fs::write(&path, b"hosts = [\"\xff\"]").unwrap();
    assert!(matches!(SiteConfig::load(folder.path()), Err(ConfigError::Read(_))));
    fs::write(&path, "#".repeat(70_000)).unwrap();
    assert!(matches!(SiteConfig::load(folder.path()), Err(ConfigError::TooLarge { size: 70_000, .. })));
}

#[cfg(unix)]
#[test]
fn only_a_regular_file_of_the_folder_holds_settings() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("x"), "").unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(FILE_NAME);
    std::os::unix::fs::symlink(outside.path().join("x"), &path).unwrap();
    assert!(matches!(SiteConfig::load(folder.path()), Err(ConfigError::Outside)));
    fs::remove_file(&path).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &path).unwrap();
    assert!(matches!(SiteConfig::load(folder.path()), Err(ConfigError::NotRegular)));
    fs::remove_file(&path).unwrap();
    file::make_pipe(&path);
    assert!(matches!(SiteConfig::load(folder.path()), Err(ConfigError::NotRegular)));
}

proptest::proptest! {
    #![proptest_config(proptest::prelude::ProptestConfig { cases: 256, failure_persistence: None, ..Default::default() })]

    /// No text makes the reader panic.
    #[test]
    fn any_text_is_read_or_refused(text in "([a-z_]{1,8}|[\\[\\]=\"'.,{}#\n]|max_body|limits|hosts|é|[0-9]{1,3}| ){0,30}") {
        let _ = SiteConfig::parse(&text);
    }
}

#[test]
fn the_page_for_operators_has_every_key() {
    let page = include_str!("../../../../docs/operar.md");
    for key in reader::ROOT.into_iter().filter(|key| !reader::TABLES.iter().any(|(table, _)| table == key)) {
        assert!(page.contains(&format!("| `{key}` |")), "{key}");
    }
    for (table, keys) in reader::TABLES {
        for key in keys {
            assert!(page.contains(&format!("| `{table}.{key}` |")), "{table}.{key}");
        }
    }
    let mut limits = Limits::default();
    for key in limits::KEYS {
        let row = page.lines().find(|line| line.starts_with(&format!("| `limits.{key}`"))).unwrap();
        let (usual, range) = match limits.limit(key).unwrap() {
            limits::Limit::Count(number, range) => (number.to_string(), format!("{} a {}", range.start(), range.end())),
            limits::Limit::Size(bytes, _) => (size::show(*bytes), String::new()),
        };
        assert!(row.replace(' ', "").contains(&usual.replace(' ', "")) && row.contains(&range), "{row}: {usual}, {range}");
    }
}
