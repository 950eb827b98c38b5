//! How deep things may go: each limit is met with an answer or an error, on a stack as small as a guest's.

#![allow(clippy::unwrap_used)]

mod common;
mod memory;

use djo_lang::Sources;
use memory::{Site, body};

/// A guest has 64 KiB for what has an address and 128 KiB for the rest of its frames; here both lie on one stack. A debug build's frames
/// are several times as large.
const STACK: usize = if cfg!(debug_assertions) { 1 << 20 } else { 96 << 10 };

fn run(core: &'static str, face: &'static str) -> Result<String, String> {
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"agentes/a.djo\"}\n")
        .with("core/a.djo", core)
        .with("agentes/a.djo", face);
    let mut site = Site::new(&sources);
    let small = std::thread::Builder::new().stack_size(STACK).spawn(move || match site.agent("/", &[], "") {
        Ok(response) => Ok(body(&response).to_owned()),
        Err(failure) => Err(format!("{}: {} ({} quadros)", failure.kind, failure.message, failure.trace.len())),
    });
    small.unwrap().join().unwrap()
}

const CORE: &str = r#"
struct No
    valor[Int] = 0
    filhos[Arr[No]] = []
    mapa[Map[No]] = {}

action recebe
    params[no[No]]
    return 1

f fundo
    params[n]
    return 1 + (fundo:(n + 1))

f desce
    params[n]
    if n == 0
        return 0
    return 1 + (desce:(n - 1))

f por_callback
    params[n]
    if n == 0
        return 0
    xs = Arr.map:[n - 1]:por_callback
    return xs[0] + 1

f aninha
    params[n]
    x = {}
    i = 1
    while i < n
        x = {"filhos": [x]}
        i = i + 2
    return x

f tente
    params[g, x]
    try
        return g:x
    catch e
        return e.tipo + ": " + e.mensagem

f valor
    params[x]
    no = No:x
    return no.valor

f guarda
    params[x]
    Store.set:"a":"b":x
    return (Store.get:"a":"b") == x

f codifica
    params[x]
    return (Json.decode:(Json.encode:x)) == x
"#;

#[test]
fn calls_end_at_two_hundred() {
    assert_eq!(run(CORE, "Http.json:(desce:198)\n").unwrap(), "198");
    assert_eq!(run(CORE, "Http.json:(desce:200)\n").unwrap_err(), "limite: mais de 200 chamadas uma dentro da outra (2 quadros)");
    assert_eq!(run(CORE, "Http.json:(tente:fundo:0)\n").unwrap(), "\"limite: mais de 200 chamadas uma dentro da outra\"");
}

/// Two hundred times the same line would bury the rest of a log.
#[test]
fn a_trace_names_repeated_calls_once() {
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"agentes/a.djo\"}\n")
        .with("core/a.djo", CORE)
        .with("agentes/a.djo", "Http.json:(fundo:0)\n");
    let trace = Site::new(&sources).agent("/", &[], "").unwrap_err().trace;
    let names: Vec<&str> = trace.iter().map(|(function, _, _)| function.as_str()).collect();
    assert_eq!(names, ["fundo (200 vezes seguidas)", "agentes/a.djo"]);
}

#[test]
fn calls_through_the_library_count_too() {
    assert_eq!(run(CORE, "Http.json:(por_callback:99)\n").unwrap(), "99");
    assert!(run(CORE, "Http.json:(por_callback:150)\n").unwrap_err().starts_with("limite: mais de 200 chamadas"));
}

#[test]
fn closures_call_closures_without_the_native_stack() {
    // Each keeps the one before, so that calling the last calls all.
    let face = |n: u32| -> &'static str {
        format!("g = (x -> x + 1)\nfor i in (linha:{n})\n    h = g\n    g = (x -> (h:x) + 1)\nHttp.json:(g:0)\n").leak()
    };
    let core: &'static str =
        format!("{CORE}\nf linha\n    params[n]\n    xs = []\n    while Arr.len:xs < n\n        Arr.push:xs:0\n    return xs\n").leak();
    assert_eq!(run(core, face(150)).unwrap(), "151");
    assert!(run(core, face(250)).unwrap_err().starts_with("limite: mais de 200 chamadas"));
    // Kept, not called: however long the chain, the collector follows it.
    let kept = "g = ( -> 1)\nfor i in (linha:100000)\n    h = g\n    g = ( -> h)\nHttp.json:(g == g)\n";
    assert_eq!(run(core, kept).unwrap(), "true");
}

#[test]
fn nested_values_have_sixty_four_levels() {
    let face = |what: &str, n: u32| -> &'static str { format!("Http.json:(tente:{what}:(aninha:{n}))\n").leak() };
    for (what, wanted) in [("codifica", "true"), ("guarda", "true"), ("valor", "0"), ("recebe", "1")] {
        assert_eq!(run(CORE, face(what, 63)).unwrap(), wanted, "{what}");
        for deep in [67, 2000] {
            let refused = run(CORE, face(what, deep)).unwrap();
            assert!(refused.starts_with("\"limite: "), "{what} {deep}: {refused}");
        }
    }
}

#[test]
fn long_chains_are_compared_and_collected_without_recursion() {
    let face = "
a = nil
b = nil
i = 0
while i < 100000
    a = [a]
    b = [b]
    i = i + 1
Http.json:a == b
";
    let face: &'static str = face.replace("Http.json:a == b", "Http.json:(a == b)").leak();
    assert_eq!(run(CORE, face).unwrap(), "true");
}

#[test]
fn garbage_is_collected_while_a_run_goes_on() {
    let face = "
vivo = {\"lista\": []}
ciclo = []
i = 0
while i < 60000
    ciclo = [ciclo, \"texto \" + i, {\"a\": [i]}]
    if i % 100 == 0
        ciclo = []
        Arr.push:vivo.lista:(\"item \" + i)
    s = String.repeat:\"x\":1000
    i = i + 1
Http.json:[(Arr.len:vivo.lista), vivo.lista[0], vivo.lista[-1]]
";
    assert_eq!(run(CORE, face).unwrap(), "[600,\"item 0\",\"item 59900\"]");
}
