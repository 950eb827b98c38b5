//! A program image with any damage: refused, or run to an end within its steps.
#![no_main]

use std::sync::OnceLock;

use djo_contract::model::Contract;
use djo_lang::Sources;
use libfuzzer_sys::fuzz_target;

const ROUTES: &str = "Route.get:\"/\":{\"html\": \"p.djo.html\", \"agent\": \"a.djo\"}\nRoute.action:\"/b\":\"b\"\n";
const CORE: &str = r#"const N = 3
struct P
    a[Int, min: 0] = 1
    b[String?]
    c[Arr[P]] = []

f soma
    params[xs]
    total = 0
    for i, x in xs
        total = total + x * i
    return total

action b
    params[titulo[String, max: 5], n[Int] = 2]
    try
        Store.set:"c":titulo:(P:{"a": n})
    catch e
        print:e.mensagem
    Http.json:(Store.get:"c":titulo)
"#;
const FACE: &str = r#"xs = Arr.map:[1, 2, 3]:(x -> x + N)
m = {"a": (soma:xs), "s": (String.upper:"abc"), "p": (P:{"b": "x"})}
while N > Arr.len:xs
    xs = Arr.push:xs:1
Session.set:"k":m.p
Http.header:"x-a":m.s
Http.json:(Arr.sort_by:[m.a, 2, 1]:(x -> 0 - x))
"#;
const PAGE: &str =
    "<p title=\"{{ Http.query:\"q\" }}\">{% for i, x in [1, 2] %}{% if x > 1 %}{{ x }}{% end %}{% end %}</p><script>x = {{ [1] }}</script>";

fn site() -> &'static (Vec<u8>, Contract) {
    static SITE: OnceLock<(Vec<u8>, Contract)> = OnceLock::new();
    SITE.get_or_init(|| {
        let sources = Sources::default().with("rotas.djo", ROUTES).with("core/a.djo", CORE).with("a.djo", FACE).with("p.djo.html", PAGE);
        let compiled = djo_lang::compile(&sources)
            .unwrap_or_else(|failed| panic!("{}", djo_lang::diagnostic::render(&failed.files, &failed.diagnostics, false)));
        (compiled.image, compiled.contract)
    })
}

fuzz_target!(|edits: Vec<(u16, u8)>| {
    let (image, contract) = site();
    let mut image = image.clone();
    for (place, value) in edits.into_iter().take(16) {
        let place = usize::from(place) % image.len();
        image[place] = value;
    }
    djo_fuzz::run(&image, contract);
});
