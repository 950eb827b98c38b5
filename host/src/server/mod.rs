//! Listening, accepting and stopping. One task a connection; everything about a request is in `pipeline`.

mod admin;
mod connection;
mod embed;
mod tls;

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::server::graceful::GracefulShutdown;
use tokio::net::TcpListener;

pub use embed::Sites;
pub use tls::TlsError;

use crate::lane::Lane;
use crate::options::{ServeOptions, ServeReporter};
use crate::rate::ClientRate;
use crate::sandbox::{Sandbox, SandboxError};
use crate::store::{StoreSettings, Stores};
use crate::tenant::{LoadError, Registry, watch};
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
    /// Certificate or key.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The address is taken, or not ours.
    #[error("cannot listen on {addr}: {source}")]
    Listen {
        /// The address asked for.
        addr: std::net::SocketAddr,
        /// What the system said.
        source: std::io::Error,
    },
}

impl Host {
    /// Sets up the sandbox and loads the sites.
    ///
    /// # Errors
    /// [`ServeError::Sandbox`], [`ServeError::Load`]
    pub fn load(options: ServeOptions, reporter: &dyn ServeReporter) -> Result<Self, ServeError> {
        let sandbox = Arc::new(Sandbox::new(crate::build::RUNTIME, &options.data, options.code_memory)?);
        let stores = Stores::new(&options.data, StoreSettings::default());
        let registry = Arc::new(Registry::load(&options, stores, Arc::clone(&sandbox), reporter)?);
        let rate = ClientRate::new(options.agent_rate);
        let lane = Lane::new(options.agent_conc);
        Ok(Self { options, sandbox, registry, rate, lane, confirmations: Confirmations::new() })
    }
}

/// Loads the sites and serves them until `stop` resolves; then finishes what runs, for at most ten seconds.
///
/// # Errors
/// [`ServeError`]
pub async fn serve(options: ServeOptions, reporter: Arc<dyn ServeReporter>, stop: impl Future<Output = ()>) -> Result<(), ServeError> {
    let tls = options.tls.as_ref().map(tls::acceptor).transpose()?;
    let host = Arc::new(Host::load(options, &*reporter)?);
    let options = &host.options;
    let listener = TcpListener::bind(options.addr).await.map_err(|source| ServeError::Listen { addr: options.addr, source })?;
    let addr = listener.local_addr().map_err(|source| ServeError::Listen { addr: options.addr, source })?;
    if let Some(addr) = options.admin {
        let listener = admin::bind(addr).await.map_err(|source| ServeError::Listen { addr, source })?;
        tokio::spawn(admin::serve(listener, Arc::clone(&host)));
    }
    reporter.listening(addr, tls.is_some());

    let connections = GracefulShutdown::new();
    let (paths, data) = (options.paths.clone(), options.data.clone());
    tokio::spawn(watch::watch(Arc::clone(&host.registry), paths, data, Arc::clone(&reporter)));
    tokio::pin!(stop);
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => connection::spawn(&host, stream, peer, tls.as_ref(), &connections),
                Err(error) => {
                    // Out of descriptors, most often: accepting at once again would spin.
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            },
            () = &mut stop => break,
        }
    }
    drop(listener);
    reporter.stopping();
    if tokio::time::timeout(GRACE, connections.shutdown()).await.is_err() {
        tracing::warn!("some requests did not end within {} s", GRACE.as_secs());
    }
    Ok(())
}
