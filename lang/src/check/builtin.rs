//! What is known of the arguments of single builtins: literal options, refusals, functions that are handed over.

use djo_contract::tool::RefusalKind;
use djo_vm::builtins::{Builtin, Signature};

use super::{shape::Shape, unit::Unit};
use crate::{
    ast::{Expr, ExprKind},
    diagnostic::{Diagnostic, codes, nearest, quoted_list},
};

const DIRECTIVES: &[&str] = &["correct_call", "replan", "finish"];
const PAGE_KEYS: &[&str] = &["itens", "truncated", "next_cursor", "total", "refinement_hint"];

impl Unit<'_, '_> {
    /// Reports what is surely wrong in the arguments of a builtin.
    pub(super) fn builtin_arguments(&mut self, signature: &Signature, arguments: &[Expr], shapes: &[Shape]) {
        let (name, builtin) = (signature.name, signature.builtin);
        self.argument_types(builtin, name, arguments, shapes);
        let options = builtin.options();
        if !options.is_empty()
            && let Some(map) = arguments.get(usize::from(signature.most).saturating_sub(1))
        {
            self.known_keys(map, options, name);
        }
        match (builtin, arguments) {
            (Builtin::ArrMap | Builtin::ArrFilter | Builtin::ArrSortBy, [_, function]) => self.handed_over(function, &shapes[1], 1),
            (Builtin::ArrReduce, [_, function, _]) => self.handed_over(function, &shapes[1], 2),
            (Builtin::ArrFind, [_, function]) if shapes[1] == Shape::Function => self.handed_over(function, &shapes[1], 1),
            (Builtin::Pagina, [page]) => {
                self.known_keys(page, PAGE_KEYS, "Pagina");
                self.required_keys(page, &["itens", "truncated"], "Pagina");
            }
            (Builtin::ArrIndex | Builtin::ArrContains, [_, Expr { kind: ExprKind::Lambda(..), span }]) => {
                let message = format!("`{name}` procura um item igual, e uma função escrita aqui não é igual a nenhum");
                let hint = match builtin {
                    Builtin::ArrContains => "para saber se algum item passa num teste, `(Arr.find:xs:(x -> …)) != nil`",
                    _ => "para achar o item que passa num teste, `Arr.find:xs:(x -> …)`",
                };
                self.report(Diagnostic::error(codes::BAD_ARGUMENT, *span, message).hint(hint));
            }
            (Builtin::Fail, [_, refusal]) => self.refusal(refusal),
            (Builtin::HttpStatus, [status]) => {
                if let ExprKind::Int(code) = status.kind
                    && !(200..=599).contains(&code)
                {
                    let message = format!("`{code}` não é um status de resposta");
                    self.report(Diagnostic::error(codes::BAD_ARGUMENT, status.span, message).hint("um status vai de 200 a 599"));
                }
            }
            _ => {}
        }
    }

    /// A function given to a builtin that calls it with so many arguments.
    fn handed_over(&mut self, function: &Expr, shape: &Shape, count: usize) {
        if !matches!(shape, Shape::Unknown | Shape::Function) {
            let message = format!("aqui vai uma função, mas veio {}", shape.name(self.world.types));
            self.report(
                Diagnostic::error(codes::WRONG_TYPE, function.span, message).hint("escreva o nome de uma `f`, sem `:`, ou `(x -> …)`"),
            );
            return;
        }
        let Some((name, least, most)) = self.arity(function) else { return };
        if count < least || count > most {
            let plural = |n: usize| if n == 1 { "" } else { "s" };
            let message = format!("{name} será chamada com {count} argumento{}, mas tem {most} parâmetro{}", plural(count), plural(most));
            let mut diagnostic = Diagnostic::error(codes::WRONG_ARGUMENT_COUNT, function.span, message);
            if let ExprKind::Name(name) = &function.kind
                && let Some(span) = self.world.declarations.span(name)
            {
                diagnostic = diagnostic.related(span, "declarada aqui");
            }
            self.report(diagnostic);
        }
    }

    fn known_keys(&mut self, map: &Expr, known: &[&str], what: &str) {
        let ExprKind::Map(entries) = &map.kind else { return };
        for (key, _) in entries {
            let ExprKind::Str(text) = &key.kind else { continue };
            if !known.contains(&text.as_str()) {
                let hint = match nearest(text, known.iter().copied()) {
                    Some(near) => format!("você quis dizer `{near}`?"),
                    None => format!("as chaves são {}", quoted_list(known.iter().copied()).replace(" ou ", " e ")),
                };
                let message = format!("`{what}` não tem a chave `{text}`");
                self.report(Diagnostic::error(codes::UNKNOWN_KEY, key.span, message).hint(hint));
            }
        }
    }

    fn required_keys(&mut self, map: &Expr, required: &[&str], what: &str) {
        let ExprKind::Map(entries) = &map.kind else { return };
        if entries.iter().any(|(key, _)| !matches!(key.kind, ExprKind::Str(_))) {
            return;
        }
        for name in required {
            if !entries.iter().any(|(key, _)| matches!(&key.kind, ExprKind::Str(text) if text == name)) {
                let message = format!("falta a chave `{name}` em `{what}`");
                self.report(Diagnostic::error(codes::MISSING_FIELD, map.span, message));
            }
        }
    }

    /// `{"kind": …, "acao": …}`
    fn refusal(&mut self, refusal: &Expr) {
        let ExprKind::Map(entries) = &refusal.kind else { return };
        let literal = |name: &str| {
            entries.iter().find_map(|(key, value)| match (&key.kind, &value.kind) {
                (ExprKind::Str(key), ExprKind::Str(text)) if key == name => Some((text.as_str(), value.span)),
                _ => None,
            })
        };
        let kinds = RefusalKind::ALL.map(RefusalKind::as_str);
        for (name, known) in [("kind", kinds.as_slice()), ("acao", DIRECTIVES)] {
            let Some((text, span)) = literal(name) else { continue };
            if !known.contains(&text) {
                let hint = match nearest(text, known.iter().copied()) {
                    Some(near) => format!("você quis dizer `{near}`?"),
                    None => format!("os valores são {}", quoted_list(known.iter().copied()).replace(" ou ", " e ")),
                };
                self.report(Diagnostic::error(codes::BAD_ARGUMENT, span, format!("`{name}` não pode ser `{text}`")).hint(hint));
            }
        }
        if let (Some((kind, _)), Some(("correct_call", span))) = (literal("kind"), literal("acao"))
            && RefusalKind::from_name(kind).is_some_and(|kind| !kind.is_mendable())
        {
            let message = format!("`correct_call` não vale com `{kind}`");
            let diagnostic = Diagnostic::error(codes::BAD_ARGUMENT, span, message);
            self.report(diagnostic.hint("só `invalid_call` e `domain_rejection` se corrigem repetindo a chamada"));
        }
    }
}
