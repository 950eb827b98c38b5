//! Values as they stand in the tokens, for hints: what is wrong with a line is often clear only from what stands before and after.

use super::Parser;
use crate::syntax::token::{Bracket, Keyword, Operator, Token, TokenKind};

/// Most arguments that a hint writes out.
const MAX_ARGUMENTS: u32 = 8;

impl Parser<'_> {
    fn kind_at(&self, index: usize) -> Option<&TokenKind> {
        self.tokens.get(index).map(|token| &token.kind)
    }

    fn is_glued_at(&self, index: usize) -> bool {
        let before = index.checked_sub(1).and_then(|before| self.tokens.get(before));
        matches!((before, self.tokens.get(index)), (Some(before), Some(token)) if before.span.end == token.span.start)
    }

    /// The source from one token to before another.
    pub(super) fn written(&self, from: usize, to: usize) -> &str {
        let end = to.checked_sub(1).and_then(|last| self.tokens.get(last)).map_or(0, |token| token.span.end);
        self.tokens.get(from).and_then(|first| self.text.get(first.span.start as usize..end as usize)).unwrap_or("")
    }

    /// Where the value starts that ends before a token: a literal, brackets, or a chain of members and indices.
    pub(super) fn value_before(&self, end: usize) -> Option<usize> {
        let mut at = end.checked_sub(1)?;
        loop {
            match self.kind_at(at)? {
                TokenKind::Close(_) | TokenKind::TextEnd => at = self.opener(at)?,
                TokenKind::Word(_) | TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Str(_) => {}
                _ => return None,
            }
            let before = at.checked_sub(1);
            if before.and_then(|before| self.kind_at(before)) == Some(&TokenKind::Dot) {
                at = at.checked_sub(2)?;
            } else if self.kind_at(at) == Some(&TokenKind::Open(Bracket::Square)) && self.is_glued_at(at) {
                at = before?;
            } else {
                let signed = matches!(self.kind_at(at), Some(TokenKind::Int(_) | TokenKind::Float(_))) && self.is_glued_at(at);
                let minus = Some(&TokenKind::Operator(Operator::Minus));
                return Some(before.filter(|before| signed && self.kind_at(*before) == minus).unwrap_or(at));
            }
        }
    }

    /// Where the call starts whose last argument ends before this token.
    pub(super) fn call_before(&self) -> Option<usize> {
        let mut end = self.position;
        loop {
            let start = self.value_before(end)?;
            let colon = start.checked_sub(1).filter(|colon| self.kind_at(*colon) == Some(&TokenKind::Colon));
            match colon.filter(|colon| self.is_glued_at(start) && self.is_glued_at(*colon)) {
                Some(colon) => end = colon,
                None => return (end < self.position && self.kind_at(start) == Some(&TokenKind::Word(None))).then_some(start),
            }
        }
    }

    fn opener(&self, close: usize) -> Option<usize> {
        let mut open = 0_u32;
        for index in (0..=close).rev() {
            match self.kind_at(index)? {
                TokenKind::Close(_) | TokenKind::TextEnd => open += 1,
                TokenKind::Open(_) | TokenKind::TextStart => open = open.checked_sub(1)?,
                _ => {}
            }
            if open == 0 {
                return Some(index);
            }
        }
        None
    }

    fn closer(&self, open: usize) -> Option<usize> {
        let mut depth = 0_u32;
        for index in open..self.tokens.len() {
            match self.kind_at(index)? {
                TokenKind::Open(_) | TokenKind::TextStart => depth += 1,
                TokenKind::Close(_) | TokenKind::TextEnd => depth = depth.checked_sub(1)?,
                TokenKind::Newline | TokenKind::End => return None,
                _ => {}
            }
            if depth == 0 {
                return Some(index);
            }
        }
        None
    }

    /// Where the value ends that starts at a token.
    fn value_after(&self, start: usize) -> Option<usize> {
        let minus = self.kind_at(start) == Some(&TokenKind::Operator(Operator::Minus)) && self.is_glued_at(start + 1);
        let mut at = start + usize::from(minus);
        at = match self.kind_at(at)? {
            TokenKind::Int(_) | TokenKind::Float(_) => at + 1,
            _ if minus => return None,
            TokenKind::Word(None | Some(Keyword::True | Keyword::False | Keyword::Nil)) | TokenKind::Str(_) => at + 1,
            TokenKind::Open(_) | TokenKind::TextStart => self.closer(at)? + 1,
            _ => return None,
        };
        loop {
            match (self.kind_at(at), self.kind_at(at + 1)) {
                (Some(TokenKind::Dot), Some(TokenKind::Word(_))) => at += 2,
                (Some(TokenKind::Open(Bracket::Square)), _) if self.is_glued_at(at) => at = self.closer(at)? + 1,
                _ => return Some(at),
            }
        }
    }

    /// The values from a token to the end of what it stands in, however they are separated, as arguments: `:a:b`. `…` where they
    /// are more than values.
    pub(super) fn as_arguments(&self, from: usize) -> String {
        let (mut at, mut arguments) = (from, String::new());
        for count in 0.. {
            if matches!(self.kind_at(at), Some(TokenKind::Comma | TokenKind::Colon)) {
                at += 1;
            }
            match self.kind_at(at) {
                None | Some(TokenKind::Newline | TokenKind::End | TokenKind::Indent | TokenKind::Dedent | TokenKind::Close(_)) => break,
                _ => {}
            }
            let Some(end) = self.value_after(at).filter(|_| count < MAX_ARGUMENTS) else { return ":…".to_owned() };
            arguments.push(':');
            arguments.push_str(self.written(at, end));
            at = end;
        }
        if arguments.is_empty() { ":…".to_owned() } else { arguments }
    }

    /// What stands between the parentheses that open at a token, as arguments of a call, without the first `:`. `None` where it goes
    /// over lines, or holds what needs a hint of its own.
    pub(super) fn within(&self, open: usize) -> Option<Vec<String>> {
        let close = self.closer(open)?;
        let mut arguments = Vec::new();
        let mut start = open + 1;
        while start < close {
            let mut end = start;
            while end < close && self.kind_at(end) != Some(&TokenKind::Comma) {
                end = if matches!(self.kind_at(end), Some(TokenKind::Open(_) | TokenKind::TextStart)) {
                    self.closer(end)? + 1
                } else {
                    end + 1
                };
            }
            let text = self.written(start, end);
            let foreign = |pair: &[Token]| {
                matches!(pair, [callee, open] if matches!(callee.kind, TokenKind::Word(None))
                    && open.kind == TokenKind::Open(Bracket::Round)
                    && callee.span.end == open.span.start)
            };
            let held = self.tokens.get(start..end)?;
            if text.is_empty() || text.contains('\n') || held.windows(2).any(foreign) {
                return None;
            }
            arguments.push(if self.value_after(start) == Some(end) { text.to_owned() } else { format!("({text})") });
            start = end + 1;
        }
        Some(arguments)
    }

    /// For `(a, b)`: the arguments of a call, or a tuple.
    pub(super) fn hint_for_tuple(&self, open: usize) -> String {
        let colon = open.checked_sub(1).filter(|colon| self.kind_at(*colon) == Some(&TokenKind::Colon) && self.is_glued_at(open));
        let callee = colon.and_then(|colon| Some((self.value_before(colon)?, colon)));
        match (callee, self.within(open)) {
            (Some((start, colon)), Some(arguments)) => {
                let call = self.written(start, colon);
                format!("os argumentos se separam com `:`: `{call}:{}`", arguments.join(":"))
            }
            (Some(_), None) => "os argumentos se separam com `:`: `nome:a:b`".to_owned(),
            _ => "vários valores juntos são um Arr: `[a, b]`".to_owned(),
        }
    }
}
