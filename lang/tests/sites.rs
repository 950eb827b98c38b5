//! Whole sites compile as they are.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod common;

use djo_contract::{
    model::Method,
    types::{Kind, Presence, Source},
    value::Value,
};

#[test]
fn the_blog_of_the_cases_compiles() {
    let sources = common::site("tests/sites/blog");
    let checked = djo_lang::check(&sources);
    assert_eq!(djo_lang::diagnostic::render(&checked.files, &checked.diagnostics, false), "");
    let program = checked.program.expect("no diagnostics, so a program");
    let contract = &program.contract;
    assert_eq!(contract.site.as_ref().unwrap().nome, "Blog");
    assert_eq!((contract.routes.len(), program.entries.len(), contract.actions.len()), (22, 22, 11));
    let posts = contract.routes.iter().find(|route| route.path == "/posts" && route.method == Method::Get).unwrap();
    assert!(posts.screen && posts.agent && posts.returns.is_some());
    let publish = contract.actions.iter().find(|action| action.name == "publicar").unwrap();
    assert_eq!(publish.input.fields[0].source, Source::Path);
    let order = contract.actions.iter().find(|action| action.name == "fazer_pedido").unwrap();
    let names: Vec<_> = order.input.fields.iter().map(|field| (field.name.as_str(), &field.presence)).collect();
    assert_eq!(
        names,
        [
            ("itens", &Presence::Required),
            ("entrega", &Presence::Default(Value::Str("normal".into()))),
            ("email", &Presence::Optional),
            ("medidas", &Presence::Default(Value::Map(Vec::new()))),
        ]
    );
    let post = contract.types.structs.iter().find(|structure| structure.name == "Post").unwrap();
    assert_eq!(post.fields.len(), 8);
    assert!(post.fields[7].hidden);
    assert_eq!(post.fields[4].ty.kind, Kind::Arr(None));
}

#[test]
fn the_example_site_compiles() {
    assert_eq!(common::rendered(&common::site("sites/exemplo")), "");
}

/// The seed's examples, with the files that they name.
#[test]
fn the_examples_of_the_manual_compile() {
    let sources = common::files(
        r#"
--- core/posts.djo
// core/posts.djo
struct Autor
    nome[String]
    idade[Int] = 18

struct Post
    id[Int]
    titulo[String]
    publicado[Bool]
    autor[Autor]

struct Comentario
    texto[String]

action criar_post
    "Cria um post novo"
    params[titulo[String], nota[Float], autor[Autor]]
    Http.status:201
    return {"titulo": titulo, "autor": autor.nome}

action publicar
    params[id[Int]]
    if Session.get:"nome" == nil
        Http.status:401
        return {"erro": "entre primeiro"}
    return {"ok": true}

action comentar
    params[id[Int], texto[String]]
    return Comentario:{"texto": texto}
--- rotas.djo
Route.site:{"nome": "djo", "about": "A linguagem djo: documentação e instalação"}
Route.get:"/posts":{"html": "p/posts.djo.html", "agent": "p/posts.djo", "about": "Lista os posts", "returns": ["Post"], "cache": 30}
Route.get:"/posts/{id}":{"agent": "p/post.djo", "returns": "Post"}
Route.action:"/posts":"criar_post"
Route.action:"/posts/{id}/publicar":"publicar"
Route.action:"/posts/{id}/comentarios":"comentar":"Comentario"
--- p/posts.djo.html
{% djo %}
autor = Autor:{"nome": "Ana"}
criar_post:"Oi":4.5:autor
{% end %}
<p>{{ autor.nome }}</p>
--- p/posts.djo
Http.json:[]
--- p/post.djo
Http.json:nil
"#,
    );
    assert_eq!(common::rendered(&sources), "");
}

/// What routes and declarations become in the contract.
#[test]
fn the_contract_says_what_was_declared() {
    let sources = common::files(
        r#"
--- core/a.djo
struct Autor
    nome[String] = "Ana"
    idade[Int, min: 0] = 18
    nocall senha[String] = "x"

struct Post
    "Um texto"
    autor[Autor] = {"idade": 30}
    nota[Float, min: 0, max: 10] = 4
    pais[Map[Arr[Autor]]] = {"a": [{}]}
    resumo[String?, format: "email"] "O resumo"
    outro[Post?]

const LIMITES = {"a": [1, 2.5, nil, true]}

action listar
    "Lista"
    params[id[Int], quem[String, inject: "session.usuario"], n[Int] = 1]
    return id
--- rotas.djo
Route.get:"/posts/{id}":{"agent": "p.djo", "about": "Um post", "returns": ["Post"], "tool": "um_post", "query": {"q": "String", "n": "Int"}, "cache": 5}
Route.delete:"/posts/{id}":"p.djo"
Route.action:"/posts/{id}/listar":"listar":"Post":{"tool": "lista", "effect": "read", "idempotent": true, "confirmation": "none", "timeout_ms": 10, "example": {"id": 1}}
Route.action:"/listar":"listar":{"tool": "outra"}
--- p.djo
Http.json:LIMITES
--- paginas/404.djo.html
<p>nada</p>
"#,
    );
    let program = djo_lang::check(&sources).program.unwrap_or_else(|| panic!("{}", common::rendered(&sources)));
    let contract = &program.contract;
    let text = |text: &str| Value::Str(text.into());
    // What no input can have is in no default: schemas publish those.
    let autor = |idade: i64| Value::Map(vec![("nome".into(), text("Ana")), ("idade".into(), Value::Int(idade))]);
    let post = &contract.types.structs[1];
    assert_eq!(post.description.as_deref(), Some("Um texto"));
    assert_eq!(post.fields[0].presence, Presence::Default(autor(30)));
    assert_eq!(post.fields[1].presence, Presence::Default(Value::Float(4.0)));
    assert_eq!(post.fields[1].ty.constraints.maximum, Some(Value::Float(10.0)));
    assert_eq!(post.fields[2].presence, Presence::Default(Value::Map(vec![("a".into(), Value::Arr(vec![autor(18)]))])));
    assert_eq!(post.fields[3].presence, Presence::Optional);
    assert_eq!((post.fields[3].ty.constraints.format.as_deref(), post.fields[3].description.as_deref()), (Some("email"), Some("O resumo")));
    assert_eq!((post.fields[4].ty.kind.clone(), post.fields[4].ty.nullable), (Kind::Struct(1), true));

    let read = &contract.routes[0];
    assert_eq!((read.tool.as_deref(), read.cache, read.about.as_deref()), (Some("um_post"), Some(5), Some("Um post")));
    let query: Vec<_> = read.query.iter().map(|(name, ty)| (name.as_str(), ty.kind.clone())).collect();
    assert_eq!(query, [("q", Kind::String), ("n", Kind::Int)]);
    assert_eq!(read.returns.as_ref().unwrap().kind, Kind::Arr(Some(Box::new(Kind::Struct(1).into()))));
    assert_eq!((contract.routes[1].method, contract.routes[1].screen), (Method::Delete, true));

    // The same action on two paths is two inputs: what the path gives differs.
    assert_eq!((contract.routes[2].action, contract.routes[3].action, contract.actions.len()), (Some(0), Some(1), 2));
    let sources = |action: usize| contract.actions[action].input.fields.iter().map(|field| field.source.clone()).collect::<Vec<_>>();
    let injected = Source::Inject("session.usuario".into());
    assert_eq!(sources(0), [Source::Path, injected.clone(), Source::Input]);
    assert_eq!(sources(1), [Source::Input, injected, Source::Input]);
    let options = &contract.routes[2].options;
    assert_eq!((options.effect.as_deref(), options.idempotent, options.timeout_ms), (Some("read"), Some(true), Some(10)));
    assert_eq!(options.example, Some(Value::Map(vec![("id".into(), Value::Int(1))])));

    // Both routes run one page; the error page is another.
    assert_eq!((program.pages.len(), program.entries[0].agent, program.entries[1].screen), (2, Some(0), Some(0)));
    assert_eq!((program.entries[2].action, &program.error_pages, &contract.error_pages), (Some(0), &vec![(404, 1)], &vec![404]));
    assert_eq!((program.pages[0].template, program.pages[1].template), (false, true));
    assert_eq!(program.consts[0].0, "LIMITES");
}

/// An action that no route publishes is checked like any other when code calls it, so the contract has its input.
#[test]
fn called_actions_are_in_the_contract_without_being_offered() {
    let sources = common::files(
        r#"
--- core/a.djo
action publicada
    params[n[Int]]
    return interna:n

action interna
    params[n[Int, max: 5]]
    return n

action esquecida
    params[]
    return 1
--- rotas.djo
Route.action:"/a":"publicada"
"#,
    );
    let contract = djo_lang::check(&sources).program.unwrap().contract;
    let names: Vec<&str> = contract.actions.iter().map(|action| action.name.as_str()).collect();
    assert_eq!(names, ["publicada", "interna"]);
    assert_eq!(contract.routes.len(), 1);
    assert_eq!(djo_contract::section::decode(djo_contract::section::encode(&contract).as_bytes()).unwrap(), contract);
}
