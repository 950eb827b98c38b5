//! Operators and punctuation, and those of other languages, each with what djo writes instead.

use super::{Lexer, is_word_char};
use crate::{
    diagnostic::{Diagnostic, codes},
    syntax::token::{Keyword, Operator, TokenKind},
};

/// Longest first, so that a prefix never wins.
const SYMBOLS: &[(&str, TokenKind)] = &[
    ("+=", TokenKind::Update(Operator::Plus)),
    ("-=", TokenKind::Update(Operator::Minus)),
    ("->", TokenKind::Arrow),
    ("??", TokenKind::Coalesce),
    ("==", TokenKind::Operator(Operator::Eq)),
    ("!=", TokenKind::Operator(Operator::Ne)),
    ("<=", TokenKind::Operator(Operator::Le)),
    (">=", TokenKind::Operator(Operator::Ge)),
    ("<", TokenKind::Operator(Operator::Lt)),
    (">", TokenKind::Operator(Operator::Gt)),
    ("+", TokenKind::Operator(Operator::Plus)),
    ("-", TokenKind::Operator(Operator::Minus)),
    ("*", TokenKind::Operator(Operator::Star)),
    ("/", TokenKind::Operator(Operator::Slash)),
    ("%", TokenKind::Operator(Operator::Percent)),
    ("=", TokenKind::Assign),
    (":", TokenKind::Colon),
    (",", TokenKind::Comma),
    (".", TokenKind::Dot),
    ("?", TokenKind::Question),
    ("|", TokenKind::Pipe),
];

/// Symbols of other languages: what to write, and the token the parser goes on with.
const FOREIGN: &[(&str, &str, TokenKind)] = &[
    ("===", "use `==`", TokenKind::Operator(Operator::Eq)),
    ("!==", "use `!=`", TokenKind::Operator(Operator::Ne)),
    ("&&", "use `and`", TokenKind::Word(Some(Keyword::And))),
    ("||", "use `or`", TokenKind::Word(Some(Keyword::Or))),
    ("*=", "escreva `x = x * …`", TokenKind::Error),
    ("/=", "escreva `x = x / …`", TokenKind::Error),
    ("??=", "escreva `x = x ?? …`", TokenKind::Error),
    ("++", "escreva `x += 1`", TokenKind::Error),
    ("|>", "use `|`", TokenKind::Pipe),
    ("=>", "uma função de uma expressão se escreve `(x -> …)`", TokenKind::Arrow),
    ("!", "use `not`", TokenKind::Word(Some(Keyword::Not))),
];

impl Lexer<'_> {
    pub(super) fn symbol(&mut self, c: char) {
        let start = self.position;
        let rest = self.rest();
        let foreign = FOREIGN.iter().find(|(text, ..)| rest.starts_with(text) && !(*text == "!" && rest.starts_with("!=")));
        let touched = self.tokens.last().filter(|last| last.span.end as usize == start).map(|last| &last.kind);
        if rest.starts_with('!') && !rest.starts_with("!=") && matches!(touched, Some(TokenKind::Word(_) | TokenKind::Close(_))) {
            self.bump();
            let diagnostic = Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_from(start), "djo não tem `!` depois de um nome ou tipo");
            return self.report(diagnostic.hint("tire-o: só o que tem um tipo com `?` pode ser nil"));
        }
        // `f:a++b` and the like have no meaning here either, so no legal text is shadowed.
        if let Some((text, hint, kind)) = foreign {
            self.position += text.len();
            let message = format!("djo não tem `{text}`");
            self.report(Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_from(start), message).hint(*hint));
            self.push(kind.clone(), start);
            if *kind == TokenKind::Arrow {
                self.mark_lambda();
            }
            return;
        }
        if let Some((text, kind)) = SYMBOLS.iter().find(|(text, _)| rest.starts_with(text)) {
            self.position += text.len();
            self.push(kind.clone(), start);
            if *kind == TokenKind::Arrow {
                self.mark_lambda();
            }
            return;
        }
        match c {
            ';' => {
                self.bump();
                let diagnostic = Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_from(start), "djo não tem `;`");
                self.report(diagnostic.hint("cada comando fica na sua linha"));
            }
            '#' => {
                self.take_while(|c| c != '\n' && c != '\r');
                let diagnostic = Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_from(start), "djo não tem comentários com `#`");
                self.report(diagnostic.hint("um comentário começa com `//`"));
            }
            _ => self.unexpected_character(),
        }
    }

    /// Reports a run of characters that mean nothing here, as one.
    pub(super) fn unexpected_character(&mut self) {
        let start = self.position;
        if let Some(inside) = self.rest().strip_prefix('“')
            && let Some(length) = inside.find(['”', '\n']).filter(|length| inside[*length..].starts_with('”'))
        {
            let value = inside[..length].to_owned();
            self.position += '“'.len_utf8() + length + '”'.len_utf8();
            let diagnostic = Diagnostic::error(codes::UNEXPECTED_CHARACTER, self.span_from(start), "String entre aspas curvas");
            self.report(diagnostic.hint("use aspas retas: `\"…\"`"));
            self.push(TokenKind::Str(value), start);
            return;
        }
        let first = self.bump().unwrap_or_default();
        self.take_while(|c| !c.is_whitespace() && !is_word_char(c) && !"\"'()[]{}:,.?=<>!+-*/%;#&|".contains(c));
        let run: String = self.text[start..self.position].chars().take(20).collect();
        let (message, hint) = match first {
            '“' | '”' | '„' | '«' | '»' => (format!("`{run}` não é aspas de código"), Some("use aspas retas: `\"`")),
            c if c.is_control() => (format!("caractere de controle inesperado: U+{:04X}", c as u32), None),
            '\u{200B}'..='\u{200F}' | '\u{FEFF}' | '\u{2060}' => (format!("caractere invisível inesperado: U+{:04X}", first as u32), None),
            '\u{A0}' | '\u{3000}' => (format!("espaço especial inesperado: U+{:04X}", first as u32), Some("use um espaço comum")),
            _ => (format!("caractere inesperado: `{run}`"), None),
        };
        let diagnostic = Diagnostic::error(codes::UNEXPECTED_CHARACTER, self.span_from(start), message);
        self.report(diagnostic.maybe_hint(hint.map(str::to_owned)));
        self.push(TokenKind::Error, start);
    }
}
