//! What modules compile to, and what is wrong with those that do not.
#![allow(clippy::unwrap_used)]

use djo_contract::types::{Kind, Source};
use djo_contract::value::Value;

use super::*;

fn compile(module: &str) -> Result<Module> {
    let mut module: ItemMod = syn::parse_str(&format!("mod site {{ {module} }}")).unwrap();
    read(&mut module.content.as_mut().unwrap().1, None)
}

fn contract(module: &str) -> Contract {
    compile(module).unwrap_or_else(|error| panic!("{error}")).contract
}

/// The messages, in order, each with the text that it points to.
fn problems(module: &str) -> Vec<(String, String)> {
    match compile(module) {
        Ok(read) => panic!("compiles: {}", section::encode(&read.contract)),
        Err(error) => error.into_iter().map(|error| (error.span().source_text().unwrap_or_default(), error.to_string())).collect(),
    }
}

#[test]
fn types_are_those_of_the_contract() {
    let contract = contract(
        "#[djo::data] struct A { a: i64, b: Option<f64>, c: std::vec::Vec<String>, d: BTreeMap<String, Value>, e: Vec<Value>, f: u8, r#type: bool,
         g: Option<Box<A>>, #[djo(name = \"outro\")] h: Value }",
    );
    let fields = &contract.types.structs[0].fields;
    let names: Vec<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names, ["a", "b", "c", "d", "e", "f", "type", "g", "outro"]);
    let kinds: Vec<&Kind> = fields.iter().map(|field| &field.ty.kind).collect();
    let text = Kind::Arr(Some(Box::new(Kind::String.into())));
    assert_eq!(
        kinds,
        [&Kind::Int, &Kind::Float, &text, &Kind::Map(None), &Kind::Arr(None), &Kind::Int, &Kind::Bool, &Kind::Struct(0), &Kind::Any]
    );
    assert_eq!(
        fields.iter().map(|field| field.ty.nullable).collect::<Vec<_>>(),
        [false, true, false, false, false, false, false, true, false]
    );
    assert_eq!(fields[5].ty.constraints.maximum, Some(Value::Int(255)));
}

#[test]
fn defaults_are_completed_by_each_other() {
    let contract = contract(
        "#[djo::data] struct A { #[djo(default = {})] b: B } #[djo::data] struct B { #[djo(default = {\"n\": 2})] c: C, #[djo(default = [])] x: Vec<i64> }
         #[djo::data] struct C { n: f64, #[djo(default = -1)] m: i64 }",
    );
    let Presence::Default(value) = &contract.types.structs[0].fields[0].presence else { panic!("no default") };
    assert_eq!(djo_contract::json::to_string(value), r#"{"c":{"n":2,"m":-1},"x":[]}"#);
}

#[test]
fn faces_of_one_path_are_one_route() {
    let contract = contract(
        "/// Para pessoas\n#[djo::screen(\"/a\", cache = 5)] fn a(q: Option<String>) -> Html {}
         /// Para programas\n#[djo::agent(\"/a\")] fn b(q: Option<String>, #[djo(default = 1)] n: i64) -> Result<Page<i64>> {}
         #[djo::screen(\"/a\", method = \"post\")] fn c(ctx: &mut Context) -> Redirect {}
         #[djo::action(\"/b/{id}\")] fn d(id: i64, #[djo(inject = \"request.id\")] pedido: String, texto: Option<String>) {}",
    );
    assert_eq!(contract.routes.len(), 3);
    let both = &contract.routes[0];
    assert_eq!(
        (both.about.as_deref(), both.cache, both.query.len(), both.screen && both.agent),
        (Some("Para programas"), Some(5), 2, true)
    );
    assert_eq!(both.returns, Some(Kind::Arr(Some(Box::new(Kind::Int.into()))).into()));
    let sources: Vec<&Source> = contract.actions[0].input.fields.iter().map(|field| &field.source).collect();
    assert_eq!(sources, [&Source::Path, &Source::Inject("request.id".into()), &Source::Input]);
}

#[test]
fn mistakes_are_told_where_they_are() {
    for (module, at, message) in [
        ("#[djo::data] struct A { a: u64 }", "u64", "`u64` não cabe no contrato"),
        ("#[djo::data] struct Autor { a: i64 } #[djo::data] struct B { a: Autr }", "Autr", "Você quis dizer `Autor`?"),
        ("#[djo::data] struct A { #[djo(mim = 1)] a: i64 }", "mim", "a opção `mim` não existe: você quis dizer `min`?"),
        ("#[djo::data] struct A { #[djo(min = \"a\")] a: i64 }", "\"a\"", "deve ser um número"),
        ("#[djo::data] struct A { #[djo(min = 1)] a: bool }", "min", "`min` não vale aqui"),
        ("#[djo::data] struct A { #[djo(min = 5, max = 4)] a: i64 }", "max", "`min` é maior que `max`"),
        ("#[djo::data] struct A { #[djo(pattern = \"(\")] a: String }", "\"(\"", "padrão"),
        ("#[djo::data] struct A { #[djo(default = 9, max = 8)] a: i64 }", "9", "o valor padrão de `a` não serve"),
        ("#[djo::data] struct A { #[djo(default = [{}])] a: Vec<A> }", "[", "contém a si mesmo"),
        ("#[djo::data] struct A { #[djo(nocall)] a: i64 }", "nocall", "dê a ele um `default`"),
        ("#[djo::data] enum A { B(i64) }", "(i64)", "as variantes não têm dados"),
        ("#[djo::data] struct A { a: i64 } #[djo::data] struct B<T> { a: T }", "T", "não tem parâmetros de tipo"),
        ("#[djo::agent(\"a\")] fn a() -> i64 {}", "\"a\"", "o caminho deve começar com /"),
        ("#[djo::agent(\"/mcp\")] fn a() -> i64 {}", "\"/mcp\"", "é do servidor"),
        ("#[djo::agent(\"/a\")] fn a(q: String) -> i64 {}", "String", "um parâmetro da query pode faltar"),
        ("#[djo::agent(\"/a\", cahce = 1)] fn a() -> i64 {}", "cahce", "você quis dizer `cache`?"),
        ("#[djo::agent(\"/a\")] fn a() -> i64 {} #[djo::agent(\"/a\")] fn b() -> i64 {}", "\"/a\"", "já tem esta face"),
        (
            "#[djo::agent(\"/a/{x}\")] fn a(x: i64) -> i64 {} #[djo::agent(\"/a/{y}\", tool = \"b\")] fn b(y: i64) -> i64 {}",
            "\"/a/{y}\"",
            "atende os mesmos pedidos que `GET /a/{x}`",
        ),
        (
            "#[djo::agent(\"/a\", tool = \"x\")] fn a() -> i64 {} #[djo::action(\"/x\")] fn x() {}",
            "\"/x\"",
            "duas rotas dão a ferramenta `x`",
        ),
        ("#[djo::action(\"/a/{id}\")] fn a() {}", "\"/a/{id}\"", "não tem o parâmetro `id` do caminho"),
        ("#[djo::action(\"/a\", effect = \"writes\")] fn a() {}", "\"writes\"", "`effect` é um destes"),
        ("#[djo::action(\"/a\", example = {\"n\": \"x\"})] fn a(n: i64) {}", "{", "`example` não serve de entrada"),
        ("#[djo::action(\"/a\")] fn a(#[djo(inject = \"sessao.x\")] n: i64) {}", "\"sessao.x\"", "a fonte `sessao.x` não existe"),
        (
            "#[djo::action(\"/a\")] fn a(q: String) {} #[djo::action(\"/b\", continues = \"a\", tool = \"b\")] fn b(q: String) {}
             #[djo::action(\"/c\", continues = \"a\", tool = \"c\")] fn c(q: String) {}",
            "\"/c\"",
            "`a` já tem uma continuação em outra rota",
        ),
        ("#[djo::action(\"/a\")] async fn a() {}", "async", "não é `async`"),
        ("#[djo::action(\"/a\")] fn a(ctx: &Context, texto: &str) {}", "&str", "para texto use `String`"),
        ("#[djo::action(\"/a\")] fn a() -> Vec<u64> {}", "u64", "não cabe no contrato"),
        ("#[djo::screen(\"/a\")] fn a() -> i64 {}", "i64", "uma tela responde `Html`"),
        ("#[djo::screen(\"/a\")] #[djo::agent(\"/a\")] fn a() -> Html {}", "#[djo::agent(\"/a\")]", "atende uma só rota"),
        ("#[djo::error_page(200)] fn a() -> Html {}", "200", "vai de 400 a 599"),
    ] {
        let found = problems(module);
        let first = &found[0];
        assert!(first.1.contains(message), "{module}\n{found:?}");
        // Without a compiler around, a span of several tokens is known by its first.
        assert!(at.starts_with(&first.0) || first.0.starts_with(at), "{module}\n{found:?}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let found = problems(
        "#[djo::data] struct A { a: u64, b: f32 } #[djo::action(\"/a\")] fn a(x: Nada, y: i64) -> Vec<Outro> {} #[djo::agent(\"b\")] fn b() {}",
    );
    assert_eq!(found.len(), 5, "{found:?}");
}

#[test]
fn a_module_in_another_file_cannot_be_read() {
    let error = expand(TokenStream::new(), syn::parse_str("mod site;").unwrap()).unwrap_err();
    assert!(error.to_string().contains("escreva `mod nome { … }`"));
    let site = presentation("nome = \"A\"".parse().unwrap()).unwrap_err();
    assert!(site.to_string().contains("vêm juntos"));
}
