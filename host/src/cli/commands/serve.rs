//! `serve`: the server, until a signal.

use std::{
    io,
    net::SocketAddr,
    process,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use tokio::runtime;

use crate::{
    cli::{Failure, args::ServeArgs, language::Language, messages, terminal},
    options::{ServeOptions, ServeReporter, SiteReady},
    server,
    tenant::SiteError,
};

/// How long what was given up has to end by itself.
const LEAVE: Duration = Duration::from_millis(500);

pub(crate) fn run(args: ServeArgs, language: Language) -> Result<(), Failure> {
    raise_open_files();
    let runtime = runtime::Builder::new_multi_thread().enable_all().build().map_err(|error| Failure::new(error.to_string()))?;
    let served = runtime.block_on(async {
        let stop = stop_signal().map_err(|error| Failure::new(error.to_string()))?;
        let options = ServeOptions::from(args);
        let shown = Shown { language, loading: Mutex::new(Some(terminal::Progress::begin(messages::loading(language)))) };
        server::serve(options, Arc::new(shown), stop).await.map_err(|error| Failure::new(messages::serve_error(language, &error)))
    });
    // Stores close as what holds them ends. A site that is still compiled is left to the end of the process.
    runtime.shutdown_timeout(LEAVE);
    served
}

/// Shows what happens to whoever started the server: sites and address as results, what was left out as an error.
struct Shown {
    language: Language,
    loading: Mutex<Option<terminal::Progress>>,
}

impl Shown {
    fn loaded(&self) {
        self.loading.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

impl ServeReporter for Shown {
    fn site_ready(&self, site: &SiteReady) {
        terminal::line(&messages::site_ready(self.language, site));
    }

    fn site_refused(&self, name: &str, error: &SiteError) {
        terminal::error(
            self.language,
            &format!("{}\n{}", messages::site_refused(self.language, name), messages::site_error(self.language, error)),
        );
    }

    fn site_kept(&self, name: &str, error: &SiteError) {
        terminal::error(
            self.language,
            &format!("{}\n{}", messages::site_kept(self.language, name), messages::site_error(self.language, error)),
        );
    }

    fn listening(&self, addr: SocketAddr, tls: bool) {
        self.loaded();
        terminal::line(&messages::listening(self.language, addr, tls));
    }

    fn stopping(&self) {
        terminal::note(messages::stopping(self.language));
    }
}

/// Resolves at the first SIGTERM or SIGINT, or SIGHUP, which a terminal sends that is closed. The second one ends the process at once.
fn stop_signal() -> io::Result<impl Future<Output = ()>> {
    let mut signals = Signals::new()?;
    Ok(async move {
        signals.next().await;
        tokio::spawn(async move {
            signals.next().await;
            process::exit(1);
        });
    })
}

#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
    /// `None` where whoever started the process wants it to go on without a terminal, as `nohup` does.
    hang_up: Option<tokio::signal::unix::Signal>,
}

#[cfg(unix)]
impl Signals {
    /// From here on the signals no longer end the process by themselves.
    fn new() -> io::Result<Self> {
        use tokio::signal::unix::{SignalKind, signal};
        let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
        let hang_up = if ignores_hang_up() { None } else { Some(signal(SignalKind::hangup())?) };
        Ok(Self { interrupt, terminate, hang_up })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
            () = hung_up(self.hang_up.as_mut()) => {}
        }
    }
}

#[cfg(unix)]
async fn hung_up(signal: Option<&mut tokio::signal::unix::Signal>) {
    match signal {
        Some(signal) => _ = signal.recv().await,
        None => std::future::pending().await,
    }
}

/// Whether SIGHUP, the first of all signals, was ignored when the process began. Where the system does not tell, it was not.
#[cfg(unix)]
fn ignores_hang_up() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| u64::from_str_radix(line.strip_prefix("SigIgn:")?.trim(), 16).ok());
    ignored.is_some_and(|signals| signals & 1 == 1)
}

#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> io::Result<Self> {
        Ok(Self)
    }

    async fn next(&mut self) {
        // Without a handler there is nothing to wait for: the process ends by other means.
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// A connection and an open store are files: takes as many as the system lets this process have. Shells give few by default.
#[cfg(unix)]
fn raise_open_files() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        limit.current = limit.maximum;
        if let Err(error) = setrlimit(Resource::Nofile, limit) {
            tracing::debug!(%error, "the limit of open files stays as it is");
        }
    }
}

#[cfg(not(unix))]
fn raise_open_files() {}
