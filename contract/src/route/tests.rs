//! Matching, encodings, and the promises about them.
#![allow(clippy::unwrap_used)]

use alloc::{string::String, vec::Vec};

use proptest::prelude::*;

use super::*;
use crate::model::{Contract, Method, Route};

fn router(routes: &[(Method, &str)]) -> Result<Router, RouterError> {
    let route = |(method, path): &(Method, &str)| Route { screen: true, ..Route::new(*method, *path) };
    Router::new(&Contract { routes: routes.iter().map(route).collect(), ..Contract::default() })
}

fn blog() -> Router {
    use Method::{Get, Post};
    router(&[
        (Get, "/"),
        (Get, "/posts"),
        (Post, "/posts"),
        (Get, "/posts/{id}"),
        (Get, "/posts/novos"),
        (Post, "/posts/{id}/publicar"),
        (Post, "/posts/{post}/{acao}"),
        (Get, "/olá/"),
        (Post, "/posts/{id}"),
        (Get, "/posts/novos/hoje"),
    ])
    .unwrap()
}

fn found(method: &str, path: &str) -> Option<(usize, Vec<String>)> {
    match blog().find(method, path) {
        Match::Found { route, params } => Some((route, params.into_iter().map(|(name, value)| name + "=" + &value).collect())),
        _ => None,
    }
}

#[test]
fn literals_beat_parameters_with_a_way_back() {
    assert_eq!(found("GET", "/"), Some((0, Vec::new())));
    assert_eq!(found("HEAD", "/posts"), Some((1, Vec::new())));
    assert_eq!(found("GET", "/posts/novos"), Some((4, Vec::new())));
    assert_eq!(found("GET", "/posts/7"), Some((3, ["id=7".into()].into())));
    // The literal has no such method: the parameter takes it.
    assert_eq!(found("POST", "/posts/novos"), Some((8, ["id=novos".into()].into())));
    assert_eq!(found("POST", "/posts/novos/publicar"), Some((5, ["id=novos".into()].into())));
    assert_eq!(found("POST", "/posts/a%20b/ç"), Some((6, ["post=a b".into(), "acao=ç".into()].into())));
    assert_eq!(found("GET", "/ol%C3%A1/"), Some((7, Vec::new())));
}

#[test]
fn an_empty_segment_is_no_parameter_and_a_final_slash_another_path() {
    for path in ["/posts/", "/ol%C3%A1", "//", "/posts//publicar", "/nada"] {
        assert_eq!(blog().find("GET", path), Match::NotFound, "{path}");
    }
}

#[test]
fn tells_which_methods_a_path_has() {
    let allow = |method: &str, path: &str| match blog().find(method, path) {
        Match::MethodNotAllowed { allow } => allow.join(", "),
        other => alloc::format!("{other:?}"),
    };
    assert_eq!(allow("DELETE", "/posts"), "GET, HEAD, POST, OPTIONS");
    assert_eq!(allow("GET", "/posts/1/publicar"), "POST, OPTIONS");
    assert_eq!(allow("OPTIONS", "/posts/novos"), "GET, HEAD, POST, OPTIONS");
    assert_eq!(allow("BREW", "/"), "GET, HEAD, OPTIONS");
}

#[test]
fn broken_paths_are_bad() {
    for path in ["/posts/%ZZ", "/posts/a%2Fb", "/%2fposts", "/a%00", "/%", "/%4", "/%FF", "posts", "", "*"] {
        assert_eq!(blog().find("GET", path), Match::BadPath, "{path}");
    }
}

#[test]
fn routes_that_cannot_be_told_apart_are_named() {
    let conflict = router(&[(Method::Get, "/a/{x}"), (Method::Post, "/a/{y}"), (Method::Get, "/a/{y}")]);
    assert_eq!(conflict.err(), Some(RouterError::Conflict { a: 0, b: 2 }));
}

#[test]
fn declared_paths_are_checked() {
    for (path, reason) in [
        ("posts", "o caminho deve começar com /"),
        ("/a//b", "o caminho tem um segmento vazio"),
        ("/{}", "`{}` não é um parâmetro: o nome deve ter só letras, dígitos e _"),
        ("/{a}/{a}", "o parâmetro `a` aparece duas vezes no caminho"),
        ("/x{a}", "em `x{a}`, um parâmetro deve ser o segmento inteiro"),
        ("/a?b", "o caminho não pode conter '?'"),
        ("/a/../b", "o caminho não pode conter o segmento `..`"),
    ] {
        assert_eq!(parse_path(path).err().as_deref(), Some(reason));
    }
    assert!(path_params("/a/{b}/{c}").eq(["b", "c"]));
    assert!(is_reserved("/agent/tools") && is_reserved("/mcp") && !is_reserved("/agentes") && !is_reserved("/agent"));
}

#[test]
fn queries_are_read_strictly() {
    let pairs = |raw: &str| parse_query(raw).map(|pairs| pairs.into_iter().map(|(a, b)| a + "=" + &b).collect::<Vec<_>>().join("|"));
    assert_eq!(pairs("tabela&campos=id,titulo&&q=a+b%2B%C3%A9&="), Ok("tabela=|campos=id,titulo|q=a b+é|=".into()));
    assert_eq!(pairs(""), Ok(String::new()));
    for raw in ["a=%", "a=%zz", "%f=1", "a=%ff"] {
        assert_eq!(pairs(raw), Err(BadEncoding), "{raw}");
    }
}

proptest! {
    #[test]
    fn any_path_has_an_answer(method in "[A-Z]{0,7}", path in "(/|[a-z%0-9]|posts|novos|\\PC){0,12}") {
        let _ = blog().find(&method, &path);
        let _ = parse_query(&path);
        let _ = parse_path(&path);
    }

    /// The look along literal segments finds nothing that the search would not.
    #[test]
    fn literal_paths_are_found_as_by_the_search(method in "GET|HEAD|POST|OPTIONS|PUT", parts in prop::collection::vec("|posts|novos|hoje|7|publicar|ol%C3%A1|%70osts|olá", 0..5)) {
        let path = parts.join("/");
        let wanted = Method::from_name(if method == "HEAD" { "GET" } else { &method });
        prop_assert_eq!(blog().find(&method, &alloc::format!("/{path}")), blog().search(&path, wanted));
    }

    /// A declared path is found by any values that it takes.
    #[test]
    fn finds_what_is_declared(values in prop::collection::vec("[^/\u{0}]{1,6}", 2)) {
        let encode = |text: &str| text.bytes().fold(String::new(), |out, byte| out + &alloc::format!("%{byte:02X}"));
        let path = alloc::format!("/posts/{}/{}", encode(&values[0]), encode(&values[1]));
        if values[1] != "publicar" {
            prop_assert_eq!(found("POST", &path), Some((6, Vec::from([alloc::format!("post={}", values[0]), alloc::format!("acao={}", values[1])]))));
        }
    }
}
