//! `$"…"`: text with values in braces. The text is read here; what stands in a brace is read as any other code, and its
//! closing brace leads back here. So Strings within values nest without the lexer calling itself.

use super::{Lexer, OpenBracket};
use crate::{
    ast::Span,
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, TokenKind},
};

/// A `$"…"` that has not ended.
#[derive(Clone, Copy)]
pub(super) struct OpenText {
    /// Where its `$` is.
    start: usize,
    /// It is one of `"""`, over lines.
    long: bool,
}

impl Lexer<'_> {
    /// At a `$"`.
    pub(super) fn text(&mut self) {
        let start = self.position;
        let long = self.rest().starts_with("$\"\"\"");
        self.position += if long { 4 } else { 2 };
        self.push(TokenKind::TextStart, start);
        if long {
            let rest = self.rest();
            self.position += if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
        }
        self.texts.push(OpenText { start, long });
        self.text_part();
    }

    /// The text up to the next value or the end.
    pub(super) fn text_part(&mut self) {
        let Some(OpenText { start: opened, long }) = self.texts.last().copied() else { return };
        let quote = if long { "\"\"\"" } else { "\"" };
        let start = self.position;
        let mut value = String::new();
        loop {
            let at = self.position;
            let rest = self.rest();
            if rest.starts_with(quote) {
                self.end_part(value, start);
                self.position += quote.len();
                return self.end_text(at);
            }
            match self.peek() {
                None => break,
                Some('\n') if !long => break,
                Some('\r') if rest.starts_with("\r\n") => {
                    if !long {
                        break;
                    }
                    self.bump();
                }
                Some(brace @ ('{' | '}')) if rest.starts_with(if brace == '{' { "{{" } else { "}}" }) => {
                    self.position += 2;
                    value.push(brace);
                }
                Some('{') => {
                    self.end_part(value, start);
                    let at = self.position;
                    self.bump();
                    self.brackets.push(OpenBracket { kind: Bracket::Hole, span: self.span_from(at), params: false, lambda: false });
                    return self.push(TokenKind::Open(Bracket::Hole), at);
                }
                Some('}') => {
                    self.bump();
                    let diagnostic = Diagnostic::error(codes::BAD_INTERPOLATION, self.span_from(at), "`}` sem um `{` antes");
                    self.report(diagnostic.hint("uma chave que é texto se escreve `}}`"));
                }
                Some('\\') => {
                    self.bump();
                    if let Some(brace @ ('{' | '}')) = self.peek() {
                        self.bump();
                        let diagnostic =
                            Diagnostic::error(codes::BAD_ESCAPE, self.span_from(at), format!("escape desconhecido `\\{brace}`"));
                        self.report(diagnostic.hint(format!("uma chave que é texto se escreve `{brace}{brace}`")));
                    } else {
                        self.escape(at, &mut value);
                    }
                }
                Some(c) => {
                    self.bump();
                    value.push(c);
                }
            }
        }
        let (end, hint) =
            if long { (opened + 4, "falta `\"\"\"`") } else { (self.position, "falta `\"` no fim; para várias linhas, use `$\"\"\"`") };
        let span = Span { file: self.file, start: opened as u32, end: end as u32 };
        self.report(Diagnostic::error(codes::UNTERMINATED_STRING, span, "String sem fim").hint(hint));
        self.end_part(value, start);
        self.end_text(self.position);
    }

    fn end_part(&mut self, value: String, start: usize) {
        if !value.is_empty() {
            self.push(TokenKind::Str(value), start);
        }
    }

    fn end_text(&mut self, start: usize) {
        self.texts.pop();
        self.push(TokenKind::TextEnd, start);
    }

    /// Within a value of a String that ends with its line.
    pub(super) fn in_short_text(&self) -> bool {
        self.texts.last().is_some_and(|text| !text.long)
    }

    /// At the end of a line: Strings of one line end, and with them what is open in their braces.
    pub(super) fn end_short_texts(&mut self) {
        if !self.in_short_text() {
            return;
        }
        if let Some(hole) = self.brackets.iter().rfind(|open| open.kind == Bracket::Hole) {
            let diagnostic = Diagnostic::error(codes::UNMATCHED_BRACKET, hole.span, "`{` não foi fechado");
            self.report(diagnostic.hint("falta um `}`; uma chave que é texto se escreve `{{`"));
            // What was read as its value was meant for text.
            let outer = self.brackets.iter().filter(|open| open.kind == Bracket::Hole).map(|open| open.span.start).min();
            while self.tokens.last().is_some_and(|token| outer.is_some_and(|outer| token.span.start > outer)) {
                self.tokens.pop();
            }
            self.push(TokenKind::Error, self.position);
        }
        while self.in_short_text() {
            self.drop_bracket();
        }
    }
}
