//! Runs one case against a server.

use crate::{
    case::{Case, Req},
    check::{Saved, check},
    client::{self, Request},
};
use regex::{Captures, Regex};
use serde_json::Value;
use std::{net::SocketAddr, thread, time::Duration};

/// Sends the steps of a case in order. The error says which step failed and how.
pub fn run(case: Case, address: SocketAddr, host: Option<&str>) -> Result<(), String> {
    let mut saved = Saved::new();
    for (index, step) in case.into_steps().into_iter().enumerate() {
        thread::sleep(Duration::from_secs_f64(step.sleep));
        let Some(req) = &step.req else { continue };
        for _ in 0..req.times {
            let request = request_of(req, host, &saved)?;
            client::send(address, &request)
                .map_err(|error| error.to_string())
                .and_then(|response| check(&step.res, &response, &mut saved))
                .map_err(|error| format!("step {} {} {}: {error}", index + 1, shown_method(&request), request.path))?;
        }
    }
    Ok(())
}

fn shown_method(request: &Request) -> &str {
    if request.method.is_empty() { "GET" } else { &request.method }
}

fn request_of(req: &Req, host: Option<&str>, saved: &Saved) -> Result<Request, String> {
    let mut headers = Vec::new();
    for (name, value) in &req.h {
        headers.push((name.clone(), substituted(value, saved)?));
    }
    let given = |name: &str| req.h.keys().any(|n| n.eq_ignore_ascii_case(name));
    if let Some(host) = host
        && !given("host")
    {
        headers.push(("Host".into(), host.into()));
    }
    if req.json.is_some() && !given("content-type") {
        headers.push(("Content-Type".into(), "application/json".into()));
    }
    Ok(Request { method: req.m.clone(), path: substituted(&req.p, saved)?, headers, body: body_of(req)? })
}

fn body_of(req: &Req) -> Result<Option<Vec<u8>>, String> {
    if let Some(json) = &req.json {
        return Ok(Some(json.to_string().into_bytes()));
    }
    if let Some(text) = &req.body {
        return Ok(Some(text.clone().into_bytes()));
    }
    if let Some(digits) = &req.hex {
        let byte = |i: usize| digits.get(i..i + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
        let bytes: Option<Vec<u8>> = (0..digits.len()).step_by(2).map(byte).collect();
        return bytes.map(Some).ok_or_else(|| format!("not hexadecimal: {digits}"));
    }
    Ok(req.fill.as_ref().map(|(text, times)| text.repeat(*times).into_bytes()))
}

fn substituted(text: &str, saved: &Saved) -> Result<String, String> {
    let names = Regex::new(r"\$\{(\w+)\}").map_err(|error| error.to_string())?;
    let value = |captures: &Captures<'_>| match saved.get(&captures[1]) {
        Some(Some(Value::String(text))) => text.clone(),
        Some(Some(other)) => other.to_string(),
        _ => String::new(),
    };
    Ok(names.replace_all(text, value).into_owned())
}
