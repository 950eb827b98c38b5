//! `$"…"`: a String with values in it.

use super::{Parse, Parser, expression::Deep};
use crate::{
    ast::{Expr, ExprKind},
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, TokenKind},
};

impl Parser<'_> {
    /// At the `$"` of one. Without values it is a String like any other.
    pub(super) fn text_with_values(&mut self) -> Parse<Deep> {
        let start = self.bump().span;
        let outer = std::mem::replace(&mut self.in_index, false);
        let parts = self.text_parts();
        self.in_index = outer;
        let (mut parts, depth) = parts?;
        if parts.is_empty() {
            parts.push(Expr { kind: ExprKind::Str(String::new()), span: start });
        }
        match parts.as_mut_slice() {
            [Expr { kind: ExprKind::Str(text), .. }] => {
                let kind = ExprKind::Str(std::mem::take(text));
                Ok(Deep { expr: Expr { kind, span: self.span_since(start) }, depth: 1 })
            }
            _ => self.deepen(start, depth, ExprKind::Text(parts)),
        }
    }

    /// Texts and values up to the end of the String, and the depth of the deepest.
    fn text_parts(&mut self) -> Parse<(Vec<Expr>, u32)> {
        let (mut parts, mut depth) = (Vec::new(), 1);
        loop {
            let token = self.token().clone();
            match token.kind {
                TokenKind::Str(text) => {
                    self.bump();
                    parts.push(Expr { kind: ExprKind::Str(text), span: token.span });
                }
                TokenKind::Open(Bracket::Hole) => {
                    self.bump();
                    if self.at(&TokenKind::Close(Bracket::Hole)) {
                        let diagnostic = Diagnostic::error(codes::BAD_INTERPOLATION, self.span_since(token.span), "`{ }` sem um valor");
                        return Err(self.report(diagnostic.hint("uma chave que é texto se escreve `{{` ou `}}`")));
                    }
                    let value = self.deep_expression()?;
                    self.expect(&TokenKind::Close(Bracket::Hole), "`}`")?;
                    depth = depth.max(value.depth);
                    parts.push(value.expr);
                }
                TokenKind::TextEnd => {
                    self.bump();
                    return Ok((parts, depth));
                }
                _ => return Err(self.unexpected("o fim da String")),
            }
        }
    }
}
