//! Any path and query: matched or not, decoded or refused. What is decoded and encoded again is the same.
#![no_main]

use std::sync::OnceLock;

use djo_contract::route::{Match, Router, parse_query, percent_decode};
use djo_lang::Sources;
use libfuzzer_sys::fuzz_target;

fn router() -> &'static Router {
    static ROUTER: OnceLock<Router> = OnceLock::new();
    ROUTER.get_or_init(|| {
        let routes = ["/", "/a", "/a/{id}", "/a/{id}/b", "/a/b/{nome}", "/{x}/y"];
        let routes: String = routes.iter().map(|path| format!("Route.get:\"{path}\":\"p.djo\"\n")).collect();
        let page = "x = [(Http.path:), (Http.param:\"id\")]\n";
        let compiled = djo_lang::compile(&Sources::default().with("rotas.djo", routes.as_str()).with("p.djo", page));
        let contract = compiled.unwrap_or_else(|failed| panic!("{:?}", failed.diagnostics)).contract;
        Router::new(&contract).unwrap_or_else(|error| panic!("{error}"))
    })
}

fuzz_target!(|text: &str| {
    let (path, query) = text.split_once('?').unwrap_or((text, ""));
    if let Match::Found { params, .. } = router().find("GET", path) {
        for (_, value) in params {
            assert!(!value.is_empty(), "{path}");
        }
    }
    if let Ok(decoded) = percent_decode(path) {
        let encoded: String = decoded.bytes().map(|byte| format!("%{byte:02X}")).collect();
        assert_eq!(percent_decode(&encoded).ok(), Some(decoded));
    }
    if let Ok(pairs) = parse_query(query) {
        assert!(pairs.len() <= query.split('&').count());
    }
});
