//! Executions as server-sent events. What a slow client does not take waits in the execution's own bounded log, not here.

use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::header::{CACHE_CONTROL, CONTENT_TYPE};
use http::{HeaderValue, Response};
use tokio::sync::mpsc;

use crate::respond::Body;
use crate::tools::{CancelOnDrop, Event, Execution};

/// A stream without events says that it lives.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// Frames on their way.
const FRAMES: usize = 8;

/// The body of a stream.
pub struct EventStream {
    frames: mpsc::Receiver<Bytes>,
    _guard: Option<CancelOnDrop>,
}

impl EventStream {
    /// The next frame; `None` at the end.
    pub fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<Bytes>> {
        self.frames.poll_recv(cx)
    }
}

/// The events of an execution from one on. The stream of who `owns` it ends it with its connection.
pub(super) fn streamed(execution: Arc<Execution>, from: usize, owns: bool) -> Response<Body> {
    let (sender, frames) = mpsc::channel(FRAMES);
    let guard = owns.then(|| CancelOnDrop(Arc::clone(&execution)));
    tokio::spawn(pump(execution, from, sender, KEEP_ALIVE));
    let mut response = Response::new(Body::Events(Box::new(EventStream { frames, _guard: guard })));
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    response
}

fn frame(execution: &Execution, number: usize, event: &Event) -> Bytes {
    let id = execution.told_as();
    let (name, data) = (event.name(), event.data(id, &execution.tool));
    format!("id: {id}:{number}\nevent: {name}\ndata: {data}\n\n").into()
}

/// Sends what happens until the end, or until nobody listens; a comment wherever nothing has happened for so long.
async fn pump(execution: Arc<Execution>, from: usize, sender: mpsc::Sender<Bytes>, silence: Duration) {
    let mut next = from;
    loop {
        let (events, ended) = execution.events(next);
        for event in events {
            if sender.send(frame(&execution, next, &event)).await.is_err() {
                return;
            }
            next += 1;
        }
        if ended {
            return;
        }
        tokio::select! {
            () = execution.more_than(next) => {}
            () = tokio::time::sleep(silence) => {
                if sender.send(Bytes::from_static(b": \n\n")).await.is_err() {
                    return;
                }
            }
            () = sender.closed() => return,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::execution::Caller;

    #[tokio::test]
    async fn a_silent_stream_says_that_it_lives_until_its_client_leaves() {
        let context = crate::sandbox::Context {
            headers: Arc::default(),
            client: std::net::Ipv4Addr::LOCALHOST.into(),
            secure: false,
            request_id: "r".into(),
            progress: None,
        };
        let execution = Execution::new("t", Caller::of(&context));
        let (sender, mut frames) = mpsc::channel(FRAMES);
        let running = tokio::spawn(pump(Arc::clone(&execution), 0, sender, Duration::from_millis(5)));
        for _ in 0..3 {
            // A comment of the event stream format: what reads the stream takes no notice of it.
            assert_eq!(frames.recv().await.as_deref(), Some(&b": \n\n"[..]));
        }
        drop(frames);
        assert!(running.await.is_ok(), "it ends with its client");
        assert_eq!(KEEP_ALIVE, Duration::from_secs(15), "as the specification has it");
    }
}
