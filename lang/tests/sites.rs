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
