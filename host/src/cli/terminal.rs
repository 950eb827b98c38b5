//! What is written where: results to standard output, everything else to standard error; colours only for people.

use std::{
    env,
    io::{self, IsTerminal as _, Write as _},
    sync::{OnceLock, mpsc},
    thread,
    time::Duration,
};

use tracing_subscriber::EnvFilter;

use super::{args::LogFormat, language::Language};

/// Work that takes longer gets a line that says so.
const QUIET: Duration = Duration::from_secs(1);

/// Tells whether to use colours on a stream.
pub(super) fn wants_color(is_terminal: bool) -> bool {
    is_terminal && env::var_os("NO_COLOR").is_none_or(|value| value.is_empty()) && env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Tells whether standard error takes colours.
pub(super) fn stderr_has_color() -> bool {
    wants_color(io::stderr().is_terminal())
}

/// The first write to standard output that failed.
static FAILED: OnceLock<io::Error> = OnceLock::new();

/// Writes a line to standard output.
pub(super) fn line(text: &str) {
    wrote(writeln!(io::stdout(), "{text}"));
}

/// Takes note of how a write to standard output ended. Whoever has closed it has read enough.
pub(super) fn wrote(result: io::Result<()>) {
    if let Err(error) = result
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        // Of several the first one says why.
        let _ = FAILED.set(error);
    }
}

/// Why not all that was written to standard output has come there.
pub(super) fn unwritten() -> Option<&'static io::Error> {
    wrote(io::stdout().flush());
    FAILED.get()
}

/// Writes a line to standard error.
pub(super) fn note(text: &str) {
    let _ = writeln!(io::stderr(), "{text}");
}

/// Writes what went wrong to standard error.
pub(super) fn error(language: Language, message: &str) {
    let word = language.pick("error", "erro");
    let (red, plain) = if stderr_has_color() { ("\u{1b}[1;31m", "\u{1b}[0m") } else { ("", "") };
    note(&format!("{red}{word}:{plain} {message}"));
}

/// Starts the log on standard error, filtered by `RUST_LOG`; without it, `info` for a server and warnings for other commands.
pub(super) fn start_log(format: LogFormat, serves: bool) {
    // The library of MCP tells of every request, of what clients do wrong and of those that leave; runs are logged by who runs them.
    // That of watching files tells of each folder that is gone.
    let fallback = if serves { "info,rmcp=off,notify=warn" } else { "warn" };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(fallback));
    let builder = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    // Fails only when there is a log already: then that one is used.
    let _ = match format {
        LogFormat::Text => builder.with_ansi(stderr_has_color()).with_target(false).try_init(),
        LogFormat::Json => builder.json().flatten_event(true).try_init(),
    };
}

/// Work that is going on: when it takes more than a second, a line says what is being done. Dropped, it has ended.
pub(super) struct Progress {
    done: Option<mpsc::Sender<()>>,
    watcher: Option<thread::JoinHandle<()>>,
}

impl Progress {
    /// Begins.
    pub(super) fn begin(doing: String) -> Self {
        let (done, ended) = mpsc::channel::<()>();
        // Without a thread the work is merely silent.
        let watcher = thread::Builder::new().spawn(move || {
            if ended.recv_timeout(QUIET) == Err(mpsc::RecvTimeoutError::Timeout) {
                note(&doing);
            }
        });
        Self { done: Some(done), watcher: watcher.ok() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.done.take();
        if let Some(watcher) = self.watcher.take() {
            let _ = watcher.join();
        }
    }
}

/// Does some work; when it takes more than a second, says what is being done.
pub(super) fn with_progress<T>(doing: String, work: impl FnOnce() -> T) -> T {
    let _progress = Progress::begin(doing);
    work()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_terminal_means_no_color() {
        assert!(!wants_color(false));
    }

    #[test]
    fn work_gives_its_result() {
        assert_eq!(with_progress("…".into(), || 7), 7);
    }
}
