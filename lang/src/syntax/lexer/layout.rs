//! Lines, indentation and brackets.

use super::{Lexer, OpenBracket, Region, is_word_char};
use crate::{
    ast::Span,
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, Keyword, Token, TokenKind},
};

const SPACES_PER_LEVEL: u32 = 4;

/// What the first indented line used.
#[derive(Clone, Copy)]
pub(super) struct Indentation {
    tab: bool,
    line: Span,
    /// One report says it all.
    conflict_reported: bool,
}

impl Lexer<'_> {
    /// At the start of a line outside brackets: skips blank lines, then compares the indentation.
    pub(super) fn start_line(&mut self) {
        // What follows `{% djo %}` on its own line is not indented code.
        let mut fresh = self.region == Region::File || self.position == 0 || self.text[..self.position].ends_with('\n');
        loop {
            let start = self.position;
            self.take_while(|c| c == ' ' || c == '\t');
            let end = self.position;
            self.take_while(|c| c == '\r');
            let rest = self.rest();
            if rest.starts_with('\n') {
                self.bump();
                fresh = true;
                continue;
            }
            if rest.starts_with("//") {
                self.take_while(|c| c != '\n');
                if self.bump().is_some() {
                    fresh = true;
                    continue;
                }
            }
            let ends_block = self.region == Region::Block && self.rest().starts_with("{%");
            if self.peek().is_none() || ends_block {
                return;
            }
            let level = if fresh { self.measure(start, end) } else { 0 };
            self.indent_to(level, start);
            self.widths.resize(self.levels.len().saturating_sub(1), 0);
            self.widths.push(if fresh { (end - start) as u32 } else { 0 });
            return;
        }
    }

    /// The level of the indentation between two offsets.
    fn measure(&mut self, start: usize, end: usize) -> u32 {
        let blanks = &self.text[start..end];
        let tabs = blanks.bytes().filter(|byte| *byte == b'\t').count() as u32;
        let spaces = blanks.len() as u32 - tabs;
        if blanks.is_empty() {
            return 0;
        }
        let span = self.line_span(start);
        let mixed_within = tabs > 0 && spaces > 0;
        let tab = blanks.starts_with('\t');
        let first = *self.indentation.get_or_insert(Indentation { tab, line: span, conflict_reported: false });
        let conflict = mixed_within || first.tab != tab;
        if conflict && !first.conflict_reported {
            let name = |tab: bool| if tab { "tabulações" } else { "espaços" };
            let mut diagnostic = if mixed_within {
                Diagnostic::error(codes::MIXED_INDENTATION, span, "o recuo desta linha mistura tabulações e espaços")
            } else {
                let message = format!("esta linha recua com {}, e outra deste arquivo com {}", name(tab), name(first.tab));
                Diagnostic::error(codes::MIXED_INDENTATION, span, message)
            };
            if first.line != span {
                diagnostic = diagnostic.related(first.line, format!("aqui o recuo é de {}", name(first.tab)));
            }
            self.report(diagnostic.hint("use 4 espaços ou uma tabulação por nível, sempre do mesmo jeito no arquivo"));
            self.indentation = Some(Indentation { conflict_reported: true, ..first });
        }
        if conflict || tab {
            return tabs + spaces.div_ceil(SPACES_PER_LEVEL);
        }
        if !spaces.is_multiple_of(SPACES_PER_LEVEL) && !self.odd_widths.contains(&spaces) {
            self.odd_widths.push(spaces);
            let here = Span { file: self.file, start: start as u32, end: end as u32 };
            let plural = if spaces == 1 { "espaço" } else { "espaços" };
            let message = format!("recuo de {spaces} {plural}: cada nível são 4 espaços");
            self.report(Diagnostic::error(codes::BAD_INDENTATION, here, message));
        }
        self.level_of(spaces)
    }

    /// The level that so many spaces stand for: in a file with others than levels have, the blocks that are open say what is further
    /// in than what.
    fn level_of(&mut self, spaces: u32) -> u32 {
        if self.odd_widths.is_empty() {
            return spaces / SPACES_PER_LEVEL;
        }
        let fits = self.widths.iter().rposition(|width| *width <= spaces);
        match fits.and_then(|fits| Some((self.widths.get(fits)?, self.levels.get(fits)?))) {
            Some((width, level)) => level + u32::from(*width < spaces),
            None => spaces.div_ceil(SPACES_PER_LEVEL),
        }
    }

    /// Opens or closes blocks until this line's level fits.
    fn indent_to(&mut self, level: u32, line_start: usize) {
        let Some(&current) = self.levels.last() else {
            if level > 0 && self.region == Region::File {
                self.unexpected_indentation(line_start);
            }
            self.levels.push(level);
            return;
        };
        if level > current {
            if level > current + 1 && !self.indentation_is_mixed() {
                let here = Span { file: self.file, start: line_start as u32, end: self.position as u32 };
                let message = "recuo grande demais: um bloco recua um nível";
                self.report(Diagnostic::error(codes::BAD_INDENTATION, here, message));
            }
            self.levels.push(level);
            self.push(TokenKind::Indent, line_start);
            return;
        }
        while let [.., below, top] = self.levels.as_slice()
            && *top > level
        {
            if *below < level {
                break;
            }
            self.levels.pop();
            self.push(TokenKind::Dedent, self.position);
        }
        if let Some(top) = self.levels.last_mut()
            && *top != level
        {
            // Taken as the innermost block's own, so that the lines after it fit.
            *top = level;
            // A file's own level is not where its lines begin: its first line was reported for that.
            let first_was_reported = self.levels.len() == 1 && self.region == Region::File;
            if !first_was_reported && !self.indentation_is_mixed() {
                let here = Span { file: self.file, start: line_start as u32, end: self.position as u32 };
                self.report(Diagnostic::error(codes::BAD_INDENTATION, here, "este recuo não é o de nenhum bloco aberto"));
            }
        }
    }

    /// Tabs and spaces have been reported: levels are a guess from there on.
    fn indentation_is_mixed(&self) -> bool {
        self.indentation.is_some_and(|indentation| indentation.conflict_reported)
    }

    fn unexpected_indentation(&mut self, line_start: usize) {
        let here = Span { file: self.file, start: line_start as u32, end: self.position as u32 };
        self.report(Diagnostic::error(codes::BAD_INDENTATION, here, "recuo inesperado: nenhum bloco foi aberto antes"));
    }

    /// A newline character: the end of a logical line, unless a bracket is open.
    pub(super) fn newline(&mut self) {
        let start = self.position;
        self.end_short_texts();
        if !self.region.has_lines() {
            self.bump();
            return;
        }
        if let Some(pipe) = self.next_line_goes_on() {
            self.position = pipe;
            return;
        }
        if !self.brackets.is_empty() {
            if !self.next_line_starts_statement() {
                self.bump();
                return;
            }
            if self.brackets.iter().any(|open| open.lambda) {
                return self.lambda_block();
            }
            self.close_all_brackets();
        }
        self.bump();
        if self.block_braces.reported && !self.in_line() {
            // A line that had only a brace.
            return self.start_line();
        }
        self.tokens.push(Token { kind: TokenKind::Newline, span: self.span_at(start) });
        self.start_line();
    }

    /// The last line's end and the open blocks'.
    pub(super) fn end_lines(&mut self) {
        if self.in_line() {
            self.push(TokenKind::Newline, self.position);
        }
        while self.levels.len() > 1 {
            self.levels.pop();
            self.push(TokenKind::Dedent, self.position);
        }
    }

    pub(super) fn open(&mut self, c: char) {
        let start = self.position;
        let params = self.tokens.last().is_some_and(|token| {
            matches!(token.kind, TokenKind::Word(_)) && self.text.get(token.span.start as usize..token.span.end as usize) == Some("params")
        });
        self.bump();
        if let Some(kind) = Bracket::of(c) {
            self.brackets.push(OpenBracket { kind, span: self.span_from(start), params, lambda: false });
            self.push(TokenKind::Open(kind), start);
        }
    }

    pub(super) fn close(&mut self, c: char) {
        let start = self.position;
        self.bump();
        let Some(kind) = Bracket::of(c) else { return };
        let span = self.span_from(start);
        // A hole is closed by its own brace alone: what opened before it stays open.
        let hole = self.brackets.iter().rposition(|open| open.kind == Bracket::Hole);
        let closes = |open: &OpenBracket| open.kind == kind || (kind == Bracket::Curly && open.kind == Bracket::Hole);
        let Some(at) = self.brackets.iter().rposition(closes).filter(|at| hole.is_none_or(|hole| *at >= hole)) else {
            let message = format!("`{c}` sem um `{}` antes", kind.open());
            self.report(Diagnostic::error(codes::UNMATCHED_BRACKET, span, message));
            self.push(TokenKind::Error, start);
            return;
        };
        if at + 1 < self.brackets.len()
            && let Some(open) = self.brackets.last()
        {
            let message = format!("esperava `{}`, mas veio `{c}`", open.kind.close());
            let opened = open.span;
            self.report(Diagnostic::error(codes::UNMATCHED_BRACKET, span, message).related(opened, "aberto aqui"));
        }
        while self.brackets.len() > at + 1 {
            if let Some(open) = self.brackets.pop() {
                let span = self.span_at(start);
                self.tokens.push(Token { kind: TokenKind::Close(open.kind), span });
            }
        }
        let kind = self.brackets.pop().map_or(kind, |open| open.kind);
        self.push(TokenKind::Close(kind), start);
        if kind == Bracket::Hole {
            self.text_part();
        }
    }

    /// Reports the innermost bracket left open and closes all, so that the parser sees them balanced.
    pub(super) fn close_all_brackets(&mut self) {
        if let Some(open) = self.brackets.last() {
            let message = format!("`{}` não foi fechado", open.kind.open());
            let diagnostic = Diagnostic::error(codes::UNMATCHED_BRACKET, open.span, message);
            let hint = match open.kind {
                Bracket::Hole => "falta um `}`; uma chave que é texto se escreve `{{`".to_owned(),
                kind => format!("falta um `{}`", kind.close()),
            };
            self.report(diagnostic.hint(hint));
        }
        while !self.brackets.is_empty() {
            self.drop_bracket();
        }
    }

    /// Closes the innermost bracket where none is written, and the String whose hole it is.
    pub(super) fn drop_bracket(&mut self) {
        let Some(open) = self.brackets.pop() else { return };
        self.push(TokenKind::Close(open.kind), self.position);
        if open.kind == Bracket::Hole {
            self.texts.pop();
            self.push(TokenKind::TextEnd, self.position);
        }
    }

    /// Outside brackets, before a newline: where the next line goes on with this one. It starts with `|` then, as no other does.
    fn next_line_goes_on(&self) -> Option<usize> {
        if !self.brackets.is_empty() || !self.in_line() {
            return None;
        }
        let mut rest = self.rest();
        loop {
            rest = rest.trim_start();
            if !rest.starts_with("//") {
                break;
            }
            rest = rest.find('\n').map_or("", |end| &rest[end..]);
        }
        rest.starts_with('|').then(|| self.text.len() - rest.len())
    }

    /// This line has something in it.
    fn in_line(&self) -> bool {
        let last = self.tokens.last();
        last.is_some_and(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent))
    }

    /// Within brackets, before a newline: whether the next line can only be a new statement or declaration,
    /// which means that a closer is missing. Keeps one slip from swallowing the rest of the file.
    fn next_line_starts_statement(&self) -> bool {
        let mut lines = self.rest().split('\n').skip(1).map(str::trim_start);
        let Some(line) = lines.find(|line| !line.trim().is_empty() && !line.starts_with("//")) else { return false };
        let after_dot_or_nocall = self.tokens.last().is_some_and(|token| match token.kind {
            TokenKind::Dot => true,
            TokenKind::Word(_) => self.text.get(token.span.start as usize..token.span.end as usize) == Some("nocall"),
            _ => false,
        });
        if after_dot_or_nocall {
            return false;
        }
        let word_len = line.find(|c| !is_word_char(c)).unwrap_or(line.len());
        let (word, rest) = line.split_at(word_len);
        if word.is_empty() || rest.starts_with('[') && word != "params" {
            return false;
        }
        let after = rest.trim_start();
        let named = rest.starts_with(' ') && after.starts_with(|c: char| c == '_' || c.is_alphabetic());
        match word {
            "f" | "action" | "struct" | "const" => named,
            "params" => rest.starts_with('['),
            "Route" => rest.starts_with('.'),
            _ => match Keyword::from_text(word) {
                Some(Keyword::In | Keyword::And | Keyword::Or | Keyword::Not | Keyword::True | Keyword::False | Keyword::Nil) => false,
                Some(_) => true,
                None => {
                    let equals = after.starts_with('=') && !after.starts_with("==") && !after.starts_with("=>");
                    let assigns = equals || after.starts_with("+=") || after.starts_with("-=");
                    assigns && !self.brackets.iter().any(|open| open.params)
                }
            },
        }
    }

    /// From the line's start to its end, without the newline.
    fn line_span(&self, start: usize) -> Span {
        let length = self.text[start..].find(['\n', '\r']).unwrap_or(self.text.len() - start);
        Span { file: self.file, start: start as u32, end: (start + length) as u32 }
    }

    fn span_at(&self, offset: usize) -> Span {
        Span { file: self.file, start: offset as u32, end: offset as u32 }
    }
}
