//! The body of `POST /agent/execute`: one call, or several. It never carries context or permissions.

use std::time::Duration;

use djo_contract::issue::nearest;
use djo_contract::json;
use djo_contract::path::echo;
use djo_contract::value::{Value, exact_int};

use crate::tools::{Options, ToolError};

/// Calls of one request.
const MAX_CALLS: usize = 32;
/// Bytes of a `request_id`.
const MAX_REQUEST_ID: usize = 256;
/// Bytes of `confirm` and `continuation`.
const MAX_TOKEN: usize = 512;

const FIELDS: [&str; 7] = ["tool", "arguments", "request_id", "dry_run", "timeout_ms", "confirm", "continuation"];

/// A call as it was sent.
#[derive(Debug, PartialEq)]
pub(super) struct Sent {
    /// The tool's name.
    pub(super) tool: String,
    /// Its arguments.
    pub(super) arguments: Value,
    /// What else was asked.
    pub(super) options: Options,
}

/// What a request asks for.
#[derive(Debug, PartialEq)]
pub(super) enum Envelope {
    /// One call.
    One(Sent),
    /// Several, answered in their order.
    Several(Vec<Sent>),
}

/// Reads a body.
///
/// # Errors
/// The first thing that is wrong with it.
pub(super) fn read(body: &[u8]) -> Result<Envelope, ToolError> {
    let value = json::parse(body).map_err(|issue| ToolError::invalid_request(issue.detail()))?;
    parse(value).map_err(ToolError::invalid_request)
}

fn parse(value: Value) -> Result<Envelope, String> {
    let Value::Map(members) = value else { return Err(format!("o corpo deve ser um objeto, mas veio {}", value.json_kind())) };
    if !members.iter().any(|(name, _)| name == "calls") {
        return call(members).map(Envelope::One);
    }
    if let Some((name, _)) = members.iter().find(|(name, _)| name != "calls") {
        return Err(format!("campo desconhecido ao lado de calls: {}", echo(name)));
    }
    let calls = members.into_iter().next().map(|(_, calls)| calls);
    let Some(Value::Arr(calls)) = calls else { return Err("calls deve ser uma lista".to_owned()) };
    if calls.is_empty() || calls.len() > MAX_CALLS {
        return Err(format!("calls deve ter de 1 a {MAX_CALLS} chamadas, mas tem {}", calls.len()));
    }
    let each = calls.into_iter().enumerate().map(|(index, value)| match value {
        Value::Map(members) => call(members).map_err(|reason| format!("calls[{index}]: {reason}")),
        other => Err(format!("calls[{index}] deve ser um objeto, mas veio {}", other.json_kind())),
    });
    each.collect::<Result<_, _>>().map(Envelope::Several)
}

fn call(members: Vec<(String, Value)>) -> Result<Sent, String> {
    let mut sent = Sent { tool: String::new(), arguments: Value::Map(Vec::new()), options: Options::default() };
    let mut named = false;
    for (name, value) in members {
        let options = &mut sent.options;
        match name.as_str() {
            "tool" => (sent.tool, named) = (text(&name, value, usize::MAX)?, true),
            "arguments" => sent.arguments = given(value)?,
            // What clients that write all of their members send for those that they do not use.
            "request_id" | "confirm" | "continuation" | "dry_run" | "timeout_ms" if value == Value::Nil => {}
            "request_id" => options.request_id = Some(text(&name, value, MAX_REQUEST_ID)?),
            "confirm" => options.confirm = Some(text(&name, value, MAX_TOKEN)?),
            "continuation" => options.continuation = Some(text(&name, value, MAX_TOKEN)?),
            "dry_run" => {
                options.dry_run =
                    value.as_bool().ok_or_else(|| format!("dry_run deve ser true ou false, mas veio {}", value.json_kind()))?;
            }
            "timeout_ms" => {
                let ms = match value {
                    Value::Float(number) => exact_int(number),
                    other => other.as_int(),
                };
                // It only lowers the site's own, however large it is.
                let ms = ms.and_then(|ms| u64::try_from(ms).ok()).filter(|ms| *ms > 0);
                options.timeout = Some(Duration::from_millis(ms.ok_or("timeout_ms deve ser um inteiro maior que zero")?));
            }
            unknown => {
                let hint = nearest(unknown, FIELDS).map(|near| format!("; você quis dizer {near}?")).unwrap_or_default();
                return Err(format!("campo desconhecido: {}{hint}", echo(unknown)));
            }
        }
    }
    if named { Ok(sent) } else { Err("falta tool, o nome da ferramenta".to_owned()) }
}

/// Arguments that cannot be a call's at all are refused with the envelope; what is wrong inside is the tool's to say.
fn given(value: Value) -> Result<Value, String> {
    match value {
        Value::Map(_) => Ok(value),
        other => Err(format!("arguments deve ser um objeto, mas veio {}", other.json_kind())),
    }
}

fn text(name: &str, value: Value, most: usize) -> Result<String, String> {
    match value {
        Value::Str(text) if !text.is_empty() && text.len() <= most => Ok(text),
        Value::Str(_) if most == usize::MAX => Err(format!("{name} está vazio")),
        Value::Str(_) => Err(format!("{name} deve ter de 1 a {most} bytes")),
        other => Err(format!("{name} deve ser um texto, mas veio {}", other.json_kind())),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn reason(body: &str) -> String {
        let error = read(body.as_bytes()).unwrap_err();
        assert_eq!(error.code, "INVALID_REQUEST");
        error.details[0].1.as_str().unwrap().to_owned()
    }

    #[test]
    fn what_is_no_envelope_says_why() {
        for (body, wanted) in [
            ("{", "linha 1"),
            ("", "linha 1"),
            ("[]", "objeto"),
            ("null", "objeto"),
            ("{}", "tool"),
            (r#"{"tool":1}"#, "tool deve ser um texto"),
            (r#"{"tool":""}"#, "tool está vazio"),
            (r#"{"tool":"a","arguments":null}"#, "arguments"),
            (r#"{"tool":"a","arguments":[]}"#, "arguments"),
            (r#"{"tool":"a","context":{}}"#, "context"),
            (r#"{"tool":"a","argumentz":{}}"#, "você quis dizer arguments?"),
            (r#"{"tool":"a","tool":"b"}"#, "repetido"),
            (r#"{"tool":"a","request_id":""}"#, "1 a 256"),
            (r#"{"tool":"a","dry_run":1}"#, "dry_run"),
            (r#"{"tool":"a","timeout_ms":0}"#, "timeout_ms"),
            (r#"{"tool":"a","timeout_ms":1.5}"#, "timeout_ms"),
            (r#"{"tool":"a","timeout_ms":-1}"#, "timeout_ms"),
            (r#"{"calls":[]}"#, "de 1 a 32"),
            (r#"{"calls":{}}"#, "lista"),
            (r#"{"calls":[1]}"#, "calls[0]"),
            (r#"{"calls":[{"tool":"a"},{"calls":[]}]}"#, "calls[1]: campo desconhecido: calls"),
            (r#"{"calls":[{"tool":"a"}],"tool":"a"}"#, "ao lado de calls"),
        ] {
            assert!(reason(body).contains(wanted), "{body}: {}", reason(body));
        }
        let many = format!(r#"{{"calls":[{}]}}"#, vec![r#"{"tool":"a"}"#; 33].join(","));
        assert!(reason(&many).contains("mas tem 33"));
    }

    #[test]
    fn what_is_not_used_may_be_null_and_a_time_out_may_be_any() {
        let options = |members: &str| {
            let body = format!(r#"{{"tool":"a",{members}}}"#);
            let Envelope::One(sent) = read(body.as_bytes()).unwrap() else { panic!("one call") };
            sent.options
        };
        assert_eq!(options(r#""request_id":null,"confirm":null,"continuation":null,"dry_run":null,"timeout_ms":null"#), Options::default());
        for (written, ms) in [("1500.0", 1500), ("1e3", 1000), ("99999999999", 99_999_999_999)] {
            assert_eq!(options(&format!(r#""timeout_ms":{written}"#)).timeout, Some(Duration::from_millis(ms)));
        }
    }

    #[test]
    fn a_call_has_its_options() {
        let body = r#"{"tool":"a","request_id":"r","dry_run":true,"timeout_ms":5,"confirm":"c","continuation":"x"}"#;
        let Envelope::One(sent) = read(body.as_bytes()).unwrap() else { panic!("one call") };
        let options = Options {
            request_id: Some("r".into()),
            dry_run: true,
            timeout: Some(Duration::from_millis(5)),
            confirm: Some("c".into()),
            continuation: Some("x".into()),
            strict: false,
        };
        assert_eq!(sent, Sent { tool: "a".into(), arguments: Value::Map(Vec::new()), options });
    }
}
