//! The requests of an HTTP/2 connection: each in a task of its own, which ends when its client takes nothing of the answer.
//!
//! A client opens a window for each stream. One that stays shut holds up neither the socket nor the other streams, so that only the
//! stream itself can tell: it was handed a piece of the answer and comes back for the next one when there is room for it.

use std::cell::Cell;
use std::future::poll_fn;
use std::pin::{Pin, pin};
use std::task::Poll;
use std::time::Duration;

use hyper::rt::Executor;
use tokio::time::{Instant, Sleep, sleep};

tokio::task_local! {
    static HANDED: Cell<Handed>;
}

/// What the stream of this task was handed of its answer.
#[derive(Clone, Copy, Default)]
struct Handed {
    pieces: u32,
    /// The next piece is there for the asking: whoever does not ask waits for the client.
    waits_for_client: bool,
}

/// A piece was handed to the stream of this task, or, with `false`, the answer has no more for now.
pub(super) fn handed(piece: bool) {
    // Of HTTP/1 there is no such task.
    let _ = HANDED.try_with(|handed| {
        let pieces = handed.get().pieces.wrapping_add(u32::from(piece));
        handed.set(Handed { pieces, waits_for_client: piece });
    });
}

/// Runs the streams of a connection.
#[derive(Clone, Copy, Debug)]
pub(super) struct Streams {
    /// How long a client may take nothing of an answer.
    pub(super) patience: Duration,
}

impl<F: Future<Output = ()> + Send + 'static> Executor<F> for Streams {
    fn execute(&self, stream: F) {
        tokio::spawn(HANDED.scope(Cell::default(), conduct(stream, self.patience)));
    }
}

/// Conducts a stream to its end, or resets it by letting go of it.
async fn conduct(stream: impl Future<Output = ()>, patience: Duration) {
    let mut stream = pin!(stream);
    // What was handed by the last time that anyone looked; most streams end before anyone does.
    let mut look: Option<(u32, Pin<Box<Sleep>>)> = None;
    poll_fn(|task| {
        if stream.as_mut().poll(task).is_ready() {
            return Poll::Ready(());
        }
        let Handed { pieces, waits_for_client } = HANDED.with(Cell::get);
        if !waits_for_client {
            look = None;
            return Poll::Pending;
        }
        let (seen, next) = look.get_or_insert_with(|| (pieces, Box::pin(sleep(patience))));
        while next.as_mut().poll(task).is_ready() {
            if *seen == pieces {
                tracing::debug!("a client takes nothing of its answer");
                return Poll::Ready(());
            }
            *seen = pieces;
            next.as_mut().reset(Instant::now() + patience);
        }
        Poll::Pending
    })
    .await;
}

#[cfg(test)]
mod tests {
    use super::*;

    const PATIENCE: Duration = Duration::from_millis(200);

    /// How long a stream lives that does `what` and is then never ready.
    async fn lives(what: impl Future<Output = ()>) -> Option<Duration> {
        let started = Instant::now();
        let stream = async {
            what.await;
            std::future::pending().await
        };
        let ended = tokio::time::timeout(20 * PATIENCE, HANDED.scope(Cell::default(), conduct(stream, PATIENCE))).await;
        ended.is_ok().then(|| started.elapsed())
    }

    #[tokio::test]
    async fn only_who_waits_for_a_client_is_let_go() {
        assert_eq!(lives(async {}).await, None, "its answer is not there yet");
        assert_eq!(lives(async { handed(false) }).await, None, "the answer has no more for now");
        let lived = lives(async { handed(true) }).await;
        assert!(lived.is_some(), "{lived:?}");
    }

    #[tokio::test]
    async fn a_slow_client_that_goes_on_taking_is_kept() {
        let lived = lives(async {
            for _ in 0..20 {
                handed(true);
                sleep(PATIENCE / 2).await;
            }
        });
        let lived = lived.await;
        assert!(lived.is_some_and(|lived| lived >= 10 * PATIENCE), "{lived:?}");
    }
}
