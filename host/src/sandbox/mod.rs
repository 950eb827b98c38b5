//! The sandbox: every run alone in an instance, with limits that the guest cannot move.
//!
//! The only room that knows wasmtime. Outside it a run is [`Sandbox::run`]: code, tenant and request in, an [`Answer`] or a [`RunError`] out.

pub mod aside;
mod background;
mod bindings;
mod clock_and_random;
mod code;
mod code_cache;
mod cookies;
mod engine;
mod fault;
#[cfg(test)]
mod foreign_host;
mod growth;
mod guest;
mod http_door;
mod idle;
mod instance;
mod log_budget;
mod log_lines;
mod meter;
mod outbound;
mod output;
mod pool;
mod residency;
#[cfg(test)]
mod reuse_tests;
mod run;

use std::net::IpAddr;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use djo_contract::cookie::cookie;
use djo_contract::session::is_id;
use http::HeaderMap;
use http::header::COOKIE;
use wasmtime::Engine;
use wasmtime::component::{Component, HasSelf, Linker};

pub use bindings::exports::djo::site::handler::{Entry, Failure, PageBounds, Request, Response};
pub use code::{Code, ComponentError, Door, Program, SiteComponent};
pub use cookies::hold_to_host;
use engine::Clock;
pub use engine::{MAX_INSTANCES, MAX_MEMORY};
pub use guest::Looked;
pub use http_door::{BodyFault, GuestBody};
pub use idle::Reuse;
pub use outbound::Outbound;
pub use pool::Share;
pub use residency::ResidentCode;
pub use run::{Answer, RunError};

use crate::site::config::Limits;
use crate::store::SiteStore;
use background::Background;
use bindings::{TypedDoor, TypedDoorPre};
use code_cache::{CodeCache, Key};
use guest::Guest;
use idle::IdleInstances;
use pool::{Pool, Weighed};
use residency::Residency;

/// The engine, and the runtime that all djo sites share, compiled once.
pub struct Sandbox {
    engine: Engine,
    clock: Arc<Clock>,
    runtime: Arc<Weighed<TypedDoorPre<Guest>>>,
    components: Arc<Residency>,
    idle: Arc<IdleInstances>,
    pool: Arc<Pool>,
    background: Arc<Background>,
}

/// On whose behalf a guest runs: shared by all runs of one revision of a site.
pub struct Tenant {
    /// The site's name, for logs.
    pub name: Arc<str>,
    /// Its code.
    pub code: Code,
    /// Its data.
    pub store: Arc<SiteStore>,
    /// What a run may use.
    pub limits: RunLimits,
    /// Where it may call.
    pub outbound: Arc<Outbound>,
    /// What the site has of the places for instances and of the log.
    pub share: Arc<Share>,
    /// An instance serves one request after another; `None`: one alone.
    pub reuse: Option<Reuse>,
}

impl Tenant {
    /// Puts on the log what went wrong in a request, as far as the site may have there.
    pub fn log_error(&self, request: &str, text: &str) {
        if self.share.may_log(text.len()) {
            tracing::error!(site = &*self.name, request, "{text}");
        }
    }
}

/// What one run may use.
#[derive(Clone, Copy, Debug)]
pub struct RunLimits {
    /// Bytes that a memory may grow to.
    pub memory_bytes: usize,
    /// Wall clock, waiting included.
    pub timeout: Duration,
    /// Time that its code may compute.
    pub cpu: Duration,
    /// Bytes of a response body.
    pub response_bytes: usize,
}

impl From<&Limits> for RunLimits {
    fn from(limits: &Limits) -> Self {
        Self {
            memory_bytes: (limits.memory_mb as usize).saturating_mul(1 << 20).min(MAX_MEMORY),
            timeout: Duration::from_millis(u64::from(limits.timeout_ms)),
            cpu: Duration::from_millis(u64::from(limits.cpu_ms)),
            response_bytes: usize::try_from(limits.max_response).unwrap_or(usize::MAX),
        }
    }
}

/// What a run may ask about its request.
#[derive(Clone)]
pub struct Context {
    /// The request's headers.
    pub headers: Arc<HeaderMap>,
    /// Who sent it.
    pub client: IpAddr,
    /// It came over TLS.
    pub secure: bool,
    /// Its id.
    pub request_id: Arc<str>,
    /// Who is told of progress, where anybody listens.
    pub progress: Option<ProgressSink>,
}

impl Context {
    /// A header's text: several of one name as one, as RFC 9110 §5.3 joins them, cookies as a browser does. Whoever fills parameters in or
    /// knows a caller by one has to read what the code of the site reads.
    pub fn header(&self, name: &str) -> Option<String> {
        let separator = if name.eq_ignore_ascii_case("cookie") { "; " } else { ", " };
        let mut values = self.headers.get_all(name).iter().map(|value| String::from_utf8_lossy(value.as_bytes()));
        let mut all = values.next()?.into_owned();
        for value in values {
            all.push_str(separator);
            all.push_str(&value);
        }
        Some(all)
    }

    /// The id of the session that it names.
    pub fn session(&self) -> Option<String> {
        cookie(&self.header(COOKIE.as_str())?, djo_vm::SESSION_COOKIE).filter(|id| is_id(id))
    }
}

/// Takes what a run reports while it goes on. It is called from the guest's own thread and must not wait.
pub type ProgressSink = Arc<dyn Fn(Progress) + Send + Sync>;

/// How far a run has come, in the tool's own unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Done so far.
    pub done: f64,
    /// Of so much, where it is known.
    pub total: Option<f64>,
    /// A short text for people.
    pub message: Option<String>,
}

/// Why the sandbox could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SandboxError {
    /// The engine, its pool or its linker.
    #[error("the sandbox could not be set up: {0:#}")]
    Engine(wasmtime::Error),
    /// The runtime component does not fit this host.
    #[error("the djo runtime could not be loaded: {0:#}")]
    Runtime(wasmtime::Error),
    /// The threads that long runs go on in.
    #[error("no threads for long runs: {0}")]
    Threads(std::io::Error),
    /// The threads that compile components.
    #[error("no threads to compile with: {0}")]
    Compilers(rayon::ThreadPoolBuildError),
}

impl Sandbox {
    /// Sets up the engine and compiles the runtime component, or takes its code from an earlier start out of the data folder. Of the code
    /// of other components, `code_memory` bytes stay in memory. `memory` bytes are shared by what guests grow to and by long bodies.
    ///
    /// # Errors
    /// When the machine refuses the pool's address space, or the bytes are not a runtime for this host.
    pub fn new(runtime: &[u8], data: &Path, code_memory: u64, memory: u64) -> Result<Self, SandboxError> {
        let (engine, clock) = engine::engine().map_err(SandboxError::Engine)?;
        let linker = linker(&engine).map_err(SandboxError::Engine)?;
        let cache = CodeCache::open(data).inspect_err(|error| tracing::warn!(%error, "compiled code cannot be kept")).ok();
        let component = match &cache {
            Some(cache) => cache.component(&engine, runtime),
            None => Component::new(&engine, runtime),
        };
        let component = component.map_err(SandboxError::Runtime)?;
        let pre = linker.instantiate_pre(&component).map_err(SandboxError::Runtime)?;
        let runtime = Arc::new(Weighed::new(TypedDoorPre::new(pre).map_err(SandboxError::Runtime)?, &component));
        let idle = Arc::new(IdleInstances::new());
        let background = Arc::new(Background::start(&idle).map_err(SandboxError::Threads)?);
        let components = Arc::new(Residency::new(engine.clone(), linker, cache, code_memory).map_err(SandboxError::Compilers)?);
        Ok(Self { engine, clock, runtime, components, idle, pool: Pool::new(memory), background })
    }

    /// Takes in a site's own component, which lies within the file at `path`.
    ///
    /// # Errors
    /// [`ComponentError`]: it is not valid, or needs what no site is given.
    pub fn component(
        &self,
        path: &Path,
        file: &[u8],
        within: Range<usize>,
        imports: &[String],
        door: Door,
    ) -> Result<Arc<SiteComponent>, ComponentError> {
        let wasm = file.get(within.clone()).ok_or(ComponentError::Changed)?;
        let component = SiteComponent::new(path.to_path_buf(), within, Key::new(&self.engine, wasm), door);
        self.components.take_in(component, wasm, imports)
    }

    /// What the site of a name has of the places for instances and of the log, whatever its revision.
    pub fn share(&self, site: &Arc<str>) -> Arc<Share> {
        self.pool.share(site)
    }

    /// Bytes that guests have grown to, and long bodies take, over all sites.
    pub fn memory_taken(&self) -> u64 {
        self.pool.memory.taken()
    }

    /// How much code of components is in memory.
    pub fn resident_code(&self) -> ResidentCode {
        self.components.resident()
    }
}

/// What a guest can be given: wasi io, clocks, random and http, and the site's own interfaces. What the standard libraries of other
/// languages ask for besides is there and empty: no file, no variable, no argument, no socket can be had.
fn linker(engine: &Engine) -> wasmtime::Result<Linker<Guest>> {
    let mut linker = Linker::<Guest>::new(engine);
    wasmtime_wasi::p2::add_to_linker_async(&mut linker)?;
    clock_and_random::add_to_linker(&mut linker)?;
    wasmtime_wasi_http::p2::add_only_http_to_linker_async(&mut linker)?;
    TypedDoor::add_to_linker::<_, HasSelf<_>>(&mut linker, |guest| guest)?;
    let mut program = linker.instance("djo:site/program@0.1.0")?;
    program.func_wrap("load", |store, ()| Ok((Arc::clone(&store.data().program()?.image),)))?;
    program.func_wrap("contract", |store, ()| Ok((Arc::clone(&store.data().program()?.contract),)))?;
    // Static files are the host's to serve: a guest finds none.
    let mut files = linker.instance("djo:site/files@0.1.0")?;
    files.func_wrap("index", |_, ()| Ok((Vec::<(String, String, String, u32, u32)>::new(),)))?;
    files.func_wrap("read", |_, (_start, _length): (u32, u32)| Ok((Vec::<u8>::new(),)))?;
    Ok(linker)
}
