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
                } else if let Some(hint) = super::foreign::function(name) {
                    hint.to_owned()
                } else {
                    match self.as_call(span.end) {
                        Some(arguments) => format!("escreva `{name}:{arguments}`"),
                        None => format!("escreva `{name}:` sem argumentos, ou `{name}:a:b`"),
                    }
                };
                return Err(self.report(diagnostic.hint(hint)));
            }
            _ => return Ok(callee),
        }
        if !self.is_callable(&callee.expr) {
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

    /// What stands between parentheses from `start` on, as arguments of a call, where all of them are simple.
    fn as_call(&self, start: u32) -> Option<String> {
        let line = self.text.get(start as usize..)?.lines().next()?;
        let (inside, _) = line.split_once(')')?;
        if inside.trim().is_empty() {
            return Some(String::new());
        }
        let simple = |part: &str| {
            let quoted = part.len() >= 2 && part.starts_with('"') && part.ends_with('"') && part.matches('"').count() == 2;
            quoted || (!part.is_empty() && part.chars().all(|c| c == '.' || crate::syntax::lexer::is_word_char(c)))
        };
        let parts: Vec<&str> = inside.split(',').map(str::trim).collect();
        parts.iter().all(|part| simple(part)).then(|| parts.join(":"))
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
        let hint = if self.in_index {
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
