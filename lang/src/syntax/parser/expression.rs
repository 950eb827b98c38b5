//! Expressions, by precedence climbing. Depth is limited twice: brackets and prefix operators as they are entered,
//! and the tree itself, since a long chain makes a tree as deep as it is long.

use super::{Parse, Parser};
use crate::{
    ast::{BinaryOp, Expr, ExprKind, Name, Span},
    diagnostic::{Diagnostic, codes},
    syntax::{
        MAX_DEPTH,
        token::{Bracket, Keyword, Operator, TokenKind},
    },
};

/// An expression and the depth of its tree.
pub(super) struct Deep {
    pub(super) expr: Expr,
    pub(super) depth: u32,
}

/// Binding strength, loosest first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Level {
    Pipe,
    Or,
    And,
    Not,
    Comparison,
    Coalesce,
    Sum,
    Product,
    Unary,
}

impl Level {
    fn tighter(self) -> Self {
        match self {
            Self::Pipe => Self::Or,
            Self::Or => Self::And,
            Self::And => Self::Not,
            Self::Not => Self::Comparison,
            Self::Comparison => Self::Coalesce,
            Self::Coalesce => Self::Sum,
            Self::Sum => Self::Product,
            Self::Product | Self::Unary => Self::Unary,
        }
    }
}

#[derive(Clone, Copy)]
enum Infix {
    Pipe,
    And,
    Or,
    Coalesce,
    NotIn,
    Binary(BinaryOp),
}

impl Parser<'_> {
    /// A whole expression.
    pub(crate) fn expression(&mut self) -> Parse<Expr> {
        self.deep_expression().map(|deep| deep.expr)
    }

    pub(super) fn deep_expression(&mut self) -> Parse<Deep> {
        self.nested(|parser| parser.climb(Level::Pipe))
    }

    pub(super) fn climb(&mut self, least: Level) -> Parse<Deep> {
        let start = self.span();
        let mut left = if self.at_keyword(Keyword::Not) {
            self.bump();
            if least > Level::Not {
                return Err(self.error(codes::UNEXPECTED_TOKEN, start, "`not` aqui precisa de parênteses: `(not …)`"));
            }
            let operand = self.nested(|parser| parser.climb(Level::Not))?;
            self.deepen(start, operand.depth, ExprKind::Not(Box::new(operand.expr)))?
        } else {
            self.unary()?
        };
        while let Some((level, infix)) = self.infix() {
            if level < least {
                break;
            }
            let operator = self.bump().span;
            let right = match infix {
                Infix::Pipe => {
                    left = self.pipe(start, left, operator)?;
                    continue;
                }
                // `a ?? b ?? c`: the first that is not nil, whichever way it is read; this way evaluates no test twice.
                Infix::Coalesce => self.nested(|parser| parser.climb(Level::Coalesce))?,
                Infix::NotIn => {
                    self.bump();
                    self.climb(level.tighter())?
                }
                _ => self.climb(level.tighter())?,
            };
            let depth = left.depth.max(right.depth);
            let (a, b) = (Box::new(left.expr), Box::new(right.expr));
            let kind = match infix {
                Infix::And => ExprKind::And(a, b),
                Infix::Or => ExprKind::Or(a, b),
                Infix::Coalesce => ExprKind::Coalesce(a, b),
                Infix::Pipe | Infix::NotIn => ExprKind::Binary(BinaryOp::In, a, b),
                Infix::Binary(op) => ExprKind::Binary(op, a, b),
            };
            left = self.deepen(start, depth, kind)?;
            if matches!(infix, Infix::NotIn) {
                left = self.deepen(start, left.depth, ExprKind::Not(Box::new(left.expr)))?;
            }
            if level == Level::Comparison && self.infix().is_some_and(|(next, _)| next == Level::Comparison) {
                let span = self.span();
                let diagnostic = Diagnostic::error(codes::CHAINED_COMPARISON, span, "comparações não se encadeiam")
                    .related(operator, "a primeira comparação")
                    .hint("escreva `a < b and b < c`");
                return Err(self.report(diagnostic));
            }
        }
        Ok(left)
    }

    /// The operator that stands here, unless it ends the expression.
    fn infix(&self) -> Option<(Level, Infix)> {
        let operator = match self.kind() {
            TokenKind::Word(Some(Keyword::Or)) => return Some((Level::Or, Infix::Or)),
            TokenKind::Word(Some(Keyword::And)) => return Some((Level::And, Infix::And)),
            TokenKind::Word(Some(Keyword::In)) => return Some((Level::Comparison, Infix::Binary(BinaryOp::In))),
            TokenKind::Word(Some(Keyword::Not)) if self.token_at(1).kind == TokenKind::Word(Some(Keyword::In)) => {
                return Some((Level::Comparison, Infix::NotIn));
            }
            TokenKind::Pipe => return Some((Level::Pipe, Infix::Pipe)),
            TokenKind::Coalesce => return Some((Level::Coalesce, Infix::Coalesce)),
            TokenKind::Operator(operator) => *operator,
            _ => return None,
        };
        Some(match operator {
            Operator::Eq => (Level::Comparison, Infix::Binary(BinaryOp::Eq)),
            Operator::Ne => (Level::Comparison, Infix::Binary(BinaryOp::Ne)),
            Operator::Lt => (Level::Comparison, Infix::Binary(BinaryOp::Lt)),
            Operator::Le => (Level::Comparison, Infix::Binary(BinaryOp::Le)),
            Operator::Gt => (Level::Comparison, Infix::Binary(BinaryOp::Gt)),
            Operator::Ge => (Level::Comparison, Infix::Binary(BinaryOp::Ge)),
            Operator::Plus => (Level::Sum, Infix::Binary(BinaryOp::Add)),
            Operator::Minus => (Level::Sum, Infix::Binary(BinaryOp::Sub)),
            Operator::Star => (Level::Product, Infix::Binary(BinaryOp::Mul)),
            Operator::Slash => (Level::Product, Infix::Binary(BinaryOp::Div)),
            Operator::Percent => (Level::Product, Infix::Binary(BinaryOp::Rem)),
        })
    }

    fn unary(&mut self) -> Parse<Deep> {
        if !self.is_operator(Operator::Minus) {
            return self.postfix();
        }
        let start = self.span();
        if let Some(number) = self.signed_number()? {
            return Ok(number);
        }
        self.bump();
        let operand = self.nested(Self::unary)?;
        self.deepen(start, operand.depth, ExprKind::Negate(Box::new(operand.expr)))
    }

    /// `-` and a number, which is one literal: the least Int has no positive twin.
    pub(super) fn signed_number(&mut self) -> Parse<Option<Deep>> {
        let start = self.span();
        let kind = match self.token_at(1).kind {
            TokenKind::Int(magnitude) => {
                let Some(value) = 0_i64.checked_sub_unsigned(magnitude) else {
                    let span = Span { end: self.token_at(1).span.end, ..start };
                    return Err(self.int_out_of_range(span));
                };
                ExprKind::Int(value)
            }
            TokenKind::Float(value) => ExprKind::Float(-value),
            _ => return Ok(None),
        };
        self.bump();
        self.bump();
        Ok(Some(Deep { expr: Expr { kind, span: self.span_since(start) }, depth: 1 }))
    }

    fn int_out_of_range(&mut self, span: Span) -> super::Reported {
        let text: String = self.text.get(span.start as usize..span.end as usize).unwrap_or("").chars().take(30).collect();
        let message = format!("`{text}` está fora do intervalo de Int");
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, span, message);
        self.report(diagnostic.hint("um Int vai de -9223372036854775808 a 9223372036854775807"))
    }

    /// A primary with its members, indices and call.
    fn postfix(&mut self) -> Parse<Deep> {
        let callee = self.member_chain()?;
        self.call_after(callee)
    }

    /// A primary with its members and indices.
    pub(super) fn member_chain(&mut self) -> Parse<Deep> {
        let start = self.span();
        let mut base = self.primary()?;
        loop {
            if self.at(&TokenKind::Dot) {
                self.bump();
                let token = self.token().clone();
                let TokenKind::Word(_) = token.kind else { return Err(self.unexpected("o nome de um campo")) };
                self.bump();
                let name = Name { text: self.word_text(&token).to_owned(), span: token.span };
                base = self.deepen(start, base.depth, ExprKind::Member(Box::new(base.expr), name))?;
            } else if self.at(&TokenKind::Open(Bracket::Square)) && self.is_glued() {
                self.bump();
                let outer = std::mem::replace(&mut self.in_index, true);
                let index = self.deep_expression();
                self.in_index = outer;
                let index = index?;
                self.expect(&TokenKind::Close(Bracket::Square), "`]`")?;
                let depth = base.depth.max(index.depth);
                base = self.deepen(start, depth, ExprKind::Index(Box::new(base.expr), Box::new(index.expr)))?;
            } else {
                return Ok(base);
            }
        }
    }

    fn primary(&mut self) -> Parse<Deep> {
        let token = self.token().clone();
        let kind = match token.kind {
            TokenKind::Int(magnitude) => match i64::try_from(magnitude) {
                Ok(value) => ExprKind::Int(value),
                Err(_) => return Err(self.int_out_of_range(token.span)),
            },
            TokenKind::Float(value) => ExprKind::Float(value),
            TokenKind::Str(value) => ExprKind::Str(value),
            TokenKind::Word(None) => ExprKind::Name(self.word_text(&token).to_owned()),
            TokenKind::Word(Some(Keyword::True)) => ExprKind::Bool(true),
            TokenKind::Word(Some(Keyword::False)) => ExprKind::Bool(false),
            TokenKind::Word(Some(Keyword::Nil)) => ExprKind::Nil,
            TokenKind::TextStart => return self.text_with_values(),
            TokenKind::Open(bracket) => return self.bracketed(bracket),
            TokenKind::Word(Some(_)) => {
                let word = self.word_text(&token);
                let message = format!("esperava um valor, mas veio a palavra reservada `{word}`");
                let in_lambda = self.token_before().is_some_and(|before| before.kind == TokenKind::Arrow);
                let hint = in_lambda.then(|| crate::syntax::LAMBDA_HINT.to_owned());
                return Err(self.report(Diagnostic::error(codes::UNEXPECTED_TOKEN, token.span, message).maybe_hint(hint)));
            }
            _ => return Err(self.unexpected("um valor")),
        };
        self.bump();
        Ok(Deep { expr: Expr { kind, span: token.span }, depth: 1 })
    }

    fn bracketed(&mut self, bracket: Bracket) -> Parse<Deep> {
        let outer = (std::mem::take(&mut self.in_index), std::mem::take(&mut self.in_header));
        let result = self.nested(|parser| match bracket {
            Bracket::Round => parser.parenthesised(),
            Bracket::Square => parser.array(),
            Bracket::Curly | Bracket::Hole => parser.map(),
        });
        (self.in_index, self.in_header) = outer;
        result
    }

    /// The span takes the parentheses in, which tells `a[(f:x)]` from `a[f:x]` later.
    fn parenthesised(&mut self) -> Parse<Deep> {
        let open = self.position;
        let start = self.bump().span;
        let lambda = self.at_lambda();
        let mut inner = if lambda { self.lambda()? } else { self.deep_expression()? };
        if !self.at(&TokenKind::Close(Bracket::Round)) {
            return Err(self.unclosed(open, lambda));
        }
        self.bump();
        inner.expr.span = self.span_since(start);
        Ok(inner)
    }

    /// Something else than the `)` of the parentheses that open at a token.
    fn unclosed(&mut self, open: usize, lambda: bool) -> super::Reported {
        let hint = if lambda && self.is_on_new_line() {
            Some(crate::syntax::LAMBDA_HINT.to_owned())
        } else if self.at(&TokenKind::Comma) && !lambda && self.call_before().is_none_or(|call| call < open) {
            Some(self.hint_for_tuple(open))
        } else {
            self.hint_for_unexpected("`)`")
        };
        self.unexpected_with("`)`", hint)
    }

    fn array(&mut self) -> Parse<Deep> {
        let start = self.bump().span;
        let (mut items, mut depth) = (Vec::new(), 0);
        while !self.at(&TokenKind::Close(Bracket::Square)) {
            let item = self.deep_expression()?;
            depth = depth.max(item.depth);
            items.push(item.expr);
            if !self.another_item(Bracket::Square) {
                break;
            }
        }
        self.expect(&TokenKind::Close(Bracket::Square), "`,` ou `]`")?;
        self.deepen(start, depth, ExprKind::Arr(items))
    }

    /// After an item: whether a `,` follows, or what can only be the next item. The rest is read all the same.
    fn another_item(&mut self, bracket: Bracket) -> bool {
        if self.eat(&TokenKind::Comma) {
            return true;
        }
        let key = bracket == Bracket::Curly && matches!(self.kind(), TokenKind::Str(_)) && self.token_at(1).kind == TokenKind::Colon;
        let starts = matches!(
            self.kind(),
            TokenKind::Word(None) | TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Str(_) | TokenKind::TextStart | TokenKind::Open(_)
        );
        let lines = self.is_on_new_line();
        if !(key || starts && lines) {
            return false;
        }
        let hint = if lines { "falta uma `,` no fim do item de cima" } else { "falta uma `,` entre os itens" };
        self.failures += 1;
        let _ = self.unexpected_with(&format!("`,` ou `{}`", bracket.close()), Some(hint.to_owned()));
        true
    }

    fn map(&mut self) -> Parse<Deep> {
        let start = self.bump().span;
        let (mut entries, mut depth) = (Vec::new(), 0);
        while !self.at(&TokenKind::Close(Bracket::Curly)) {
            let key = self.map_key()?;
            self.expect(&TokenKind::Colon, "`:` depois da chave")?;
            let value = self.deep_expression()?;
            depth = depth.max(key.depth).max(value.depth);
            entries.push((key.expr, value.expr));
            if !self.another_item(Bracket::Curly) {
                break;
            }
        }
        self.expect(&TokenKind::Close(Bracket::Curly), "`,` ou `}`")?;
        self.deepen(start, depth, ExprKind::Map(entries))
    }

    fn map_key(&mut self) -> Parse<Deep> {
        let token = self.token().clone();
        match token.kind {
            TokenKind::Str(value) => {
                self.bump();
                Ok(Deep { expr: Expr { kind: ExprKind::Str(value), span: token.span }, depth: 1 })
            }
            TokenKind::Open(Bracket::Round) => self.nested(Self::parenthesised),
            TokenKind::TextStart => {
                let key = self.text_with_values()?;
                let diagnostic = Diagnostic::error(codes::BAD_MAP_KEY, key.expr.span, "a chave de um Map é uma String entre aspas");
                Err(self.report(diagnostic.hint("ponha a String com valores entre parênteses: `($\"…\")`")))
            }
            TokenKind::Word(_) => {
                let word = self.word_text(&token);
                let diagnostic = Diagnostic::error(codes::BAD_MAP_KEY, token.span, "a chave de um Map é uma String entre aspas");
                let hint = format!("escreva `\"{word}\"`, ou `({word})` para usar o valor de `{word}`");
                Err(self.report(diagnostic.hint(hint)))
            }
            TokenKind::Int(_) | TokenKind::Float(_) => {
                let diagnostic = Diagnostic::error(codes::BAD_MAP_KEY, token.span, "a chave de um Map é uma String entre aspas");
                Err(self.report(diagnostic.hint("escreva o número entre aspas")))
            }
            _ => Err(self.unexpected("uma chave entre aspas")),
        }
    }

    /// A node over children of the given depth.
    pub(super) fn deepen(&mut self, start: Span, below: u32, kind: ExprKind) -> Parse<Deep> {
        let span = self.span_since(start);
        let depth = below + 1;
        if depth > MAX_DEPTH {
            let message = format!("expressão com mais de {MAX_DEPTH} níveis");
            let diagnostic = Diagnostic::error(codes::TOO_DEEP, Span { end: start.end, ..start }, message);
            return Err(self.report(diagnostic.hint("divida-a em partes, com variáveis")));
        }
        Ok(Deep { expr: Expr { kind, span }, depth })
    }
}
