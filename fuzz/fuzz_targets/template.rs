//! Any bytes as a page. Where it compiles, a value that is no markup stays none: no tag comes of it in text.
#![no_main]

use djo_fuzz::compile_and_run;
use djo_lang::Sources;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":\"p.djo.html\"\n")
        .with("core/a.djo", "f texto\n    return \"<img src=x onerror=1>'\\\"`{{ %} </script>\"\n")
        .with("parte.djo.html", "<p>{{ texto: }}</p>")
        .with("l.djo.html", "<main>{{ conteudo }}</main>");
    compile_and_run(&sources.with("p.djo.html", bytes));
});
