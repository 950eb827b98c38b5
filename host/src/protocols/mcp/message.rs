//! What the host must know of a message before `rmcp` reads it: whether it is one, whose call it cancels, and a call's arguments as they
//! were sent, exactly.

use djo_contract::json;
use djo_contract::value::Value;

use super::{INVALID_PARAMS, INVALID_REQUEST, PARSE_ERROR};

/// A message of JSON-RPC.
#[derive(Debug, PartialEq)]
pub(super) struct Message {
    /// The method; empty in an answer.
    pub(super) method: String,
    /// The request's id; `Nil` when it has none.
    pub(super) id: Value,
    /// The arguments of a tool's call.
    pub(super) arguments: Option<Value>,
    /// The id, as JSON, of the request that this one cancels.
    pub(super) cancels: Option<String>,
    /// What `rmcp` is given in the body's place, where that has arguments that it could not read. It has no use for them.
    pub(super) stand_in: Option<String>,
}

/// Why a body is no message.
#[derive(Debug, PartialEq)]
pub(super) struct Unreadable {
    /// Of JSON-RPC.
    pub(super) code: i32,
    /// For people.
    pub(super) reason: String,
    /// The request's id, as far as it is known.
    pub(super) id: Value,
}

impl Message {
    /// Reads a body.
    ///
    /// # Errors
    /// [`Unreadable`]
    pub(super) fn read(body: &[u8]) -> Result<Self, Unreadable> {
        let value = json::parse(body).map_err(|issue| Unreadable { code: PARSE_ERROR, reason: issue.detail(), id: Value::Nil })?;
        let id = value.get("id").filter(|id| matches!(id, Value::Str(_) | Value::Int(_))).cloned().unwrap_or(Value::Nil);
        let refused = |reason: String, id| Err(Unreadable { code: INVALID_REQUEST, reason, id });
        let Value::Map(members) = value else {
            return refused(format!("o corpo deve ser uma mensagem JSON-RPC, um objeto, mas veio {}", value.json_kind()), id);
        };
        let (mut method, mut params, mut version, mut is_readable) = (String::new(), Value::Nil, Value::Nil, true);
        for (name, value) in members {
            match (name.as_str(), value) {
                ("id", value) if id == Value::Nil => {
                    return refused(format!("id deve ser um texto ou um inteiro, mas veio {}", value.json_kind()), id);
                }
                ("method", Value::Str(name)) => method = name,
                ("method", _) => return refused("method deve ser um texto".to_owned(), id),
                ("params", value) => params = value,
                ("jsonrpc", value) => version = value,
                (_, other) => is_readable &= !is_unheld(&other),
            }
        }
        if version.as_str() != Some("2.0") {
            return refused("jsonrpc deve ser \"2.0\"".to_owned(), id);
        }
        let mut params = match params {
            Value::Map(params) => params,
            Value::Nil => Vec::new(),
            other => return refused(format!("params deve ser um objeto, mas veio {}", other.json_kind()), id),
        };
        let member = |wanted: &str| params.iter().find(|(name, _)| name == wanted).map(|(_, value)| value);
        if id != Value::Nil
            && let Some(reason) = misshapen(&method, member)
        {
            return Err(Unreadable { code: INVALID_PARAMS, reason, id });
        }
        let cancels = (method == "notifications/cancelled").then(|| member("requestId").map(json::to_string)).flatten();
        let place = params.iter().position(|(name, _)| method == "tools/call" && name == "arguments");
        let arguments = place.map(|place| std::mem::replace(&mut params[place].1, Value::Map(Vec::new())));
        let params = Value::Map(params);
        if !is_readable || is_unheld(&params) {
            let code = if id == Value::Nil { INVALID_REQUEST } else { INVALID_PARAMS };
            return Err(Unreadable { code, reason: "a mensagem tem um número fora do intervalo de Float".to_owned(), id });
        }
        let stand_in = arguments.as_ref().is_some_and(is_unheld).then(|| {
            let members = [("jsonrpc", version), ("id", id.clone()), ("method", method.as_str().into()), ("params", params)];
            let members = members.into_iter().filter(|(_, value)| *value != Value::Nil);
            json::to_string(&Value::Map(members.map(|(name, value)| (name.to_owned(), value)).collect()))
        });
        Ok(Self { method, id, arguments, cancels, stand_in })
    }
}

/// Whether a number is in it of which no double comes near. `rmcp` does not read such a message at all.
fn is_unheld(value: &Value) -> bool {
    match value {
        Value::Huge(text) => !text.parse::<f64>().is_ok_and(f64::is_finite),
        Value::Arr(items) => items.iter().any(is_unheld),
        Value::Map(members) => members.iter().any(|(_, member)| is_unheld(member)),
        _ => false,
    }
}

/// What is wrong with the parameters of a request, where the protocol itself says their types: `rmcp` takes a known method with
/// others for an unknown one.
fn misshapen<'v>(method: &str, member: impl Fn(&str) -> Option<&'v Value>) -> Option<String> {
    let nothing = Value::Nil;
    let given = |name: &str| member(name).unwrap_or(&nothing);
    let expected = |name: &str, wanted: &str, found: &Value| Some(format!("{name} deve ser {wanted}, mas veio {}", found.json_kind()));
    let text = |name: &str| given(name).as_str().map_or_else(|| expected(name, "um texto", given(name)), |_| None);
    let object = |name: &str| given(name).as_map().map_or_else(|| expected(name, "um objeto", given(name)), |_| None);
    let absent_or = |check: &dyn Fn(&str) -> Option<String>, name: &str| if *given(name) == Value::Nil { None } else { check(name) };
    let own = match method {
        "initialize" => text("protocolVersion").or_else(|| object("capabilities")).or_else(|| object("clientInfo")),
        "tools/call" => text("name").or_else(|| absent_or(&object, "arguments")),
        "resources/read" => text("uri"),
        "tools/list" | "resources/list" | "resources/templates/list" => absent_or(&text, "cursor"),
        _ => None,
    };
    let token = || match given("_meta").get("progressToken") {
        None | Some(Value::Str(_) | Value::Int(_)) => None,
        Some(other) => expected("progressToken", "um texto ou um inteiro", other),
    };
    own.or_else(|| absent_or(&object, "_meta")).or_else(token)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_as_they_were_sent() {
        let body = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"n":1.0,"m":9223372036854775807}}}"#;
        let message = Message::read(body).unwrap();
        assert_eq!((message.id, message.cancels), (Value::Int(7), None));
        let arguments = Value::Map(vec![("n".into(), Value::Float(1.0)), ("m".into(), Value::Int(i64::MAX))]);
        assert_eq!(message.arguments, Some(arguments));
    }

    #[test]
    fn arguments_that_nothing_else_reads_reach_the_decoder() {
        let body = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"n":[1e400]},"_meta":{"x":1}}}"#;
        let message = Message::read(body).unwrap();
        assert_eq!(message.arguments, Some(Value::Map(vec![("n".into(), Value::Arr(vec![Value::Huge("1e400".into())]))])));
        let stand_in = r#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{},"_meta":{"x":1}}}"#;
        assert_eq!(message.stand_in.as_deref(), Some(stand_in));
        let body = br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"a","arguments":{"n":99999999999999999999}}}"#;
        assert_eq!(Message::read(body).unwrap().stand_in, None);
    }

    #[test]
    fn the_request_that_is_cancelled_is_named_as_it_names_itself() {
        for id in ["7", "\"7\""] {
            let body = format!(r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#);
            assert_eq!(Message::read(body.as_bytes()).unwrap().cancels.as_deref(), Some(id));
        }
    }

    #[test]
    fn what_the_protocol_leaves_open_is_taken() {
        for params in [
            r#"{"name":"a"}"#,
            r#"{"name":"a","arguments":null,"_meta":null,"outro":1}"#,
            r#"{"name":"a","arguments":{},"_meta":{"progressToken":"p","x":[]}}"#,
        ] {
            let body = format!(r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{params}}}"#);
            assert!(Message::read(body.as_bytes()).is_ok(), "{body}");
        }
        assert!(Message::read(br#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":null}}"#).is_ok());
        assert!(Message::read(br#"{"jsonrpc":"2.0","method":"tools/call","params":{}}"#).is_ok(), "nobody waits for what becomes of it");
    }

    #[test]
    fn what_is_no_message_is_refused_by_its_id() {
        for (body, code, id) in [
            ("", PARSE_ERROR, Value::Nil),
            ("{", PARSE_ERROR, Value::Nil),
            ("[]", INVALID_REQUEST, Value::Nil),
            (r#"{"id":1,"method":"ping"}"#, INVALID_REQUEST, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":"a","method":1}"#, INVALID_REQUEST, "a".into()),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}"#, INVALID_REQUEST, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, INVALID_REQUEST, Value::Nil),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, INVALID_REQUEST, Value::Nil),
            (r#"{"jsonrpc":"2.0","id":99999999999999999999,"method":"ping"}"#, INVALID_REQUEST, Value::Nil),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","arguments":[]}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":"x"}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"_meta":{"progressToken":1.5}}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":5}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":5}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"x":1e400}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","_meta":{"x":-1e400}}}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","x":[1e400]}"#, INVALID_PARAMS, Value::Int(1)),
            (r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1e400}}"#, INVALID_REQUEST, Value::Nil),
            (
                r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"x","capabilities":{}}}"#,
                INVALID_PARAMS,
                Value::Int(1),
            ),
        ] {
            let refused = Message::read(body.as_bytes()).unwrap_err();
            assert_eq!((refused.code, refused.id), (code, id), "{body}");
        }
    }
}
