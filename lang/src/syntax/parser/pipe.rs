//! `a | f:b`, which is `f:a:b`.

use super::{
    Parse, Parser,
    expression::{Deep, Level},
};
use crate::{
    ast::{Expr, ExprKind, Span},
    diagnostic::{Diagnostic, codes},
};

impl Parser<'_> {
    /// The call on the right of a `|` that was just read, with what stands on its left as the first argument.
    pub(super) fn pipe(&mut self, start: Span, left: Deep, pipe: Span) -> Parse<Deep> {
        let right = self.climb(Level::Or)?;
        let written = self.slice(right.expr.span);
        let hint = match right.expr.kind {
            ExprKind::Call(callee, mut arguments) if !written.starts_with('(') => {
                arguments.insert(0, left.expr);
                return self.deepen(start, left.depth.max(right.depth), ExprKind::Call(callee, arguments));
            }
            ExprKind::Name(_) | ExprKind::Member(..) if !written.starts_with('(') => format!("para chamar, escreva `{written}:`"),
            ExprKind::Call(..) => "escreva a chamada sem parênteses".to_owned(),
            ExprKind::Lambda(..) => "dê um nome à função, como em `g = (x -> …)`, e escreva `g:`".to_owned(),
            ref kind => match first_call(kind).map(|call| Span { start: start.start, ..call.span }) {
                Some(inner) => {
                    let rest = self.slice(Span { start: inner.end, ..right.expr.span });
                    format!("`|` é o último a ser feito; use parênteses: `({}){rest}`", self.slice(inner))
                }
                None => "escreva uma função e os outros argumentos dela: `x | String.split:\",\"`".to_owned(),
            },
        };
        let span = if right.expr.span.start < right.expr.span.end { right.expr.span } else { pipe };
        let diagnostic = Diagnostic::error(codes::PIPE_WITHOUT_CALL, span, "à direita de `|` vai uma chamada");
        Err(self.report(diagnostic.hint(hint)))
    }
}

/// The call at the left end of what operators join.
fn first_call(mut kind: &ExprKind) -> Option<&Expr> {
    loop {
        let left = match kind {
            ExprKind::Binary(_, left, _) | ExprKind::And(left, _) | ExprKind::Or(left, _) | ExprKind::Coalesce(left, _) => left,
            _ => return None,
        };
        if matches!(left.kind, ExprKind::Call(..)) {
            return Some(left);
        }
        kind = &left.kind;
    }
}
