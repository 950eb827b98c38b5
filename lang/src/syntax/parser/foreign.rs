//! What a newcomer from another language, or a slip, probably meant: hints for what the grammar does not take.

use super::{LINE_COLON_HINT, Parser, call};
use crate::{
    diagnostic::nearest,
    syntax::token::{Bracket, Keyword, Operator, TokenKind},
};

/// Words that start a line elsewhere.
const STARTS: &[(&[&str], &str)] = &[
    (&["let", "var", "val", "local", "global", "mut"], "uma variável nasce ao receber um valor: `x = 1`"),
    (&["def", "fn", "func", "function", "fun"], "uma função começa com `f`, num arquivo de `core/`"),
    (&["class", "type", "record", "interface"], "um tipo começa com `struct`, num arquivo de `core/`"),
    (&["import", "from", "require", "use", "using"], "nada se importa: o que está em `core/` vale no site todo"),
    (&["elseif", "elsif", "elseIf"], "use `elif`"),
    (&["raise", "throw"], "um erro se levanta com `fail:\"mensagem\"`"),
    (&["except", "finally", "rescue"], "djo tem `try` e `catch e`"),
    (&["switch", "match", "case", "when", "unless"], "use `if`, `elif` e `else`"),
    (&["do", "loop", "until", "foreach"], "os laços são `for x in xs` e `while condição`"),
    (&["pass", "noop"], "um bloco tem ao menos um comando: se não há o que fazer, tire o bloco ou inverta a condição"),
];

/// Words that start a statement of djo.
const WORDS: &[&str] = &["if", "elif", "else", "for", "while", "break", "continue", "return", "try", "catch"];

/// Functions of other languages that djo has by another name, or not at all.
const FUNCTIONS: &[(&str, &str)] = &[
    ("range", "para contar, use `while`; para ter a posição de cada item, `for i, x in xs`"),
    ("len", "o tamanho é `Arr.len:xs`, `String.len:s` ou `Map.len:m`"),
    ("str", "para juntar um texto, `$\"{x}\"`; ou `Int.str:n` e `Float.str:n`"),
    ("int", "um número se lê de um texto com `Int.parse:texto`"),
    ("float", "um número se lê de um texto com `Float.parse:texto`"),
    ("input", "o que foi enviado se lê com `Http.form:\"nome\"` e `Http.query:\"nome\"`"),
    ("sum", "a soma é `Arr.sum:xs`"),
    ("map", "é `Arr.map:xs:(x -> …)`"),
    ("filter", "é `Arr.filter:xs:(x -> …)`"),
    ("sorted", "é `Arr.sort:xs`"),
];

/// For a call with parentheses.
pub(super) fn function(name: &str) -> Option<&'static str> {
    FUNCTIONS.iter().find(|(known, _)| *known == name).map(|(_, hint)| *hint)
}

/// For a line's first word that is no statement's.
pub(super) fn start(word: &str) -> Option<String> {
    if let Some((_, hint)) = STARTS.iter().find(|(words, _)| words.contains(&word)) {
        return Some((*hint).to_owned());
    }
    nearest(word, WORDS.iter().copied()).map(|near| format!("você quis dizer `{near}`?"))
}

impl Parser<'_> {
    /// What was probably meant by what stands here and was not expected.
    pub(super) fn hint_for_unexpected(&self) -> Option<String> {
        let before = self.token_before().map(|token| &token.kind);
        let after = self.token_at(1);
        if let Some(hint) = self.hint_for_line() {
            return Some(hint);
        }
        let hint = match self.kind() {
            TokenKind::Operator(Operator::Slash) if after.kind == TokenKind::Operator(Operator::Star) => {
                "um comentário começa com `//`, em cada linha"
            }
            TokenKind::Word(None | Some(Keyword::True | Keyword::False | Keyword::Nil))
            | TokenKind::Int(_)
            | TokenKind::Float(_)
            | TokenKind::Str(_)
            | TokenKind::TextStart
            | TokenKind::Open(_)
                if before == Some(&TokenKind::Colon) =>
            {
                "o argumento vem colado ao `:`, e o que é maior que um valor vai entre parênteses: `nome:a:(b + 1)`"
            }
            TokenKind::Str(_) | TokenKind::TextStart | TokenKind::Open(Bracket::Curly) if !self.is_glued() && self.is_argument_before() => {
                "falta um `:` antes deste argumento, colado dos dois lados: `nome:a:b`"
            }
            TokenKind::Comma
                if matches!((before, &after.kind), (Some(TokenKind::Int(_)), TokenKind::Int(_))) && after.span.start == self.span().end =>
            {
                "o separador decimal é o ponto: `1.5`"
            }
            TokenKind::Open(Bracket::Round) => "uma chamada se escreve `nome:argumento`, sem parênteses",
            TokenKind::Colon if self.in_index => call::SLICE_HINT,
            TokenKind::Assign => "para comparar, use `==`",
            TokenKind::Colon if matches!(after.kind, TokenKind::Newline | TokenKind::End) => LINE_COLON_HINT,
            TokenKind::Str(_) if self.is_glued() => "uma String com valores começa com `$`: `$\"a = {a}\"`",
            TokenKind::Arrow => "uma função de uma expressão vai entre parênteses: `(x -> …)`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// Two words, or a word and a value, side by side at the start of a line: the first is no statement of djo.
    fn hint_for_line(&self) -> Option<String> {
        let first = self.token_before().filter(|first| first.kind == TokenKind::Word(None))?;
        let second = self.position.checked_sub(2).and_then(|index| self.tokens.get(index));
        let starts = second.is_none_or(|token| matches!(token.kind, TokenKind::Newline | TokenKind::Indent | TokenKind::Dedent));
        let follows = matches!(
            self.kind(),
            TokenKind::Word(_) | TokenKind::Int(_) | TokenKind::Float(_) | TokenKind::Str(_) | TokenKind::TextStart | TokenKind::Open(_)
        );
        if !starts || !follows {
            return None;
        }
        let word = self.word_text(first);
        let value = !matches!(self.kind(), TokenKind::Word(_));
        start(word).or_else(|| value.then(|| format!("para chamar `{word}`, cole o `:` e o argumento: `{word}:…`")))
    }

    /// What stands before is an argument of a call.
    fn is_argument_before(&self) -> bool {
        let Some(tokens) = self.tokens.get(..self.position) else { return false };
        matches!(tokens, [.., colon, value] if colon.kind == TokenKind::Colon && matches!(value.kind, TokenKind::Str(_) | TokenKind::Int(_) | TokenKind::Word(_)))
    }
}
