//! A tool's own refusal: what its code says with `fail:"…":{"kind": …}`. It is data, for whoever called. Source: the tool boundary, §5.

use alloc::{
    borrow::ToOwned,
    string::{String, ToString},
    vec::Vec,
};

use crate::{json, refusal::Refusal, value::Value};

/// The kinds of refusal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RefusalKind {
    /// The arguments fit their types, and yet make no sense together.
    InvalidCall,
    /// A rule of the site's own: sold out, closed, not allowed.
    DomainRejection,
    /// Something that the tool needs is not there right now.
    Unavailable,
    /// The caller asks too often.
    RateLimited,
    /// Something that the tool waited for took too long.
    Timeout,
    /// Something that the tool asked answered nonsense.
    MalformedResult,
    /// A defect.
    Internal,
}

impl RefusalKind {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::InvalidCall,
        Self::DomainRejection,
        Self::Unavailable,
        Self::RateLimited,
        Self::Timeout,
        Self::MalformedResult,
        Self::Internal,
    ];

    /// As code writes it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidCall => "invalid_call",
            Self::DomainRejection => "domain_rejection",
            Self::Unavailable => "unavailable",
            Self::RateLimited => "rate_limited",
            Self::Timeout => "timeout",
            Self::MalformedResult => "malformed_result",
            Self::Internal => "internal",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == name)
    }

    /// The HTTP status of a plain request that ends so.
    pub const fn status(self) -> u16 {
        match self {
            Self::InvalidCall => 422,
            Self::DomainRejection => 409,
            Self::Unavailable => 503,
            Self::RateLimited => 429,
            Self::Timeout => 504,
            Self::MalformedResult | Self::Internal => 500,
        }
    }

    /// Whether the refusal speaks to who called; the other kinds are faults, for the log.
    pub const fn is_for_callers(self) -> bool {
        !matches!(self, Self::MalformedResult | Self::Internal)
    }

    /// Whether the same call can be mended and sent again.
    pub const fn is_mendable(self) -> bool {
        matches!(self, Self::InvalidCall | Self::DomainRejection)
    }
}

/// A refusal, read out of how a run failed.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRefusal {
    /// Its kind.
    pub kind: RefusalKind,
    /// What the code said.
    pub message: String,
    /// `correct_call`, `replan` or `finish`.
    pub directive: Option<String>,
    /// Seconds after which to try again, where the code says so.
    pub retry_after: Option<u64>,
    /// What else it said.
    pub details: Vec<(String, Value)>,
}

/// The member that says after how many seconds to try again.
const RETRY_AFTER: &str = "retry_after";

impl ToolRefusal {
    /// The refusal of a failure, when it is one of a known kind: its message, and the JSON that came with it. A directive that the kind
    /// cannot have is left out: a call whose effects are unknown is never presented as one to mend.
    pub fn of(message: &str, refusal: Option<&[u8]>) -> Option<Self> {
        let Value::Map(members) = json::parse(refusal?).ok()? else { return None };
        let text = |name: &str| members.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_str());
        let kind = RefusalKind::from_name(text("kind")?)?;
        let own = text("acao").filter(|directive| match *directive {
            "correct_call" => kind.is_mendable(),
            directive => matches!(directive, "replan" | "finish"),
        });
        let directive = own.or(match kind {
            RefusalKind::InvalidCall => Some("correct_call"),
            RefusalKind::DomainRejection => Some("replan"),
            _ => None,
        });
        let (message, directive) = (message.to_owned(), directive.map(str::to_owned));
        let seconds = members.iter().find(|(name, _)| name == RETRY_AFTER).and_then(|(_, value)| value.as_int());
        let retry_after = seconds.and_then(|seconds| u64::try_from(seconds).ok());
        let details = members.into_iter().filter(|(name, _)| !["kind", "acao", RETRY_AFTER].contains(&name.as_str())).collect();
        Some(Self { kind, message, directive, retry_after, details })
    }

    /// As the body of a plain request's answer.
    pub fn to_json(&self) -> Value {
        let mut members =
            Vec::from([("erro".to_string(), Value::from(self.message.as_str())), ("kind".to_string(), self.kind.as_str().into())]);
        members.extend(self.directive.as_ref().map(|directive| ("acao".to_string(), Value::from(directive.as_str()))));
        members.extend(self.details.iter().filter(|(name, _)| name != "erro").cloned());
        let seconds = self.retry_after.and_then(|seconds| i64::try_from(seconds).ok());
        members.extend(seconds.map(|seconds| (RETRY_AFTER.to_string(), Value::Int(seconds))));
        Value::Map(members)
    }

    /// As the refusal of a plain request; `None` of what is a fault, which clients learn nothing of.
    pub fn to_refusal(&self) -> Option<Refusal> {
        let refusal = || Refusal::Tool { status: self.kind.status(), body: self.to_json(), retry_after: self.retry_after };
        self.kind.is_for_callers().then(refusal)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use alloc::format;

    use super::*;

    fn of(refusal: &str) -> Option<ToolRefusal> {
        ToolRefusal::of("sem estoque", Some(refusal.as_bytes()))
    }

    #[test]
    fn known_kinds_are_refusals() {
        let refusal = of(r#"{"kind":"domain_rejection","acao":"finish","restam":2}"#).unwrap();
        assert_eq!(refusal.directive.as_deref(), Some("finish"));
        assert_eq!(json::to_string(&refusal.to_json()), r#"{"erro":"sem estoque","kind":"domain_rejection","acao":"finish","restam":2}"#);
        assert_eq!(of(r#"{"kind":"outra"}"#), None);
        assert_eq!(of("[]"), None);
        assert_eq!(ToolRefusal::of("sem estoque", None), None);
    }

    #[test]
    fn only_a_call_that_can_be_mended_is_presented_so() {
        for (kind, acao, directive) in [
            ("invalid_call", "correct_call", Some("correct_call")),
            ("invalid_call", "outra", Some("correct_call")),
            ("domain_rejection", "correct_call", Some("correct_call")),
            ("domain_rejection", "", Some("replan")),
            ("timeout", "correct_call", None),
            ("unavailable", "correct_call", None),
            ("unavailable", "replan", Some("replan")),
        ] {
            let refusal = of(&format!(r#"{{"kind":"{kind}","acao":"{acao}"}}"#)).unwrap();
            assert_eq!(refusal.directive.as_deref(), directive, "{kind} {acao}");
        }
    }

    #[test]
    fn a_plain_request_is_told_by_its_status_when_to_come_back() {
        let told = |refusal: &str| of(refusal).unwrap().to_refusal().map(|refusal| (refusal.status(), refusal.headers()));
        assert_eq!(told(r#"{"kind":"rate_limited","retry_after":7}"#), Some((429, [("retry-after", "7".into())].into())));
        assert_eq!(told(r#"{"kind":"unavailable","retry_after":-1}"#), Some((503, Vec::new())));
        let body = |refusal: &str| json::to_string(&of(refusal).unwrap().to_json());
        let said = r#"{"erro":"sem estoque","kind":"unavailable","restam":2,"retry_after":7}"#;
        assert_eq!(body(r#"{"kind":"unavailable","retry_after":7,"restam":2}"#), said);
        assert_eq!(body(r#"{"kind":"unavailable","retry_after":"já"}"#), r#"{"erro":"sem estoque","kind":"unavailable"}"#);
        assert_eq!(told(r#"{"kind":"domain_rejection"}"#), Some((409, Vec::new())));
        assert_eq!(told(r#"{"kind":"internal"}"#), None);
    }
}
