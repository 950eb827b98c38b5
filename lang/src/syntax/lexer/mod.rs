//! Text to tokens: words, symbols, and the structure of lines (`layout`). Never fails: what it cannot read it
//! reports, and goes on after it.

mod block;
mod layout;
mod literal;
mod symbol;
mod text;

use crate::{
    ast::{FileId, Span},
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, Keyword, Token, TokenKind},
};

/// What a piece of text is, which decides where it ends and whether lines mean anything in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Region {
    /// A `.djo` file: lines, to the end of the text.
    File,
    /// The inside of `{% djo %}`: lines, to the next `{%`.
    Block,
    /// `{{ … }}`, one expression.
    Output,
    /// `{% … %}`, one statement.
    Tag,
}

impl Region {
    fn has_lines(self) -> bool {
        matches!(self, Self::File | Self::Block)
    }
}

/// The tokens of a region.
#[derive(Debug)]
pub(crate) struct Lexed {
    /// Ends with [`TokenKind::End`].
    pub(crate) tokens: Vec<Token>,
    /// Where the region ended: after the closer of a tag, before the `{%` that ends a block.
    pub(crate) end: usize,
    /// The closer was there (always so for a file).
    pub(crate) closed: bool,
}

/// Reads the region of `text` that starts at byte `start`.
pub(crate) fn lex(file: FileId, text: &str, start: usize, region: Region, diagnostics: &mut Vec<Diagnostic>) -> Lexed {
    let mut lexer = Lexer {
        file,
        text,
        position: start,
        region,
        tokens: Vec::new(),
        brackets: Vec::new(),
        texts: Vec::new(),
        block_braces: BlockBraces::default(),
        levels: Vec::new(),
        widths: Vec::new(),
        odd_widths: Vec::new(),
        indentation: None,
        diagnostics,
    };
    let closed = lexer.run();
    Lexed { end: lexer.position, tokens: lexer.tokens, closed }
}

struct OpenBracket {
    kind: Bracket,
    span: Span,
    /// It follows the word `params`: what is in it looks like assignments.
    params: bool,
    /// An arrow stands in it: what is in it is one expression.
    lambda: bool,
}

/// Blocks in braces.
#[derive(Default)]
struct BlockBraces {
    open: u32,
    /// One report says it all.
    reported: bool,
}

struct Lexer<'a> {
    file: FileId,
    text: &'a str,
    position: usize,
    region: Region,
    tokens: Vec<Token>,
    brackets: Vec<OpenBracket>,
    /// The `$"…"` whose holes are open: one for each hole in `brackets`.
    texts: Vec<text::OpenText>,
    block_braces: BlockBraces,
    /// Open indentation levels; the first is the region's base.
    levels: Vec<u32>,
    /// How many blanks the lines of each level have.
    widths: Vec<u32>,
    /// Numbers of spaces that are no level's, each reported once.
    odd_widths: Vec<u32>,
    /// Tabs or spaces, by the first indented line.
    indentation: Option<layout::Indentation>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl<'a> Lexer<'a> {
    /// Tells whether the region was closed.
    fn run(&mut self) -> bool {
        if self.region.has_lines() {
            self.start_line();
        }
        loop {
            self.skip_blanks();
            let Some(c) = self.peek() else {
                self.finish();
                return self.region == Region::File;
            };
            if let Some(closed) = self.region_end() {
                return closed;
            }
            let start = self.position;
            match c {
                '\n' => self.newline(),
                '"' => self.string(),
                '\'' => self.quoted('\'', "String entre aspas simples", "use aspas duplas: `\"…\"`"),
                '$' if self.rest().starts_with("$\"") => self.text(),
                '0'..='9' => self.number(),
                '`' => self.quoted('`', "String entre crases", "use aspas duplas; com valores, `$\"… {x}\"`"),
                '{' if self.lambda_brace() => self.lambda_block(),
                '{' if self.block_brace() => {}
                '}' if self.end_block_brace() => {}
                '(' | '[' | '{' => self.open(c),
                ')' | ']' | '}' => self.close(c),
                c if c == '_' || c.is_alphabetic() => {
                    self.take_while(is_word_char);
                    let text = self.text.get(start..self.position).unwrap_or("");
                    self.push(TokenKind::Word(Keyword::from_text(text)), start);
                }
                _ => self.symbol(c),
            }
        }
    }

    /// Handles the end of a tag or block when it stands here.
    fn region_end(&mut self) -> Option<bool> {
        let rest = self.rest();
        match self.region {
            Region::File => None,
            Region::Block => {
                if !rest.starts_with("{%") {
                    return None;
                }
                self.finish();
                Some(true)
            }
            Region::Output | Region::Tag => {
                let own = if self.region == Region::Output { "}}" } else { "%}" };
                let in_map = self.brackets.last().is_some_and(|open| matches!(open.kind, Bracket::Curly | Bracket::Hole));
                if rest.starts_with("{{") || rest.starts_with("{%") {
                    self.finish();
                    return Some(false);
                }
                if rest.starts_with("%}") || (rest.starts_with("}}") && !in_map) {
                    let start = self.position;
                    let right = rest.starts_with(own);
                    self.finish();
                    self.position += 2;
                    if !right {
                        let span = self.span_from(start);
                        let message = format!("esta marca termina com `{own}`, não com `{}`", &self.text[start..start + 2]);
                        self.diagnostics.push(Diagnostic::error(codes::WRONG_TAG_END, span, message));
                    }
                    return Some(true);
                }
                None
            }
        }
    }

    /// Closes what is open and ends the token list.
    fn finish(&mut self) {
        self.close_all_brackets();
        if self.region.has_lines() {
            self.end_lines();
        }
        self.push(TokenKind::End, self.position);
    }

    fn skip_blanks(&mut self) {
        loop {
            let lines = self.region.has_lines();
            let over_lines = !lines && !self.in_short_text();
            self.take_while(|c| matches!(c, ' ' | '\t' | '\r') || (c == '\n' && over_lines));
            if !self.rest().starts_with("//") {
                return;
            }
            if lines {
                self.take_while(|c| c != '\n');
            } else {
                while self.peek().is_some_and(|c| c != '\n') && !self.rest().starts_with("%}") && !self.rest().starts_with("}}") {
                    self.bump();
                }
            }
        }
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.position..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn bump(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.position += c.len_utf8();
        Some(c)
    }

    fn take_while(&mut self, accept: impl Fn(char) -> bool) {
        while self.peek().is_some_and(&accept) {
            self.bump();
        }
    }

    fn span_from(&self, start: usize) -> Span {
        Span { file: self.file, start: start as u32, end: self.position as u32 }
    }

    fn push(&mut self, kind: TokenKind, start: usize) {
        let span = self.span_from(start);
        self.tokens.push(Token { kind, span });
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

pub(crate) fn is_word_char(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}
