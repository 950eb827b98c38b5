//! Any bytes as each kind of djo source: every diagnostic has a place, what compiles runs to an end.
#![no_main]

use djo_fuzz::compile_and_run;
use djo_lang::Sources;
use libfuzzer_sys::fuzz_target;

const ROUTES: &str = "Route.get:\"/\":{\"html\": \"p.djo\", \"agent\": \"a.djo\"}\n";

fuzz_target!(|bytes: &[u8]| {
    compile_and_run(&Sources::default().with("rotas.djo", bytes));
    compile_and_run(&Sources::default().with("rotas.djo", ROUTES).with("p.djo", bytes).with("a.djo", "Http.json:1\n"));
    // Declarations before the line, code after it.
    let split = bytes.windows(4).position(|window| window == b"---\n");
    if let Some(at) = split {
        let sources = Sources::default().with("rotas.djo", ROUTES).with("p.djo", "x = 1\n");
        compile_and_run(&sources.with("core/a.djo", &bytes[..at]).with("a.djo", &bytes[at + 4..]));
    }
});
