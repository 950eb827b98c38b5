//! `(a, b -> e)`: functions of one expression.

use super::{Parse, Parser, expression::Deep};
use crate::{ast::ExprKind, syntax::token::TokenKind};

impl Parser<'_> {
    /// After a `(`: names and an arrow follow.
    pub(super) fn at_lambda(&self) -> bool {
        let mut ahead = 0;
        loop {
            match (&self.token_at(ahead).kind, &self.token_at(ahead + 1).kind) {
                (TokenKind::Arrow, _) => return ahead == 0,
                (TokenKind::Word(_), TokenKind::Comma) => ahead += 2,
                (TokenKind::Word(_), TokenKind::Arrow) => return true,
                _ => return false,
            }
        }
    }

    /// From the first name to before the `)`.
    pub(super) fn lambda(&mut self) -> Parse<Deep> {
        let start = self.span();
        let mut params = Vec::new();
        while !self.eat(&TokenKind::Arrow) {
            params.push(self.name("o nome de um parâmetro")?);
            self.eat(&TokenKind::Comma);
        }
        let body = self.deep_expression()?;
        self.deepen(start, body.depth, ExprKind::Lambda(params, Box::new(body.expr)))
    }
}
