//! The functions that `docs/linguagem.md` shows end, and give what their names promise.
#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use std::{fs, path::Path};

use djo_lang::Sources;
use memory::{Site, body};

/// The site of the reference's files, with an agent route of ours.
fn reference(agent: &str) -> Sources {
    let text = fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/linguagem.md")).unwrap();
    let mut sources = Sources::default();
    for block in text.split("\n```djo ").skip(1) {
        let (name, rest) = block.split_once('\n').unwrap();
        let text = rest.split("\n```").next().unwrap();
        let ours = if name == "rotas.djo" { "\nRoute.get:\"/aqui\":\"aqui.djo\"" } else { "" };
        sources = sources.with(name, format!("{text}{ours}\n"));
    }
    sources.with("aqui.djo", agent)
}

#[test]
fn the_commands_run() {
    let agent = "
posts = []
for i in [1, 2, 3, 4, 5, 6]
    estado = \"publicado\"
    if i == 2
        estado = \"rascunho\"
    Arr.push:posts:(Post:{\"id\": i, \"titulo\": (\"T\" + i), \"estado\": estado, \"autor\": {\"nome\": \"Ana\"}})
Http.json:[(resumo_dos_posts:posts), (numero_ou_zero:\"7\"), (numero_ou_zero:\"x\")]
";
    let mut site = Site::new(&reference(agent));
    let answer = site.screen("/aqui").unwrap();
    assert_eq!(body(&answer), r#"[["1. T1","3. T3","4. T4"],7,0]"#);
}

#[test]
fn the_calls_to_other_servers_run() {
    use djo_vm::host::Reply;
    let json =
        |status, body: &str| Ok(Reply { status, headers: vec![("content-type".into(), "application/json".into())], body: body.into() });
    let agent = "Http.json:[(cotacao:\"dólar\"), (cotacao:\"x\"), (cotacao:\"y\"), (avisar:\"oi\":\"k\")]\n";
    let mut site = Site::new(&reference(agent));
    site.host.replies = [json(200, r#"{"valor":5.4}"#), json(404, "{}"), Err("ninguém responde".into()), json(201, "")].into();
    assert_eq!(body(&site.screen("/aqui").unwrap()), "[5.4,null,null,true]");
    let asked: Vec<_> = site.host.fetched.iter().map(|call| format!("{} {}", call.method, call.url)).collect();
    assert_eq!(asked[0], "GET https://api.exemplo.com/moedas/d%C3%B3lar");
    assert_eq!(asked[3], "POST https://api.exemplo.com/avisos");
    assert_eq!(site.host.fetched[3].headers[0], ("authorization".to_owned(), "Bearer k".to_owned()));
}
