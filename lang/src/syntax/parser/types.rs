//! Fields, parameters and the types they are written with.

use super::{Parse, Parser};
use crate::{
    ast::{Expr, FieldDecl, Name, TypeExpr, TypeKind},
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, Operator, TokenKind},
};

impl Parser<'_> {
    /// `[nocall] nome[Tipo, constraints] [= literal] ["descrição"]`; without a type only when `untyped` allows it.
    pub(super) fn field(&mut self, untyped: bool) -> Parse<FieldDecl> {
        let start = self.span();
        let hidden = self.peek_word() == Some("nocall") && matches!(self.token_at(1).kind, TokenKind::Word(_));
        if hidden {
            self.bump();
        }
        let name = self.any_word("o nome de um campo")?;
        let (mut ty, mut constraints) = (None, Vec::new());
        if self.eat(&TokenKind::Open(Bracket::Square)) {
            ty = Some(self.written_type()?);
            loop {
                let follows = matches!(self.kind(), TokenKind::Word(_)) && self.token_at(1).kind == TokenKind::Colon;
                if follows {
                    let hint = "falta uma `,` antes da restrição".to_owned();
                    let _ = self.unexpected_with("`,` ou `]`", Some(hint));
                } else if !self.eat(&TokenKind::Comma) {
                    break;
                }
                if self.at(&TokenKind::Close(Bracket::Square)) {
                    break;
                }
                constraints.push(self.constraint()?);
            }
            self.expect(&TokenKind::Close(Bracket::Square), "`,` ou `]`")?;
        } else if !untyped {
            let span = name.span;
            let diagnostic = if self.at(&TokenKind::Colon) {
                Diagnostic::error(codes::MISSING_TYPE, self.span(), "o tipo vem entre colchetes")
            } else {
                Diagnostic::error(codes::MISSING_TYPE, span, format!("falta o tipo de `{}`", name.text))
            };
            return Err(self.report(diagnostic.hint(format!("escreva `{}[String]`", name.text))));
        }
        let default = if self.eat(&TokenKind::Assign) { Some(self.expression()?) } else { None };
        let description = self.eat_string();
        Ok(FieldDecl { hidden, name, ty, constraints, default, description, span: self.span_since(start) })
    }

    fn constraint(&mut self) -> Parse<(Name, Expr)> {
        let key = self.any_word("uma restrição, como `min: 1`")?;
        let wanted = "`:` e o valor da restrição";
        if self.at(&TokenKind::Assign) {
            let _ = self.unexpected_with(wanted, Some(format!("uma restrição se escreve com `:`, como em `{}: 1`", key.text)));
            self.bump();
        } else {
            self.expect(&TokenKind::Colon, wanted)?;
        }
        Ok((key, self.expression()?))
    }

    fn written_type(&mut self) -> Parse<TypeExpr> {
        let start = self.span();
        let name = match self.kind() {
            TokenKind::Word(None) => self.any_word("um tipo")?,
            _ => return Err(self.unexpected("um tipo")),
        };
        let kind = if self.at(&TokenKind::Open(Bracket::Square)) {
            let open = self.bump().span;
            let item = self.nested(Self::written_type)?;
            if self.at(&TokenKind::Comma) {
                let span = self.span();
                let diagnostic = Diagnostic::error(codes::BAD_TYPE, span, "os itens de um Arr ou Map não levam restrições aqui");
                return Err(self.report(diagnostic.hint("para restringir os itens, crie uma struct com o campo")));
            }
            self.expect(&TokenKind::Close(Bracket::Square), "`]`")?;
            match name.text.as_str() {
                "Arr" => TypeKind::Arr(Box::new(item)),
                "Map" => TypeKind::Map(Box::new(item)),
                other => {
                    let message = format!("`{other}` não leva um tipo entre colchetes");
                    let diagnostic = Diagnostic::error(codes::BAD_TYPE, open, message);
                    let hint = match super::foreign::foreign_type(other) {
                        Some(own @ ("Arr" | "Map")) => format!("você quis dizer `{own}[…]`?"),
                        _ => "só `Arr[T]` e `Map[T]` levam".to_owned(),
                    };
                    let _ = self.report(diagnostic.hint(hint));
                    TypeKind::Unread
                }
            }
        } else if self.is_operator(Operator::Lt) {
            let hint = format!("o tipo dos itens vem entre colchetes, como em `{}[String]`", name.text);
            let _ = self.unexpected_with("`,` ou `]`", Some(hint));
            self.skip_to(|kind| matches!(kind, TokenKind::Operator(Operator::Gt)));
            self.bump();
            TypeKind::Unread
        } else {
            TypeKind::Named(name)
        };
        let optional = self.eat(&TokenKind::Question);
        if self.at(&TokenKind::Pipe) {
            let hint = "um valor que pode ser nil tem um tipo com `?`, como em `String?`".to_owned();
            let _ = self.unexpected_with("`,` ou `]`", Some(hint));
            self.skip_to(|_| false);
            return Ok(TypeExpr { kind: TypeKind::Unread, optional, span: self.span_since(start) });
        }
        Ok(TypeExpr { kind, optional, span: self.span_since(start) })
    }

    /// Goes on to what is looked for, a `,`, or the end of the brackets or of the line.
    pub(super) fn skip_to(&mut self, wanted: impl Fn(&TokenKind) -> bool) {
        let mut open = 0_u32;
        loop {
            match self.kind() {
                TokenKind::Newline | TokenKind::End => return,
                TokenKind::Close(_) | TokenKind::Comma if open == 0 => return,
                kind if open == 0 && wanted(kind) => return,
                TokenKind::Open(_) => open += 1,
                TokenKind::Close(_) => open -= 1,
                _ => {}
            }
            self.bump();
        }
    }

    /// A name where any word may stand.
    pub(super) fn any_word(&mut self, wanted: &str) -> Parse<Name> {
        let token = self.token().clone();
        let TokenKind::Word(_) = token.kind else { return Err(self.unexpected(wanted)) };
        self.bump();
        Ok(Name { text: self.word_text(&token).to_owned(), span: token.span })
    }

    /// A name that code can refer to: no reserved word.
    pub(super) fn name(&mut self, wanted: &str) -> Parse<Name> {
        if let TokenKind::Word(Some(_)) = self.kind() {
            let token = self.token().clone();
            let message = format!("`{}` é uma palavra reservada", self.word_text(&token));
            return Err(self.error(codes::RESERVED_WORD, token.span, message));
        }
        self.any_word(wanted)
    }

    pub(super) fn eat_string(&mut self) -> Option<String> {
        let TokenKind::Str(value) = self.kind() else { return None };
        let value = value.clone();
        self.bump();
        Some(value)
    }
}
