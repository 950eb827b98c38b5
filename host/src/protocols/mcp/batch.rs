//! Several messages in one body, as revision 2025-03-26 has them and no other: each is answered as if it had come alone, in their order.

use std::sync::Arc;

use bytes::Bytes;
use djo_contract::json;
use djo_contract::value::Value;
use http::header::{AUTHORIZATION, CONTENT_TYPE, SET_COOKIE, WWW_AUTHENTICATE};
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use http_body_util::BodyExt as _;

use super::INVALID_REQUEST;
use super::message::Unreadable;
use crate::memory::{Held, SiteMemory};
use crate::respond::Body;

/// The revision that has batches. A request that names none is of it.
const REVISION: &str = "2025-03-26";
/// Messages of one batch, as many as `/agent/execute` takes calls.
const MOST: usize = 32;

/// The messages of a body that is a batch; `None` of any other body, and of one by a revision without batches.
pub(super) fn messages(headers: &HeaderMap, body: &[u8]) -> Option<Result<Vec<Bytes>, Unreadable>> {
    if headers.get("mcp-protocol-version").is_some_and(|revision| revision != REVISION) || body.trim_ascii_start().first() != Some(&b'[') {
        return None;
    }
    // What is no JSON is so by whoever reads one message.
    let Ok(Value::Arr(messages)) = json::parse(body) else { return None };
    let refused = |reason: &str| Some(Err(Unreadable { code: INVALID_REQUEST, reason: reason.to_owned(), id: Value::Nil }));
    if messages.is_empty() || messages.len() > MOST {
        return refused("um lote tem de 1 a 32 mensagens");
    }
    if messages.iter().any(|message| message.get("method").and_then(Value::as_str) == Some("initialize")) {
        return refused("initialize não vem num lote");
    }
    let exact = |message: &Value| {
        let mut text = String::new();
        json::write_exact(message, &mut text);
        Bytes::from(text)
    };
    Some(Ok(messages.iter().map(exact).collect()))
}

/// The answers to a batch.
#[derive(Default)]
pub(super) struct Answers {
    texts: Vec<String>,
    headers: HeaderMap,
    length: usize,
    held: Held,
}

impl Answers {
    /// Takes in the answer to one message. Of a stream it is the message that ends it. Where the site may have no more in memory, the message
    /// is answered that it is busy.
    pub(super) async fn add(&mut self, response: Response<Body>, memory: &Arc<SiteMemory>, busy: impl FnOnce() -> String) {
        let (head, body) = response.into_parts();
        for name in [SET_COOKIE, AUTHORIZATION, WWW_AUTHENTICATE] {
            head.headers.get_all(&name).iter().for_each(|value| _ = self.headers.append(name.clone(), value.clone()));
        }
        // One that broke has nothing to say.
        let body = body.collect().await.map(|body| body.to_bytes()).unwrap_or_default();
        if self.held.cover(memory, self.length + body.len()).is_err() {
            return self.texts.push(busy());
        }
        self.length += body.len();
        let text = String::from_utf8_lossy(&body);
        let is_stream = head.headers.get(CONTENT_TYPE).is_some_and(|value| value.as_bytes().starts_with(b"text/event-stream"));
        if is_stream {
            self.texts.extend(
                text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).filter(|data| is_answer(data)).map(str::to_owned),
            );
        } else if !text.is_empty() {
            self.texts.push(text.into_owned());
        }
    }

    /// All of them; nothing where nothing was asked.
    pub(super) fn response(self) -> Response<Body> {
        let Self { texts, headers, .. } = self;
        let mut response = Response::new(if texts.is_empty() { Body::empty() } else { Body::from(format!("[{}]", texts.join(","))) });
        *response.headers_mut() = headers;
        if texts.is_empty() {
            *response.status_mut() = StatusCode::ACCEPTED;
        } else {
            response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        }
        response
    }
}

/// A result or an error, and no report on the way there.
fn is_answer(data: &str) -> bool {
    json::parse_with(data.as_bytes(), json::RESULT).is_ok_and(|message| message.get("id").is_some() && message.get("method").is_none())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::memory::Memory;

    fn read(revision: Option<&'static str>, body: &str) -> Option<Result<usize, String>> {
        let headers = revision.map(|revision| ("mcp-protocol-version".parse().unwrap(), HeaderValue::from_static(revision)));
        let found = messages(&headers.into_iter().collect(), body.as_bytes());
        found.map(|found| found.map(|messages| messages.len()).map_err(|refused| refused.reason))
    }

    #[test]
    fn only_one_revision_has_batches() {
        let two = r#" [{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/initialized"}]"#;
        assert_eq!((read(None, two), read(Some(REVISION), two)), (Some(Ok(2)), Some(Ok(2))));
        assert_eq!((read(Some("2025-06-18"), two), read(Some("2025-11-25"), two)), (None, None));
        assert_eq!((read(None, "{}"), read(None, "[{]"), read(None, "")), (None, None, None));
    }

    #[test]
    fn a_batch_is_bounded_and_begins_nothing() {
        for refused in ["[]".to_owned(), format!("[{}1]", "1,".repeat(MOST)), r#"[{"method":"initialize"}]"#.to_owned()] {
            assert!(matches!(read(None, &refused), Some(Err(_))), "{refused}");
        }
    }

    #[tokio::test]
    async fn of_a_stream_the_end_is_the_answer() {
        let memory = Memory::of(1 << 20).share();
        let busy = || "ocupado".to_owned();
        let mut answers = Answers::default();
        answers.add(Response::new(Body::from(r#"{"id":1,"result":{}}"#.to_owned())), &memory, busy).await;
        answers.add(Response::new(Body::empty()), &memory, busy).await;
        let frames = "data: \n\ndata: {\"method\":\"notifications/progress\"}\n\nid: 1\ndata: {\"id\":2,\"error\":{}}\n\n";
        let mut stream = Response::new(Body::from(frames.to_owned()));
        stream.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        answers.add(stream, &memory, busy).await;
        answers.add(Response::new(Body::from("x".repeat(1 << 20))), &memory, busy).await;
        let body = answers.response().into_body().collect().await.unwrap().to_bytes();
        assert_eq!(body, r#"[{"id":1,"result":{}},{"id":2,"error":{}},ocupado]"#);
        assert_eq!(Answers::default().response().status(), StatusCode::ACCEPTED);
    }
}
