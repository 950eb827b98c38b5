//! `inspect`: what a component offers and needs, read without running it.

use djo_contract::{
    json,
    model::Contract,
    schema::{input_schema, returns_schema},
    section,
    value::Value,
};

use crate::{
    build::{Inspection, Kind, inspect},
    cli::{Failure, args::InspectArgs, files, language::Language, messages, terminal},
};

/// A larger file is not read.
const MAX_BYTES: u64 = 256 * 1024 * 1024;

pub(crate) fn run(args: &InspectArgs, language: Language) -> Result<(), Failure> {
    let bytes = files::read(&args.file, MAX_BYTES, language)?;
    let shown = args.file.display();
    let inspection = inspect(&bytes).map_err(|error| Failure::new(format!("{shown}: {}", messages::build_error(language, &error))))?;
    let contract = inspection.contract.map(section::decode).transpose().map_err(|error| Failure::new(format!("{shown}: {error}")))?;
    if args.json {
        terminal::line(&json::to_string(&as_json(&inspection, contract.as_ref())));
    } else {
        terminal::line(as_text(&inspection, contract.as_ref(), language).trim_end());
    }
    Ok(())
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Site(_) => "site",
        Kind::TypedDoor => "typed-door",
        Kind::Http => "http",
        Kind::HttpP3 => "http-p3",
        Kind::OtherComponent => "component",
        Kind::CoreModule => "core-module",
    }
}

fn as_json(inspection: &Inspection<'_>, contract: Option<&Contract>) -> Value {
    let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
    let texts = |texts: &[String]| Value::Arr(texts.iter().map(|text| text.as_str().into()).collect());
    let file = |(path, size): &(&str, usize)| Value::Map(vec![("path".into(), (*path).into()), ("size".into(), number(*size as u64))]);
    let mut members = vec![
        ("kind".to_owned(), kind_name(inspection.kind).into()),
        ("size".into(), number(inspection.size as u64)),
        ("initial_memory".into(), number(inspection.initial_memory)),
        ("imports".into(), texts(&inspection.imports)),
        ("exports".into(), texts(&inspection.exports)),
    ];
    if let Some(image) = inspection.image {
        members.push(("image".into(), number(image as u64)));
        members.push(("files".into(), Value::Arr(inspection.files.iter().map(file).collect())));
    }
    if let Some(contract) = contract {
        members.extend(contract_as_json(contract));
    }
    Value::Map(members)
}

fn contract_as_json(contract: &Contract) -> Vec<(String, Value)> {
    let mut members = Vec::new();
    if let Some(site) = &contract.site {
        let site = vec![("nome".to_owned(), site.nome.as_str().into()), ("about".into(), site.about.as_str().into())];
        members.push(("site".to_owned(), Value::Map(site)));
    }
    let routes = contract.routes.iter().map(|route| {
        let mut row = vec![
            ("method".to_owned(), Value::from(route.method.as_str())),
            ("path".into(), route.path.as_str().into()),
            ("screen".into(), Value::Bool(route.screen)),
            ("agent".into(), Value::Bool(route.agent)),
        ];
        let action = route.action.and_then(|action| contract.actions.get(action));
        row.extend(action.map(|action| ("action".to_owned(), action.name.as_str().into())));
        row.extend(route.about.as_deref().map(|about| ("description".to_owned(), about.into())));
        row.extend(route.cache.map(|seconds| ("cache".to_owned(), Value::Int(seconds.into()))));
        row.extend(route.returns.as_ref().map(|returns| ("returns".to_owned(), returns_schema(&contract.types, returns))));
        Value::Map(row)
    });
    let actions = contract.actions.iter().map(|action| {
        let mut row = vec![("name".to_owned(), Value::from(action.name.as_str()))];
        row.extend(action.description.as_deref().map(|description| ("description".to_owned(), description.into())));
        row.push(("input".into(), input_schema(&contract.types, action)));
        Value::Map(row)
    });
    let wanted = &contract.wanted;
    if !wanted.hosts.is_empty() {
        members.push(("hosts".into(), Value::Arr(wanted.hosts.iter().map(|host| host.as_str().into()).collect())));
    }
    if !wanted.limits.is_empty() {
        let limits = wanted.limits.iter().map(|(name, limit)| (name.clone(), Value::Int(i64::try_from(*limit).unwrap_or(i64::MAX))));
        members.push(("limits".into(), Value::Map(limits.collect())));
    }
    members.extend(wanted.max_age.map(|seconds| ("max_age".into(), Value::Int(seconds.into()))));
    members.push(("routes".into(), Value::Arr(routes.collect())));
    members.push(("actions".into(), Value::Arr(actions.collect())));
    members
}

fn as_text(inspection: &Inspection<'_>, contract: Option<&Contract>, language: Language) -> String {
    let size = |bytes: usize| messages::size(language, bytes);
    let mut text = format!("{}: {}\n", messages::kind(language, inspection.kind), size(inspection.size));
    let memory = usize::try_from(inspection.initial_memory).unwrap_or(usize::MAX);
    let mut section = |english: &str, portuguese: &str, lines: Vec<String>| {
        if !lines.is_empty() {
            text.push_str(&format!("\n{}\n", language.pick(english, portuguese)));
            lines.iter().for_each(|line| text.push_str(&format!("  {line}\n")));
        }
    };
    let mut sizes = vec![format!("{}: {}", language.pick("initial memory", "memória inicial"), size(memory))];
    sizes.extend(inspection.image.map(|image| format!("{}: {}", language.pick("program", "programa"), size(image))));
    section("sizes", "tamanhos", sizes);
    section("imports", "importa", inspection.imports.clone());
    section("exports", "exporta", inspection.exports.clone());
    section(
        "static files",
        "arquivos estáticos",
        inspection.files.iter().map(|(path, bytes)| format!("/{path}  {}", size(*bytes))).collect(),
    );
    if let Some(contract) = contract {
        section("site", "site", contract.site.iter().map(|site| format!("{}: {}", site.nome, site.about)).collect());
        section("hosts that it asks for", "hosts que pede", contract.wanted.hosts.clone());
        let limits = contract.wanted.limits.iter().map(|(name, limit)| format!("{name} = {limit}"));
        let max_age = contract.wanted.max_age.map(|seconds| format!("static.max_age = {seconds}"));
        section("limits that it asks for", "limites que pede", limits.chain(max_age).collect());
        section("routes", "rotas", contract.routes.iter().map(|route| route_line(contract, route, language)).collect());
        let schema =
            |action: &djo_contract::model::Action| format!("{} {}", action.name, json::to_string(&input_schema(&contract.types, action)));
        section("actions and their input", "ações e sua entrada", contract.actions.iter().map(schema).collect());
    }
    text
}

fn route_line(contract: &Contract, route: &djo_contract::model::Route, language: Language) -> String {
    let action = route.action.and_then(|action| contract.actions.get(action)).map(|action| format!("action {}", action.name));
    let faces = [(route.screen, language.pick("screen", "tela")), (route.agent, language.pick("agent", "agente"))];
    let faces = faces.into_iter().filter(|(has, _)| *has).map(|(_, face)| face.to_owned());
    let what: Vec<String> = faces.chain(action).collect();
    let about = route.about.as_deref().map(|about| format!("  {about}")).unwrap_or_default();
    format!("{} {}  {}{about}", route.method.as_str(), route.path, what.join(", "))
}
