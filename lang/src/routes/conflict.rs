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
        let hint = if first.route.action.is_some() != route.route.action.is_some() {
            "uma action é sempre `POST`; dê a uma delas outro caminho"
        } else if first.path.text == route.path.text {
            "apague uma delas, ou dê a uma outro caminho; as duas faces de um caminho cabem numa rota: `{\"html\": …, \"agent\": …}`"
        } else {
            "o nome entre `{` e `}` não distingue uma rota de outra: dê a uma delas uma parte fixa, como em `/posts/nome/{nome}`"
        };
        diagnostics.push(diagnostic.hint(hint));
    }
}
