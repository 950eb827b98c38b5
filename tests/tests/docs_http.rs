//! The transcripts of `docs/http.md`, `docs/agentes.md` and of the READMEs were really run: requests against `sites/exemplo`, commands in the language
//! of the document. `just bless` rewrites the answers.
//!
//! In `docs/http.md` a block `http` that starts with a method is sent to a server of its own data; the next `http` block, which starts
//! with `HTTP/1.1`, is the answer. Which headers it shows is the document's choice; a body that ends with a line `…` is its beginning.
//! What differs from run to run is cut: `exec_…`, `"duration_ms":…`; in a request `exec_…` stands for the execution seen last.
//! A block `console` holds `$ djo-host agent …` and what it prints, wherever it stands.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use djo_tests::{
    client::{Request, Response},
    server::Server,
    workspace,
};
use regex::Regex;
use serde_json::Value;
use std::{env, fs, process::Command};

/// Documents with the language of whoever reads them.
const DOCUMENTS: &[(&str, &str)] =
    &[("docs/http.md", "pt_BR.UTF-8"), ("docs/agentes.md", "pt_BR.UTF-8"), ("README.md", "C.UTF-8"), ("README.pt-BR.md", "pt_BR.UTF-8")];

/// Where documents say that the server is.
const SHOWN: &str = "localhost:8080";
const CUT: &str = "…";

/// A request as a block writes it.
fn request(block: &str) -> Request {
    let (head, body) = block.split_once("\n\n").map_or((block, None), |(head, body)| (head, Some(body.trim_end())));
    let mut lines = head.lines();
    let (method, rest) = lines.next().unwrap().split_once(' ').unwrap();
    let mut request = Request { method: method.into(), path: rest.trim_end_matches(" HTTP/1.1").into(), ..Request::default() };
    for line in lines {
        let (name, value) = line.split_once(": ").unwrap_or_else(|| panic!("no header: {line}"));
        request = request.header(name, value);
    }
    request.body = body.map(|body| body.as_bytes().to_vec());
    request
}

/// The answer as the block before it shows one: its headers, and as much of its body.
fn answer(response: &Response, reason: &str, shown: &str) -> String {
    let (head, body) = shown.split_once("\n\n").unwrap_or((shown, ""));
    let mut text = format!("HTTP/1.1 {} {reason}\n", response.status);
    for name in head.lines().skip(1).filter_map(|line| line.split(':').next()) {
        let value = response.header(name).unwrap_or_else(|| panic!("there is no {name}: {:?}", response.headers));
        text.push_str(&format!("{name}: {value}\n"));
    }
    let full = match serde_json::from_slice::<Value>(&response.body) {
        Ok(value) => format!("{value:#}"),
        Err(_) => response.text().replace("\r\n", "\n").trim_end().to_owned(),
    };
    if full.is_empty() {
        return text;
    }
    let full = steady(&full);
    let lines: Vec<&str> = full.lines().collect();
    let kept = if body.trim_end().ends_with(CUT) { body.trim_end().lines().count() - 1 } else { lines.len() };
    let cut = if kept < lines.len() { "\n…" } else { "" };
    format!("{text}\n{}{cut}\n", lines[..kept.min(lines.len())].join("\n"))
}

/// The name of an execution.
const EXECUTION: &str = r"exec_[0-9a-f-]{36}";

/// A text without what differs from run to run.
fn steady(text: &str) -> String {
    let text = Regex::new(EXECUTION).unwrap().replace_all(text, "exec_…");
    // Fractions of a second are told of what happened just now, never of what a site holds from the start.
    let text = Regex::new(r"\d{4}-\d\d-\d\dT[\d:]+\.\d+Z").unwrap().replace_all(&text, "…").into_owned();
    Regex::new(r#""duration_ms":\d+"#).unwrap().replace_all(&text, r#""duration_ms":…"#).into_owned()
}

fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        204 => "No Content",
        303 => "See Other",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        404 => "Not Found",
        405 => "Method Not Allowed",
        406 => "Not Acceptable",
        409 => "Conflict",
        413 => "Payload Too Large",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Entity",
        429 => "Too Many Requests",
        _ => panic!("a reason for {status} is missing here"),
    }
}

/// A request that asks whether something has changed names the tag that was seen last.
fn with_tag(block: &str, tag: Option<&str>) -> String {
    let lines = block.lines().map(|line| match (line.split_once(": "), tag) {
        (Some((name @ "If-None-Match", _)), Some(tag)) => format!("{name}: {tag}\n"),
        _ => format!("{line}\n"),
    });
    lines.collect()
}

/// What the commands of a block print.
fn console(block: &str, server: &Server, language: &str) -> String {
    let real = server.address().to_string();
    let mut text = String::new();
    for line in block.lines().filter(|line| line.starts_with("$ ")) {
        let arguments = line.strip_prefix("$ djo-host ").unwrap_or_else(|| panic!("not run by this test: {line}"));
        let mut words: Vec<String> = Vec::new();
        for (index, part) in arguments.split('\'').enumerate() {
            // Between quotes a word is taken whole.
            if index % 2 == 1 { words.push(part.into()) } else { words.extend(part.split_whitespace().map(str::to_owned)) }
        }
        let words = words.iter().map(|word| word.replace(SHOWN, &real));
        let output = Command::new(workspace::djo_host().unwrap()).args(words).env("LANG", language).env_remove("LC_ALL").output().unwrap();
        let printed = String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap();
        text.push_str(&format!("{line}\n{}", printed.replace(&real, SHOWN).replace("\r\n", "\n")));
    }
    text
}

/// The document with every transcript as it comes out now, and how many there are.
fn run(document: &str, language: &str) -> (String, usize) {
    let server = Server::start(&["sites/exemplo"], &["--agent-rate", "50"]).unwrap();
    let (mut text, mut transcripts) = (String::new(), 0);
    let (mut last, mut tag, mut execution): (Option<Response>, Option<String>, Option<String>) = (None, None, None);
    let execution_name = Regex::new(EXECUTION).unwrap();
    let mut parts = document.split("```");
    text.push_str(parts.next().unwrap_or_default());
    while let (Some(block), after) = (parts.next(), parts.next().unwrap_or_default()) {
        let (info, body) = block.split_once('\n').unwrap_or((block, ""));
        let body = match info {
            "http" if body.starts_with("HTTP/1.1") => {
                transcripts += 1;
                let response = last.take().unwrap_or_else(|| panic!("an answer without its request: {body}"));
                answer(&response, reason(response.status), body)
            }
            "http" => {
                let body = with_tag(body, tag.as_deref());
                let named = body.replace("exec_…", execution.as_deref().unwrap_or("exec_…"));
                let response = server.send(&request(&named)).unwrap();
                let seen = execution_name.find(&response.text()).map(|found| found.as_str().to_owned());
                execution = seen.or(execution);
                tag = response.header("etag").or(tag);
                last = Some(response);
                body
            }
            "console" => {
                transcripts += 1;
                console(body, &server, language)
            }
            _ => body.to_owned(),
        };
        text.push_str(&format!("```{info}\n{body}```{after}"));
    }
    (text, transcripts)
}

#[test]
fn every_transcript_was_run() {
    for (path, language) in DOCUMENTS {
        let file = workspace::root().join(path);
        let document = fs::read_to_string(&file).unwrap();
        let (fresh, transcripts) = run(&document, language);
        assert!(transcripts > 0, "{path} shows nothing that was run");
        if env::var_os("DJO_BLESS").is_some() && fresh != document {
            fs::write(&file, &fresh).unwrap();
        }
        let document = fs::read_to_string(&file).unwrap();
        let differs = document.lines().zip(fresh.lines()).find(|(shown, came)| shown != came);
        assert!(document == fresh, "{path} shows what does not come out; `just bless` rewrites it. First: {differs:?}");
    }
}
