//! Fields, parameters and the types they are written with.

use super::{Parse, Parser};
use crate::{
    ast::{FieldDecl, Name, TypeExpr, TypeKind},
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, TokenKind},
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
            while self.eat(&TokenKind::Comma) {
                if self.at(&TokenKind::Close(Bracket::Square)) {
                    break;
                }
                let key = self.any_word("uma restrição, como `min: 1`")?;
                self.expect(&TokenKind::Colon, "`:` e o valor da restrição")?;
                constraints.push((key, self.expression()?));
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
                    return Err(self.report(diagnostic.hint("só `Arr[T]` e `Map[T]` levam")));
                }
            }
        } else {
            TypeKind::Named(name)
        };
        let optional = self.eat(&TokenKind::Question);
        Ok(TypeExpr { kind, optional, span: self.span_since(start) })
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
