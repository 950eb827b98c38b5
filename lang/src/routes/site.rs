//! `Route.site:{"nome": …, "about": …}`

use djo_contract::model::Site;

use super::Reader;
use crate::{
    ast::{Expr, Span},
    diagnostic::{Diagnostic, codes},
};

/// Longest `nome` and `about`, in characters.
const MAX_TEXT: usize = 300;

impl Reader<'_> {
    pub(super) fn site_line(&mut self, arguments: &[Expr], span: Span) {
        if let Some(first) = self.site {
            let diagnostic = Diagnostic::error(codes::BAD_ROUTE, span, "`Route.site` aparece duas vezes");
            self.report(diagnostic.related(first, "a primeira"));
            return;
        }
        self.site = Some(span);
        let [map] = arguments else {
            let diagnostic = Diagnostic::error(codes::BAD_ROUTE, span, "`Route.site` recebe um Map");
            self.report(diagnostic.hint("escreva `Route.site:{\"nome\": \"…\", \"about\": \"…\"}`"));
            return;
        };
        let before = self.diagnostics.len();
        let entries = self.entries(map, &["nome", "about"], "`Route.site`");
        let mut text = |name: &str| {
            let Some((_, _, value)) = entries.iter().find(|(key, ..)| *key == name) else {
                if self.diagnostics.len() == before {
                    let message = format!("falta a chave `{name}` em `Route.site`");
                    self.report(Diagnostic::error(codes::MISSING_FIELD, map.span, message));
                }
                return None;
            };
            let text = self.string(value, &format!("`{name}`"))?;
            if text.chars().count() > MAX_TEXT {
                let message = format!("`{name}` tem {} caracteres; o limite é {MAX_TEXT}", text.chars().count());
                self.report(Diagnostic::error(codes::BAD_ROUTE, value.span, message));
                return None;
            }
            Some(text.to_owned())
        };
        if let (Some(nome), Some(about)) = (text("nome"), text("about")) {
            self.table.site = Some(Site { nome, about });
        }
    }
}
