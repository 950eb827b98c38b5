//! Tools of the routes: a name for each, one of its kind, and continuations of what is there.

use std::collections::HashMap;

use djo_contract::{
    model::Contract,
    route::parse_path,
    tool::{Catalogue, ToolError, derived_name},
};

use super::{Placed, path::RoutePath};
use crate::{
    ast::Span,
    diagnostic::{Diagnostic, codes, nearest},
};

pub(super) use djo_contract::tool::is_valid_name as is_valid;

/// The name of a GET route's tool that declares none.
pub(super) fn derived(path: &RoutePath) -> String {
    derived_name(parse_path(&path.text).unwrap_or_default())
}

/// Reports clashes, and continuations of what is not there; answers whether there were any.
pub(super) fn check(placed: &[Placed], diagnostics: &mut Vec<Diagnostic>) -> bool {
    let before = diagnostics.len();
    let mut seen: HashMap<&str, Span> = HashMap::new();
    for route in placed {
        let Some((name, span)) = &route.tool else { continue };
        // A continuation without a name of its own goes by that of what it continues.
        if route.continues.is_some() && route.route.tool.is_none() {
            continue;
        }
        if let Some(first) = seen.insert(name, *span) {
            let message = format!("duas rotas dão a ferramenta `{name}`");
            let diagnostic = Diagnostic::error(codes::TOOL_CLASH, *span, message).related(first, "a primeira");
            diagnostics.push(diagnostic.hint("dê outro nome a uma delas com a chave `\"tool\"`"));
            seen.insert(name, first);
        }
    }
    for route in placed {
        let Some((name, span)) = &route.continues else { continue };
        if !seen.contains_key(name.as_str()) {
            let hint = nearest(name, seen.keys().copied()).map(|near| format!("você quis dizer `{near}`?"));
            let message = format!("`continues` nomeia `{name}`, que nenhuma rota publica");
            diagnostics.push(Diagnostic::error(codes::UNKNOWN_NAME, *span, message).maybe_hint(hint));
        }
    }
    diagnostics.len() > before
}

/// Reports the rest of what the tools of a table may break, at the line of the route that does.
pub(super) fn check_rules(contract: &Contract, spans: &[(Span, Option<Span>)], diagnostics: &mut Vec<Diagnostic>) {
    let Err(error) = Catalogue::of(contract) else { return };
    let Some((at, continues)) = spans.get(error.route()).copied() else { return };
    let span = match error {
        ToolError::Continues { .. } | ToolError::Branch { .. } | ToolError::Retained { .. } => continues.unwrap_or(at),
        _ => at,
    };
    let mut diagnostic = Diagnostic::error(codes::BAD_ROUTE, span, error.to_string());
    if let ToolError::Branch { routes: (first, _), chained, .. } = error
        && let Some((at, continues)) = spans.get(first)
    {
        diagnostic = diagnostic.related(continues.unwrap_or(*at), if chained { "continua esta" } else { "a primeira" });
    }
    let hint = match error {
        ToolError::Name { .. } => {
            Some("dê um nome curto à ferramenta com a chave `\"tool\"`: de 1 a 64 letras sem acento, dígitos, `_` e `-`")
        }
        ToolError::Branch { chained: false, .. } => Some("a próxima página tem um caminho só: tire `continues` de uma das rotas"),
        ToolError::Branch { chained: true, .. } => Some("nomeie a ferramenta da primeira página; todas as seguintes vêm da mesma rota"),
        ToolError::Retained { .. } => Some("publique a mesma action nas duas rotas; a página pedida está em `Http.cursor:`"),
        _ => None,
    };
    diagnostics.push(diagnostic.maybe_hint(hint.map(str::to_owned)));
}
