//! A tool's own refusal: what its code says with `fail:"…":{"kind": …}`. It is data, for whoever called.

use djo_contract::json;
use djo_contract::tool::RefusalKind;
use djo_contract::value::Value;

use crate::sandbox::Failure;

/// A refusal, read out of a failure.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRefusal {
    /// Its kind.
    pub kind: RefusalKind,
    /// What the code said.
    pub message: String,
    /// `correct_call`, `replan` or `finish`.
    pub directive: Option<String>,
    /// What else it said.
    pub details: Vec<(String, Value)>,
}

impl ToolRefusal {
    /// The refusal of a failure, when it is one of a known kind. A directive that the kind cannot have is left out: a call whose effects
    /// are unknown is never presented as one to mend.
    pub fn of(failure: &Failure) -> Option<Self> {
        let Value::Map(members) = json::parse(failure.refusal.as_deref()?).ok()? else { return None };
        let text = |name: &str| members.iter().find(|(known, _)| known == name).and_then(|(_, value)| value.as_str());
        let named = text("kind")?;
        let kind = RefusalKind::from_name(named)?;
        let own = text("acao").filter(|directive| match *directive {
            "correct_call" => kind.is_mendable(),
            directive => matches!(directive, "replan" | "finish"),
        });
        let directive = own.or(match kind {
            RefusalKind::InvalidCall => Some("correct_call"),
            RefusalKind::DomainRejection => Some("replan"),
            _ => None,
        });
        let (message, directive) = (failure.message.clone(), directive.map(str::to_owned));
        let details = members.into_iter().filter(|(name, _)| name != "kind" && name != "acao").collect();
        Some(Self { kind, message, directive, details })
    }

    /// As the body of a plain request's answer.
    pub fn to_json(&self) -> Value {
        let mut members = vec![("erro".to_owned(), Value::from(self.message.as_str())), ("kind".to_owned(), self.kind.as_str().into())];
        members.extend(self.directive.as_ref().map(|directive| ("acao".to_owned(), Value::from(directive.as_str()))));
        let more = self.details.iter().filter(|(name, _)| name != "erro");
        members.extend(more.cloned());
        Value::Map(members)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(refusal: &str) -> Option<ToolRefusal> {
        ToolRefusal::of(&Failure {
            message: "sem estoque".into(),
            kind: "erro".into(),
            file: "core/a.djo".into(),
            line: 3,
            trace: Vec::new(),
            refusal: Some(refusal.as_bytes().to_vec()),
        })
    }

    #[test]
    fn known_kinds_are_refusals() {
        let refusal = of(r#"{"kind":"domain_rejection","acao":"finish","restam":2}"#).unwrap();
        assert_eq!(refusal.directive.as_deref(), Some("finish"));
        assert_eq!(json::to_string(&refusal.to_json()), r#"{"erro":"sem estoque","kind":"domain_rejection","acao":"finish","restam":2}"#);
        assert_eq!(of(r#"{"kind":"outra"}"#), None);
        assert_eq!(of("[]"), None);
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
}
