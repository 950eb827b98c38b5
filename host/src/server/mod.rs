//! Listening, accepting and stopping. One task a connection; everything about a request is in `pipeline`.

mod admin;
mod connection;
mod embed;
mod seats;
mod sending;
mod streams;
mod tls;
mod wire;

use std::fs::File;
use std::future::Future;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::{TcpListener, TcpStream};

pub use embed::Sites;
pub use tls::TlsError;

use connection::Origin;
use seats::Seats;
use tls::Tls;

use crate::lane::Lane;
use crate::options::{ServeOptions, ServeReporter};
use crate::private;
use crate::rate::ClientRate;
use crate::sandbox::{Sandbox, SandboxError};
use crate::store::{StoreSettings, Stores};
use crate::tenant::{LoadError, Registry, Stops, watch};
use crate::tools::Confirmations;

/// How long what runs may take to finish after a signal.
const GRACE: Duration = Duration::from_secs(10);

/// Everything that a request needs and that outlives it.
pub struct Host {
    /// What to do, as asked.
    pub options: ServeOptions,
    /// Where guests run.
    pub sandbox: Arc<Sandbox>,
    /// Who is served.
    pub registry: Arc<Registry>,
    /// How often a client may ask as an agent.
    pub rate: ClientRate,
    /// How many agent calls run at once.
    pub lane: Lane,
    /// What people confirmed.
    pub confirmations: Confirmations,
    /// Held for as long as the data folder is used.
    _data: File,
}

/// Why serving did not start, or ended.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// The sandbox.
    #[error(transparent)]
    Sandbox(#[from] SandboxError),
    /// No site could be served, or one could not and `--strict` was given.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// The data folder cannot be used, or another host uses it.
    #[error("the data folder {}: {source}", folder.display())]
    Data {
        /// The folder.
        folder: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Certificate or key.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address is taken, or not ours.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        /// The address asked for.
        addr: SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Host {
    /// Sets up the sandbox and loads the sites.
    ///
    /// # Errors
    /// [`ServeError::Data`], [`ServeError::Sandbox`], [`ServeError::Load`]
    pub fn load(options: ServeOptions, reporter: &dyn ServeReporter) -> Result<Self, ServeError> {
        Self::load_unless(Stops::default(), options, reporter)
    }

    /// The same, given up where it is told to stop.
    fn load_unless(stops: Stops, options: ServeOptions, reporter: &dyn ServeReporter) -> Result<Self, ServeError> {
        let data = private::hold(&options.data).map_err(|source| ServeError::Data { folder: options.data.clone(), source })?;
        let sandbox = Arc::new(Sandbox::new(crate::build::RUNTIME, &options.data, options.code_memory, options.memory)?);
        let stores = Stores::new(&options.data, StoreSettings::default());
        let registry = Arc::new(Registry::load(&options, stores, Arc::clone(&sandbox), reporter, stops)?);
        let rate = ClientRate::new(options.agent_rate);
        let lane = Lane::new(options.agent_conc);
        Ok(Self { options, sandbox, registry, rate, lane, confirmations: Confirmations::new(), _data: data })
    }
}

/// Loads the sites and serves them until `stop` resolves; then finishes what runs, for at most ten seconds.
///
/// # Errors
/// [`ServeError`]
pub async fn serve(options: ServeOptions, reporter: Arc<dyn ServeReporter>, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
    let tls = options.tls.as_ref().map(Tls::read).transpose()?;
    let stops = Stops::default();
    tokio::pin!(stop);
    // Thousands of sites take a while, and one that is very large, too: a signal does not wait for them.
    let mut loading = {
        let (stops, reporter) = (stops.clone(), Arc::clone(&reporter));
        tokio::task::spawn_blocking(move || Host::load_unless(stops, options, &*reporter))
    };
    let loaded = tokio::select! {
        loaded = &mut loading => loaded,
        () = &mut stop => {
            stops.stop();
            reporter.stopping();
            return Ok(());
        }
    };
    let host = Arc::new(loaded.unwrap_or_else(|error| std::panic::resume_unwind(error.into_panic()))?);
    let options = &host.options;
    let listener = TcpListener::bind(options.addr).await.map_err(|source| ServeError::Listen { addr: options.addr, source })?;
    let addr = listener.local_addr().map_err(|source| ServeError::Listen { addr: options.addr, source })?;
    let seats = Seats::of_process();
    if let Some(addr) = options.admin {
        let listener = admin::bind(addr).await.map_err(|source| ServeError::Listen { addr, source })?;
        tokio::spawn(admin::serve(listener, Arc::clone(&host), Arc::clone(&seats)));
    }
    if let Some(tls) = &tls {
        tokio::spawn(Arc::clone(tls).renew());
    }
    reporter.listening(addr, tls.is_some());

    let connections = GracefulShutdown::new();
    let watching = tokio::spawn(watch::watch(Arc::clone(&host.registry), Arc::clone(&reporter)));
    let mut told = Told::default();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => match seats.take(peer.ip(), options.trusts(peer.ip())) {
                    Some(seat) => connection::spawn(&host, stream, Origin { peer, seat }, tls.as_deref().map(Tls::acceptor), &connections),
                    None => refuse(stream, peer, &mut told),
                },
                // Its client left before it was accepted.
                Err(error) if matches!(error.kind(), ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset) => {}
                Err(error) => {
                    // Out of descriptors, most often: accepting at once again would spin.
                    if told.is_due() {
                        tracing::warn!(%error, "accept");
                    }
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            () = &mut stop => break,
        }
    }
    drop(listener);
    stops.stop();
    watching.abort();
    reporter.stopping();
    if tokio::time::timeout(GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end within {} s", GRACE.as_secs());
    }
    Ok(())
}

/// Lets go of a connection that there is no seat for.
fn refuse(stream: TcpStream, peer: SocketAddr, told: &mut Told) {
    // A reset: nothing of it stays with the system.
    if let Err(error) = stream.set_zero_linger() {
        tracing::debug!(%error, "SO_LINGER");
    }
    if told.is_due() {
        tracing::warn!(%peer, "too many connections, in all or from this peer: refused");
    }
}

/// When a trouble of accepting was last told of. A crowd is told of once in a while.
#[derive(Default)]
struct Told(Option<Instant>);

impl Told {
    fn is_due(&mut self) -> bool {
        let is_due = self.0.is_none_or(|last| last.elapsed() >= Duration::from_secs(10));
        if is_due {
            self.0 = Some(Instant::now());
        }
        is_due
    }
}
