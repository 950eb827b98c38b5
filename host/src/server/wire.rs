//! A connection's socket, and whether its peer has left: that can be asked while nobody reads.
//!
//! HTTP/1 looks for the end of a connection only where it has nothing else to read. A byte behind a request, or a body that nobody
//! reads, would hide from it that there is no client any more, and the run would go on for nobody.

use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, Interest, ReadBuf};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// How often a connection is looked at for its end while something lies there unread.
const GLANCE: Duration = Duration::from_millis(50);

/// A socket. It is read as any other; its other half is shared with whoever asks for the peer.
pub(super) struct Wire {
    read: OwnedReadHalf,
    /// `None` once it is shut down.
    write: Option<Arc<OwnedWriteHalf>>,
}

/// Who is at the other end of a [`Wire`]; of nobody's connection, it never leaves.
#[derive(Clone, Default)]
pub(super) struct Peer(Weak<OwnedWriteHalf>);

/// Waits for a peer to leave, from the first time that it is asked about: most requests are answered before.
#[derive(Default)]
pub(super) struct Departure(Option<Pin<Box<dyn Future<Output = ()> + Send>>>);

impl Wire {
    pub(super) fn new(stream: TcpStream) -> Self {
        let (read, write) = stream.into_split();
        Self { read, write: Some(Arc::new(write)) }
    }

    pub(super) fn peer(&self) -> Peer {
        Peer(self.write.as_ref().map(Arc::downgrade).unwrap_or_default())
    }

    fn poll_write_with(&self, task: &mut Context<'_>, write: impl Fn(&TcpStream) -> io::Result<usize>) -> Poll<io::Result<usize>> {
        let Some(half) = &self.write else { return Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())) };
        let stream: &TcpStream = (**half).as_ref();
        loop {
            ready!(stream.poll_write_ready(task))?;
            match write(stream) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                written => return Poll::Ready(written),
            }
        }
    }
}

impl AsyncRead for Wire {
    fn poll_read(mut self: Pin<&mut Self>, task: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.read).poll_read(task, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.poll_write_with(task, |stream| stream.try_write(bytes))
    }

    fn poll_write_vectored(self: Pin<&mut Self>, task: &mut Context<'_>, bytes: &[IoSlice<'_>]) -> Poll<io::Result<usize>> {
        self.poll_write_with(task, |stream| stream.try_write_vectored(bytes))
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        // Its end is the half's own way to shut down. No request is under way that would share it.
        self.write = None;
        Poll::Ready(Ok(()))
    }
}

impl Departure {
    /// Ready once the peer has left, or says that it will send no more: to HTTP/1 that is the same.
    pub(super) fn poll(&mut self, peer: &Peer, task: &mut Context<'_>) -> Poll<()> {
        self.0.get_or_insert_with(|| Box::pin(departed(peer.clone()))).as_mut().poll(task)
    }
}

async fn departed(peer: Peer) {
    let Some(half) = peer.0.upgrade() else { return std::future::pending().await };
    // Something unread keeps a socket readable for as long as it lies there; only what else is known of it can change.
    while half.ready(Interest::READABLE).await.is_ok_and(|ready| !ready.is_read_closed()) {
        tokio::time::sleep(GLANCE).await;
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::future::poll_fn;

    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;
    use tokio::time::timeout;

    use super::*;

    async fn pair() -> (Wire, TcpStream) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let (ours, theirs) = tokio::join!(listener.accept(), TcpStream::connect(listener.local_addr().unwrap()));
        (Wire::new(ours.unwrap().0), theirs.unwrap())
    }

    #[tokio::test]
    async fn who_leaves_is_missed_whatever_lies_unread() {
        for unread in [&b""[..], b"x", &[0; 60_000]] {
            let (wire, mut client) = pair().await;
            client.write_all(unread).await.unwrap();
            let (peer, mut departure) = (wire.peer(), Departure::default());
            let mut left = poll_fn(|task| departure.poll(&peer, task));
            assert!(timeout(4 * GLANCE, &mut left).await.is_err(), "it is still there");
            drop(client);
            assert!(timeout(Duration::from_secs(5), left).await.is_ok(), "{} bytes hide it", unread.len());
        }
    }

    #[tokio::test]
    async fn bytes_pass_as_through_any_socket() {
        let (mut wire, mut client) = pair().await;
        let sent: Vec<u8> = (0..3_000_000_u32).map(|place| (place % 251) as u8).collect();
        let mut received = Vec::new();
        let (written, _) = tokio::join!(
            async {
                wire.write_all(&sent).await.unwrap();
                wire.shutdown().await.unwrap();
                wire.write(b"x").await
            },
            async { client.read_to_end(&mut received).await.unwrap() }
        );
        assert!(written.is_err() && received == sent);
        client.write_all(b"djo").await.unwrap();
        drop(client);
        let mut answer = Vec::new();
        wire.read_to_end(&mut answer).await.unwrap();
        assert_eq!(answer, b"djo");
    }
}
