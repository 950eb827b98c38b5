//! JavaScript in `<script>`, as far as it takes to know whether a place is code, a string, a comment or a regular
//! expression.

use super::context::Refusal;
use crate::ast::Escape;

/// Deepest nesting of `${ … }` in template strings.
const MAX_TEMPLATES: usize = 16;

/// What a `<script>` holds, by its `type`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ScriptKind {
    JavaScript,
    /// JSON: no comments, no regular expressions, one kind of string.
    Json,
    /// Text for something else, such as a client-side template.
    Other,
}

impl ScriptKind {
    pub(super) fn of(script_type: &str) -> Self {
        let essence = script_type.split(';').next().unwrap_or("").trim();
        match essence {
            "" | "module" => Self::JavaScript,
            "importmap" | "speculationrules" => Self::Json,
            other if other.ends_with("json") => Self::Json,
            other if other.ends_with("javascript") || other.ends_with("ecmascript") => Self::JavaScript,
            _ => Self::Other,
        }
    }
}

/// Where in the script.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Js {
    pub(super) state: JsState,
    /// What the code before this says of a `/` that comes next.
    pub(super) before: Before,
    /// Depth of braces in each open `${`.
    pub(super) templates: Vec<u32>,
}

#[derive(Clone, Debug, PartialEq, Default)]
pub(super) enum JsState {
    #[default]
    Code,
    /// After a `/` of code: a comment, a division or a regular expression.
    Slash,
    /// In a string with this quote; a backtick is a template's.
    String {
        quote: char,
        escaped: bool,
    },
    /// After `$` in a template string.
    Dollar,
    LineComment,
    BlockComment {
        star: bool,
    },
    Regex {
        class: bool,
        escaped: bool,
    },
}

/// What stands before a place in code.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) enum Before {
    /// An operator, an opener, or nothing: a `/` starts a regular expression.
    #[default]
    Operator,
    /// A value: a `/` divides.
    Value,
    /// A word being read; some words are followed by a value.
    Word(String),
    /// Branches differ.
    Either,
}

/// After these words an expression starts.
const OPERATOR_WORDS: &[&str] = &[
    "await",
    "break",
    "case",
    "continue",
    "delete",
    "do",
    "else",
    "finally",
    "in",
    "instanceof",
    "of",
    "return",
    "throw",
    "try",
    "typeof",
    "void",
    "yield",
    "+",
    "-",
];

impl Before {
    /// Whether a `/` starts a regular expression; `None` when branches differ.
    pub(super) fn regex(&self) -> Option<bool> {
        match self {
            Self::Operator => Some(true),
            Self::Value => Some(false),
            Self::Word(word) => Some(OPERATOR_WORDS.contains(&word.as_str())),
            Self::Either => None,
        }
    }

    fn advance(&self, c: char) -> Self {
        match c {
            c if c.is_whitespace() => match self {
                Self::Word(word) if OPERATOR_WORDS.contains(&word.as_str()) => Self::Operator,
                Self::Word(_) => Self::Value,
                other => other.clone(),
            },
            c if c.is_alphanumeric() || c == '_' || c == '$' => match self {
                Self::Word(word) if word == "+" || word == "-" => Self::Word(c.to_string()),
                Self::Word(word) if word.len() < 16 => Self::Word(format!("{word}{c}")),
                Self::Word(word) => Self::Word(word.clone()),
                _ => Self::Word(c.to_string()),
            },
            ')' | ']' => Self::Value,
            // `x++ / 2` divides.
            '+' | '-' if matches!(self, Self::Word(word) if word.starts_with(c)) => Self::Value,
            '+' | '-' => Self::Word(c.to_string()),
            // A member called `return` is a value.
            '.' => Self::Word(".".into()),
            _ => Self::Operator,
        }
    }
}

impl Js {
    /// After one character of the page's own text.
    pub(super) fn step(mut self, kind: ScriptKind, c: char) -> Result<Self, Refusal> {
        self.state = match self.state {
            JsState::Code => self.code(kind, c),
            JsState::Slash => match c {
                '/' => JsState::LineComment,
                '*' => JsState::BlockComment { star: false },
                _ => match self.before.regex() {
                    Some(true) => regex(false, false, c),
                    Some(false) => {
                        self.before = Before::Operator;
                        self.code(kind, c)
                    }
                    None => {
                        return Err(Refusal {
                            message: "não dá para saber se esta `/` divide ou começa uma expressão regular: os ramos terminam de modos diferentes".into(),
                            hint: "termine cada ramo com `;`",
                        });
                    }
                },
            },
            JsState::String { quote, escaped: true } => JsState::String { quote, escaped: false },
            JsState::String { quote, escaped: false } => self.string(quote, c),
            JsState::Dollar => {
                if c == '{' {
                    if self.templates.len() >= MAX_TEMPLATES {
                        return Err(Refusal { message: "`${` dentro de `${` demais".into(), hint: "divida o texto em partes" });
                    }
                    self.templates.push(0);
                    self.before = Before::Operator;
                    JsState::Code
                } else {
                    self.string('`', c)
                }
            }
            JsState::LineComment => {
                if matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}') {
                    JsState::Code
                } else {
                    JsState::LineComment
                }
            }
            JsState::BlockComment { star: true } if c == '/' => JsState::Code,
            JsState::BlockComment { .. } => JsState::BlockComment { star: c == '*' },
            JsState::Regex { class, escaped } => {
                if !escaped && !class && c == '/' {
                    self.before = Before::Value;
                    JsState::Code
                } else {
                    regex(class, escaped, c)
                }
            }
        };
        Ok(self)
    }

    fn code(&mut self, kind: ScriptKind, c: char) -> JsState {
        match c {
            '"' => return JsState::String { quote: '"', escaped: false },
            '\'' | '`' if kind == ScriptKind::JavaScript => return JsState::String { quote: c, escaped: false },
            '/' if kind == ScriptKind::JavaScript => return JsState::Slash,
            '{' => {
                if let Some(depth) = self.templates.last_mut() {
                    *depth += 1;
                }
            }
            '}' => match self.templates.last_mut() {
                Some(0) => {
                    self.templates.pop();
                    return JsState::String { quote: '`', escaped: false };
                }
                Some(depth) => *depth -= 1,
                None => {}
            },
            _ => {}
        }
        self.before = self.before.advance(c);
        JsState::Code
    }

    fn string(&mut self, quote: char, c: char) -> JsState {
        match c {
            '\\' => JsState::String { quote, escaped: true },
            '$' if quote == '`' => JsState::Dollar,
            '\n' | '\r' if quote != '`' => {
                // The string is broken; JavaScript goes on after it, and so does this.
                self.before = Before::Value;
                JsState::Code
            }
            c if c == quote => {
                self.before = Before::Value;
                JsState::Code
            }
            _ => JsState::String { quote, escaped: false },
        }
    }

    /// How a value is escaped here, and where the script is after it.
    pub(super) fn output(&self, kind: ScriptKind) -> Result<(Escape, Self), Refusal> {
        let after = |state: JsState, before: Before| Self { state, before, templates: self.templates.clone() };
        match &self.state {
            JsState::Code => Ok((Escape::Script, after(JsState::Code, Before::Value))),
            JsState::String { escaped: true, .. } => Err(Refusal {
                message: "um valor não pode vir depois de `\\`".into(),
                hint: "tire a barra: o valor já sai protegido dentro das aspas",
            }),
            JsState::String { quote, .. } => {
                Ok((Escape::ScriptString, after(JsState::String { quote: *quote, escaped: false }, Before::Value)))
            }
            JsState::Dollar => Ok((Escape::ScriptString, after(JsState::String { quote: '`', escaped: false }, Before::Value))),
            JsState::Slash if self.before.regex() == Some(false) => Ok((Escape::Script, after(JsState::Code, Before::Value))),
            JsState::LineComment | JsState::BlockComment { .. } => Err(Refusal {
                message: "um valor não pode ficar num comentário de `<script>`".into(),
                hint: "apague o valor ou o comentário",
            }),
            JsState::Slash | JsState::Regex { .. } => Err(Refusal {
                message: format!(
                    "um valor não pode fazer parte de uma expressão regular{}",
                    if kind == ScriptKind::Json { " aqui" } else { "" }
                ),
                hint: "ponha o valor numa variável: `const texto = {{ … }};`",
            }),
        }
    }
}

fn regex(class: bool, escaped: bool, c: char) -> JsState {
    match c {
        _ if escaped => JsState::Regex { class, escaped: false },
        '\\' => JsState::Regex { class, escaped: true },
        '[' => JsState::Regex { class: true, escaped: false },
        ']' => JsState::Regex { class: false, escaped: false },
        // A regular expression ends with its line, even a broken one.
        '\n' | '\r' => JsState::Code,
        _ => JsState::Regex { class, escaped: false },
    }
}
