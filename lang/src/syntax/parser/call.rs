//! Calls: `nome:a:b`, with the `:` glued on both sides, and `nome:` alone.

use super::{Parse, Parser, expression::Deep};
use crate::{
    ast::{Expr, ExprKind},
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, Keyword, Operator, TokenKind},
};

impl Parser<'_> {
    /// The call of what was just read, where a glued `:` follows it; else what was read.
    pub(super) fn call_after(&mut self, callee: Deep) -> Parse<Deep> {
        let start = callee.expr.span;
        if !self.is_glued() {
            return Ok(callee);
        }
        match self.kind() {
            TokenKind::Colon => {}
            TokenKind::Open(bracket @ (Bracket::Round | Bracket::Curly)) if self.is_callable(&callee.expr) => {
                let (bracket, span) = (*bracket, self.span());
                let message = format!("uma chamada se escreve com `:`, não com `{}`", bracket.open());
                let diagnostic = Diagnostic::error(codes::FOREIGN_CALL, span, message);
                let name = self.slice(start);
                let hint = if bracket == Bracket::Curly {
                    format!("escreva `{name}:{{…}}`")
                } else {
                    super::foreign_call::hint(name, self.within(self.position).as_deref())
                };
                return Err(self.report(diagnostic.hint(hint)));
            }
            _ => return Ok(callee),
        }
        if !self.is_callable(&callee.expr) {
            if let ExprKind::Member(base, name) = &callee.expr.kind
                && let Some(hint) = super::foreign_call::method_call(self.slice(base.span), &name.text, &self.arguments_here())
            {
                let diagnostic = Diagnostic::error(codes::MISPLACED_COLON, self.span(), "`:` fora de lugar");
                return Err(self.report(diagnostic.hint(hint)));
            }
            self.misplaced_colon()?;
            return Ok(callee);
        }
        let (mut arguments, mut depth) = (Vec::new(), callee.depth);
        while self.at(&TokenKind::Colon) && self.is_glued() {
            if !self.argument_follows() {
                if arguments.is_empty() {
                    self.bump();
                } else {
                    self.misplaced_colon()?;
                }
                break;
            }
            self.bump();
            let argument = self.argument()?;
            depth = depth.max(argument.depth);
            arguments.push(argument.expr);
        }
        self.deepen(start, depth, ExprKind::Call(Box::new(callee.expr), arguments))
    }

    /// A name, or a chain of members of a name, without parentheses.
    fn is_callable(&self, expr: &Expr) -> bool {
        match &expr.kind {
            ExprKind::Name(_) => !self.slice(expr.span).starts_with('('),
            ExprKind::Member(base, _) => self.is_callable(base) && !self.slice(expr.span).starts_with('('),
            _ => false,
        }
    }

    /// The arguments that follow here, as they are written.
    fn arguments_here(&self) -> String {
        if self.argument_follows() { self.as_arguments(self.position) } else { String::new() }
    }

    /// After this `:`, glued to it, an argument starts.
    fn argument_follows(&self) -> bool {
        let (colon, next, after) = (self.token(), self.token_at(1), self.token_at(2));
        if colon.span.end != next.span.start {
            return false;
        }
        match &next.kind {
            TokenKind::Word(None | Some(Keyword::True | Keyword::False | Keyword::Nil))
            | TokenKind::Int(_)
            | TokenKind::Float(_)
            | TokenKind::Str(_)
            | TokenKind::TextStart
            | TokenKind::Open(_) => true,
            TokenKind::Operator(Operator::Minus) => {
                next.span.end == after.span.start && matches!(after.kind, TokenKind::Int(_) | TokenKind::Float(_))
            }
            // The lexer has reported it: taken as an argument, it adds no second report.
            TokenKind::Error => true,
            _ => false,
        }
    }

    fn argument(&mut self) -> Parse<Deep> {
        if self.is_operator(Operator::Minus)
            && let Some(number) = self.signed_number()?
        {
            return Ok(number);
        }
        self.member_chain()
    }

    /// A `:` after what cannot be called, or without the argument that should follow it. One at the end of a line is
    /// taken, so that the rest of the line still counts.
    fn misplaced_colon(&mut self) -> Parse<()> {
        let span = self.span();
        let ends_line = matches!(self.token_at(1).kind, TokenKind::Newline | TokenKind::End);
        let ends_header = self.in_header && span.end < self.token_at(1).span.start;
        let diagnostic = Diagnostic::error(codes::MISPLACED_COLON, span, "`:` fora de lugar");
        let (minus, negated) = (self.token_at(1), self.token_at(2));
        let negates =
            minus.kind == TokenKind::Operator(Operator::Minus) && minus.span.start == span.end && minus.span.end == negated.span.start;
        let hint = if negates {
            "um valor negado vai entre parênteses: `nome:a:(-x)`"
        } else if self.in_index {
            SLICE_HINT
        } else if ends_line {
            super::LINE_COLON_HINT
        } else if ends_header {
            super::statement::ONE_LINE_HINT
        } else {
            "só um nome pode ser chamado com `:`, e cada argumento vem colado: `nome:a:b`"
        };
        let reported = self.report(diagnostic.hint(hint));
        if !ends_line {
            return Err(reported);
        }
        self.bump();
        Ok(())
    }
}

/// What djo has instead of `xs[a:b]`.
pub(super) const SLICE_HINT: &str = "para um pedaço de um Arr, use `Arr.slice:xs:inicio:fim`";
