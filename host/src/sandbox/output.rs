//! What a component writes to its standard output and error: lines of the site's log.

use std::future::{Future, ready};
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use tokio::io::AsyncWrite;
use wasmtime_wasi::cli::{IsTerminal, StdoutStream};
use wasmtime_wasi::p2::{OutputStream, Pollable, StreamError};

use super::bindings::djo::site::log::Level;
use super::log_lines::{LOG_LINE, LogLines};

/// How much is taken at once.
const CHUNK: usize = 64 << 10;

/// One of the two streams of one run. All handles to it write into the same line.
#[derive(Clone)]
pub(super) struct Output {
    lines: Arc<LogLines>,
    level: Level,
    begun: Arc<Mutex<Vec<u8>>>,
}

impl Output {
    pub(super) fn new(lines: Arc<LogLines>, level: Level) -> Self {
        Self { lines, level, begun: Arc::default() }
    }

    fn take(&self, bytes: &[u8]) {
        let mut begun = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let mut pieces = bytes.split(|byte| *byte == b'\n').peekable();
        while let Some(piece) = pieces.next() {
            let room = LOG_LINE.saturating_sub(begun.len());
            begun.extend_from_slice(piece.get(..room).unwrap_or(piece));
            if pieces.peek().is_some() {
                self.lines.write(self.level, &String::from_utf8_lossy(&begun));
                begun.clear();
            }
        }
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        // The last handle: what has no end of line is a line all the same.
        if let Some(begun) = Arc::get_mut(&mut self.begun) {
            let begun = begun.get_mut().unwrap_or_else(PoisonError::into_inner);
            if !begun.is_empty() {
                self.lines.write(self.level, &String::from_utf8_lossy(begun));
                begun.clear();
            }
        }
    }
}

impl IsTerminal for Output {
    fn is_terminal(&self) -> bool {
        false
    }
}

impl StdoutStream for Output {
    fn async_stream(&self) -> Box<dyn AsyncWrite + Send + Sync> {
        Box::new(tokio::io::sink())
    }

    fn p2_stream(&self) -> Box<dyn OutputStream> {
        Box::new(self.clone())
    }
}

impl OutputStream for Output {
    fn write(&mut self, bytes: Bytes) -> Result<(), StreamError> {
        self.take(&bytes);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), StreamError> {
        Ok(())
    }

    fn check_write(&mut self) -> Result<usize, StreamError> {
        Ok(CHUNK)
    }
}

impl Pollable for Output {
    fn ready<'a, 'b>(&'a mut self) -> Pin<Box<dyn Future<Output = ()> + Send + 'b>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(ready(()))
    }
}
