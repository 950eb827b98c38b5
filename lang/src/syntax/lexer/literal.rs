//! Numbers and Strings.

use super::{Lexer, is_word_char};
use crate::{
    ast::Span,
    diagnostic::{Diagnostic, codes},
    syntax::token::TokenKind,
};

impl Lexer<'_> {
    pub(super) fn number(&mut self) {
        let start = self.position;
        self.digits();
        let mut float = false;
        let mut ahead = self.rest().chars();
        if ahead.next() == Some('.') && ahead.next().is_some_and(|c| c.is_ascii_digit()) {
            float = true;
            self.bump();
            self.digits();
        }
        let exponent = self.rest().strip_prefix(['e', 'E']).map(|rest| rest.strip_prefix(['+', '-']).unwrap_or(rest));
        if exponent.is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit())) {
            float = true;
            self.bump();
            self.take_while(|c| c == '+' || c == '-');
            self.digits();
        }
        if self.peek().is_some_and(is_word_char) {
            self.take_while(is_word_char);
            let hint = "um número tem só dígitos: `12`, `4.5`, `1e3`; um nome não começa com dígito";
            self.reject_number(start, "número mal escrito".into(), Some(hint));
            return;
        }
        let text = &self.text[start..self.position];
        if text.len() > 1 && text.starts_with('0') && text[1..].starts_with(|c: char| c.is_ascii_digit()) {
            self.reject_number(start, "número com zero à esquerda".into(), None);
        } else if float {
            match text.parse::<f64>() {
                Ok(value) if value.is_finite() => self.push(TokenKind::Float(value), start),
                _ => self.reject_number(start, format!("`{}` está fora do intervalo de Float", shortened(text)), None),
            }
        } else {
            match text.parse::<u64>() {
                Ok(value) => self.push(TokenKind::Int(value), start),
                Err(_) => self.reject_number(start, format!("`{}` está fora do intervalo de Int", shortened(text)), None),
            }
        }
    }

    fn digits(&mut self) {
        self.take_while(|c| c.is_ascii_digit());
    }

    fn reject_number(&mut self, start: usize, message: String, hint: Option<&str>) {
        let diagnostic = Diagnostic::error(codes::BAD_NUMBER, self.span_from(start), message);
        self.report(diagnostic.maybe_hint(hint.map(str::to_owned)));
        self.push(TokenKind::Error, start);
    }

    pub(super) fn string(&mut self) {
        let start = self.position;
        let long = self.rest().starts_with("\"\"\"");
        let quote = if long { "\"\"\"" } else { "\"" };
        self.position += quote.len();
        if long {
            let rest = self.rest();
            self.position += if rest.starts_with("\r\n") { 2 } else { usize::from(rest.starts_with('\n')) };
        }
        let mut value = String::new();
        loop {
            if self.rest().starts_with(quote) {
                self.position += quote.len();
                break;
            }
            let at = self.position;
            match self.peek() {
                None => return self.unterminated(start, long, value),
                Some('\n') if !long => return self.unterminated(start, long, value),
                Some('\r') if self.rest().starts_with("\r\n") => {
                    if !long {
                        return self.unterminated(start, long, value);
                    }
                    self.bump();
                }
                Some('\\') => {
                    self.bump();
                    self.escape(at, &mut value);
                }
                Some(c) => {
                    self.bump();
                    value.push(c);
                }
            }
        }
        self.push(TokenKind::Str(value), start);
    }

    fn unterminated(&mut self, start: usize, long: bool, value: String) {
        let (span, hint) = if long {
            let open = Span { file: self.file, start: start as u32, end: start as u32 + 3 };
            (open, "falta `\"\"\"`")
        } else if self.in_short_text() {
            // The quote was meant to end the String around: the hole says so when its line ends.
            return;
        } else {
            (self.span_from(start), "falta `\"` no fim; para várias linhas, use `\"\"\"`")
        };
        self.report(Diagnostic::error(codes::UNTERMINATED_STRING, span, "String sem fim").hint(hint));
        // Within a `$"…"` its quotes were meant for the String around: no value.
        self.push(if self.texts.is_empty() { TokenKind::Str(value) } else { TokenKind::Error }, start);
    }

    /// After the backslash at `at`.
    pub(super) fn escape(&mut self, at: usize, value: &mut String) {
        let plain = match self.peek() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('"') => '"',
            Some('\\') => '\\',
            Some('u') => {
                self.bump();
                return self.unicode_escape(at, value);
            }
            // The line's end reports itself.
            None | Some('\n' | '\r') => return,
            Some(c) => {
                self.bump();
                let message = format!("escape desconhecido `\\{c}`");
                let hint = "os escapes são `\\n`, `\\r`, `\\t`, `\\\"`, `\\\\` e `\\u{1F600}`";
                return self.report(Diagnostic::error(codes::BAD_ESCAPE, self.span_from(at), message).hint(hint));
            }
        };
        self.bump();
        value.push(plain);
    }

    fn unicode_escape(&mut self, at: usize, value: &mut String) {
        let digits_start = self.position + 1;
        if self.rest().starts_with('{') {
            self.bump();
            self.take_while(|c| c.is_ascii_hexdigit());
            let digits = &self.text[digits_start..self.position];
            let decoded = (digits.len() <= 6).then(|| u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)).flatten();
            if self.rest().starts_with('}') {
                self.bump();
                if let Some(c) = decoded {
                    return value.push(c);
                }
            }
        }
        let diagnostic = Diagnostic::error(codes::BAD_ESCAPE, self.span_from(at), "escape `\\u` mal escrito");
        self.report(diagnostic.hint("escreva o código do caractere em hexadecimal: `\\u{1F600}`"));
    }

    /// `'…'` and the like, which other languages have: reported, then read as a String.
    pub(super) fn quoted(&mut self, quote: char, message: &str, hint: &str) {
        let start = self.position;
        let rest = self.rest();
        let Some(length) = rest[1..].find([quote, '\n']).filter(|length| rest[1 + length..].starts_with(quote)) else {
            return self.unexpected_character();
        };
        let value = rest[1..=length].to_owned();
        self.position += length + 2;
        self.report(Diagnostic::error(codes::FOREIGN_SYNTAX, self.span_from(start), message).hint(hint));
        self.push(TokenKind::Str(value), start);
    }
}

/// A number that would fill the line, cut.
fn shortened(text: &str) -> String {
    if text.len() <= 24 { text.to_owned() } else { format!("{}…", &text[..24]) }
}
