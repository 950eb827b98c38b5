//! Names of tools: an action's own, a read's by its path; each must be one of its kind.

use std::collections::HashMap;

use super::{
    Placed,
    path::{RoutePath, Segment},
};
use crate::{
    ast::Span,
    diagnostic::{Diagnostic, codes, nearest},
};

/// The name of a GET route's tool that declares none: `get_posts`, `get_posts_by_id`.
pub(super) fn derived(path: &RoutePath) -> String {
    let mut name = String::from("get");
    for segment in path.segments.iter().filter(|segment| **segment != Segment::Literal(String::new())) {
        let (joint, text) = match segment {
            Segment::Literal(text) => ("_", text),
            Segment::Param(text) => ("_by_", text),
        };
        name.push_str(joint);
        name.extend(text.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' }));
    }
    name
}

/// Whether a declared name can be one, in every protocol: 1 to 64 of `A-Za-z0-9_-`.
pub(super) fn is_valid(name: &str) -> bool {
    (1..=64).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// Reports clashes, and continuations of what is not there.
pub(super) fn check(placed: &[Placed], diagnostics: &mut Vec<Diagnostic>) {
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
}
