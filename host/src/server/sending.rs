//! The body of an answer on its way to a client: in pieces where several share a connection, and broken off where the client has left.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::OwnedSemaphorePermit;

use super::streams;
use super::wire::{Departure, Peer};
use crate::respond::Body;

/// How much a stream of HTTP/2 is handed at once: with what it was handed it leaves only a frame behind when it is let go.
const PIECE: usize = 16 << 10;

/// An answer's body, and what it is sent over.
pub(super) struct Sending {
    body: Body,
    over: Over,
}

enum Over {
    Http1 {
        peer: Peer,
        departure: Departure,
    },
    Http2 {
        /// What came in one piece and was not handed on yet.
        rest: Bytes,
        /// Held until all is handed on: long answers at hand are the memory that a connection holds.
        _room: Option<OwnedSemaphorePermit>,
    },
}

impl Sending {
    /// Over HTTP/1, to a peer whose departure may have been waited for already.
    pub(super) fn alone(body: Body, peer: Peer, departure: Departure) -> Self {
        Self { body, over: Over::Http1 { peer, departure } }
    }

    /// Over HTTP/2, beside others.
    pub(super) fn beside(body: Body, room: Option<OwnedSemaphorePermit>) -> Self {
        let room = room.filter(|_| body.bytes().is_some_and(|bytes| bytes.len() > PIECE));
        Self { body, over: Over::Http2 { rest: Bytes::new(), _room: room } }
    }
}

/// The next piece of a body that comes in pieces of any length.
fn poll_piece(body: &mut Body, rest: &mut Bytes, task: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
    if rest.is_empty() {
        match ready!(Pin::new(body).poll_frame(task)) {
            Some(Ok(frame)) => match frame.into_data() {
                Ok(data) if data.len() <= PIECE => return Poll::Ready(Some(Ok(Frame::data(data)))),
                Ok(data) => *rest = data,
                Err(other) => return Poll::Ready(Some(Ok(other))),
            },
            end => return Poll::Ready(end),
        }
    }
    let piece = if rest.len() > PIECE {
        rest.split_to(PIECE)
    } else {
        // The last one may wait in its stream for long, and must not hold all that came before it.
        Bytes::copy_from_slice(&std::mem::take(rest))
    };
    Poll::Ready(Some(Ok(Frame::data(piece))))
}

impl HttpBody for Sending {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, task: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        let Self { body, over } = &mut *self;
        match over {
            Over::Http1 { peer, departure } => match Pin::new(body).poll_frame(task) {
                Poll::Pending => departure.poll(peer, task).map(|()| Some(Err(io::ErrorKind::ConnectionAborted.into()))),
                ready => ready,
            },
            Over::Http2 { rest, .. } => {
                let piece = poll_piece(body, rest, task);
                streams::handed(matches!(piece, Poll::Ready(Some(_))));
                piece
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        let all_handed_on = match &self.over {
            Over::Http1 { .. } => true,
            Over::Http2 { rest, .. } => rest.is_empty(),
        };
        all_handed_on && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        // It is asked for before anything is handed on.
        self.body.size_hint()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test]
    async fn an_answer_is_handed_on_in_pieces_and_whole() {
        for size in [0, 1, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, 100_000] {
            let content: Vec<u8> = (0..size).map(|place| (place % 251) as u8).collect();
            let mut sending = Sending::beside(Body::from(content.clone()), None);
            assert_eq!(sending.size_hint().exact(), Some(size as u64));
            let mut all = Vec::new();
            while !sending.is_end_stream() {
                let piece = sending.frame().await.unwrap().unwrap().into_data().unwrap();
                assert!(piece.len() <= PIECE && !piece.is_empty());
                all.extend_from_slice(&piece);
            }
            assert!(all == content, "{size} bytes");
            assert!(sending.frame().await.is_none());
        }
    }
}
