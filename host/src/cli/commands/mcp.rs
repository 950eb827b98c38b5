//! `mcp`: the MCP door of a site for programs that speak the protocol over standard input and output. Each message is one request to the
//! site; what comes back, as one answer or as a stream, is written line by line.

use std::collections::HashMap;
use std::io::{BufRead as _, Write as _};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http::header::{ACCEPT, CONTENT_TYPE, HOST, USER_AGENT};
use http::{HeaderMap, HeaderName, HeaderValue, Request};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde_json::{Value, json};
use tokio::sync::{Semaphore, mpsc};
use tokio::task::{AbortHandle, JoinSet};

use super::agent::{Address, FetchError, Remote, open};
use crate::cli::{Failure, args::McpArgs, language::Language, messages};
use crate::protocols::mcp::URL;

/// The longest message that is taken from a site, in bytes.
const MAX_MESSAGE: usize = 64 << 20;
/// Requests at once; more wait.
const MAX_RUNNING: usize = 64;
/// Of JSON-RPC.
const PARSE_ERROR: i64 = -32700;
const INTERNAL: i64 = -32603;

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");
const VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
const METHOD: HeaderName = HeaderName::from_static("mcp-method");
const NAME: HeaderName = HeaderName::from_static("mcp-name");

pub(crate) fn run(args: &McpArgs, language: Language) -> Result<(), Failure> {
    let failed = |error| Failure::new(messages::no_answer(language, args.address.authority(), &error));
    let site = Remote::new(&args.address, args.ca.as_deref()).map_err(failed)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| Failure::new(error.to_string()))?;
    runtime.block_on(bridge(site));
    // Standard input may still be waited for.
    runtime.shutdown_background();
    Ok(())
}

/// What is known of the conversation.
#[derive(Default)]
struct Talk {
    /// As the site named it, where it names one.
    session: Option<HeaderValue>,
    /// As agreed in `initialize`.
    version: Option<HeaderValue>,
    /// Requests on their way, by their ids as JSON.
    running: HashMap<String, AbortHandle>,
}

/// Carries messages until the input ends and the last answer has come.
async fn bridge(site: Remote) {
    let (lines, mut messages) = mpsc::channel(MAX_RUNNING);
    // Standard input can only be waited for by a thread.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok).filter(|line| !line.trim().is_empty()) {
            if lines.blocking_send(line).is_err() {
                return;
            }
        }
    });
    let site = Arc::new(site);
    let talk = Arc::new(Mutex::new(Talk::default()));
    let places = Arc::new(Semaphore::new(MAX_RUNNING));
    let mut tasks = JoinSet::new();
    while let Some(line) = messages.recv().await {
        while tasks.try_join_next().is_some() {}
        let message: Value = match serde_json::from_str(&line) {
            Ok(message) => message,
            Err(error) => {
                say(&failure(&Value::Null, PARSE_ERROR, &error.to_string()));
                continue;
            }
        };
        if message["method"] == "notifications/cancelled" {
            // The site learns it by the end of the connection.
            if let Some(running) = lock(&talk).running.remove(&message["params"]["requestId"].to_string()) {
                running.abort();
            }
            continue;
        }
        // The session and the revision are known only once this is answered.
        let begins = message["method"] == "initialize";
        let id = message.get("id").cloned();
        let key = id.as_ref().map(Value::to_string);
        let (site, own, places) = (Arc::clone(&site), Arc::clone(&talk), Arc::clone(&places));
        let carrying = async move {
            // It is never closed.
            let _place = places.acquire().await;
            let carried = carry(&site, &own, &message).await;
            let Some(id) = id else { return };
            if let Err(error) = carried {
                say(&failure(&id, INTERNAL, &error.to_string()));
            }
            // Its client has heard the answer, and may have begun another under the same id.
            let (mut talk, key) = (lock(&own), id.to_string());
            if talk.running.get(&key).map(AbortHandle::id) == tokio::task::try_id() {
                talk.running.remove(&key);
            }
        };
        if begins {
            carrying.await;
            continue;
        }
        let mut talk = lock(&talk);
        let handle = tasks.spawn(carrying);
        if let Some(key) = key {
            talk.running.insert(key, handle);
        }
    }
    while tasks.join_next().await.is_some() {}
}

fn failure(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn lock(talk: &Mutex<Talk>) -> MutexGuard<'_, Talk> {
    // Nothing that can panic runs under the lock.
    talk.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Sends a message and writes what comes back.
async fn carry(site: &Remote, talk: &Mutex<Talk>, message: &Value) -> Result<(), FetchError> {
    let mut sender = open(site).await?;
    let address = site.address();
    let target = if address.is_root() { URL } else { address.target() };
    let mut request = Request::post(target).body(Full::<Bytes>::from(message.to_string())).map_err(broken)?;
    *request.headers_mut() = headers(address, talk, message);
    let response = sender.send_request(request).await.map_err(broken)?;
    let (head, body) = response.into_parts();
    if let Some(session) = head.headers.get(SESSION) {
        lock(talk).session = Some(session.clone());
    }
    let media_type = head.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if head.status.is_success() && media_type.starts_with("text/event-stream") {
        return stream(talk, message, body).await;
    }
    let body = Limited::new(body, MAX_MESSAGE).collect().await.map_err(FetchError::Http)?.to_bytes();
    match serde_json::from_slice::<Value>(&body) {
        Ok(mut answer) if answer.get("jsonrpc").is_some() => {
            // An answer that names nobody is this request's all the same.
            if let (Some(id), Some(Value::Null)) = (message.get("id"), answer.get("id")) {
                answer["id"] = id.clone();
            }
            told(talk, message, &answer);
        }
        _ if head.status.is_success() => {}
        _ => return Err(broken(format!("{}: {}", head.status, String::from_utf8_lossy(&body).chars().take(500).collect::<String>()))),
    }
    Ok(())
}

/// What the protocol says in headers too: of the message, and of the conversation.
fn headers(address: &Address, talk: &Mutex<Talk>, message: &Value) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(USER_AGENT, HeaderValue::from_static(concat!("djo-host/", env!("CARGO_PKG_VERSION"))));
    let params = &message["params"];
    let talk = lock(talk);
    let version = value(&params["_meta"]["io.modelcontextprotocol/protocolVersion"]).or_else(|| talk.version.clone());
    let all = [
        (HOST, HeaderValue::from_str(address.authority()).ok()),
        (SESSION, talk.session.clone()),
        (VERSION, version),
        (METHOD, value(&message["method"])),
        (NAME, value(&params["name"]).or_else(|| value(&params["uri"]))),
    ];
    headers.extend(all.into_iter().filter_map(|(name, value)| Some((name, value?))));
    headers
}

/// A text as the value of a header: in base64 where it could not stand there as it is.
fn value(text: &Value) -> Option<HeaderValue> {
    let text = text.as_str()?;
    let is_plain = text.trim() == text && text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !text.starts_with("=?base64?");
    let encoded = if is_plain { text.to_owned() } else { format!("=?base64?{}?=", STANDARD.encode(text)) };
    HeaderValue::from_str(&encoded).ok()
}

/// The events of a stream, each a message.
async fn stream(talk: &Mutex<Talk>, message: &Value, mut body: Incoming) -> Result<(), FetchError> {
    let mut events = Events::default();
    while let Some(frame) = body.frame().await {
        let data = frame.map_err(broken)?.into_data().unwrap_or_default();
        for event in events.push(&data).ok_or_else(|| broken("the message is too long"))? {
            if let Ok(answer) = serde_json::from_str(&event) {
                told(talk, message, &answer);
            }
        }
    }
    Ok(())
}

/// The data of server-sent events, out of bytes as they come.
#[derive(Default)]
struct Events {
    line: Vec<u8>,
    data: String,
}

impl Events {
    /// Events that end here; `None` when one is too long.
    fn push(&mut self, bytes: &[u8]) -> Option<Vec<String>> {
        let mut ended = Vec::new();
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            self.line.extend_from_slice(part);
            if self.line.len() + self.data.len() > MAX_MESSAGE {
                return None;
            }
            if self.line.last() != Some(&b'\n') {
                break;
            }
            let line = String::from_utf8_lossy(&self.line);
            let line = line.trim_end_matches(['\n', '\r']);
            if line.is_empty() {
                ended.extend(Some(std::mem::take(&mut self.data)).filter(|data| !data.is_empty()));
            } else if let Some(data) = line.strip_prefix("data:") {
                self.data.push_str(data.strip_prefix(' ').unwrap_or(data));
                self.data.push('\n');
            }
            self.line.clear();
        }
        Some(ended)
    }
}

/// Passes a message on, and learns from it.
fn told(talk: &Mutex<Talk>, asked: &Value, answer: &Value) {
    if asked["method"] == "initialize"
        && let Some(version) = answer["result"]["protocolVersion"].as_str()
    {
        lock(talk).version = HeaderValue::from_str(version).ok();
    }
    say(answer);
}

/// Writes a message as one line. Whoever has closed the output has heard enough.
fn say(message: &Value) {
    let mut output = std::io::stdout().lock();
    let _ = writeln!(output, "{message}");
    let _ = output.flush();
}

fn broken(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> FetchError {
    FetchError::Http(error.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_whole_however_they_come() {
        let stream = b": alive\n\ndata: {\"a\":1}\r\n\r\nid: 2\ndata:{\ndata: }\n\ndata: x";
        for size in [1, 3, stream.len()] {
            let mut events = Events::default();
            let all: Vec<String> = stream.chunks(size).flat_map(|chunk| events.push(chunk).unwrap_or_default()).collect();
            assert_eq!(all, ["{\"a\":1}\n", "{\n}\n"], "{size}");
        }
    }

    #[test]
    fn names_that_no_header_holds_are_encoded() {
        assert_eq!(value(&json!("buscar")), HeaderValue::from_str("buscar").ok());
        assert_eq!(value(&json!("olá")), HeaderValue::from_str("=?base64?b2zDoQ==?=").ok());
        assert_eq!(value(&json!(" a")), HeaderValue::from_str("=?base64?IGE=?=").ok());
        assert_eq!(value(&Value::Null), None);
    }
}
