//! Template text to nodes.

use super::{Node, Template};
use crate::{
    ast::{Expr, ExprKind, FileId, Name, Span, Stmt, StmtKind, Unread},
    diagnostic::{Diagnostic, codes, nearest},
    syntax::{
        MAX_NESTING,
        lexer::{Lexed, Region, is_word_char, lex},
        parser::{Parse, Parser, Reported, parse_output},
        token::TokenKind,
    },
};

/// Longest tag that is looked at for what another language writes, in bytes.
const MAX_FOREIGN: usize = 200;

/// Reads a `.djo.html` file.
pub(crate) fn parse_template(file: FileId, text: &str, diagnostics: &mut Vec<Diagnostic>) -> Template {
    let mut reader = Reader { file, text, template: Template::default(), stack: Vec::new(), nodes: Vec::new(), diagnostics };
    reader.run();
    reader.template
}

/// An open `{% if %}` or `{% for %}`.
struct Open {
    kind: OpenKind,
    /// Its tag.
    span: Span,
    /// The nodes before it.
    outer: Vec<Node>,
}

enum OpenKind {
    If { branches: Vec<(Expr, Vec<Node>)>, condition: Expr },
    Else { branches: Vec<(Expr, Vec<Node>)> },
    For { first: Name, second: Option<Name>, items: Expr },
}

struct Reader<'a> {
    file: FileId,
    text: &'a str,
    template: Template,
    stack: Vec<Open>,
    nodes: Vec<Node>,
    diagnostics: &'a mut Vec<Diagnostic>,
}

impl Reader<'_> {
    fn run(&mut self) {
        let mut position = 0;
        while let Some(tag) = next_tag(self.text, position) {
            self.push_text(position, tag);
            position = if self.text[tag..].starts_with("{{") { self.output(tag) } else { self.tag(tag) };
        }
        self.push_text(position, self.text.len());
        while let Some(open) = self.stack.last() {
            let span = open.span;
            // Of a tag that djo has not, nothing more is said.
            if let word @ ("if" | "for") = self.opening_word(span) {
                let message = format!("`{{% {word} %}}` sem `{{% end %}}`");
                let diagnostic = Diagnostic::error(codes::UNCLOSED_TAG, span, message);
                self.diagnostics
                    .push(diagnostic.hint("todo bloco termina com `{% end %}`; o que falta pode ser o de um bloco mais abaixo"));
            }
            self.end(span);
        }
        self.template.nodes = std::mem::take(&mut self.nodes);
    }

    /// The word of the tag that a span starts with.
    fn opening_word(&self, span: Span) -> &str {
        first_word(self.text.get(span.start as usize..).unwrap_or(""))
    }

    fn push_text(&mut self, start: usize, end: usize) {
        let mut text = &self.text[start..end];
        let head = self.stack.is_empty() && self.nodes.is_empty();
        let has_head = self.template.layout.is_some() || self.template.code_span.is_some();
        if head && text.trim().is_empty() && end < self.text.len() {
            // Blank lines around `layout` and `djo` are not part of the page, nor is what may precede them.
            let next = &self.text[end..];
            if has_head || next.starts_with("{%") && ["layout", "djo"].contains(&first_word(next)) {
                return;
            }
        }
        if head && has_head {
            text = text.strip_prefix("\r\n").or(text.strip_prefix('\n')).unwrap_or(text);
        }
        if !text.is_empty() {
            let start = end - text.len();
            self.nodes.push(Node::Text(text.to_owned(), self.span(start, end)));
        }
    }

    fn output(&mut self, start: usize) -> usize {
        if let Some(end) = self.foreign_output(start) {
            return end;
        }
        let lexed = self.lex(start, Region::Output);
        let end = lexed.end;
        let expr = parse_output(self.text, lexed.tokens, self.diagnostics);
        self.nodes.push(Node::Output(expr, self.span(start, end)));
        end
    }

    /// `{{#if x}}`, `{{/if}}`, `{{else}}` and their like, which other languages have.
    fn foreign_output(&mut self, start: usize) -> Option<usize> {
        let inside = self.text.get(start + 2..)?;
        let near = inside.as_bytes().get(..MAX_FOREIGN.min(inside.len()))?;
        let length = near.windows(2).position(|pair| pair == b"}}")?;
        let (tag, end) = (inside.get(..length)?, start + length + 4);
        let span = self.span(start, end);
        // `{{ !x }}` is a slip for `not x`.
        let comment = tag.starts_with("! ") || tag.starts_with("!-");
        let tag = tag.trim();
        let mark = tag.chars().next().filter(|mark| "#/>^".contains(*mark) && !tag.starts_with("//") || *mark == '!' && comment);
        let word = tag.trim_start_matches(['#', '/', '>', '^', ' ']).split(|c| !is_word_char(c)).next().unwrap_or("");
        let broken = Expr { kind: ExprKind::Error, span };
        let (hint, step) = match (mark, word) {
            (Some('/'), _) => ("todo bloco termina com `{% end %}`", Step::End),
            (Some('#' | '^'), "for" | "each" | "foreach") | (None, "for") => ("use `{% for x in xs %}`", Step::If(broken)),
            (Some('#' | '^'), _) => ("use `{% if … %}`", Step::If(broken)),
            (None, "if") => ("use `{% if … %}`", Step::If(broken)),
            (None, "else") => ("use `{% else %}`", Step::Else),
            (None, "elif") => ("use `{% elif … %}`", Step::Elif(broken)),
            (Some('>'), _) => ("para incluir um arquivo, `{% include \"…\" %}`", Step::Nothing),
            (Some('!'), _) => ("um comentário de página é `<!-- … -->`", Step::Nothing),
            _ => return None,
        };
        let shown: String = match mark {
            Some(mark) => format!("{{{{{mark} … }}}}"),
            None => format!("{{{{ {word} … }}}}"),
        };
        self.diagnostics.push(Diagnostic::error(codes::FOREIGN_SYNTAX, span, format!("djo não tem `{shown}`")).hint(hint));
        self.apply(step, span);
        Some(end)
    }

    /// Lexes the tag that starts at `start`; reports when it has no end.
    fn lex(&mut self, start: usize, region: Region) -> Lexed {
        let before = self.diagnostics.len();
        let lexed = lex(self.file, self.text, start + 2, region, self.diagnostics);
        if !lexed.closed {
            // Whatever the lexer made of the text after it means nothing.
            self.diagnostics.truncate(before);
            let (open, close) = if region == Region::Output { ("{{", "}}") } else { ("{%", "%}") };
            let message = format!("`{open}` sem `{close}`");
            self.diagnostics.push(Diagnostic::error(codes::UNCLOSED_TAG, self.span(start, start + 2), message));
            let tokens = vec![crate::syntax::token::Token { kind: TokenKind::Error, span: self.span(start + 2, start + 2) }];
            return Lexed { tokens, ..lexed };
        }
        lexed
    }

    fn tag(&mut self, start: usize) -> usize {
        let lexed = self.lex(start, Region::Tag);
        let (end, span) = (lexed.end, self.span(start, lexed.end));
        if lexed.closed && first_word(&self.text[start..]) == "djo" && is_alone(&lexed) {
            return self.code(span, end);
        }
        let mut local = Vec::new();
        // The `try` before it has been reported.
        let caught =
            first_word(&self.text[start..]) == "catch" && self.stack.last().is_some_and(|open| self.opening_word(open.span) == "try");
        if caught && lexed.closed {
            let words: Vec<String> =
                self.text[start..end].split(|c| !is_word_char(c)).filter(|word| !word.is_empty()).map(str::to_owned).collect();
            let unread = Unread { bound: words.clone(), words, includes: false };
            self.nodes.push(Node::Statement(Stmt { kind: StmtKind::Unread(unread, Vec::new()), span }));
            return end;
        }
        let mut parser = Parser::new(self.text, lexed.tokens, &mut local);
        let step = read_tag(&mut parser, span);
        let mut unread = parser.unread_tag();
        if !local.is_empty() || !lexed.closed {
            if !lexed.closed {
                let words = self.text[start..end].split(|c| !is_word_char(c)).filter(|word| !word.is_empty()).map(str::to_owned);
                unread.words = words.collect();
                unread.bound.clone_from(&unread.words);
            }
            let word = first_word(&self.text[start..]);
            unread.includes = matches!(word, "include" | "import" | "render" | "partial") || nearest(word, ["include"]).is_some();
            self.nodes.push(Node::Statement(Stmt { kind: StmtKind::Unread(unread, Vec::new()), span }));
        }
        self.diagnostics.append(&mut local);
        self.apply(step, span);
        end
    }

    fn apply(&mut self, step: Step, span: Span) {
        match step {
            Step::Nothing => {}
            Step::Node(node) => self.nodes.push(node),
            Step::If(condition) => self.open(OpenKind::If { branches: Vec::new(), condition }, span),
            Step::For(first, second, items) => self.open(OpenKind::For { first, second, items }, span),
            Step::Elif(condition) => self.branch(Some(condition), span),
            Step::Else => self.branch(None, span),
            Step::End => {
                if self.stack.is_empty() {
                    self.diagnostics.push(Diagnostic::error(codes::STRAY_BRANCH, span, "`{% end %}` sem um bloco aberto antes"));
                } else {
                    self.end(span);
                }
            }
            Step::Layout(path, at) => {
                if !self.in_head() {
                    let diagnostic = Diagnostic::error(codes::MISPLACED_TAG, span, "`{% layout %}` vem no começo da página");
                    self.diagnostics.push(diagnostic);
                } else if let Some((_, first)) = &self.template.layout {
                    let diagnostic = Diagnostic::error(codes::MISPLACED_TAG, span, "a página já tem um `{% layout %}`");
                    self.diagnostics.push(diagnostic.related(*first, "o primeiro"));
                } else {
                    self.template.layout = Some((path, at));
                }
            }
        }
    }

    /// Nothing of the page itself has come yet.
    fn in_head(&self) -> bool {
        let is_head = |node: &Node| match node {
            Node::Text(text, _) => text.trim().is_empty(),
            Node::Statement(stmt) => matches!(stmt.kind, StmtKind::Unread(..)),
            _ => false,
        };
        self.stack.is_empty() && self.nodes.iter().all(is_head)
    }

    /// `{% djo %}`, whose code starts at `start`.
    fn code(&mut self, span: Span, start: usize) -> usize {
        let lexed = lex(self.file, self.text, start, Region::Block, self.diagnostics);
        let mut end = lexed.end;
        let block = Parser::new(self.text, lexed.tokens, self.diagnostics).whole_block();
        if lexed.closed && first_word(&self.text[end..]) == "end" {
            end = lex(self.file, self.text, end + 2, Region::Tag, &mut Vec::new()).end;
        } else {
            let diagnostic = Diagnostic::error(codes::UNCLOSED_TAG, span, "`{% djo %}` sem `{% end %}`");
            self.diagnostics.push(diagnostic.hint("dentro de `{% djo %}` só cabe código; `{% end %}` o fecha"));
        }
        if !self.in_head() {
            self.diagnostics.push(Diagnostic::error(codes::MISPLACED_TAG, span, "`{% djo %}` vem no começo da página"));
        } else if let Some(first) = self.template.code_span {
            let diagnostic = Diagnostic::error(codes::MISPLACED_TAG, span, "a página já tem um `{% djo %}`");
            self.diagnostics.push(diagnostic.related(first, "o primeiro"));
        }
        self.nodes.retain(|node| !matches!(node, Node::Text(text, _) if text.trim().is_empty()));
        self.template.code_span.get_or_insert(span);
        self.template.code.extend(block);
        end
    }

    fn open(&mut self, kind: OpenKind, span: Span) {
        if self.stack.len() as u32 >= MAX_NESTING {
            let message = format!("aninhamento maior que {MAX_NESTING} níveis");
            // One report; deeper tags still pair up.
            if self.stack.len() as u32 == MAX_NESTING {
                self.diagnostics.push(Diagnostic::error(codes::TOO_DEEP, span, message));
            }
        }
        let outer = std::mem::take(&mut self.nodes);
        self.stack.push(Open { kind, span, outer });
    }

    /// `{% elif %}` with a condition, `{% else %}` without.
    fn branch(&mut self, condition: Option<Expr>, span: Span) {
        let word = if condition.is_some() { "elif" } else { "else" };
        let Some(Open { kind: OpenKind::If { .. }, .. }) = self.stack.last() else {
            let of_loop = word == "else" && matches!(self.stack.last(), Some(Open { kind: OpenKind::For { .. }, .. }));
            let message = format!("`{{% {word} %}}` sem um `{{% if %}}` antes");
            let hint = "um `for` não tem `else`: ponha um `{% if Arr.len:xs == 0 %}` depois do `{% end %}` dele";
            let diagnostic = Diagnostic::error(codes::STRAY_BRANCH, span, message);
            self.diagnostics.push(diagnostic.maybe_hint(of_loop.then(|| hint.to_owned())));
            return;
        };
        let Some(Open { kind: OpenKind::If { mut branches, condition: previous }, span: opened, outer }) = self.stack.pop() else { return };
        branches.push((previous, std::mem::take(&mut self.nodes)));
        let kind = match condition {
            Some(condition) => OpenKind::If { branches, condition },
            None => OpenKind::Else { branches },
        };
        self.stack.push(Open { kind, span: opened, outer });
    }

    fn end(&mut self, closer: Span) {
        let Some(open) = self.stack.pop() else { return };
        let nodes = std::mem::replace(&mut self.nodes, open.outer);
        let span = Span { end: closer.end.max(open.span.end), ..open.span };
        // Kept shallow: what is too deep has been reported, and is dropped here.
        if self.stack.len() as u32 >= MAX_NESTING {
            return;
        }
        self.nodes.push(match open.kind {
            OpenKind::If { mut branches, condition } => {
                branches.push((condition, nodes));
                Node::If(branches, None, span)
            }
            OpenKind::Else { branches } => Node::If(branches, Some(nodes), span),
            OpenKind::For { first, second, items } => Node::For(first, second, items, nodes, span),
        });
    }

    fn span(&self, start: usize, end: usize) -> Span {
        Span { file: self.file, start: start as u32, end: end as u32 }
    }
}

/// What a tag does to the tree.
enum Step {
    Nothing,
    Node(Node),
    If(Expr),
    Elif(Expr),
    Else,
    For(Name, Option<Name>, Expr),
    End,
    Layout(String, Span),
}

/// Reads a tag; one that is broken still opens or closes what its first word says.
fn read_tag(parser: &mut Parser<'_>, span: Span) -> Step {
    let broken = || Expr { kind: ExprKind::Error, span };
    let word = parser.peek_word().unwrap_or("").to_owned();
    match word.as_str() {
        "if" => Step::If(condition(parser).unwrap_or_else(|Reported| broken())),
        "elif" => Step::Elif(condition(parser).unwrap_or_else(|Reported| broken())),
        "else" => {
            parser.skip_word();
            if parser.peek_word() == Some("if") {
                parser.complain(codes::FOREIGN_SYNTAX, span, "djo não tem `else if`", "use `{% elif … %}`");
                return Step::Elif(broken());
            }
            let _ = parser.end_of_tag();
            Step::Else
        }
        "for" => match parser.for_header().and_then(|header| parser.end_of_tag().map(|()| header)) {
            Ok((first, second, items)) => Step::For(first, second, items),
            Err(Reported) => Step::For(Name { text: String::new(), span }, None, broken()),
        },
        "end" => {
            parser.skip_word();
            let _ = parser.end_of_tag();
            Step::End
        }
        "endif" | "endfor" | "endblock" | "endwhile" => {
            parser.complain(codes::FOREIGN_SYNTAX, span, &format!("djo não tem `{{% {word} %}}`"), "todo bloco termina com `{% end %}`");
            Step::End
        }
        "include" | "layout" if parser.word_starts_tag() => {
            parser.skip_word();
            match parser.tag_string("o caminho de um arquivo, entre aspas") {
                Ok((path, at)) if word == "include" => Step::Node(Node::Include(path, at)),
                Ok((path, at)) => Step::Layout(path, at),
                Err(Reported) => Step::Nothing,
            }
        }
        "while" | "try" | "catch" | "break" | "continue" | "return" => {
            let message = format!("`{word}` não cabe numa marca");
            parser.complain(codes::MISPLACED_TAG, span, &message, "ponha o código em `{% djo %} … {% end %}`, no começo da página");
            // They would have opened a block.
            if matches!(word.as_str(), "while" | "try") { Step::If(broken()) } else { Step::Nothing }
        }
        "" if parser.at_tag_end() => {
            parser.complain(codes::EMPTY_TAG, span, "marca `{% %}` vazia", "apague-a ou escreva um comando");
            Step::Nothing
        }
        _ if parser.word_starts_tag()
            && let Some((hint, step)) = foreign_tag(&word, broken) =>
        {
            parser.complain(codes::FOREIGN_SYNTAX, span, &format!("djo não tem `{{% {word} %}}`"), &hint);
            step
        }
        _ => match parser.tag_statement() {
            Ok(stmt) => Step::Node(Node::Statement(stmt)),
            Err(Reported) => Step::Nothing,
        },
    }
}

/// What was probably meant by a tag's first word, and what the tag then opens or closes.
fn foreign_tag(word: &str, broken: impl Fn() -> Expr) -> Option<(String, Step)> {
    let (hint, step) = match word {
        "set" | "let" | "assign" | "var" => ("para dar um valor, `{% x = … %}`", Step::Nothing),
        "extends" => ("a página põe `{% layout \"…\" %}` no começo", Step::Nothing),
        "block" | "section" | "yield" => ("um layout põe `{{ conteudo }}` onde a página entra", Step::Nothing),
        "import" | "render" | "partial" => ("para incluir um arquivo, `{% include \"…\" %}`", Step::Nothing),
        "unless" => ("use `{% if not … %}`", Step::If(broken())),
        "elseif" | "elsif" => ("use `{% elif … %}`", Step::Elif(broken())),
        "foreach" | "each" => ("use `{% for x in xs %}`", Step::If(broken())),
        _ => {
            let near = nearest(word, ["if", "elif", "else", "for", "end", "include", "layout", "djo"])?;
            let step = match near {
                "if" | "for" => Step::If(broken()),
                "elif" => Step::Elif(broken()),
                "else" => Step::Else,
                "end" => Step::End,
                _ => Step::Nothing,
            };
            return Some((format!("você quis dizer `{{% {near} %}}`?"), step));
        }
    };
    Some((hint.to_owned(), step))
}

fn condition(parser: &mut Parser<'_>) -> Parse<Expr> {
    parser.skip_word();
    let condition = parser.expression()?;
    parser.end_of_tag()?;
    Ok(condition)
}

/// Where the next `{{` or `{%` starts.
fn next_tag(text: &str, from: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    (from..bytes.len().saturating_sub(1)).find(|&at| bytes[at] == b'{' && matches!(bytes[at + 1], b'{' | b'%'))
}

/// The word after `{%`.
fn first_word(tag: &str) -> &str {
    let inner = tag.get(2..).unwrap_or("").trim_start();
    inner.split(|c: char| !is_word_char(c)).next().unwrap_or("")
}

/// The tag holds one word.
fn is_alone(lexed: &Lexed) -> bool {
    lexed.tokens.len() == 2
}
