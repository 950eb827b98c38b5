//! How long a run takes natively, without any sandbox: `cargo run --release -p djo-lang --example measure`,
//! with a part of a case's name to run only that.

#![allow(clippy::unwrap_used)]

#[path = "../tests/common/mod.rs"]
mod common;
#[path = "../tests/memory/mod.rs"]
mod memory;

use std::{hint::black_box, time::Instant};

use djo_contract::model::Method;
use djo_vm::{
    Program,
    host::{Entry, Request},
};

fn main() {
    let mut site = memory::Site::new(&common::site("tests/sites/blog"));
    println!("image of the blog: {} bytes", site.image.len());
    let cases = [
        ("/posts agent", Entry::Agent(site.route(Method::Get, "/posts")), ""),
        ("/posts screen", Entry::Screen(site.route(Method::Get, "/posts")), ""),
        ("/sem-tipo agent", Entry::Agent(site.route(Method::Get, "/sem-tipo")), ""),
        ("/soma action", Entry::Action(site.route(Method::Post, "/soma")), r#"{"a":5,"b":10}"#),
    ];
    for (name, entry, arguments) in cases {
        let request = Request { method: "GET".into(), arguments: arguments.into(), entry, ..Request::default() };
        let image = &site.image;
        let mut once = || {
            let program = Program::new(image).unwrap();
            black_box(djo_vm::run(&program, &mut site.host, &request).unwrap());
        };
        report(name, 20_000, &mut once);
    }
    let loops = "
f fib
    params[n]
    if n < 2
        return n
    return (fib:(n - 1)) + (fib:(n - 2))
";
    let counting = "
i = 0
soma = 0
while i < 1000
    soma = soma + i * 2 % 7
    i = i + 1
Http.json:soma
";
    let calling = "Http.json:(fib:15)\n";
    let sources = djo_lang::Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\"}\nRoute.get:\"/b\":{\"agent\": \"b.djo\"}\n")
        .with("a.djo", counting)
        .with("b.djo", calling)
        .with("core/a.djo", loops);
    let mut site = memory::Site::new(&sources);
    for (name, path) in [("1000 turns", "/"), ("fib 15 (1973 calls)", "/b")] {
        report(name, 2_000, &mut || {
            black_box(site.agent(path, &[], "").unwrap());
        });
    }
}

/// The best of five rounds.
fn report(name: &str, times: u32, once: &mut dyn FnMut()) {
    if std::env::args().nth(1).is_some_and(|only| !name.contains(&only)) {
        return;
    }
    let best = (0..5)
        .map(|_| {
            let start = Instant::now();
            (0..times).for_each(|_| once());
            start.elapsed() / times
        })
        .min();
    println!("{name}: {:?}", best.unwrap_or_default());
}
