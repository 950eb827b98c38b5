//! The body of a request: from the wire, or from a program that has the host inside.

use std::error::Error;
use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::combinators::UnsyncBoxBody;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use sync_wrapper::SyncWrapper;

/// Why no more of a body comes.
pub(super) type BrokenOff = Box<dyn Error + Send + Sync>;

/// A request's body.
pub enum Inbound {
    /// From a connection of ours.
    Wire(Incoming),
    /// From the program around us.
    Embedded(Embedded),
}

/// A body of any kind. Such bodies may not be shared between threads: what is asked of one by reference is kept beside it.
pub struct Embedded {
    body: SyncWrapper<UnsyncBoxBody<Bytes, BrokenOff>>,
    ended: bool,
    hint: SizeHint,
}

impl From<Incoming> for Inbound {
    fn from(body: Incoming) -> Self {
        Self::Wire(body)
    }
}

impl Inbound {
    /// A body that another server read.
    pub fn embedded(body: UnsyncBoxBody<Bytes, BrokenOff>) -> Self {
        let (ended, hint) = (body.is_end_stream(), body.size_hint());
        Self::Embedded(Embedded { body: SyncWrapper::new(body), ended, hint })
    }
}

impl Body for Inbound {
    type Data = Bytes;
    type Error = BrokenOff;

    fn poll_frame(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, BrokenOff>>> {
        match self.get_mut() {
            Self::Wire(body) => Pin::new(body).poll_frame(context).map_err(Into::into),
            Self::Embedded(Embedded { body, ended, hint }) => {
                let body = body.get_mut();
                let frame = Pin::new(&mut *body).poll_frame(context);
                (*ended, *hint) = (body.is_end_stream(), body.size_hint());
                frame
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Wire(body) => body.is_end_stream(),
            Self::Embedded(body) => body.ended,
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Wire(body) => body.size_hint(),
            Self::Embedded(body) => body.hint,
        }
    }
}
