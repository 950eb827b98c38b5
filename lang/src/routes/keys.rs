//! The literal Maps of routes: known keys, each once, of the right kind.

use super::Reader;
use crate::{
    ast::{Expr, ExprKind, Span},
    diagnostic::{Diagnostic, codes, nearest, quoted_list},
};

impl Reader<'_> {
    /// The entries of a literal Map with their keys; reports unknown and repeated ones.
    pub(super) fn entries<'e>(&mut self, expr: &'e Expr, known: &[&str], what: &str) -> Vec<(&'e str, Span, &'e Expr)> {
        let ExprKind::Map(entries) = &expr.kind else {
            if expr.kind != ExprKind::Error {
                let message = format!("{what} recebe um Map literal");
                self.report(Diagnostic::error(codes::BAD_ROUTE, expr.span, message).hint("escreva `{\"chave\": valor}`"));
            }
            return Vec::new();
        };
        crate::check::literal::repeated_keys(entries, self.diagnostics);
        let mut found: Vec<(&str, Span, &Expr)> = Vec::new();
        for (key, value) in entries {
            let ExprKind::Str(name) = &key.kind else {
                let message = "aqui a chave precisa ser uma String entre aspas";
                self.report(Diagnostic::error(codes::NOT_A_LITERAL, key.span, message));
                continue;
            };
            if !known.is_empty() && !known.contains(&name.as_str()) {
                let hint = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("você quis dizer `{near}`?"),
                    None => format!("as chaves são {}", quoted_list(known.iter().copied()).replace(" ou ", " e ")),
                };
                let message = format!("{what} não tem a chave `{name}`");
                self.report(Diagnostic::error(codes::UNKNOWN_KEY, key.span, message).hint(hint));
                continue;
            }
            if !found.iter().any(|(other, ..)| other == name) {
                found.push((name, key.span, value));
            }
        }
        found
    }

    /// An Int within bounds.
    pub(super) fn bounded_int(&mut self, expr: &Expr, key: &str, least: i64, most: i64) -> Option<u32> {
        if let ExprKind::Int(value) = expr.kind
            && (least..=most).contains(&value)
        {
            return u32::try_from(value).ok();
        }
        if expr.kind != ExprKind::Error {
            let message = format!("`{key}` deve ser um Int de {least} a {most}");
            self.report(Diagnostic::error(codes::BAD_ROUTE, expr.span, message));
        }
        None
    }

    /// One of a few Strings.
    pub(super) fn choice(&mut self, expr: &Expr, key: &str, choices: &[&str]) -> Option<String> {
        let text = self.string(expr, &format!("`{key}`"))?;
        if choices.contains(&text) {
            return Some(text.to_owned());
        }
        let hint = match nearest(text, choices.iter().copied()) {
            Some(near) => format!("você quis dizer `{near}`?"),
            None => format!("os valores são {}", quoted_list(choices.iter().copied()).replace(" ou ", " e ")),
        };
        self.report(Diagnostic::error(codes::BAD_ROUTE, expr.span, format!("`{key}` não pode ser `{text}`")).hint(hint));
        None
    }

    /// `true` or `false`.
    pub(super) fn boolean(&mut self, expr: &Expr, key: &str) -> Option<bool> {
        match expr.kind {
            ExprKind::Bool(value) => Some(value),
            ExprKind::Error => None,
            _ => {
                self.report(Diagnostic::error(codes::BAD_ROUTE, expr.span, format!("`{key}` deve ser Bool")));
                None
            }
        }
    }

    /// A tool's name.
    pub(super) fn tool_name(&mut self, expr: &Expr) -> Option<String> {
        let name = self.string(expr, "`tool`")?;
        if super::tool::is_valid(name) {
            return Some(name.to_owned());
        }
        let diagnostic = Diagnostic::error(codes::BAD_ROUTE, expr.span, format!("`{name}` não serve de nome de ferramenta"));
        self.report(diagnostic.hint("use de 1 a 64 letras sem acento, dígitos, `_` e `-`"));
        None
    }
}
