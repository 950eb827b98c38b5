//! Declarations of `core/`.

use super::{Items, Parse, Parser, Reported};
use crate::{
    ast::{Block, ConstDecl, FieldDecl, FunctionDecl, Item, Name, Span, StructDecl, TypeExpr, TypeKind},
    diagnostic::{Diagnostic, codes},
    syntax::token::{Bracket, TokenKind},
};

impl Parser<'_> {
    /// Declarations up to the end of the file.
    pub(super) fn items(mut self) -> Items {
        let (mut items, mut broken) = (Vec::new(), Vec::new());
        while !self.at(&TokenKind::End) {
            if self.eat(&TokenKind::Newline) || self.eat(&TokenKind::Dedent) {
                continue;
            }
            // Also of what only looks like a declaration (`def nome`): its name was meant to exist.
            let named = self.peek_word().is_some() && matches!(self.token_at(1).kind, TokenKind::Word(None));
            let name = named.then(|| self.word_text(self.token_at(1)).to_owned());
            let (start, before) = (self.position, self.failures);
            match self.item() {
                Ok(item) => items.push(item),
                // What was given up may have been skipped already.
                Err(Reported) if self.position > start && self.at_line_start() => self.failures += 1,
                Err(Reported) => {
                    let function = matches!(self.tokens.get(start).map(|token| self.word_text(token)), Some("f" | "action"));
                    let rest = self.synchronized_block(start);
                    if function {
                        self.orphans.push(rest);
                    }
                }
            }
            if self.failures > before {
                broken.extend(name);
            }
        }
        Items { items, broken, orphans: self.orphans }
    }

    pub(super) fn item(&mut self) -> Parse<Item> {
        match self.declaration_word() {
            Some("const") => self.constant().map(Item::Const),
            Some("struct") => self.structure().map(Item::Struct),
            Some("f") => self.function(false).map(Item::Function),
            Some("action") => self.function(true).map(Item::Function),
            _ => {
                let span = self.span();
                if matches!(self.kind(), TokenKind::Error | TokenKind::Indent) {
                    // The lexer has said what is wrong with an indentation here.
                    return Err(Reported);
                }
                let diagnostic = Diagnostic::error(codes::NOT_A_DECLARATION, span, "em `core/` só cabem declarações");
                let hint = match self.peek_word() {
                    Some("def" | "fn" | "func" | "function" | "fun") => "uma função começa com `f`",
                    Some("class" | "type" | "record") => "um tipo começa com `struct`",
                    Some("let" | "var" | "import") | None => "uma declaração começa com `const`, `struct`, `f` ou `action`",
                    Some(_) if self.token_at(1).kind == TokenKind::Assign => "uma constante começa com `const`",
                    Some(_) => "uma declaração começa com `const`, `struct`, `f` ou `action`",
                };
                self.report(diagnostic.hint(hint));
                // What is under it was written by other rules: reading it by these would add nonsense.
                self.skip_line_and_block();
                Err(Reported)
            }
        }
    }

    /// The word that starts a declaration, when what follows shows that it is one.
    pub(super) fn declaration_word(&self) -> Option<&str> {
        let word = self.peek_word()?;
        let known = matches!(word, "const" | "struct" | "f" | "action");
        (known && matches!(self.token_at(1).kind, TokenKind::Word(_))).then_some(word)
    }

    fn constant(&mut self) -> Parse<ConstDecl> {
        self.bump();
        let name = self.name("o nome da constante")?;
        self.expect(&TokenKind::Assign, "`=`")?;
        let value = self.expression()?;
        self.line_end()?;
        Ok(ConstDecl { name, value })
    }

    fn structure(&mut self) -> Parse<StructDecl> {
        self.bump();
        let name = self.name("o nome da struct")?;
        self.header_end()?;
        if !self.open_block(&name, "campos") {
            return Ok(StructDecl { name, description: None, fields: Vec::new() });
        }
        let description = self.description();
        if matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            self.error(codes::EMPTY_BODY, name.span, format!("`{}` não tem campos", name.text));
        }
        let mut fields = Vec::new();
        while !matches!(self.kind(), TokenKind::Dedent | TokenKind::End) {
            let field = self.field(false).and_then(|field| self.line_end().map(|()| field));
            match field {
                Ok(field) => fields.push(field),
                Err(Reported) => {
                    self.synchronize(self.position);
                }
            }
        }
        self.eat(&TokenKind::Dedent);
        Ok(StructDecl { name, description, fields })
    }

    fn function(&mut self, action: bool) -> Parse<FunctionDecl> {
        self.bump();
        let name = self.name("o nome da função")?;
        if self.at(&TokenKind::Open(Bracket::Round)) {
            let span = self.span();
            let diagnostic = Diagnostic::error(codes::FOREIGN_SYNTAX, span, "os parâmetros não vêm entre parênteses");
            return Err(self.report(diagnostic.hint("escreva `params[a, b]` na linha de baixo, recuada")));
        }
        self.header_end()?;
        if !self.open_block(&name, "comandos") {
            return Ok(FunctionDecl { action, name, description: None, params: Vec::new(), body: Block::new() });
        }
        let description = self.description();
        let params =
            if self.peek_word() == Some("params") && matches!(self.token_at(1).kind, TokenKind::Open(Bracket::Square | Bracket::Round)) {
                let start = self.position;
                match self.params() {
                    Ok(params) => params,
                    Err(Reported) => {
                        let mut body = self.synchronized_block(start);
                        body.extend(self.statements_until_dedent());
                        self.orphans.push(body);
                        return Err(Reported);
                    }
                }
            } else {
                Vec::new()
            };
        let empty = matches!(self.kind(), TokenKind::Dedent | TokenKind::End);
        // Whoever calls it is told by its parameters, whatever is wrong with its lines.
        let failures = self.failures;
        let body: Block = self.statements_until_dedent();
        self.failures = failures;
        if empty {
            self.error(codes::EMPTY_BODY, name.span, format!("`{}` não tem comandos", name.text));
        }
        Ok(FunctionDecl { action, name, description, params, body })
    }

    /// `params[…]` and the end of its line.
    fn params(&mut self) -> Parse<Vec<FieldDecl>> {
        self.bump();
        if self.at(&TokenKind::Open(Bracket::Round)) {
            let diagnostic = Diagnostic::error(codes::FOREIGN_SYNTAX, self.span(), "os parâmetros vêm entre colchetes");
            return Err(self.report(diagnostic.hint("escreva `params[a, b]`")));
        }
        self.bump();
        let mut params = Vec::new();
        while !self.at(&TokenKind::Close(Bracket::Square)) {
            let start = self.position;
            match self.field(true) {
                Ok(param) => params.push(self.type_after(param)),
                // The others have errors of their own.
                Err(Reported) => {
                    self.failures += 1;
                    params.extend(self.unread_param(start));
                    self.skip_to(|_| false);
                }
            }
            if !self.another_param() {
                break;
            }
        }
        self.expect(&TokenKind::Close(Bracket::Square), "`,` ou `]`")?;
        self.line_end()?;
        Ok(params)
    }

    /// `x: Int` and `x Int`, as other languages write it: reported, and read as what it is.
    fn type_after(&mut self, param: FieldDecl) -> FieldDecl {
        let ty = usize::from(self.at(&TokenKind::Colon));
        let ty = self.token_at(ty).clone();
        let is_type = ty.kind == TokenKind::Word(None) && self.word_text(&ty).starts_with(char::is_uppercase);
        if param.ty.is_some() || param.default.is_some() || !(self.at(&TokenKind::Colon) || is_type && !self.is_on_new_line()) {
            return param;
        }
        let written = if is_type { self.word_text(&ty) } else { "String" };
        let hint = format!("o tipo vem entre colchetes: `{}[{written}]`", param.name.text);
        let _ = self.unexpected_with("`,` ou `]`", Some(hint));
        self.failures += 1;
        self.skip_to(|_| false);
        FieldDecl { ty: Some(unread_type(param.span)), ..param }
    }

    /// What is left of a parameter that could not be read: its name, so that its use is no error.
    fn unread_param(&self, start: usize) -> Option<FieldDecl> {
        let mut words = self.tokens.get(start..)?.iter().take_while(|token| matches!(token.kind, TokenKind::Word(_)));
        let token = words.find(|token| self.word_text(token) != "nocall")?;
        let name = Name { text: self.word_text(token).to_owned(), span: token.span };
        let ty = Some(unread_type(token.span));
        Some(FieldDecl { hidden: false, span: name.span, name, ty, constraints: Vec::new(), default: None, description: None })
    }

    /// After a parameter: whether another follows, with the `,` before it or without.
    fn another_param(&mut self) -> bool {
        if self.eat(&TokenKind::Comma) {
            return true;
        }
        if !matches!(self.kind(), TokenKind::Word(_)) {
            return false;
        }
        self.failures += 1;
        let _ = self.unexpected_with("`,` ou `]`", Some("falta uma `,` entre os parâmetros".to_owned()));
        true
    }

    /// The String right below the name.
    fn description(&mut self) -> Option<String> {
        let alone = matches!(self.kind(), TokenKind::Str(_)) && matches!(self.token_at(1).kind, TokenKind::Newline | TokenKind::Dedent);
        if !alone {
            return None;
        }
        let description = self.eat_string();
        self.eat(&TokenKind::Newline);
        description
    }

    /// Enters the block of a declaration; reports its absence.
    fn open_block(&mut self, name: &Name, what: &str) -> bool {
        if self.eat(&TokenKind::Indent) {
            return true;
        }
        self.failures += 1;
        let diagnostic = Diagnostic::error(codes::EMPTY_BODY, name.span, format!("`{}` não tem {what}", name.text));
        self.report(diagnostic.hint("as linhas de baixo precisam de um nível de recuo"));
        // They were meant to be in it.
        while !self.at(&TokenKind::End) && self.declaration_word().is_none() {
            if !self.eat(&TokenKind::Dedent) {
                self.skip_line_and_block();
            }
        }
        false
    }
}

fn unread_type(span: Span) -> TypeExpr {
    TypeExpr { kind: TypeKind::Unread, optional: false, span }
}
