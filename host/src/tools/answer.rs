//! The answer of an execution: the one object in which every door for agents finds what it has to say.

use std::sync::Arc;

use djo_contract::json;
use djo_contract::value::Value;
use http::header::{AUTHORIZATION, SET_COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, StatusCode};

use super::error::{Category, ToolError};
use crate::memory::Held;
use crate::sandbox::PageBounds;
use crate::store::Outcome;

/// An answer. Its JSON is what a keyed run has on record.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The HTTP status that goes with it.
    pub status: StatusCode,
    /// `execution_id`, `status`, `data` or `error`, `_agent`.
    json: String,
    /// It was given before, and is given again.
    pub replayed: bool,
    /// Seconds after which to come again.
    pub retry_after: Option<u64>,
    /// Cookies and credentials that the site sets: for this caller now, never on record.
    pub headers: HeaderMap,
    /// The memory that a long one takes, for as long as anybody has it.
    held: Option<Arc<Held>>,
}

/// What an answer tells an agent beside its data.
#[derive(Clone, Debug, Default)]
pub(super) struct Hints {
    /// The result may be used again for the same arguments.
    pub(super) cacheable: bool,
    /// Steps that can be taken next.
    pub(super) next_actions: Vec<Value>,
    /// How much of a result this is.
    pub(super) page: Option<PageBounds>,
    /// The data is of a media type of its own, which some doors have words for.
    pub(super) media_type: Option<&'static str>,
}

impl Answer {
    /// What a tool answered: its data as JSON text.
    pub(super) fn completed(execution: &str, data: &str, hints: Hints) -> Self {
        Self::new(StatusCode::OK, json(execution, "completed", Some(("data", data)), hints), None)
    }

    /// Why a tool did not answer.
    pub fn failed(execution: &str, error: &ToolError) -> Self {
        Self::failed_with(execution, error, Vec::new())
    }

    /// Why a tool did not answer, and what can be done next.
    pub(super) fn failed_with(execution: &str, error: &ToolError, next_actions: Vec<Value>) -> Self {
        let status = match error.category {
            Category::Cancelled => "cancelled",
            Category::Timeout => "timed_out",
            _ => "failed",
        };
        let hints = Hints { next_actions, ..Hints::default() };
        let json = json(execution, status, Some(("error", &json::to_string(&error.to_json()))), hints);
        let http = StatusCode::from_u16(error.category.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        Self::new(http, json, error.retry_after)
    }

    /// An execution that has not ended.
    pub(super) fn running(execution: &str, next_actions: Vec<Value>) -> Self {
        let hints = Hints { next_actions, ..Hints::default() };
        Self::new(StatusCode::OK, json(execution, "running", None, hints), Some(1))
    }

    /// An answer on record, given again.
    pub(super) fn replayed(outcome: Outcome) -> Option<Self> {
        let json = String::from_utf8(outcome.body).ok()?;
        let status = StatusCode::from_u16(outcome.status).ok()?;
        Some(Self { status, json, replayed: true, retry_after: None, headers: HeaderMap::new(), held: None })
    }

    fn new(status: StatusCode, json: String, retry_after: Option<u64>) -> Self {
        Self { status, json, replayed: false, retry_after, headers: HeaderMap::new(), held: None }
    }

    /// As it is put on record.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome { status: self.status.as_u16(), headers: Vec::new(), body: self.json.clone().into_bytes() }
    }

    /// Takes over the memory that was held for what it is made of.
    pub(super) fn holding(mut self, held: Held) -> Self {
        self.held = (!held.is_none()).then(|| Arc::new(held));
        self
    }

    /// Takes what the site sets for its caller out of a response: cookies and credentials, as a plain action would pass them on.
    pub(super) fn with_headers(mut self, headers: &HeaderMap) -> Self {
        for name in [SET_COOKIE, AUTHORIZATION, WWW_AUTHENTICATE] {
            for value in headers.get_all(&name) {
                self.headers.append(name.clone(), value.clone());
            }
        }
        self
    }

    /// The execution that it is the answer of.
    pub(super) fn execution(&self) -> Option<&str> {
        // An id needs no escapes.
        self.json.strip_prefix(r#"{"execution_id":""#)?.split('"').next()
    }

    /// What it takes up, about, in bytes.
    pub fn bytes(&self) -> usize {
        self.json.len()
    }

    /// As JSON text, with `replayed` where it is.
    pub fn body(&self) -> String {
        if self.replayed { self.with_member(r#""replayed":true"#) } else { self.json.clone() }
    }

    /// As the data of the event that ends a stream, where `replayed` is always told.
    pub(super) fn event(&self) -> String {
        self.with_member(if self.replayed { r#""replayed":true"# } else { r#""replayed":false"# })
    }

    /// As a value, for doors that give it another form.
    pub fn value(&self) -> Value {
        const RESULT: json::Limits = json::Limits { depth: 70, values: 11_000_000 };
        json::parse_with(self.body().as_bytes(), RESULT).unwrap_or(Value::Map(Vec::new()))
    }

    /// The text is an object with members: one more goes before its end.
    fn with_member(&self, member: &str) -> String {
        let open = self.json.strip_suffix('}').unwrap_or("{");
        format!("{open},{member}}}")
    }
}

/// An answer's members as JSON. What the tool gave may be large: it is copied once, as text.
fn json(execution: &str, status: &str, outcome: Option<(&str, &str)>, hints: Hints) -> String {
    let mut out = String::with_capacity(outcome.map_or(0, |(_, text)| text.len()) + 256);
    let strings = [("execution_id", execution), ("status", status)];
    let mut separator = '{';
    for (name, text) in strings {
        open(&mut out, &mut separator, name);
        json::write_str(text, &mut out);
    }
    if let Some((name, text)) = outcome {
        open(&mut out, &mut separator, name);
        out.push_str(text);
    }
    open(&mut out, &mut separator, "_agent");
    json::write(&hints.into_value(), &mut out);
    out.push('}');
    out
}

/// Writes the name of a member, which needs no escapes.
fn open(out: &mut String, separator: &mut char, name: &str) {
    out.push(std::mem::replace(separator, ','));
    out.push('"');
    out.push_str(name);
    out.push_str("\":");
}

impl Hints {
    fn into_value(self) -> Value {
        let Self { cacheable, next_actions, page, media_type } = self;
        let mut agent = vec![("cacheable".to_owned(), Value::Bool(cacheable)), ("next_actions".to_owned(), Value::Arr(next_actions))];
        agent.extend(media_type.map(|media_type| ("media_type".to_owned(), media_type.into())));
        if let Some(page) = page {
            let number = |number: u64| Value::Int(i64::try_from(number).unwrap_or(i64::MAX));
            agent.push(("returned".to_owned(), number(page.returned)));
            agent.push(("truncated".to_owned(), Value::Bool(page.truncated)));
            agent.extend(page.total.map(|total| ("total".to_owned(), number(total))));
            agent.extend(page.refinement_hint.map(|hint| ("refinement_hint".to_owned(), hint.into())));
            agent.extend(page.next_cursor.map(|cursor| ("next_cursor".to_owned(), cursor.into())));
        }
        Value::Map(agent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn replays_are_marked() {
        let answer = Answer::completed("exec_1", "12", Hints::default());
        let json = r#"{"execution_id":"exec_1","status":"completed","data":12,"_agent":{"cacheable":false,"next_actions":[]}"#;
        assert_eq!(answer.execution(), Some("exec_1"));
        assert_eq!(answer.body(), format!("{json}}}"));
        assert_eq!(answer.event(), format!("{json},\"replayed\":false}}"));
        let again = Answer::replayed(answer.outcome()).map(|answer| answer.body());
        assert_eq!(again, Some(format!("{json},\"replayed\":true}}")));
    }
}
