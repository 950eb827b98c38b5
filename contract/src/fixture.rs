//! The blog of the test site, in short, for tests.

use alloc::{string::String, vec::Vec};

use crate::{
    model::{Action, Contract, Method, Route, Site, Wanted},
    types::{Constraints, Field, Kind, Presence, Source, Struct, Type, Types},
    value::Value,
};

/// A required or optional member that comes from the body.
pub(crate) fn field(name: &str, ty: impl Into<Type>, presence: Presence) -> Field {
    Field { name: name.into(), ty: ty.into(), presence, description: None, hidden: false, source: Source::Input }
}

/// `Arr[struct]`
pub(crate) fn list_of(index: usize) -> Type {
    Kind::Arr(Some(Type::from(Kind::Struct(index)).into())).into()
}

/// 0 Autor, 1 Post, 2 No (which holds itself).
pub(crate) fn types() -> Types {
    let required = |name: &str, kind: Kind| field(name, kind, Presence::Required);
    let default = |name: &str, kind: Kind, value: Value| field(name, kind, Presence::Default(value));
    let autor = Struct {
        name: "Autor".into(),
        description: None,
        fields: Vec::from([required("nome", Kind::String), default("idade", Kind::Int, Value::Int(18))]),
    };
    let titulo = Field { description: Some("O título".into()), ..required("titulo", Kind::String) };
    let segredo = Field { hidden: true, ..default("segredo", Kind::String, "x".into()) };
    let resumo = field("resumo", Type { nullable: true, ..Kind::String.into() }, Presence::Optional);
    let post = Struct {
        name: "Post".into(),
        description: Some("Um texto do blog".into()),
        fields: Vec::from([
            required("id", Kind::Int),
            titulo,
            default("publicado", Kind::Bool, Value::Bool(false)),
            required("autor", Kind::Struct(0)),
            default("tags", Kind::Arr(None), Value::Arr(Vec::new())),
            default("extra", Kind::Map(None), Value::Map(Vec::new())),
            resumo,
            segredo,
        ]),
    };
    let pai = field("pai", Type { nullable: true, ..Kind::Struct(2).into() }, Presence::Optional);
    let no = Struct {
        name: "No".into(),
        description: None,
        fields: Vec::from([required("v", Kind::Int), pai, field("autor", Kind::Struct(0), Presence::Required)]),
    };
    Types { structs: Vec::from([autor, post, no]) }
}

/// A route with a screen face.
pub(crate) fn route(method: Method, path: &str) -> Route {
    Route { screen: true, ..Route::new(method, path) }
}

fn agent(path: &str, about: &str, returns: Option<Type>) -> Route {
    Route { screen: false, agent: true, about: Some(about.into()), returns, ..route(Method::Get, path) }
}

/// A site with screens, agent faces and actions.
pub(crate) fn blog() -> Contract {
    let id = Field { source: Source::Path, ..field("id", Kind::Int, Presence::Required) };
    let quem = Field { source: Source::Inject("session.usuario".into()), ..field("quem", Kind::String, Presence::Required) };
    let short = Constraints { min_length: Some(1), max_length: Some(20), ..Constraints::default() };
    let texto = field("texto", Type { constraints: short, ..Kind::String.into() }, Presence::Required);
    let vezes = field("vezes", Kind::Int, Presence::Default(Value::Int(10)));
    let action = |name: &str, fields: &[Field]| Action {
        name: name.into(),
        description: Some(String::from("Faz ") + name),
        input: Struct { fields: fields.to_vec(), ..Struct::default() },
    };
    let publish = |path: &str, index: usize, returns: Option<Type>| Route {
        screen: false,
        action: Some(index),
        returns,
        ..route(Method::Post, path)
    };
    Contract {
        site: Some(Site { nome: "Blog".into(), about: "Um blog para testes".into() }),
        types: types(),
        routes: Vec::from([
            route(Method::Get, "/"),
            agent("/posts", "Lista os posts", Some(list_of(1))),
            agent("/posts/{id}", "Um post", Some(Kind::Struct(1).into())),
            Route { cache: Some(2), query: Vec::from([("q".into(), Kind::String.into())]), ..agent("/contador", "Conta", None) },
            route(Method::Post, "/contato"),
            publish("/posts/{id}/comentarios", 0, Some(Kind::Struct(0).into())),
            publish("/soma", 1, Some(Kind::Int.into())),
        ]),
        actions: Vec::from([action("comentar", &[id, texto, quem]), action("somar", &[vezes])]),
        error_pages: Vec::new(),
        wanted: Wanted::default(),
    }
}
