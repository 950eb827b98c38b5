//! What runs for a site: a program for the runtime that all djo sites share, or a component of its own.

use std::sync::Arc;

use wasmtime::Engine;
use wasmtime::component::{Component, Linker};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::bindings::TypedDoorPre;
use super::code_cache::CodeCache;
use super::guest::Guest;

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
            Self::Component(component) => component.size,
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

/// A component of one site.
pub struct SiteComponent {
    size: usize,
    ready: Ready,
}

/// Compiled and linked: an instance away from running.
#[derive(Clone)]
pub(super) enum Ready {
    /// Through the typed door.
    Typed(Arc<TypedDoorPre<Guest>>),
    /// Through wasi:http.
    Http,
}

/// Why a component cannot run here.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// It is not valid, or uses what this engine does not have.
    #[error("not a component that can run here: {0:#}")]
    Compile(wasmtime::Error),
    /// It needs what the sandbox does not give.
    #[error("it needs what no site is given: {0:#}")]
    Link(wasmtime::Error),
}

impl SiteComponent {
    /// Compiles a component, or takes its code out of the cache.
    pub(super) fn new(
        engine: &Engine,
        linker: &Linker<Guest>,
        cache: Option<&CodeCache>,
        wasm: &[u8],
        door: Door,
    ) -> Result<Self, ComponentError> {
        let component = match cache {
            Some(cache) => cache.component(engine, wasm),
            None => Component::new(engine, wasm),
        };
        let pre = linker.instantiate_pre(&component.map_err(ComponentError::Compile)?).map_err(ComponentError::Link)?;
        let ready = match door {
            Door::Typed => TypedDoorPre::new(pre).map(Arc::new).map(Ready::Typed),
            Door::Http => ProxyPre::new(pre).map(|_| Ready::Http),
        };
        Ok(Self { size: wasm.len(), ready: ready.map_err(ComponentError::Link)? })
    }

    pub(super) fn ready(&self) -> &Ready {
        &self.ready
    }
}
