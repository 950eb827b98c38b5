//! What went wrong with a tool's call, in the words that every door for agents shares.

use std::borrow::Cow;

use djo_contract::issue::{Issues, distance};
use djo_contract::path::echo;
use djo_contract::tool::Catalogue;
use djo_contract::value::Value;

/// The kinds of failure that a caller tells apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Category {
    Validation,
    Permission,
    NotFound,
    Conflict,
    Cancelled,
    Timeout,
    Capacity,
    Internal,
}

impl Category {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Validation => "validation",
            Self::Permission => "permission",
            Self::NotFound => "not_found",
            Self::Conflict => "conflict",
            Self::Cancelled => "cancelled",
            Self::Timeout => "timeout",
            Self::Capacity => "capacity",
            Self::Internal => "internal",
        }
    }

    /// The HTTP status that goes with it.
    pub fn status(self) -> u16 {
        match self {
            Self::Validation => 400,
            Self::Permission => 403,
            Self::NotFound => 404,
            Self::Cancelled => 408,
            Self::Conflict => 409,
            Self::Internal => 500,
            Self::Capacity => 503,
            Self::Timeout => 504,
        }
    }
}

/// What a caller can do about it (the tool boundary, §5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Send the same call with its issues mended.
    CorrectCall,
    /// Find another way.
    Replan,
    /// Tell the person.
    Finish,
}

impl Directive {
    /// As on the wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::CorrectCall => "correct_call",
            Self::Replan => "replan",
            Self::Finish => "finish",
        }
    }

    /// The directive of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::CorrectCall, Self::Replan, Self::Finish].into_iter().find(|directive| directive.as_str() == name)
    }
}

/// An error as a caller sees it. Nothing of the host's or the site's inside is in it.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolError {
    /// In capitals.
    pub code: Cow<'static, str>,
    /// For people, in Portuguese.
    pub message: Cow<'static, str>,
    /// Its kind.
    pub category: Category,
    /// The caller can do something and go on.
    pub recoverable: bool,
    /// The same call may be sent again: nothing can happen twice by it.
    pub retryable: bool,
    /// Seconds to wait first.
    pub retry_after: Option<u64>,
    /// What to do.
    pub suggested_action: Option<Directive>,
    /// What else is known.
    pub details: Vec<(String, Value)>,
}

impl ToolError {
    /// An error about which nobody can do anything.
    pub fn new(code: &'static str, category: Category, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: code.into(),
            message: message.into(),
            category,
            recoverable: false,
            retryable: false,
            retry_after: None,
            suggested_action: None,
            details: Vec::new(),
        }
    }

    /// The caller can mend it so.
    #[must_use]
    pub fn recoverable(mut self, directive: Directive) -> Self {
        self.recoverable = true;
        self.suggested_action = Some(directive);
        self
    }

    /// The same call may be sent again, after so many seconds.
    #[must_use]
    pub fn retryable(mut self, after: Option<u64>) -> Self {
        self.recoverable = true;
        self.retryable = true;
        self.retry_after = after;
        self
    }

    /// One more detail.
    #[must_use]
    pub fn detail(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.details.push((name.to_owned(), value.into()));
        self
    }

    /// The envelope of a request is not one.
    pub fn invalid_request(reason: impl Into<String>) -> Self {
        Self::new("INVALID_REQUEST", Category::Validation, "o pedido não é uma execução em JSON")
            .recoverable(Directive::CorrectCall)
            .detail("reason", reason.into())
    }

    /// No tool has that name.
    pub fn tool_not_found(catalogue: &Catalogue, name: &str, tools_url: &str) -> Self {
        let similar = similar(catalogue, name);
        let directive = if similar.is_empty() { Directive::Replan } else { Directive::CorrectCall };
        Self::new("TOOL_NOT_FOUND", Category::NotFound, format!("a ferramenta `{}` não existe", echo(name)))
            .recoverable(directive)
            .detail("similar", Value::Arr(similar.into_iter().map(Value::from).collect()))
            .detail("tools_url", tools_url)
    }

    /// The arguments do not fit the model input: what is wrong, what would fit, and what was sent.
    pub fn invalid_arguments(example: Option<&Value>, sent: &Value, issues: &Issues) -> Self {
        let mut error = Self::new("INVALID_ARGUMENTS", Category::Validation, "os argumentos não conferem com o schema da ferramenta")
            .recoverable(Directive::CorrectCall);
        error.details = issues.members();
        error.correct_by(example, sent);
        error
    }

    /// The run started and its effects are not known: it is neither run again nor called done.
    pub fn uncertain() -> Self {
        let message = "a execução começou e não se sabe como terminou: confira o efeito antes de pedir de novo com outro request_id";
        Self::new("EXECUTION_UNCERTAIN", Category::Conflict, message).with_action(Directive::Finish)
    }

    /// Who asked has gone, or asked to stop.
    pub fn cancelled(effects: bool) -> Self {
        let message = if effects { "execução cancelada; os efeitos podem ter ocorrido" } else { "execução cancelada" };
        Self::new("CANCELLED", Category::Cancelled, message)
    }

    /// Adds by what the call can be corrected, where that is not said yet: what would fit, and what was sent.
    pub(super) fn correct_by(&mut self, example: Option<&Value>, sent: &Value) {
        let (input, is_cut) = shown(sent);
        let mut more = vec![("input", input)];
        if is_cut {
            more.push(("input_truncated", Value::Bool(true)));
        }
        for (name, value) in example.map(|example| ("example", example.clone())).into_iter().chain(more) {
            if !self.details.iter().any(|(known, _)| known == name) {
                self.details.push((name.to_owned(), value));
            }
        }
    }

    /// What to do, of an error that cannot be mended.
    #[must_use]
    pub fn with_action(mut self, directive: Directive) -> Self {
        self.suggested_action = Some(directive);
        self
    }

    /// As on the wire.
    pub fn to_json(&self) -> Value {
        let mut members: Vec<(String, Value)> = vec![
            ("code".into(), (*self.code).into()),
            ("message".into(), (*self.message).into()),
            ("category".into(), self.category.as_str().into()),
            ("recoverable".into(), Value::Bool(self.recoverable)),
            ("retryable".into(), Value::Bool(self.retryable)),
        ];
        if let Some(seconds) = self.retry_after {
            members.push(("retry_after".into(), Value::Int(i64::try_from(seconds).unwrap_or(i64::MAX))));
        }
        if let Some(directive) = self.suggested_action {
            members.push(("suggested_action".into(), directive.as_str().into()));
        }
        if !self.details.is_empty() {
            members.push(("details".into(), Value::Map(self.details.clone())));
        }
        Value::Map(members)
    }
}

/// Names that are suggested at most.
const SIMILAR: usize = 10;
/// Edit distance within which names are similar.
const DISTANCE: usize = 2;

/// Tools whose names are within edit distance 2, the nearest first.
fn similar(catalogue: &Catalogue, name: &str) -> Vec<String> {
    let letters: Vec<char> = name.chars().take(128).collect();
    let mut found: Vec<(usize, &str)> = Vec::new();
    for tool in catalogue.tools() {
        let other: Vec<char> = tool.name.chars().collect();
        if other.len().abs_diff(letters.len()) <= DISTANCE {
            let distance = distance(&letters, &other);
            if distance <= DISTANCE {
                found.push((distance, &tool.name));
            }
        }
    }
    found.sort_unstable();
    found.into_iter().take(SIMILAR).map(|(_, name)| name.to_owned()).collect()
}

/// Values of a call that are shown back at most, and members or elements of one of them.
const SHOWN: usize = 100;
const SHOWN_OF_ONE: usize = 25;

/// What was sent, its texts cut, and whether values had to be left out.
fn shown(sent: &Value) -> (Value, bool) {
    let mut left = SHOWN;
    let shown = cut(sent, &mut left).unwrap_or(Value::Nil);
    let is_cut = shown.size_within(u32::MAX) != sent.size_within(u32::MAX);
    (shown, is_cut)
}

/// The first values of one, while there is room.
fn cut(value: &Value, left: &mut usize) -> Option<Value> {
    *left = left.checked_sub(1)?;
    Some(match value {
        Value::Str(text) => Value::Str(echo(text).into_owned()),
        Value::Arr(items) => Value::Arr(items.iter().take(SHOWN_OF_ONE).map_while(|item| cut(item, left)).collect()),
        Value::Map(members) => {
            let member = |(name, value): &(String, Value)| Some((echo(name).into_owned(), cut(value, left)?));
            Value::Map(members.iter().take(SHOWN_OF_ONE).map_while(member).collect())
        }
        // No JSON reader of others takes every number: what nothing holds is shown as the text that it is.
        Value::Huge(digits) => Value::Str(echo(digits).into_owned()),
        other => other.clone(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sent_is_shown_cut() {
        let sent = Value::Map(vec![("a".into(), "x".repeat(100).into()), ("b".into(), Value::Int(1))]);
        let (back, is_cut) = shown(&sent);
        let back = djo_contract::json::to_string(&back);
        assert!(back.contains('…') && back.len() < 220 && !is_cut, "{back}");
    }

    #[test]
    fn of_much_that_was_sent_the_first_is_shown() {
        let list = |count| Value::Arr(vec![Value::Int(7); count]);
        let sent = Value::Map(vec![("a".into(), list(1_000)), ("b".into(), Value::Huge("1e400".into()))]);
        let (back, is_cut) = shown(&sent);
        assert_eq!(back.get("a"), Some(&list(SHOWN_OF_ONE)));
        assert_eq!((back.get("b"), is_cut), (Some(&"1e400".into()), true));
        let (back, is_cut) = shown(&Value::Arr(vec![list(SHOWN_OF_ONE); SHOWN_OF_ONE]));
        assert!(is_cut && back.size_within(9).is_some_and(|size| size <= SHOWN));
        assert_eq!(shown(&list(SHOWN_OF_ONE)), (list(SHOWN_OF_ONE), false));
    }
}
