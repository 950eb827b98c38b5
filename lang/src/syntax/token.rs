//! Tokens.

use crate::ast::Span;

/// A lexeme and its place.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Span,
}

/// What a lexeme is. Words keep their text in the source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TokenKind {
    /// An identifier or a reserved word; which one matters only where a name cannot be meant.
    Word(Option<Keyword>),
    /// A magnitude: the sign is the parser's.
    Int(u64),
    Float(f64),
    Str(String),
    /// `$"`: what follows are the String's parts, [`TokenKind::Str`] and values in [`Bracket::Hole`]s.
    TextStart,
    TextEnd,
    Open(Bracket),
    Close(Bracket),
    Colon,
    Comma,
    Dot,
    Question,
    /// `=`
    Assign,
    /// `+=` and `-=`
    Update(Operator),
    /// `->`
    Arrow,
    /// `|`
    Pipe,
    /// `??`
    Coalesce,
    Operator(Operator),
    /// The end of a logical line.
    Newline,
    Indent,
    Dedent,
    /// The end of the text or of the tag.
    End,
    /// Something the lexer has already reported.
    Error,
}

/// Words that cannot name a variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Keyword {
    If,
    Elif,
    Else,
    For,
    In,
    While,
    Break,
    Continue,
    Return,
    Try,
    Catch,
    And,
    Or,
    Not,
    True,
    False,
    Nil,
}

impl Keyword {
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        Some(match text {
            "if" => Self::If,
            "elif" => Self::Elif,
            "else" => Self::Else,
            "for" => Self::For,
            "in" => Self::In,
            "while" => Self::While,
            "break" => Self::Break,
            "continue" => Self::Continue,
            "return" => Self::Return,
            "try" => Self::Try,
            "catch" => Self::Catch,
            "and" => Self::And,
            "or" => Self::Or,
            "not" => Self::Not,
            "true" => Self::True,
            "false" => Self::False,
            "nil" => Self::Nil,
            _ => return None,
        })
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bracket {
    Round,
    Square,
    Curly,
    /// `{ … }` in a `$"…"`.
    Hole,
}

impl Bracket {
    pub(crate) fn open(self) -> char {
        match self {
            Self::Round => '(',
            Self::Square => '[',
            Self::Curly | Self::Hole => '{',
        }
    }

    pub(crate) fn close(self) -> char {
        match self {
            Self::Round => ')',
            Self::Square => ']',
            Self::Curly | Self::Hole => '}',
        }
    }

    pub(crate) fn of(c: char) -> Option<Self> {
        match c {
            '(' | ')' => Some(Self::Round),
            '[' | ']' => Some(Self::Square),
            '{' | '}' => Some(Self::Curly),
            _ => None,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Operator {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
    Plus,
    Minus,
    Star,
    Slash,
    Percent,
}
