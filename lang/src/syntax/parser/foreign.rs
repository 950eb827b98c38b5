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

/// The type of djo that other languages call so.
pub(crate) fn foreign_type(name: &str) -> Option<&'static str> {
    const FOREIGN: &[(&str, &str)] = &[
        ("str", "String"),
        ("string", "String"),
        ("text", "String"),
        ("texto", "String"),
        ("integer", "Int"),
        ("number", "Float"),
        ("double", "Float"),
        ("boolean", "Bool"),
        ("array", "Arr"),
        ("list", "Arr"),
        ("lista", "Arr"),
        ("vec", "Arr"),
        ("set", "Arr"),
        ("mapa", "Map"),
        ("dict", "Map"),
        ("object", "Map"),
    ];
    let lower = name.to_lowercase();
    FOREIGN.iter().find(|(from, _)| *from == lower).map(|(_, to)| *to)
}

/// For a line's first word that is no statement's.
pub(super) fn start(word: &str) -> Option<String> {
    if let Some((_, hint)) = STARTS.iter().find(|(words, _)| words.contains(&word)) {
        return Some((*hint).to_owned());
    }
    nearest(word, WORDS.iter().copied()).map(|near| format!("você quis dizer `{near}`?"))
}

/// Words that follow an expression elsewhere.
const FOLLOWING: &[(&[&str], &str)] = &[
    (&["is", "isnt", "eq", "equals"], "para comparar, use `==` e `!=`: `x == nil`"),
    (&["then", "do", "begin"], "o bloco vem nas linhas de baixo, com um nível de recuo"),
    (&["if", "unless", "else"], "djo não tem condições dentro de uma expressão: escreva `if` e `else` em linhas próprias"),
    (&["for"], "para fazer um Arr de outro, `Arr.map:xs:(x -> …)`"),
    (&["as"], "um nome se dá com `=`, numa linha própria"),
    (&["to", "downto"], "djo não tem intervalos: para contar, use `while`"),
];

/// Whether what was wanted is what may follow a whole expression.
fn ends_expression(wanted: &str) -> bool {
    matches!(wanted, "o fim da linha" | "o fim da marca" | "`)`" | "`]`" | "`}`" | "`,` ou `]`" | "`,` ou `}`")
}

impl Parser<'_> {
    /// What was probably meant by what stands here, where something else was wanted.
    pub(super) fn hint_for_unexpected(&self, wanted: &str) -> Option<String> {
        let before = self.token_before().map(|token| &token.kind);
        if let Some(hint) = self.hint_for_line() {
            return Some(hint);
        }
        let after = &self.token_at(1).kind;
        if self.at(&TokenKind::Assign)
            && let Some(token) = self.token_before().filter(|token| matches!(token.kind, TokenKind::Word(Some(_))))
        {
            let word = self.word_text(token);
            return Some(format!("`{word}` é uma palavra da linguagem: dê outro nome à variável"));
        }
        let hint = match (wanted, self.kind()) {
            ("`in`", TokenKind::Assign) => "para contar, use `while`; um `for` percorre: `for x in xs`",
            ("`in`", TokenKind::Word(_)) if self.peek_word() == Some("of") => "use `in`: `for x in xs`",
            ("o nome de um campo", TokenKind::Dot) => "djo não tem intervalos: para contar, use `while`",
            (_, TokenKind::Open(Bracket::Round)) if before == Some(&TokenKind::Word(Some(Keyword::Catch))) => {
                "escreva `catch e`, sem parênteses"
            }
            ("um valor", TokenKind::Operator(operator @ (Operator::Star | Operator::Gt))) if self.is_glued() => match (before, operator) {
                (Some(TokenKind::Operator(Operator::Star)), Operator::Star) => "djo não tem `**`: multiplique, como em `x * x`",
                (Some(TokenKind::Operator(Operator::Lt)), Operator::Gt) => "use `!=`",
                _ => return None,
            },
            (_, TokenKind::Operator(Operator::Slash)) if *after == TokenKind::Operator(Operator::Star) => {
                "um comentário começa com `//`, em cada linha"
            }
            (_, kind) if is_value(kind) && before == Some(&TokenKind::Colon) => {
                "o argumento vem colado ao `:`, e o que é maior que um valor vai entre parênteses: `nome:a:(b + 1)`"
            }
            (_, TokenKind::Str(_)) if self.is_glued() => "uma String com valores começa com `$`: `$\"a = {a}\"`",
            _ if ends_expression(wanted) => return self.hint_after_expression(),
            (_, TokenKind::Open(Bracket::Round)) => "uma chamada se escreve `nome:argumento`, sem parênteses",
            (_, TokenKind::Colon) if self.in_index => call::SLICE_HINT,
            (_, TokenKind::Colon) if matches!(after, TokenKind::Newline | TokenKind::End) => LINE_COLON_HINT,
            (_, TokenKind::Arrow) => "uma função de uma expressão vai entre parênteses: `(x -> …)`",
            _ => return None,
        };
        Some(hint.to_owned())
    }

    /// The same where an expression has just ended.
    fn hint_after_expression(&self) -> Option<String> {
        let before = self.token_before().map(|token| &token.kind);
        let after = self.token_at(1);
        let touches_next = after.span.start == self.span().end;
        let call = self.call_before();
        if let Some(word) = self.peek_word()
            && let Some((_, hint)) = FOLLOWING.iter().find(|(words, _)| words.contains(&word))
        {
            return Some((*hint).to_owned());
        }
        let hint = match self.kind() {
            // A value beside a call's last argument, or beside the name of what was to be called.
            TokenKind::Comma if call.is_some() => {
                let call = self.written(call?, self.position);
                return Some(format!("os argumentos se separam com `:`: `{call}{}`", self.as_arguments(self.position)));
            }
            kind if is_value(kind) && !self.is_glued() && call.is_some() => {
                let call = self.written(call?, self.position);
                return Some(format!("cada argumento vem depois de um `:` colado: `{call}{}`", self.as_arguments(self.position)));
            }
            TokenKind::Open(Bracket::Curly) => "djo não usa `{` e `}` para blocos: o bloco vem nas linhas de baixo, com um nível de recuo",
            TokenKind::Open(Bracket::Round) => "uma chamada se escreve `nome:argumento`, sem parênteses",
            kind if (is_value(kind) || *kind == TokenKind::Colon) && !self.is_glued() => {
                let start = self.value_before(self.position)?;
                let before = start.checked_sub(1).and_then(|before| self.tokens.get(before)).map(|token| &token.kind);
                let named = self.tokens.get(start).is_some_and(|token| token.kind == TokenKind::Word(None))
                    && before != Some(&TokenKind::Word(Some(Keyword::Catch)));
                let name = self.written(start, self.position);
                let name = Some(name).filter(|name| named && !name.contains(['[', ']']))?;
                return Some(format!("para chamar `{name}`, cole o `:` e o argumento: `{name}{}`", self.as_arguments(self.position)));
            }
            TokenKind::Comma if matches!((before, &after.kind), (Some(TokenKind::Int(_)), TokenKind::Int(_))) && touches_next => {
                "o separador decimal é o ponto: `1.5`"
            }
            TokenKind::Comma => "uma linha dá um valor a um nome; vários valores juntos são um Arr: `[a, b]`",
            TokenKind::Question if touches_next && after.kind == TokenKind::Dot => "djo não tem `?.`: compare antes com nil, `if x != nil`",
            TokenKind::Question => "djo não tem `a ? b : c`: escreva `if` e `else` em linhas próprias; no lugar de nil, `x ?? b`",
            TokenKind::Dot => "djo não tem intervalos: para contar, use `while`",
            TokenKind::Colon if self.in_index => call::SLICE_HINT,
            TokenKind::Colon if matches!(after.kind, TokenKind::Newline | TokenKind::End) => LINE_COLON_HINT,
            TokenKind::Assign => "para comparar, use `==`",
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
        if !starts || !(is_value(self.kind()) || matches!(self.kind(), TokenKind::Word(_))) {
            return None;
        }
        start(self.word_text(first))
    }
}

/// A value starts here.
fn is_value(kind: &TokenKind) -> bool {
    matches!(
        kind,
        TokenKind::Word(None | Some(Keyword::True | Keyword::False | Keyword::Nil))
            | TokenKind::Int(_)
            | TokenKind::Float(_)
            | TokenKind::Str(_)
            | TokenKind::TextStart
            | TokenKind::Open(_)
    )
}
