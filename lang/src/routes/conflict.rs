//! Routes that can never be told apart.

use std::collections::HashMap;

use super::Placed;
use crate::diagnostic::{Diagnostic, codes};

/// Reports each route that matches the same requests as an earlier one.
pub(super) fn check(placed: &[Placed], diagnostics: &mut Vec<Diagnostic>) {
    let mut seen: HashMap<(u8, Vec<Option<&str>>), &Placed> = HashMap::new();
    for route in placed {
        let key = (route.route.method as u8, route.path.pattern());
        let Some(first) = seen.get(&key) else {
            seen.insert(key, route);
            continue;
        };
        let method = route.route.method.as_str();
        let message = if first.path.text == route.path.text {
            format!("a rota `{method} {}` aparece duas vezes", route.path.text)
        } else {
            format!("`{method} {}` e `{method} {}` casam com os mesmos caminhos", first.path.text, route.path.text)
        };
        let diagnostic = Diagnostic::error(codes::ROUTE_CONFLICT, route.span, message).related(first.span, "a primeira");
        let hint = (first.route.action.is_some() != route.route.action.is_some())
            .then(|| "uma action é sempre `POST`; dê a uma delas outro caminho".to_owned());
        diagnostics.push(diagnostic.maybe_hint(hint));
    }
}
