//! The body of a response: bytes at hand, a file's, or what an application says as it says it.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body as HttpBody, Frame, SizeHint};
use http_body_util::combinators::BoxBody;
use tokio::fs::File;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf, Take};

use crate::memory::{Held, SiteMemory};
use crate::protocols::carmy::EventStream;
use crate::sandbox::GuestBody;
use crate::site::assets::AssetBody;

/// How much of a file is read at once.
const CHUNK: usize = 64 << 10;

/// A response body.
pub enum Body {
    /// Bytes at hand; `None` once they are sent, or when there are none.
    Full(Option<Bytes>),
    /// So many bytes of a file, from where it stands.
    File(Box<Take<File>>),
    /// A plain application's.
    Guest(Box<GuestBody>),
    /// Events, as they happen.
    Events(Box<EventStream>),
    /// What the library of a protocol says.
    Foreign(Box<BoxBody<Bytes, Infallible>>),
}

impl Body {
    /// No body.
    pub const fn empty() -> Self {
        Self::Full(None)
    }

    /// The body of a static file's answer.
    pub fn of_asset(body: AssetBody) -> Self {
        match body {
            AssetBody::Bytes(bytes) => bytes.into(),
            AssetBody::File(file, length) => Self::File(Box::new(File::from_std(file).take(length))),
        }
    }

    /// Counts the bytes at hand as the site's for as long as they are being sent: a client may take its time. What others have too, as files
    /// that are kept, takes nothing more.
    pub fn hold(&mut self, memory: &Arc<SiteMemory>) {
        if let Self::Full(Some(bytes)) = self
            && bytes.is_unique()
        {
            let held = Held::owed(memory, bytes.len());
            if !held.is_none() {
                *bytes = Bytes::from_owner(HeldBytes { bytes: std::mem::take(bytes), _held: held });
            }
        }
    }

    /// Its length, where it is known.
    pub fn len(&self) -> Option<u64> {
        match self {
            Self::Full(bytes) => Some(bytes.as_ref().map_or(0, |bytes| bytes.len() as u64)),
            Self::File(file) => Some(file.limit()),
            Self::Guest(body) => body.announced(),
            Self::Events(_) => None,
            Self::Foreign(body) => body.size_hint().exact(),
        }
    }

    /// Its bytes, where they are at hand.
    pub fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Full(bytes) => Some(bytes.as_deref().unwrap_or_default()),
            Self::File(_) | Self::Guest(_) | Self::Events(_) | Self::Foreign(_) => None,
        }
    }

    /// Whether nothing will be sent.
    pub fn is_empty(&self) -> bool {
        self.len() == Some(0)
    }
}

/// Bytes with the memory that is held for them.
struct HeldBytes {
    bytes: Bytes,
    _held: Held,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl From<GuestBody> for Body {
    fn from(body: GuestBody) -> Self {
        Self::Guest(Box::new(body))
    }
}

impl<T: Into<Bytes>> From<T> for Body {
    fn from(bytes: T) -> Self {
        let bytes = bytes.into();
        Self::Full((!bytes.is_empty()).then_some(bytes))
    }
}

impl HttpBody for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        match &mut *self {
            Self::Guest(body) => Pin::new(&mut **body).poll_frame(cx),
            Self::Foreign(body) => Pin::new(&mut **body).poll_frame(cx).map_err(|never| match never {}),
            Self::Events(events) => events.poll(cx).map(|frame| frame.map(|bytes| Ok(Frame::data(bytes)))),
            Self::Full(bytes) => Poll::Ready(bytes.take().map(|bytes| Ok(Frame::data(bytes)))),
            Self::File(file) => {
                let left = usize::try_from(file.limit()).unwrap_or(CHUNK).min(CHUNK);
                if left == 0 {
                    return Poll::Ready(None);
                }
                let mut chunk = vec![0; left];
                let mut buffer = ReadBuf::new(&mut chunk);
                ready!(Pin::new(&mut **file).poll_read(cx, &mut buffer))?;
                let read = buffer.filled().len();
                if read == 0 {
                    // The file shrank: the promised length cannot be kept, and the client must see it.
                    return Poll::Ready(Some(Err(io::ErrorKind::UnexpectedEof.into())));
                }
                chunk.truncate(read);
                Poll::Ready(Some(Ok(Frame::data(chunk.into()))))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        // An application's has to be read to its end, however short: only there is it known to be whole.
        !matches!(self, Self::Guest(_)) && self.is_empty()
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Guest(body) => body.size_hint(),
            Self::Full(_) | Self::File(_) | Self::Events(_) | Self::Foreign(_) => {
                self.len().map_or_else(SizeHint::default, SizeHint::with_exact)
            }
        }
    }
}
