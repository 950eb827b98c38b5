//! The other sites of the repository, run natively: the laboratory's checks of the library, and the example.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use djo_contract::model::Method;
use djo_vm::host::{Entry, Request};
use memory::{Site, body};

#[test]
fn the_laboratory_finds_nothing_wrong() {
    let mut site = Site::new(&common::site("tests/sites/laboratorio"));
    assert_eq!(body(&site.agent("/biblioteca", &[], "").unwrap()), r#"{"falhas":[]}"#);
    assert_eq!(
        body(&site.agent("/numeros", &[], "").unwrap()),
        r#"[4,4.5,0.1,1000,9223372036854775807,-9223372036854775808,0.3333333333333333,-0.5,"é\n\"\\",null,true,{},[]]"#
    );
    let page = site.screen("/com-pagina").unwrap();
    let shown = body(&page);
    assert!(shown.contains("<a href=\"/busca/a%20b/%C3%A7%3Fx?q=a%20b%2F%C3%A7%3Fx\">x</a>"), "{shown}");
    assert!(shown.contains(r#"m = {"a":"\u003c/script\u003e"};"#), "{shown}");
    assert!(shown.contains("<b>42</b>"), "{shown}");
}

#[test]
fn limits_are_errors_of_the_site() {
    for (what, kind) in [
        ("ciclo", "limite"),
        ("aninhado", "limite"),
        ("texto", "limite"),
        ("pilha", "limite"),
        ("json", "entrada"),
        ("ordem", "tipo"),
        ("tempo", "tempo"),
        ("tempo-pega", "tempo"),
    ] {
        let mut site = Site::new(&common::site("tests/sites/laboratorio"));
        let failure = site.agent("/limite/{qual}", &[("qual", what)], "").unwrap_err();
        assert_eq!(failure.kind, kind, "{what}: {}", failure.message);
    }
    let mut site = Site::new(&common::site("tests/sites/laboratorio"));
    assert_eq!(body(&site.agent("/limite/{qual}", &[("qual", "iguais")], "").unwrap()), "true");
}

#[test]
fn every_page_of_the_example_answers() {
    let mut site = Site::new(&common::site("sites/exemplo"));
    let routes = site.program.contract.routes.clone();
    for (index, route) in (0..).zip(&routes) {
        if route.method != Method::Get {
            continue;
        }
        for (face, entry) in [(route.screen, Entry::Screen(index)), (route.agent, Entry::Agent(index))] {
            if !face {
                continue;
            }
            let params = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
            let params = params.map(|name| (name.to_owned(), "1".to_owned())).collect();
            let request = Request { method: "GET".into(), path: route.path.clone(), params, entry, ..Request::default() };
            let response = site.run(&request).unwrap_or_else(|failure| panic!("{} {entry:?}: {failure:?}", route.path));
            assert!(matches!(response.status, 200 | 303 | 404), "{} {entry:?}: {}", route.path, response.status);
        }
    }
    assert!(site.image.len() < 64_000, "{} bytes", site.image.len());
}
