//! Tokens to syntax tree, by recursive descent. Never fails: one report a statement, then on with the next.

mod before;
mod call;
mod declaration;
mod expression;
pub(crate) mod foreign;
pub(crate) mod foreign_call;
mod lambda;
mod pipe;
mod statement;
#[cfg(test)]
mod tests;
mod text;
mod types;

use crate::{
    ast::{Block, Expr, ExprKind, FileId, Item, Span, Stmt, StmtKind, Unread},
    diagnostic::{Diagnostic, codes},
    syntax::{
        MAX_NESTING,
        lexer::{Region, lex},
        token::{Keyword, Operator, Token, TokenKind},
    },
};

/// The error has been reported; the caller synchronises.
#[derive(Debug)]
pub(crate) struct Reported;

pub(crate) type Parse<T> = Result<T, Reported>;

/// What a file of `core/` declares.
#[derive(Default)]
pub(crate) struct Items {
    pub(crate) items: Vec<Item>,
    /// The names of declarations that could not be read whole, but for the lines of a function.
    pub(crate) broken: Vec<String>,
    /// The lines of functions whose declaration could not be read.
    pub(crate) orphans: Vec<Block>,
}

/// A file of `core/`.
pub(crate) fn parse_items(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Items {
    let lexed = lex(file, text, 0, Region::File, diagnostics);
    Parser::new(text, lexed.tokens, diagnostics).items()
}

/// A file of statements: a page, an agent face, `rotas.djo`.
pub(crate) fn parse_statements(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Block {
    let lexed = lex(file, text, 0, Region::File, diagnostics);
    Parser::new(text, lexed.tokens, diagnostics).whole_block()
}

pub(crate) struct Parser<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    position: usize,
    nesting: u32,
    /// Within `a[…]`: where a `:` is a slice that djo does not have.
    in_index: bool,
    /// Within what opens a block, outside brackets: where a `:` ends it in other languages.
    in_header: bool,
    /// How often something was given up: then fields may be missing that the author wrote.
    failures: u32,
    /// See [`Items`].
    orphans: Vec<Block>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Parser<'a> {
    /// `tokens` ends with [`TokenKind::End`].
    pub(crate) fn new(text: &'a str, tokens: Vec<Token>, diagnostics: &'a mut Vec<Diagnostic>) -> Self {
        Self { text, tokens, position: 0, nesting: 0, in_index: false, in_header: false, failures: 0, orphans: Vec::new(), diagnostics }
    }

    fn token(&self) -> &Token {
        self.token_at(0)
    }

    /// The token `ahead` of this one; past the end, the last.
    fn token_at(&self, ahead: usize) -> &Token {
        const NONE: &Token = &Token { kind: TokenKind::End, span: Span { file: FileId(0), start: 0, end: 0 } };
        self.tokens.get(self.position + ahead).or(self.tokens.last()).unwrap_or(NONE)
    }

    fn kind(&self) -> &TokenKind {
        &self.token().kind
    }

    fn span(&self) -> Span {
        self.token().span
    }

    fn token_before(&self) -> Option<&Token> {
        self.position.checked_sub(1).and_then(|index| self.tokens.get(index))
    }

    /// Where the token before this one ends.
    fn previous_end(&self) -> u32 {
        self.token_before().map_or(self.span().start, |token| token.span.end)
    }

    fn bump(&mut self) -> Token {
        let token = self.token().clone();
        if token.kind != TokenKind::End {
            self.position += 1;
        }
        token
    }

    fn at(&self, kind: &TokenKind) -> bool {
        self.kind() == kind
    }

    fn at_keyword(&self, keyword: Keyword) -> bool {
        self.at(&TokenKind::Word(Some(keyword)))
    }

    fn eat(&mut self, kind: &TokenKind) -> bool {
        let there = self.at(kind);
        if there {
            self.bump();
        }
        there
    }

    fn expect(&mut self, kind: &TokenKind, wanted: &str) -> Parse<Span> {
        if self.at(kind) { Ok(self.bump().span) } else { Err(self.unexpected(wanted)) }
    }

    fn at_line_end(&self) -> bool {
        matches!(self.kind(), TokenKind::Newline | TokenKind::End | TokenKind::Dedent | TokenKind::Indent)
    }

    /// The token touches the one before it.
    fn is_glued(&self) -> bool {
        self.position > 0 && self.previous_end() == self.span().start
    }

    /// The source of a span.
    fn slice(&self, span: Span) -> &'a str {
        self.text.get(span.start as usize..span.end as usize).unwrap_or("")
    }

    fn word_text(&self, token: &Token) -> &'a str {
        self.slice(token.span)
    }

    /// A line has ended, within brackets, since the token before this one.
    fn is_on_new_line(&self) -> bool {
        let between = Span { start: self.previous_end(), end: self.span().start, ..self.span() };
        self.slice(between).contains('\n')
    }

    /// From a span's start to the end of what was read last.
    fn span_since(&self, start: Span) -> Span {
        Span { end: self.previous_end().max(start.start), ..start }
    }

    fn report(&mut self, diagnostic: Diagnostic) -> Reported {
        self.diagnostics.push(diagnostic);
        Reported
    }

    fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) -> Reported {
        self.report(Diagnostic::error(code, span, message))
    }

    /// "esperava X, mas veio Y", unless the lexer has reported what stands here.
    fn unexpected(&mut self, wanted: &str) -> Reported {
        let hint = self.hint_for_unexpected(wanted);
        self.unexpected_with(wanted, hint)
    }

    /// The same where what was meant is known.
    fn unexpected_with(&mut self, wanted: &str, hint: Option<String>) -> Reported {
        let token = self.token();
        let made_up = matches!(token.kind, TokenKind::Close(_)) && token.span.start == token.span.end;
        if made_up || token.kind == TokenKind::Error {
            return Reported;
        }
        let found = self.describe();
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, self.span(), format!("esperava {wanted}, mas veio {found}"));
        self.report(diagnostic.maybe_hint(hint))
    }

    fn describe(&self) -> String {
        match self.kind() {
            TokenKind::Newline => "o fim da linha".into(),
            TokenKind::End => "o fim".into(),
            TokenKind::Indent => "um recuo".into(),
            TokenKind::Dedent => "o fim do bloco".into(),
            TokenKind::Str(_) | TokenKind::TextStart => "uma String".into(),
            TokenKind::TextEnd => "o fim da String".into(),
            _ => {
                let text: String = self.word_text(self.token()).chars().take(40).collect();
                format!("`{text}`")
            }
        }
    }

    /// Gives the line up that starts at a token: skips the rest of it, and reads the block under it.
    fn synchronize(&mut self, start: usize) -> StmtKind {
        self.failures += 1;
        while !self.at_line_end() {
            self.bump();
        }
        let unread = self.unread(start);
        self.eat(&TokenKind::Newline);
        let block = if self.at(&TokenKind::Indent) { self.nested_block() } else { Block::new() };
        StmtKind::Unread(unread, block)
    }

    /// The same, as a block of its own.
    fn synchronized_block(&mut self, start: usize) -> Block {
        let span = self.tokens.get(start).map_or(self.span(), |token| token.span);
        vec![Stmt { kind: self.synchronize(start), span }]
    }

    /// What a line may have named, from a token to before this one.
    pub(crate) fn unread(&self, start: usize) -> Unread {
        let mut unread = Unread::default();
        for (index, token) in self.tokens.iter().enumerate().take(self.position).skip(start) {
            let TokenKind::Word(None) = token.kind else { continue };
            let word = self.word_text(token).to_owned();
            let before = index.checked_sub(1).and_then(|before| self.tokens.get(before)).map(|token| &token.kind);
            let after = self.tokens.get(index + 1).map(|token| &token.kind);
            let bound = matches!(before, Some(TokenKind::Word(Some(Keyword::For | Keyword::Catch)) | TokenKind::Comma))
                || matches!(after, Some(TokenKind::Assign | TokenKind::Update(_) | TokenKind::Comma | TokenKind::Word(Some(Keyword::In))));
            if bound {
                unread.bound.push(word.clone());
            }
            unread.words.push(word);
        }
        unread
    }

    /// One level deeper, for as long as `parse` runs.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parse<T>) -> Parse<T> {
        if self.nesting >= MAX_NESTING {
            let span = self.span();
            return Err(self.error(codes::TOO_DEEP, span, format!("aninhamento maior que {MAX_NESTING} níveis")));
        }
        self.nesting += 1;
        let result = parse(self);
        self.nesting -= 1;
        result
    }

    fn is_operator(&self, operator: Operator) -> bool {
        self.at(&TokenKind::Operator(operator))
    }
}

/// What ends a line in other languages.
pub(crate) const LINE_COLON_HINT: &str = "djo não põe `:` no fim da linha";

/// A single expression, the whole of a `{{ … }}`.
pub(crate) fn parse_output(text: &str, tokens: Vec<Token>, diagnostics: &mut Vec<Diagnostic>) -> Expr {
    let mut parser = Parser::new(text, tokens, diagnostics);
    let start = parser.span();
    if parser.at(&TokenKind::End) {
        parser.error(codes::EMPTY_TAG, start, "marca `{{ }}` vazia");
        return Expr { kind: ExprKind::Error, span: start };
    }
    let parsed = parser.expression().and_then(|expr| parser.end_of_tag().map(|()| expr));
    parsed.unwrap_or(Expr { kind: ExprKind::Error, span: start })
}

impl Parser<'_> {
    /// Nothing may follow in this tag.
    pub(crate) fn end_of_tag(&mut self) -> Parse<()> {
        if self.at(&TokenKind::End) { Ok(()) } else { Err(self.unexpected("o fim da marca")) }
    }

    /// What a tag that could not be read may have named.
    pub(crate) fn unread_tag(&mut self) -> Unread {
        self.position = self.tokens.len();
        self.unread(0)
    }

    /// The one statement of a `{% … %}` that is not a template keyword.
    pub(crate) fn tag_statement(&mut self) -> Parse<Stmt> {
        let stmt = self.simple_statement()?;
        self.end_of_tag()?;
        Ok(stmt)
    }

    /// Reports from outside the grammar: a template's own words.
    pub(crate) fn complain(&mut self, code: &'static str, span: Span, message: &str, hint: &str) {
        self.report(Diagnostic::error(code, span, message).hint(hint));
    }

    pub(crate) fn at_tag_end(&self) -> bool {
        self.at(&TokenKind::End)
    }

    /// The word that stands here is a tag's keyword, not a name that is assigned or called.
    pub(crate) fn word_starts_tag(&self) -> bool {
        !matches!(self.token_at(1).kind, TokenKind::Assign | TokenKind::Colon | TokenKind::Dot)
    }

    /// The next word, if one stands here.
    pub(crate) fn peek_word(&self) -> Option<&str> {
        match self.kind() {
            TokenKind::Word(_) => Some(self.word_text(self.token())),
            _ => None,
        }
    }

    pub(crate) fn skip_word(&mut self) -> Span {
        self.bump().span
    }

    /// A String, and nothing else, as in `{% include "…" %}`.
    pub(crate) fn tag_string(&mut self, wanted: &str) -> Parse<(String, Span)> {
        let token = self.token().clone();
        let TokenKind::Str(value) = token.kind else { return Err(self.unexpected(wanted)) };
        self.bump();
        self.end_of_tag()?;
        Ok((value, token.span))
    }
}
