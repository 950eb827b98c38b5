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
            // Written with entities: whatever it turns out to be, what is safe in JavaScript is safe in it.
            coded if coded.contains('&') => Self::JavaScript,
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
    /// How much of `<!--` has been read.
    pub(super) opener: u8,
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
    /// After text that the code before it does not explain: a `/` that may divide or start a regular expression, a `-->` that may be
    /// a comment. No value may follow. With the script as it is if the `/` divides, as long as the line may still show that it does.
    Unsure(Option<Box<Js>>),
}

/// What stands before a place in code.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) enum Before {
    /// Nothing, or what may end a statement or start a block: a `/` starts a regular expression, and `{}` may be a block.
    #[default]
    Start,
    /// An operator or an opener: a `/` starts a regular expression.
    Operator,
    /// A value: a `/` divides.
    Value,
    /// A word being read; some words are followed by a value.
    Word(String),
    /// It may be either: the end of a condition or of a group, of a block or of an object; or branches differ.
    Either,
}

/// Words that are names in some scripts and operators in others.
const CONTEXTUAL_WORDS: &[&str] = &["await", "of", "yield"];

/// After these words an expression starts.
const OPERATOR_WORDS: &[&str] = &[
    "break",
    "case",
    "continue",
    "delete",
    "do",
    "else",
    "finally",
    "in",
    "instanceof",
    "return",
    "throw",
    "try",
    "typeof",
    "void",
    "+",
    "-",
];

impl Before {
    /// Whether a `/` starts a regular expression; `None` when it cannot be told.
    pub(super) fn regex(&self) -> Option<bool> {
        match self {
            Self::Start | Self::Operator => Some(true),
            Self::Value => Some(false),
            Self::Either => None,
            // `a++ /` divides, and `++/a/.b` does not.
            Self::Word(word) if matches!(word.as_str(), "++" | "--" | "..") => None,
            Self::Word(word) if CONTEXTUAL_WORDS.contains(&word.as_str()) => None,
            // After three dots an expression starts, and after `1..` a member.
            Self::Word(word) if word.starts_with("..") => None,
            Self::Word(word) => Some(OPERATOR_WORDS.contains(&word.as_str())),
        }
    }

    fn advance(&self, c: char) -> Self {
        match c {
            c if c.is_whitespace() || c == '\u{feff}' => match (self, self.regex()) {
                // A block may follow (`else`, `do`).
                (Self::Word(_), Some(true)) => Self::Start,
                (Self::Word(_), Some(false)) => Self::Value,
                (Self::Word(_), None) => Self::Either,
                (other, _) => other.clone(),
            },
            // Beyond ASCII there are only names, of more characters than are letters.
            c if c.is_alphanumeric() || c == '_' || c == '$' || !c.is_ascii() => match self {
                Self::Word(word) if word.starts_with(['+', '-']) => Self::Word(c.to_string()),
                Self::Word(word) if word.len() < 16 => Self::Word(format!("{word}{c}")),
                Self::Word(word) => Self::Word(word.clone()),
                _ => Self::Word(c.to_string()),
            },
            ']' => Self::Value,
            ')' | '}' => Self::Either,
            '+' | '-' if matches!(self, Self::Word(word) if word.len() == 1 && word.starts_with(c)) => Self::Word(format!("{c}{c}")),
            '+' | '-' => Self::Word(c.to_string()),
            '.' if matches!(self, Self::Word(word) if word.starts_with('.') && word.ends_with('.')) => Self::Word("..".into()),
            // A member called `return` is a value, and so is a private one.
            '.' | '#' => Self::Word(c.to_string()),
            ';' | '{' | ':' | '>' => Self::Start,
            _ => Self::Operator,
        }
    }

    /// After a value: one that is a Map may be a block where a statement may start.
    fn after_value(&self) -> Self {
        if *self == Self::Operator { Self::Value } else { Self::Either }
    }
}

/// Progress of `<!--`.
const OPENER: &str = "<!--";

fn ends_line(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}

impl Js {
    /// After one character of the page's own text.
    pub(super) fn step(mut self, kind: ScriptKind, c: char) -> Result<Self, Refusal> {
        if kind == ScriptKind::JavaScript {
            self.opener = match OPENER.chars().nth(usize::from(self.opener)) {
                Some(wanted) if wanted == c => self.opener + 1,
                _ => u8::from(c == '<'),
            };
            // In code it is a comment, or not, as the script is a module or not; anywhere, it may hide the end of the script.
            if usize::from(self.opener) == OPENER.len() {
                return Err(Refusal {
                    message: "`<!--` não pode ficar num `<script>`".into(),
                    hint: "apague-o, e o seu `-->`; numa String, escreva `\\x3C!--`",
                });
            }
        }
        self.state = match self.state {
            JsState::Code => self.code(kind, c),
            JsState::Slash if matches!(c, '/' | '*') => {
                // A word ends where a comment starts.
                self.before = self.before.advance(' ');
                if c == '/' { JsState::LineComment } else { JsState::BlockComment { star: false } }
            }
            JsState::Unsure(line) => match line {
                Some(_) if c == '/' => JsState::Unsure(None),
                Some(divided) => {
                    let divided = divided.step(kind, c)?;
                    if ends_line(c) {
                        // A regular expression would have had to end in its line.
                        return Ok(divided);
                    }
                    JsState::Unsure(Some(Box::new(divided)))
                }
                None => JsState::Unsure(None),
            },
            JsState::Slash => match self.before.regex() {
                Some(true) => regex(false, false, c),
                Some(false) => {
                    self.before = Before::Operator;
                    self.code(kind, c)
                }
                None => {
                    let mut divided = Self { before: Before::Operator, opener: 0, ..self.clone() };
                    divided.state = divided.code(kind, c);
                    if ends_line(c) {
                        return Ok(divided);
                    }
                    JsState::Unsure(Some(Box::new(divided)))
                }
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
                if ends_line(c) {
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
            // At the start of a line `-->` is a comment.
            '>' if kind == ScriptKind::JavaScript && self.before == Before::Word("--".into()) => return JsState::Unsure(None),
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
        let after = |state: JsState, before: Before| Self { state, before, templates: self.templates.clone(), opener: 0 };
        match &self.state {
            JsState::Code => Ok((Escape::Script, after(JsState::Code, self.before.after_value()))),
            JsState::Unsure(_) => Err(Refusal {
                message: "não dá para saber se este valor fica em código: uma `/` antes dele divide ou começa uma expressão regular, ou um `-->` antes dele é um comentário".into(),
                hint: "ponha o valor numa variável no começo do `<script>` (`const valor = {{ … }};`), ou num atributo `data-…`",
            }),
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
        c if ends_line(c) => JsState::Code,
        _ => JsState::Regex { class, escaped: false },
    }
}
