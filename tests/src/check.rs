//! Does an answer satisfy what a case wants of it?

use crate::{
    case::{Res, Some_},
    client::Response,
};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use std::collections::BTreeMap;

/// Values a case saved: a header or a member may have been absent.
pub type Saved = BTreeMap<String, Option<Value>>;

/// Checks every demand of `res`, then saves what it says. The error is the first demand that does not hold.
pub fn check(res: &Res, response: &Response, saved: &mut Saved) -> Result<(), String> {
    status(res, response)?;
    headers(res, response)?;
    text(res, response)?;
    json(res, response)?;
    for (name, spec) in &res.same {
        if saved.get(name) != Some(&pick(spec, response)?) {
            return Err(format!("{spec} should equal what {name} holds: {}", shown(saved.get(name))));
        }
    }
    for (name, spec) in &res.diff {
        if saved.get(name) == Some(&pick(spec, response)?) {
            return Err(format!("{spec} should differ from what {name} holds: {}", shown(saved.get(name))));
        }
    }
    for (name, spec) in &res.save {
        saved.insert(name.clone(), pick(spec, response)?);
    }
    Ok(())
}

fn status(res: &Res, response: &Response) -> Result<(), String> {
    let wanted = res.s.clone().unwrap_or(Value::from(200));
    let allowed = wanted.as_array().cloned().unwrap_or_else(|| vec![wanted.clone()]);
    if allowed.contains(&Value::from(response.status)) {
        return Ok(());
    }
    Err(format!("status {}, wanted {wanted}; body {}", response.status, clipped(&response.text())))
}

fn headers(res: &Res, response: &Response) -> Result<(), String> {
    for (name, wanted) in &res.h {
        let got = response.header(name);
        match (wanted, &got) {
            (None, None) => {}
            (None, Some(value)) => return Err(format!("header {name} should be absent, is {value:?}")),
            (Some(wanted), Some(value)) if line_regex(wanted)?.is_match(value) => {}
            (Some(wanted), _) => return Err(format!("header {name}: {got:?} !~ {wanted}")),
        }
    }
    Ok(())
}

fn text(res: &Res, response: &Response) -> Result<(), String> {
    let body = response.text();
    if res.empty && !body.is_empty() {
        return Err(format!("the body should be empty, is {}", clipped(&body)));
    }
    if let Some(wanted) = &res.body
        && *wanted != body
    {
        return Err(format!("body {}, wanted {wanted:?}", clipped(&body)));
    }
    if let Some(wanted) = &res.re
        && !body_regex(wanted)?.is_match(&body)
    {
        return Err(format!("body {} !~ {wanted}", clipped(&body)));
    }
    for unwanted in &res.no {
        if body_regex(unwanted)?.is_match(&body) {
            return Err(format!("body must not match {unwanted}: {}", clipped(&body)));
        }
    }
    Ok(())
}

fn json(res: &Res, response: &Response) -> Result<(), String> {
    if res.json.is_none() && res.has.is_none() && res.some.is_empty() {
        return Ok(());
    }
    let got: Value = serde_json::from_slice(&response.body).map_err(|_| format!("not JSON: {}", clipped(&response.text())))?;
    if let Some(wanted) = &res.json
        && !equal(wanted, &got)
    {
        return Err(format!("json {}, wanted {wanted}", clipped(&got.to_string())));
    }
    if let Some(wanted) = &res.has {
        subset(wanted, &got, "$")?;
    }
    res.some.iter().try_for_each(|wanted| some(wanted, &got))
}

fn some(wanted: &Some_, got: &Value) -> Result<(), String> {
    let mut list = got;
    for member in wanted.path.split('.').filter(|part| !part.is_empty()) {
        list = list.get(member).unwrap_or(&Value::Null);
    }
    let part = Value::Object(wanted.has.clone());
    let matches = |item: &&Value| subset(&part, item, "$").is_ok() && wanted.lacks.iter().all(|member| item.get(member).is_none());
    if list.as_array().is_some_and(|items| items.iter().any(|item| matches(&item))) {
        return Ok(());
    }
    Err(format!("nothing in {:?} has {part} without {:?}: {}", wanted.path, wanted.lacks, clipped(&list.to_string())))
}

/// Structural equality with numbers compared by value.
fn equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => {
            a == b || (a.is_f64() || b.is_f64()) && a.as_f64().zip(b.as_f64()).is_some_and(|(a, b)| a.total_cmp(&b).is_eq())
        }
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| equal(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|other| equal(value, other)))
        }
        _ => a == b,
    }
}

/// Is `wanted` part of `got`? Objects may have more members, lists may not.
fn subset(wanted: &Value, got: &Value, at: &str) -> Result<(), String> {
    match (wanted, got) {
        (Value::Object(wanted), Value::Object(got)) => wanted.iter().try_for_each(|(name, value)| {
            let inner = got.get(name).ok_or_else(|| format!("{at}.{name}: missing"))?;
            subset(value, inner, &format!("{at}.{name}"))
        }),
        (Value::Array(wanted), Value::Array(items)) if wanted.len() == items.len() => {
            wanted.iter().zip(items).enumerate().try_for_each(|(i, (a, b))| subset(a, b, &format!("{at}[{i}]")))
        }
        (Value::String(pattern), Value::String(text)) if pattern.starts_with('~') => {
            if body_regex(&pattern[1..])?.is_match(text) {
                Ok(())
            } else {
                Err(format!("{at}: {text:?} !~ {}", &pattern[1..]))
            }
        }
        _ if equal(wanted, got) => Ok(()),
        _ => Err(format!("{at}: wanted {wanted}, got {}", clipped(&got.to_string()))),
    }
}

/// `body`, `header:NAME` or `json:a.b.0` of a response.
fn pick(spec: &str, response: &Response) -> Result<Option<Value>, String> {
    match spec.split_once(':') {
        None if spec == "body" => Ok(Some(Value::String(response.text()))),
        Some(("header", name)) => Ok(response.header(name).map(Value::String)),
        Some(("json", path)) => {
            let body: Value = serde_json::from_slice(&response.body).map_err(|_| format!("not JSON: {}", clipped(&response.text())))?;
            let pointer = format!("/{}", path.replace('.', "/"));
            body.pointer(&pointer).cloned().map(Some).ok_or_else(|| format!("{spec}: missing"))
        }
        _ => Err(format!("unknown selector {spec:?}")),
    }
}

fn line_regex(pattern: &str) -> Result<Regex, String> {
    Regex::new(pattern).map_err(|error| error.to_string())
}

/// In bodies a dot matches line ends too.
fn body_regex(pattern: &str) -> Result<Regex, String> {
    RegexBuilder::new(pattern).dot_matches_new_line(true).build().map_err(|error| error.to_string())
}

fn shown(value: Option<&Option<Value>>) -> String {
    clipped(&value.map_or_else(|| "nothing saved".to_owned(), |value| format!("{value:?}")))
}

fn clipped(text: &str) -> String {
    let mut clipped: String = text.chars().take(600).collect();
    if clipped.len() < text.len() {
        clipped.push('…');
    }
    format!("{clipped:?}")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use serde_json::json;

    fn answer(body: &str) -> Response {
        Response { status: 200, headers: vec![("etag".into(), "\"1\"".into())], body: body.into() }
    }

    fn holds(res: Value, body: &str) -> Result<(), String> {
        check(&serde_json::from_value(res).unwrap(), &answer(body), &mut Saved::new())
    }

    #[test]
    fn numbers_are_compared_by_value_and_types_apart() {
        assert!(holds(json!({"json": {"a": 4.0, "b": 1}}), r#"{"b":1,"a":4}"#).is_ok());
        assert!(holds(json!({"json": 1}), "true").is_err());
        assert!(holds(json!({"json": 9007199254740993_i64}), "9007199254740992").is_err());
        assert!(holds(json!({"json": null}), "0").is_err());
    }

    #[test]
    fn a_part_of_an_object_is_enough_but_not_of_a_list() {
        assert!(holds(json!({"has": {"a": {"b": "~^o"}}}), r#"{"a":{"b":"oi","c":1},"d":2}"#).is_ok());
        assert!(holds(json!({"has": [1]}), "[1,2]").is_err());
        assert!(holds(json!({"has": {"a": null}}), "{}").is_err());
    }

    #[test]
    fn headers_are_matched_or_must_be_absent() {
        assert!(holds(json!({"h": {"ETag": "^\"1\"$", "vary": null}}), "").is_ok());
        assert!(holds(json!({"h": {"ETag": null}}), "").is_err());
        assert!(holds(json!({"h": {"Vary": "."}}), "").is_err());
    }

    #[test]
    fn saved_values_are_compared() {
        let mut saved = Saved::new();
        let keep: Res = serde_json::from_value(json!({"save": {"e": "header:etag", "n": "json:a.0"}})).unwrap();
        check(&keep, &answer(r#"{"a":[7]}"#), &mut saved).unwrap();
        assert_eq!(saved["n"], Some(json!(7)));
        let same: Res = serde_json::from_value(json!({"same": {"e": "header:etag"}, "diff": {"n": "json:a.0"}})).unwrap();
        assert!(check(&same, &answer(r#"{"a":[8]}"#), &mut saved).is_ok());
        assert!(check(&same, &answer(r#"{"a":[7]}"#), &mut saved).is_err());
    }

    #[test]
    fn an_element_of_a_list_is_found_by_what_it_has_and_lacks() {
        let wanted = json!({"some": [{"in": "r", "has": {"p": "/"}, "lacks": ["q"]}]});
        assert!(holds(wanted.clone(), r#"{"r":[{"p":"/","q":1},{"p":"/"}]}"#).is_ok());
        assert!(holds(wanted, r#"{"r":[{"p":"/","q":1}]}"#).is_err());
    }
}
