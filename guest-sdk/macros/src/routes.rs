//! Handlers as the contract's routes and actions.

use djo_contract::decode;
use djo_contract::model::{Action, ActionOptions, Contract, Method, Route};
use djo_contract::route::{self, RouterError};
use djo_contract::tool::{Catalogue, Effect, ToolError, is_valid_name};
use djo_contract::types::{Field, Presence, Source, Struct, Type, Types};
use proc_macro2::Span;
use syn::{Error, Result};

use crate::field::describe;
use crate::handler::{Handler, Role};

/// An hour; the site's own time-out is far below.
const MAX_TIMEOUT_MS: u32 = 3_600_000;

/// What runs for a route, as indices of handlers.
#[derive(Default)]
pub(crate) struct Entry {
    pub(crate) screen: Option<usize>,
    pub(crate) agent: Option<usize>,
    pub(crate) action: Option<usize>,
    /// Where the route's path stands first.
    pub(crate) span: Option<Span>,
}

/// Adds a handler's route.
///
/// # Errors
/// What is wrong with the path or the options.
pub(crate) fn add(contract: &mut Contract, entries: &mut Vec<Entry>, index: usize, handler: &mut Handler) -> Result<()> {
    let (path, at) = (handler.path.value(), handler.path.span());
    if handler.role == Role::ErrorPage {
        if contract.error_pages.contains(&handler.status) {
            return Err(Error::new(at, format!("já há uma página para o status {}", handler.status)));
        }
        contract.error_pages.push(handler.status);
        return Ok(());
    }
    route::parse_path(&path).map_err(|problem| Error::new(at, problem))?;
    if route::is_reserved(&path) {
        return Err(Error::new(at, format!("o caminho `{path}` é do servidor")));
    }
    let method = handler.method()?;
    let (found, route) = match (contract.routes.iter().position(|route| route.method == method && route.path == path), handler.role) {
        (Some(found), Role::Screen | Role::Agent) if contract.routes.get(found).is_some_and(|route| route.action.is_none()) => {
            (found, None)
        }
        _ => (contract.routes.len(), Some(Route::new(method, &path))),
    };
    if let Some(route) = route {
        contract.routes.push(route);
        entries.push(Entry { span: Some(at), ..Entry::default() });
    }
    let (Some(route), Some(entry)) = (contract.routes.get_mut(found), entries.get_mut(found)) else { return Ok(()) };
    let taken = match handler.role {
        Role::Screen => std::mem::replace(&mut route.screen, true),
        Role::Agent => std::mem::replace(&mut route.agent, true),
        Role::Action | Role::ErrorPage => false,
    };
    if taken {
        return Err(Error::new(at, format!("`{} {path}` já tem esta face", method.as_str())));
    }
    let description = handler.options.take("about").map(|given| given.text()).transpose()?.or_else(|| handler.description.clone());
    let cache = handler.options.take("cache").map(|given| given.number(0, u32::MAX)).transpose()?;
    let tool = handler.options.take("tool");
    let tool = tool.map(|given| Ok::<_, Error>((tool_name(&given)?, given.span))).transpose()?;
    match handler.role {
        Role::Screen => {
            entry.screen = Some(index);
            // The agent face's own words come first.
            route.about = route.about.take().or(description);
            route.cache = route.cache.or(cache);
            if let Some((_, span)) = tool {
                return Err(Error::new(span, "uma tela não é ferramenta de agentes: `tool` vale em agent e action"));
            }
            query(route, handler)?;
            handler.options.clone().finish(&["about", "cache", "method"])
        }
        Role::Agent => {
            entry.agent = Some(index);
            route.about = description.or(route.about.take());
            route.cache = cache.or(route.cache);
            route.returns = handler.returned.declared.clone();
            route.tool = tool.map(|(name, _)| name);
            query(route, handler)?;
            handler.options.clone().finish(&["about", "cache", "tool"])
        }
        Role::Action | Role::ErrorPage => {
            if cache.is_some() {
                return Err(Error::new(at, "a resposta de uma action nunca é guardada: `cache` vale em screen e agent"));
            }
            entry.action = Some(index);
            route.about = description.clone();
            route.returns = handler.returned.declared.clone();
            let name = handler.ident.to_string();
            route.tool = tool.map(|(name, _)| name);
            let action = Action { name, description, input: input(handler) };
            options(&mut route.options, handler, &action, &contract.types)?;
            route.action = Some(contract.actions.len());
            contract.actions.push(action);
            handler.options.clone().finish(&["about", "tool", "effect", "idempotent", "confirmation", "timeout_ms", "continues", "example"])
        }
    }
}

/// Declared query parameters: what one face takes, the route has.
fn query(route: &mut Route, handler: &Handler) -> Result<()> {
    for parameter in handler.parameters.iter().filter(|parameter| !parameter.in_path) {
        let field = &parameter.read.field;
        if route.method != Method::Get {
            return Err(Error::new(
                parameter.span,
                "os campos de um formulário vêm de `ctx.form(\"nome\")`; da query, de `ctx.query(\"nome\")`",
            ));
        }
        // Absent is absent; a value that is there is no nil.
        let ty = Type { nullable: false, ..field.ty.clone() };
        match route.query.iter().find(|(name, _)| *name == field.name) {
            None => route.query.push((field.name.clone(), ty)),
            Some((_, other)) if *other == ty => {}
            Some(_) => return Err(Error::new(parameter.span, format!("a outra face desta rota tem `{}` com outro tipo", field.name))),
        }
    }
    Ok(())
}

fn input(handler: &Handler) -> Struct {
    let field = |parameter: &crate::handler::Parameter| {
        let field = parameter.read.field.clone();
        if parameter.in_path { Field { source: Source::Path, presence: Presence::Required, ..field } } else { field }
    };
    Struct { name: String::new(), description: None, fields: handler.parameters.iter().map(field).collect() }
}

fn options(options: &mut ActionOptions, handler: &mut Handler, action: &Action, types: &Types) -> Result<()> {
    let mut take = |name: &str| handler.options.take(name);
    options.effect = take("effect").map(|given| given.choice(&Effect::ALL.map(Effect::as_str))).transpose()?;
    options.idempotent = take("idempotent").map(|given| given.bool()).transpose()?;
    options.confirmation = take("confirmation").map(|given| given.choice(&["required", "none"])).transpose()?;
    options.timeout_ms = take("timeout_ms").map(|given| given.number(1, MAX_TIMEOUT_MS)).transpose()?;
    options.continues = take("continues").map(|given| given.text()).transpose()?;
    if let Some(given) = take("example") {
        let example = given.value()?.clone();
        decode::decode_arguments(types, action, None, example.value.clone())
            .map_err(|issues| Error::new(example.span, format!("`example` não serve de entrada: {}", describe(&issues))))?;
        options.example = Some(example.value);
    }
    Ok(())
}

fn tool_name(given: &crate::options::Given) -> Result<String> {
    let name = given.text()?;
    if is_valid_name(&name) {
        Ok(name)
    } else {
        Err(Error::new(given.span, "o nome de uma ferramenta tem de 1 a 64 letras, dígitos, `_` e `-`"))
    }
}

/// What is checked between routes: requests that two would answer, and the rules of tools.
pub(crate) fn check(contract: &Contract, entries: &[Entry]) -> Result<()> {
    let fail = |route: usize, message: String| {
        let span = entries.get(route).and_then(|entry| entry.span);
        Err(Error::new(span.unwrap_or_else(Span::call_site), message))
    };
    match route::Router::new(contract) {
        Err(RouterError::Conflict { a, b }) => {
            let other = contract.routes.get(a).map(|route| format!("{} {}", route.method.as_str(), route.path)).unwrap_or_default();
            return fail(b, format!("esta rota atende os mesmos pedidos que `{other}`"));
        }
        Err(RouterError::Path { route, reason }) => return fail(route, reason),
        Ok(_) => {}
    }
    match Catalogue::of(contract) {
        Err(error @ ToolError::Clash { .. }) => fail(error.route(), format!("{error}: dê outro nome a uma delas com `tool = \"…\"`")),
        Err(error) => fail(error.route(), error.to_string()),
        Ok(_) => Ok(()),
    }
}
