//! What a server says on standard error, written by a thread of its own: whoever reads it may stall, and nobody who serves waits for that.
//! What cannot be held for so long is left out, and counted.

use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use tracing_subscriber::EnvFilter;
use tracing_subscriber::fmt::MakeWriter;

use super::args::LogFormat;
use super::terminal::stderr_has_color;
use crate::metrics::UNREAD_LINES;

/// Bytes that wait to be written, at most.
const ROOM: usize = 8 << 20;
/// How long the end of the process waits for the last lines to be read.
const PATIENCE: Duration = Duration::from_secs(1);

static SERVER: OnceLock<Lines> = OnceLock::new();

/// Starts the log, filtered by `RUST_LOG`; without it, `info` for a server and warnings for other commands.
pub(super) fn start(format: LogFormat, serves: bool) {
    // The library of MCP tells of every request, of what clients do wrong and of those that leave; runs are logged by who runs them.
    // That of watching files tells of each folder that is gone.
    let fallback = if serves { "info,rmcp=off,notify=warn" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(fallback));
    let builder = tracing_subscriber::fmt().with_env_filter(filter);
    let is_json = format == LogFormat::Json;
    let lines = serves.then(|| SERVER.get_or_init(|| Lines::start(io::stderr(), is_json)));
    // Fails only when there is a log already: then that one is used.
    let _ = match (format, lines) {
        (LogFormat::Text, None) => builder.with_writer(io::stderr).with_ansi(stderr_has_color()).with_target(false).try_init(),
        (LogFormat::Text, Some(lines)) => builder.with_writer(lines).with_ansi(stderr_has_color()).with_target(false).try_init(),
        (LogFormat::Json, None) => builder.with_writer(io::stderr).json().flatten_event(true).try_init(),
        (LogFormat::Json, Some(lines)) => builder.with_writer(lines).json().flatten_event(true).try_init(),
    };
}

/// Writes a line to standard error, behind what was logged before and in the log's form.
pub(super) fn note(text: &str) {
    match SERVER.get() {
        Some(lines) if lines.is_json => tracing::info!("{text}"),
        Some(lines) => lines.send(format!("{text}\n").into_bytes()),
        None => {
            let _ = writeln!(io::stderr(), "{text}");
        }
    }
}

/// Whether all of standard error is JSON.
pub(super) fn is_json() -> bool {
    SERVER.get().is_some_and(|lines| lines.is_json)
}

/// Waits until all is written, for a moment.
pub(super) fn end() {
    if let Some(lines) = SERVER.get() {
        lines.wait(PATIENCE);
    }
}

/// Lines on their way to a writer.
#[derive(Debug)]
struct Lines {
    sender: mpsc::Sender<Vec<u8>>,
    state: Arc<State>,
    is_json: bool,
}

#[derive(Debug, Default)]
struct State {
    waiting: AtomicUsize,
    left_out: AtomicU64,
}

impl Lines {
    /// Writes what is sent until nobody sends any more. Without a thread everything is left out.
    fn start(mut out: impl Write + Send + 'static, is_json: bool) -> Self {
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        let state = Arc::new(State::default());
        let seen = Arc::clone(&state);
        let write = move || {
            for line in receiver {
                // Nobody is left to be told that it failed.
                let _ = out.write_all(&line);
                let left_out = seen.left_out.swap(0, Ordering::Relaxed);
                if left_out > 0 {
                    let told = format!("{left_out} lines are left out: they were not read in time");
                    let _ = if is_json { writeln!(out, r#"{{"level":"WARN","message":"{told}"}}"#) } else { writeln!(out, "WARN {told}") };
                }
                seen.waiting.fetch_sub(line.len(), Ordering::Release);
            }
        };
        let _ = thread::Builder::new().name("djo-log".into()).spawn(write);
        Self { sender, state, is_json }
    }

    fn send(&self, line: Vec<u8>) {
        let length = line.len();
        if self.state.waiting.fetch_add(length, Ordering::Acquire) > ROOM || self.sender.send(line).is_err() {
            self.state.waiting.fetch_sub(length, Ordering::Release);
            self.state.left_out.fetch_add(1, Ordering::Relaxed);
            UNREAD_LINES.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn wait(&self, patience: Duration) {
        let started = Instant::now();
        while self.state.waiting.load(Ordering::Acquire) > 0 && started.elapsed() < patience {
            thread::sleep(Duration::from_millis(1));
        }
    }
}

impl Write for &Lines {
    /// A line comes in one piece.
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.send(line.to_vec());
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<'a> MakeWriter<'a> for &'static Lines {
    type Writer = &'a Lines;

    fn make_writer(&'a self) -> Self::Writer {
        self
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    /// Takes nothing while it is locked.
    #[derive(Clone, Default)]
    struct Slow(Arc<Mutex<Vec<u8>>>);

    impl Write for Slow {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn who_logs_waits_for_no_reader() {
        let slow = Slow::default();
        let lines = Lines::start(slow.clone(), false);
        let stalled = slow.0.lock().unwrap();
        let line = [&[b'x'; 1023][..], b"\n"].concat();
        let sent = 3 * ROOM / line.len();
        (0..sent).for_each(|_| lines.send(line.clone()));
        drop(stalled);
        lines.wait(Duration::from_secs(10));
        let written = String::from_utf8(slow.0.lock().unwrap().clone()).unwrap();
        let kept = written.lines().filter(|line| line.starts_with('x')).count();
        assert!((ROOM / line.len()..=ROOM / line.len() + 2).contains(&kept), "{kept}");
        assert!(written.contains(" lines are left out"));
        assert_eq!(UNREAD_LINES.load(Ordering::Relaxed), (sent - kept) as u64);
        // And it goes on.
        lines.send(b"fim\n".to_vec());
        lines.wait(Duration::from_secs(10));
        assert!(slow.0.lock().unwrap().ends_with(b"fim\n"));
    }
}
