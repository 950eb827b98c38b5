//! Blocks as other languages write them, `{` at the end of a line and `}` after it, and functions over several lines: each is
//! reported once, for what it is.

use super::Lexer;
use crate::{
    diagnostic::{Diagnostic, codes},
    syntax::{
        LAMBDA_HINT,
        token::{Bracket, Keyword, Token, TokenKind},
    },
};

impl<'a> Lexer<'a> {
    /// What follows, without the blanks before it.
    fn after_blanks(&self, from: usize) -> &'a str {
        self.text.get(from..).unwrap_or("").trim_start_matches([' ', '\t', '\r'])
    }

    fn line_ends_at(&self, from: usize) -> bool {
        let rest = self.after_blanks(from);
        rest.is_empty() || rest.starts_with('\n') || rest.starts_with("//")
    }

    /// At a `{`: takes one that opens a block, which is reported for the first of a file.
    pub(super) fn block_brace(&mut self) -> bool {
        if !self.region.has_lines() || !self.brackets.is_empty() || !self.line_ends_at(self.position + 1) || !self.opens_block() {
            return false;
        }
        let start = self.position;
        self.bump();
        if !std::mem::replace(&mut self.block_braces.reported, true) {
            let diagnostic = Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_from(start), "djo não usa `{` e `}` para blocos");
            self.report(diagnostic.hint("um bloco são as linhas de baixo, com um nível de recuo: apague as chaves"));
        }
        self.block_braces.open += 1;
        true
    }

    /// At a `}` outside brackets: takes one that ends such a block.
    pub(super) fn end_block_brace(&mut self) -> bool {
        if !self.brackets.is_empty() || self.block_braces.open == 0 {
            return false;
        }
        self.block_braces.open -= 1;
        self.bump();
        true
    }

    /// What follows can be no Map: the line up to here is the whole head of a block, or the line above is one and this is as far in.
    fn opens_block(&self) -> bool {
        let Some((last, before)) = self.tokens.split_last() else { return false };
        if last.kind == TokenKind::Newline {
            return self.is_head(line_of(before));
        }
        let ends_value = match &last.kind {
            TokenKind::Word(keyword) => !matches!(keyword, Some(Keyword::In | Keyword::And | Keyword::Or | Keyword::Not)),
            TokenKind::Colon => (last.span.end as usize) < self.position,
            kind => matches!(kind, TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Str(_) | TokenKind::TextEnd | TokenKind::Close(_)),
        };
        ends_value && self.is_head(line_of(&self.tokens))
    }

    /// A line that a block must follow.
    fn is_head(&self, line: &[Token]) -> bool {
        match line {
            [Token { kind: TokenKind::Word(Some(keyword)), .. }, ..] => matches!(
                keyword,
                Keyword::If | Keyword::Elif | Keyword::Else | Keyword::For | Keyword::While | Keyword::Try | Keyword::Catch
            ),
            [first, Token { kind: TokenKind::Word(_), .. }, ..] => {
                let word = self.text.get(first.span.start as usize..first.span.end as usize);
                matches!(word, Some("f" | "action" | "struct"))
            }
            _ => false,
        }
    }

    /// Marks the parentheses around an arrow as a function's.
    pub(super) fn mark_lambda(&mut self) {
        if let Some(open) = self.brackets.last_mut().filter(|open| open.kind == Bracket::Round) {
            open.lambda = true;
        }
    }

    /// A function's lines of statements follow, from the next line on or after the `{` that stands here: reports it, skips them, and
    /// closes what is open.
    pub(super) fn lambda_block(&mut self) {
        let Some(open) = self.brackets.iter().find(|open| open.lambda) else { return };
        let span = open.span;
        self.report(
            Diagnostic::error(codes::FOREIGN_SYNTAX, span, "uma função de uma expressão não tem linhas de comandos").hint(LAMBDA_HINT),
        );
        let indent = |line: &str| line.len() - line.trim_start().len();
        let line_start = self.text.get(..span.start as usize).and_then(|before| before.rfind('\n')).map_or(0, |end| end + 1);
        let outer = indent(self.text.get(line_start..).unwrap_or("").split('\n').next().unwrap_or(""));
        // What is further in is the function's, and so is a line that starts with what closes it.
        self.take_while(|c| c != '\n');
        while let Some(rest) = self.rest().strip_prefix('\n') {
            let line = rest.split('\n').next().unwrap_or("");
            let closes = line.trim_start().starts_with([')', '}', ']']);
            if !line.trim().is_empty() && !closes && indent(line) <= outer {
                break;
            }
            self.bump();
            self.take_while(|c| c != '\n');
            if closes && indent(line) <= outer {
                break;
            }
        }
        while !self.brackets.is_empty() {
            self.drop_bracket();
        }
    }

    /// At a `{`: one after an arrow that opens a function's lines. In a Map a key would follow, which starts with no letter.
    pub(super) fn lambda_brace(&self) -> bool {
        let after_arrow = self.tokens.last().is_some_and(|token| token.kind == TokenKind::Arrow);
        let inside = self.text.get(self.position + 1..).unwrap_or("").trim_start();
        let word = inside.starts_with(|c: char| c == '_' || c.is_alphabetic());
        self.region.has_lines() && after_arrow && word && self.brackets.iter().any(|open| open.lambda)
    }
}

/// The tokens of the last line.
fn line_of(tokens: &[Token]) -> &[Token] {
    let is_break = |token: &Token| matches!(token.kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent);
    let start = tokens.iter().rposition(is_break).map_or(0, |last| last + 1);
    tokens.get(start..).unwrap_or_default()
}
