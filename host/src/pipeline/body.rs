//! Reading a request body within its cap, and letting go of one that was refused.

use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http_body_util::BodyExt;
use hyper::body::{Body as _, Incoming};
use tokio::time::Instant;

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
    /// The client stopped sending, or sent what is no body.
    #[error("the body broke off: {0}")]
    Broken(#[from] hyper::Error),
}

/// Reads a whole body of at most `most` bytes. Refused, the rest of it is [drained](drain).
///
/// # Errors
/// [`BodyError`]
pub async fn read(mut body: Incoming, most: usize) -> Result<Bytes, BodyError> {
    let announced = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
    if announced > most {
        drain(body);
        return Err(BodyError::TooLarge(most));
    }
    let mut first = Bytes::new();
    let mut rest = BytesMut::new();
    let started = Instant::now();
    loop {
        let received = first.len() + rest.len();
        let deadline = started + PATIENCE + Duration::from_secs((received / SLOWEST) as u64);
        let frame = tokio::time::timeout_at(deadline, body.frame()).await.map_err(|_| BodyError::TooSlow)?;
        let Some(frame) = frame else { break };
        let Ok(data) = frame?.into_data() else { continue };
        if first.len() + rest.len() + data.len() > most {
            drain(body);
            return Err(BodyError::TooLarge(most));
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
    Ok(if rest.is_empty() { first } else { rest.freeze() })
}

/// Reads on for a moment and throws away, so that a client which is still sending sees the answer instead of a reset.
/// The response must say `Connection: close`.
pub fn drain(mut body: Incoming) {
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
