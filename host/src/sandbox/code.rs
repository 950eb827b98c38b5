//! What runs for a site: a program for the runtime that all djo sites share, or a component of its own.

use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::bindings::TypedDoorPre;
use super::code_cache::Key;
use super::guest::Guest;
use super::pool::Weighed;

/// A site's code, to the sandbox.
#[derive(Clone)]
pub enum Code {
    /// A program for the shared runtime.
    Djo(Program),
    /// A component of the site's own.
    Component(Arc<SiteComponent>),
}

impl Code {
    /// Bytes of the program or of the component.
    pub fn size(&self) -> usize {
        match self {
            Self::Djo(program) => program.image.len(),
            Self::Component(component) => component.within.len(),
        }
    }
}

/// A djo site: its data for the shared runtime.
#[derive(Clone)]
pub struct Program {
    /// The flat program image.
    pub image: Arc<[u8]>,
    /// Its contract as JSON.
    pub contract: Arc<[u8]>,
}

/// How a component is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Door {
    /// `djo:site/handler`: one call in, one record out.
    Typed,
    /// `wasi:http/incoming-handler` alone: bodies are streamed.
    Http,
}

/// A component of one site. Its code is in memory only while it is of use.
pub struct SiteComponent {
    /// Where it lies, and what it must still be when it is read again.
    pub(super) path: PathBuf,
    pub(super) within: Range<usize>,
    pub(super) key: Key,
    pub(super) door: Door,
    slot: Mutex<Slot>,
    /// When it was last asked for, on the clock of the residency.
    pub(super) used: AtomicU64,
}

/// Compiled and linked: an instance away from running.
#[derive(Clone)]
pub(super) enum Ready {
    /// Through the typed door.
    Typed(Arc<Weighed<TypedDoorPre<Guest>>>),
    /// Through wasi:http.
    Http(Arc<Weighed<ProxyPre<Guest>>>),
}

/// What there is of a component's code in memory.
pub(super) enum Slot {
    /// Nothing.
    Cold,
    /// Nothing yet: whoever needs it waits for the one who fetches it.
    Loading(watch::Receiver<Option<Loaded>>),
    /// The code, of so many bytes.
    Warm(Ready, usize),
    /// Nothing, and there will be none.
    Failed(Arc<ComponentError>),
}

/// How fetching a component's code ended.
pub(super) type Loaded = Result<Ready, Arc<ComponentError>>;

/// Why a component cannot run here.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// It is not valid.
    #[error("the component is not valid: {0}")]
    Invalid(wasmparser::BinaryReaderError),
    /// It imports what the sandbox does not give.
    #[error("the component needs `{0}`, which no site is given")]
    Import(String),
    /// It cannot be compiled for this engine.
    #[error("the component cannot be compiled: {0:#}")]
    Compile(wasmtime::Error),
    /// What it imports or exports has other types than this host's.
    #[error("the component does not fit this host: {0:#}")]
    Link(wasmtime::Error),
    /// Its file cannot be read again.
    #[error("the component cannot be read again: {0}")]
    Read(std::io::Error),
    /// Its file is another one by now, and the code of this one was not kept.
    #[error("the component's file has changed since the site was loaded")]
    Changed,
    /// Fetching its code broke off: a defect of this host.
    #[error("the component could not be made ready")]
    BrokeOff,
}

impl ComponentError {
    /// Whether trying again may help.
    pub(super) fn passes(&self) -> bool {
        matches!(self, Self::Read(_) | Self::Changed | Self::BrokeOff)
    }
}

impl SiteComponent {
    pub(super) fn new(path: PathBuf, within: Range<usize>, key: Key, door: Door) -> Self {
        Self { path, within, key, door, slot: Mutex::new(Slot::Cold), used: AtomicU64::new(0) }
    }

    pub(super) fn slot(&self) -> MutexGuard<'_, Slot> {
        // Whole values are put in its place: a panic in between leaves the one before.
        self.slot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
