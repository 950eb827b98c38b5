//! Reading a request body within its cap, handing one on as it comes, and letting go of one that was refused.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body, Frame};
use tokio::time::Instant;

use super::inbound::{BrokenOff, Inbound};
use crate::memory::{Held, SiteMemory};
use crate::sandbox::BodyFault;

/// How long a body may take, and a second more for each so many bytes: who sends steadily is never cut off, who stalls is.
const PATIENCE: Duration = Duration::from_secs(20);
const SLOWEST: usize = 16 << 10;

/// What is still read of a body after its request was refused.
const DRAIN_BYTES: usize = 2 << 20;
/// For how long.
const DRAIN_TIME: Duration = Duration::from_secs(1);

/// Why a body could not be read.
#[derive(Debug, thiserror::Error)]
pub enum BodyError {
    /// It is larger than the site takes.
    #[error("the body is over {0} bytes")]
    TooLarge(usize),
    /// It comes too slowly.
    #[error("the body comes too slowly")]
    TooSlow,
    /// Its site has too much in memory already.
    #[error("there is no room for the body")]
    NoRoom,
    /// The client stopped sending, or sent what is no body.
    #[error("the body broke off: {0}")]
    Broken(BrokenOff),
}

/// Reads a whole body of at most `most` bytes, in the memory of the site that it is for; what it takes of that is to be held for as long as
/// what is made of the body. Refused, the rest of it is [drained](drain).
///
/// # Errors
/// [`BodyError`]
pub async fn read(mut body: Inbound, most: usize, memory: &Arc<SiteMemory>) -> Result<(Bytes, Held), BodyError> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > most {
        drain(body);
        return Err(BodyError::TooLarge(most));
    }
    let mut first = Bytes::new();
    let (mut rest, mut held) = (BytesMut::new(), Held::default());
    let started = Instant::now();
    loop {
        let received = first.len() + rest.len();
        let deadline = started + PATIENCE + Duration::from_secs((received / SLOWEST) as u64);
        let frame = tokio::time::timeout_at(deadline, body.frame()).await.map_err(|_| BodyError::TooSlow)?;
        let Some(frame) = frame else { break };
        let Ok(data) = frame.map_err(BodyError::Broken)?.into_data() else { continue };
        let length = first.len() + rest.len() + data.len();
        if length > most {
            drain(body);
            return Err(BodyError::TooLarge(most));
        }
        if held.cover(memory, length).is_err() {
            drain(body);
            return Err(BodyError::NoRoom);
        }
        // Most bodies come in one piece, which is then not copied.
        if first.is_empty() && rest.is_empty() {
            first = data;
        } else {
            if rest.is_empty() {
                rest.extend_from_slice(&std::mem::take(&mut first));
            }
            rest.extend_from_slice(&data);
        }
    }
    Ok((if rest.is_empty() { first } else { rest.freeze() }, held))
}

/// A body that a plain application reads as it comes.
pub struct AppBody {
    body: Option<Inbound>,
    left: usize,
    most: usize,
    over: Arc<AtomicBool>,
}

/// A body of at most `most` bytes, as it comes. One that announces more is refused and [drained](drain).
///
/// # Errors
/// [`BodyError::TooLarge`]
pub fn capped(body: Option<Inbound>, most: usize) -> Result<AppBody, BodyError> {
    match body {
        Some(body) if usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX) > most => {
            drain(body);
            Err(BodyError::TooLarge(most))
        }
        body => Ok(AppBody { body, left: most, most, over: Arc::default() }),
    }
}

impl AppBody {
    /// Tells, now and later, whether more came than may.
    pub fn over(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.over)
    }
}

impl Body for AppBody {
    type Data = Bytes;
    type Error = BodyFault;

    fn poll_frame(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BodyFault>>> {
        let Some(body) = &mut self.body else { return Poll::Ready(None) };
        let data = match ready!(Pin::new(body).poll_frame(context)) {
            None => return Poll::Ready(None),
            Some(Err(_)) => return Poll::Ready(Some(Err(BodyFault::Broken))),
            Some(Ok(frame)) => frame.into_data(),
        };
        // Trailers are the last frame, and no site is given them.
        let Ok(data) = data else { return Poll::Ready(None) };
        match self.left.checked_sub(data.len()) {
            Some(left) => {
                self.left = left;
                Poll::Ready(Some(Ok(Frame::data(data))))
            }
            None => {
                self.over.store(true, Ordering::Relaxed);
                if let Some(body) = self.body.take() {
                    drain(body);
                }
                Poll::Ready(Some(Err(BodyFault::TooLarge(self.most as u64))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.as_ref().is_none_or(Inbound::is_end_stream)
    }
}

/// Reads on for a moment and throws away, so that a client which is still sending sees the answer instead of a reset.
/// The response must say `Connection: close`.
pub fn drain(mut body: Inbound) {
    if body.is_end_stream() {
        return;
    }
    tokio::spawn(tokio::time::timeout(DRAIN_TIME, async move {
        let mut seen = 0;
        while let Some(Ok(frame)) = body.frame().await {
            seen += frame.data_ref().map_or(0, Bytes::len);
            if seen > DRAIN_BYTES {
                break;
            }
        }
    }));
}
