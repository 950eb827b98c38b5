//! Statements and blocks.

use super::{LINE_COLON_HINT, Parse, Parser, Reported};
use crate::{
    ast::{BinaryOp, Block, Expr, ExprKind, Name, Span, Stmt, StmtKind},
    diagnostic::{Diagnostic, MAX_SUGGESTIONS, codes},
    syntax::token::{Bracket, Keyword, Operator, TokenKind},
};

/// What follows a header's `:` on its line.
pub(super) const ONE_LINE_HINT: &str = "djo não põe `:` aqui: o bloco vem nas linhas de baixo, com um nível de recuo";

impl Parser<'_> {
    /// Statements up to the end of the text.
    pub(crate) fn whole_block(&mut self) -> Block {
        let mut block = Block::new();
        while !self.at(&TokenKind::End) {
            self.statement_into(&mut block);
        }
        block
    }

    /// Statements up to the end of the block, whose `Dedent` is taken.
    pub(super) fn statements_until_dedent(&mut self) -> Block {
        let mut block = Block::new();
        while !matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            self.statement_into(&mut block);
        }
        self.eat(&TokenKind::Dedent);
        block
    }

    /// The block that an `Indent` opens here.
    pub(super) fn nested_block(&mut self) -> Block {
        self.eat(&TokenKind::Indent);
        let parsed = self.nested(|parser| Ok(parser.statements_until_dedent()));
        parsed.unwrap_or_else(|Reported| {
            self.skip_block();
            Block::new()
        })
    }

    /// Skips the rest of the line and the block under it, without a look at either.
    pub(super) fn skip_line_and_block(&mut self) {
        while !self.at_line_end() {
            self.bump();
        }
        self.eat(&TokenKind::Newline);
        if self.eat(&TokenKind::Indent) {
            self.skip_block();
        }
    }

    /// Nothing of this line has been read.
    pub(super) fn at_line_start(&self) -> bool {
        self.position
            .checked_sub(1)
            .and_then(|index| self.tokens.get(index))
            .is_none_or(|token| matches!(token.kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent))
    }

    /// Skips to after the `Dedent` that matches an `Indent` already taken.
    fn skip_block(&mut self) {
        let mut open = 1_u32;
        while open > 0 && !self.at(&TokenKind::End) {
            match self.bump().kind {
                TokenKind::Indent => open += 1,
                TokenKind::Dedent => open -= 1,
                _ => {}
            }
        }
    }

    fn statement_into(&mut self, block: &mut Block) {
        match self.kind() {
            // Left over from a line that was given up.
            TokenKind::Newline | TokenKind::Dedent => {
                self.bump();
                return;
            }
            TokenKind::Indent => {
                let span = self.span();
                // Where its width was reported, what it would open is a guess.
                if !self.diagnostics.iter().any(|found| found.code == codes::BAD_INDENTATION && found.span == span) {
                    self.error(codes::BAD_INDENTATION, span, "recuo inesperado: a linha de cima não abre um bloco");
                }
                block.extend(self.nested_block());
                return;
            }
            _ => {}
        }
        let start = self.position;
        match self.statement() {
            Ok(stmt) => block.push(stmt),
            Err(Reported) => block.append(&mut self.synchronized_block(start)),
        }
    }

    fn statement(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Word(Some(Keyword::If)) => self.if_statement()?,
            TokenKind::Word(Some(Keyword::For)) => {
                let (first, second, items) = self.for_header()?;
                let span = self.span_since(start);
                self.header_end()?;
                StmtKind::For(first, second, items, self.body(span)?)
            }
            TokenKind::Word(Some(Keyword::While)) => {
                self.bump();
                let condition = self.header()?;
                let span = self.span_since(start);
                self.header_end()?;
                StmtKind::While(condition, self.body(span)?)
            }
            TokenKind::Word(Some(Keyword::Try)) => self.try_statement()?,
            TokenKind::Word(Some(keyword @ (Keyword::Elif | Keyword::Else | Keyword::Catch))) => {
                let (word, needs) = match keyword {
                    Keyword::Elif => ("elif", "if"),
                    Keyword::Else => ("else", "if"),
                    _ => ("catch", "try"),
                };
                return Err(self.error(codes::STRAY_BRANCH, start, format!("`{word}` sem um `{needs}` antes")));
            }
            _ => {
                if let Some(word) = self.declaration_word() {
                    let diagnostic = Diagnostic::error(codes::MISPLACED_DECLARATION, start, format!("`{word}` não cabe aqui"));
                    self.report(diagnostic.hint("declarações ficam nos arquivos de `core/`, sem recuo"));
                    // Read as what it is, for its own errors.
                    let first = self.position;
                    self.item()?;
                    self.failures += 1;
                    return Ok(Stmt { kind: StmtKind::Unread(self.unread(first), Block::new()), span: start });
                }
                if self.at_params() {
                    let diagnostic = Diagnostic::error(codes::MISPLACED_DECLARATION, start, "`params[…]` não cabe aqui");
                    let hint = "os parâmetros vêm uma vez só, logo abaixo do nome da função ou da sua descrição";
                    return Err(self.report(diagnostic.hint(hint)));
                }
                let stmt = self.simple_statement()?;
                self.line_end()?;
                return Ok(stmt);
            }
        };
        Ok(Stmt { kind, span: self.span_since(start) })
    }

    /// A line that is all `params[…]`.
    fn at_params(&self) -> bool {
        if self.peek_word() != Some("params") || self.token_at(1).kind != TokenKind::Open(Bracket::Square) {
            return false;
        }
        let line = self.tokens.get(self.position..).unwrap_or_default();
        let end = line.iter().position(|token| matches!(token.kind, TokenKind::Newline | TokenKind::End)).unwrap_or(line.len());
        line.get(..end).and_then(<[_]>::last).is_some_and(|last| last.kind == TokenKind::Close(Bracket::Square))
            && !line.iter().take(end).any(|token| matches!(token.kind, TokenKind::Assign | TokenKind::Update(_)))
    }

    /// A statement without a block.
    pub(super) fn simple_statement(&mut self) -> Parse<Stmt> {
        let start = self.span();
        let kind = match self.kind() {
            TokenKind::Word(Some(Keyword::Break)) => {
                self.bump();
                StmtKind::Break
            }
            TokenKind::Word(Some(Keyword::Continue)) => {
                self.bump();
                StmtKind::Continue
            }
            TokenKind::Word(Some(Keyword::Return)) => {
                self.bump();
                let value = if self.at_line_end() { None } else { Some(self.expression()?) };
                StmtKind::Return(value)
            }
            _ => {
                let target = self.expression()?;
                match *self.kind() {
                    TokenKind::Assign => self.assignment(target)?,
                    TokenKind::Update(Operator::Minus) => self.update(target, BinaryOp::Sub)?,
                    TokenKind::Update(_) => self.update(target, BinaryOp::Add)?,
                    _ => self.lone_expression(target)?,
                }
            }
        };
        Ok(Stmt { kind, span: self.span_since(start) })
    }

    fn assignment(&mut self, target: Expr) -> Parse<StmtKind> {
        self.bump();
        let value = self.expression()?;
        match target.kind {
            ExprKind::Name(text) => Ok(StmtKind::Assign(Name { text, span: target.span }, value)),
            ExprKind::Member(base, name) => Ok(StmtKind::AssignField(*base, name, value)),
            ExprKind::Index(base, index) => Ok(StmtKind::AssignIndex(*base, *index, value)),
            _ => Err(self.bad_target(target.span, "=")),
        }
    }

    /// `target += e`, `target -= e`
    fn update(&mut self, target: Expr, op: BinaryOp) -> Parse<StmtKind> {
        self.bump();
        let value = self.expression()?;
        match target.kind {
            ExprKind::Name(ref text) => {
                let name = Name { text: text.clone(), span: target.span };
                let span = self.span_since(target.span);
                Ok(StmtKind::Assign(name, Expr { kind: ExprKind::Binary(op, Box::new(target), Box::new(value)), span }))
            }
            ExprKind::Member(..) | ExprKind::Index(..) => Ok(StmtKind::Update(target, op, value)),
            _ => Err(self.bad_target(target.span, if op == BinaryOp::Sub { "-=" } else { "+=" })),
        }
    }

    fn bad_target(&mut self, span: Span, operator: &str) -> Reported {
        let diagnostic = Diagnostic::error(codes::BAD_TARGET, span, "não dá para atribuir a isto");
        self.report(diagnostic.hint(format!("à esquerda de `{operator}` fica um nome, `a.campo` ou `a[i]`")))
    }

    fn lone_expression(&mut self, expr: Expr) -> Parse<StmtKind> {
        if matches!(expr.kind, ExprKind::Call(..)) || !self.at_line_end() {
            // What follows is reported by whoever wants the line's end.
            return Ok(StmtKind::Expr(expr));
        }
        let diagnostic = Diagnostic::error(codes::USELESS_EXPRESSION, expr.span, "esta linha não faz nada");
        let hint = match &expr.kind {
            ExprKind::Name(name) => super::foreign::start(name).unwrap_or_else(|| format!("para chamar `{name}`, escreva `{name}:`")),
            ExprKind::Member(base, name) => {
                let base_is_module = matches!(&base.kind, ExprKind::Name(module) if djo_vm::builtins::is_reserved(module));
                let method = (!base_is_module).then(|| super::foreign_call::method_call(self.slice(base.span), &name.text, ""));
                method.flatten().unwrap_or_else(|| "para chamar, ponha `:` no fim".into())
            }
            ExprKind::Binary(BinaryOp::Eq, ..) => "para atribuir, use `=`".into(),
            _ => match self.swallowed_argument(&expr) {
                Some(call) => format!("o argumento de uma chamada vai até o primeiro operador; use parênteses: `{call}`"),
                None => "uma linha é uma atribuição, uma chamada ou um comando".into(),
            },
        };
        self.report(diagnostic.hint(hint));
        // Read well enough: the line is done.
        Ok(StmtKind::Expr(expr))
    }

    /// For `print:a + b`, what was probably meant: `print:(a + b)`.
    fn swallowed_argument(&self, expr: &Expr) -> Option<String> {
        let mut first = expr;
        while let ExprKind::Binary(_, left, _) | ExprKind::And(left, _) | ExprKind::Or(left, _) | ExprKind::Coalesce(left, _) = &first.kind
        {
            first = left;
        }
        let ExprKind::Call(_, arguments) = &first.kind else { return None };
        let last = arguments.last()?;
        let before = self.text.get(expr.span.start as usize..last.span.start as usize).filter(|before| !before.starts_with('('))?;
        let argument = self.text.get(last.span.start as usize..expr.span.end as usize)?;
        (!argument.contains('\n')).then(|| format!("{before}({argument})"))
    }

    fn if_statement(&mut self) -> Parse<StmtKind> {
        let (mut branches, mut otherwise) = (Vec::new(), None);
        loop {
            let first = self.position;
            let start = self.bump().span;
            // A broken condition does not make its `else` a stray one.
            let condition = match self.header().and_then(|condition| {
                let span = self.span_since(start);
                self.header_end().map(|()| (condition, span))
            }) {
                Ok((condition, span)) => (condition, self.body(span).unwrap_or_default()),
                Err(Reported) => (Expr { kind: ExprKind::Error, span: start }, self.synchronized_block(first)),
            };
            branches.push(condition);
            if self.at_keyword(Keyword::Elif) {
                continue;
            }
            if self.at_keyword(Keyword::Else) {
                let first = self.position;
                let start = self.bump().span;
                if self.at_keyword(Keyword::If) {
                    let span = self.span_since(start);
                    let span = Span { end: self.span().end, ..span };
                    self.report(Diagnostic::error(codes::FOREIGN_SYNTAX, span, "djo não tem `else if`").hint("use `elif`"));
                    continue;
                }
                otherwise = Some(match self.header_end() {
                    Ok(()) => self.body(start).unwrap_or_default(),
                    Err(Reported) => self.synchronized_block(first),
                });
            }
            return Ok(StmtKind::If(branches, otherwise));
        }
    }

    /// `for x in e` or `for i, x in e`, without what follows.
    pub(crate) fn for_header(&mut self) -> Parse<(Name, Option<Name>, Expr)> {
        self.bump();
        let first = self.name("o nome da variável")?;
        let second = if self.eat(&TokenKind::Comma) { Some(self.name("o nome da segunda variável")?) } else { None };
        if self.at(&TokenKind::Assign) {
            self.forget_line();
        }
        self.expect(&TokenKind::Word(Some(Keyword::In)), "`in`")?;
        let items = self.header()?;
        Ok((first, second, items))
    }

    /// Takes back what the lexer has said of the rest of this line: it is of another language, and one report says so.
    fn forget_line(&mut self) {
        if self.diagnostics.len() > MAX_SUGGESTIONS {
            return;
        }
        let here = self.span();
        let rest = self.text.get(here.start as usize..).unwrap_or("");
        let end = here.start + rest.find('\n').unwrap_or(rest.len()) as u32;
        let within = |span: Span| span.file == here.file && (here.start..end).contains(&span.start);
        self.diagnostics.retain(|found| found.code != codes::FOREIGN_SYNTAX || !within(found.span));
    }

    fn try_statement(&mut self) -> Parse<StmtKind> {
        let first = self.position;
        let start = self.bump().span;
        // A broken header does not make its `catch` a stray one.
        let body = match self.header_end() {
            Ok(()) => self.body(start)?,
            Err(Reported) => self.synchronized_block(first),
        };
        if !self.at_keyword(Keyword::Catch) {
            let diagnostic = Diagnostic::error(codes::STRAY_BRANCH, start, "`try` sem `catch`");
            self.report(diagnostic.hint("depois do bloco vem `catch e`, com o seu bloco"));
            // The parser stands at the next statement already: nothing to skip.
            return Ok(StmtKind::Try(body, Name { text: String::new(), span: start }, Block::new()));
        }
        let first = self.position;
        let start = self.bump().span;
        let header = self.name("o nome do erro, como em `catch e`").and_then(|name| {
            let span = self.span_since(start);
            self.header_end().map(|()| (name, span))
        });
        let (name, handler) = match header {
            Ok((name, span)) => (name, self.body(span)?),
            Err(Reported) => (Name { text: String::new(), span: start }, self.synchronized_block(first)),
        };
        Ok(StmtKind::Try(body, name, handler))
    }

    /// The block under a header.
    fn body(&mut self, header: Span) -> Parse<Block> {
        if !self.at(&TokenKind::Indent) {
            let diagnostic = Diagnostic::error(codes::EMPTY_BODY, header, "falta o bloco deste comando");
            self.report(diagnostic.hint("as linhas de baixo precisam de um nível de recuo"));
            return Ok(Block::new());
        }
        Ok(self.nested_block())
    }

    /// The expression of a line that opens a block.
    fn header(&mut self) -> Parse<Expr> {
        self.in_header = true;
        let parsed = self.expression();
        self.in_header = false;
        parsed
    }

    /// The end of a line that opens a block.
    pub(super) fn header_end(&mut self) -> Parse<()> {
        let colon = if self.at(&TokenKind::Colon) {
            Some(self.bump().span)
        } else {
            // `if ok: x = 1`, where `ok:` has been read as a call. With a block below, it is `if f: x`, a call with a space in it.
            self.token_before()
                .filter(|before| before.kind == TokenKind::Colon && !self.at_line_end() && !self.block_follows())
                .map(|before| before.span)
        };
        let Some(colon) = colon else { return self.line_end() };
        let hint = if self.at_line_end() { LINE_COLON_HINT } else { ONE_LINE_HINT };
        let reported = self.report(Diagnostic::error(codes::MISPLACED_COLON, colon, "`:` fora de lugar").hint(hint));
        if self.at_line_end() { self.line_end() } else { Err(reported) }
    }

    /// A block stands under the line that is being read.
    fn block_follows(&self) -> bool {
        let rest = self.tokens.get(self.position..).unwrap_or_default();
        let end = rest.iter().position(|token| token.kind == TokenKind::Newline);
        end.and_then(|end| rest.get(end + 1)).is_some_and(|token| token.kind == TokenKind::Indent)
    }

    pub(super) fn line_end(&mut self) -> Parse<()> {
        if self.eat(&TokenKind::Newline) || matches!(self.kind(), TokenKind::End | TokenKind::Dedent) {
            return Ok(());
        }
        Err(self.unexpected("o fim da linha"))
    }
}
