//! Which components' code is in memory. It is fetched when a site is first needed, by one for all who wait, and given up when others
//! were needed since and there is no room: then the next request fetches it again from the data folder, in milliseconds.

use std::collections::HashSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant};

use rayon::{ThreadPool, ThreadPoolBuilder};
use tokio::sync::watch;
use wasmparser::{Validator, WasmFeatures};
use wasmtime::Engine;
use wasmtime::component::{Component, Linker};
use wasmtime_wasi_http::p2::bindings::ProxyPre;

use super::bindings::TypedDoorPre;
use super::code::{ComponentError, Door, Loaded, Ready, SiteComponent, Slot};
use super::code_cache::{CodeCache, Key};
use super::guest::Guest;
use super::pool::Weighed;
use super::run::RunError;
use crate::site::file::{self, MAX_COMPONENT};

/// What a component may import, by the starts of the names.
const GIVEN: [&str; 13] = [
    "wasi:io/",
    "wasi:clocks/",
    "wasi:random/",
    "wasi:cli/",
    "wasi:filesystem/",
    "wasi:sockets/",
    "wasi:http/types@0.2.",
    "wasi:http/outgoing-handler@0.2.",
    "djo:site/context@0.1.",
    "djo:site/store@0.1.",
    "djo:site/log@0.1.",
    "djo:site/progress@0.1.",
    "djo:site/outbound@0.1.",
];

/// The components of all sites.
pub(super) struct Residency {
    engine: Engine,
    linker: Linker<Guest>,
    cache: Option<CodeCache>,
    /// Compiling takes seconds of all cores: its threads take what those that serve leave.
    compilers: ThreadPool,
    /// Where components go that nobody waits for yet: one at a time, so that whoever is waited for comes soon.
    idle: Sender<(Arc<Residency>, Weak<SiteComponent>)>,
    /// Bytes of machine code that stay in memory. What runs keeps its own in any case.
    most: u64,
    /// All components that sites have; those that are gone are cleared away now and then.
    taken: Mutex<Vec<Weak<SiteComponent>>>,
    warm: Mutex<Vec<Weak<SiteComponent>>>,
    clock: AtomicU64,
    fetched: AtomicU64,
    given_up: AtomicU64,
}

/// What there is of components' code in memory, and what came and went since the start.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResidentCode {
    /// Bytes of machine code.
    pub bytes: u64,
    /// How often code was read back or compiled.
    pub fetched: u64,
    /// How often code was given up for want of room.
    pub given_up: u64,
}

impl Residency {
    /// Starts the threads that compile. `most` is the bytes of machine code that stay in memory.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(super) fn new(
        engine: Engine,
        linker: Linker<Guest>,
        cache: Option<CodeCache>,
        most: u64,
    ) -> Result<Self, rayon::ThreadPoolBuildError> {
        let name = |index| format!("djo-compile-{index}");
        let compilers = ThreadPoolBuilder::new().thread_name(name).start_handler(|_| step_back()).build()?;
        let (idle, queue) = channel::<(Arc<Self>, Weak<SiteComponent>)>();
        let prepare = move || {
            for (residency, component) in queue {
                if let Some(component) = component.upgrade() {
                    residency.prepare(&component);
                }
            }
        };
        if let Err(error) = std::thread::Builder::new().name("djo-prepare".into()).spawn(prepare) {
            tracing::warn!(%error, "components are compiled only once they are asked for");
        }
        Ok(Self {
            engine,
            linker,
            cache,
            compilers,
            idle,
            most,
            taken: Mutex::default(),
            warm: Mutex::default(),
            clock: AtomicU64::new(0),
            fetched: AtomicU64::new(0),
            given_up: AtomicU64::new(0),
        })
    }

    /// Takes in a component. It is checked, and compiled meanwhile where its code is not kept; that it compiles shows later.
    pub(super) fn take_in(
        self: &Arc<Self>,
        component: SiteComponent,
        wasm: &[u8],
        imports: &[String],
    ) -> Result<Arc<SiteComponent>, ComponentError> {
        if let Some(import) = imports.iter().find(|import| !GIVEN.iter().any(|given| import.starts_with(given))) {
            return Err(ComponentError::Import(import.clone()));
        }
        let component = Arc::new(component);
        self.remember(&component);
        if !self.cache.as_ref().is_some_and(|cache| cache.has(&component.key)) {
            Validator::new_with_features(WasmFeatures::default()).validate_all(wasm).map_err(ComponentError::Invalid)?;
            // Nobody takes them where there is no thread for it: then it waits for its first request.
            drop(self.idle.send((Arc::clone(self), Arc::downgrade(&component))));
        }
        Ok(component)
    }

    /// From here on the component's code is in use, for as long as a site has it.
    fn remember(&self, component: &Arc<SiteComponent>) {
        let mut taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        // Cleared where it would grow: what that costs is shared out over all that were put in.
        if taken.len() == taken.capacity() {
            taken.retain(|component| component.strong_count() > 0);
        }
        taken.push(Arc::downgrade(component));
    }

    /// Keys of the components that sites have.
    fn in_use(&self) -> HashSet<Key> {
        let taken = self.taken.lock().unwrap_or_else(PoisonError::into_inner);
        taken.iter().filter_map(Weak::upgrade).map(|component| component.key.clone()).collect()
    }

    /// Fetches a component's code unless somebody has begun to.
    fn prepare(&self, component: &Arc<SiteComponent>) {
        let begun = {
            let mut slot = component.slot();
            matches!(*slot, Slot::Cold).then(|| {
                let (sender, receiver) = watch::channel(None);
                *slot = Slot::Loading(receiver);
                sender
            })
        };
        if let Some(sender) = begun {
            self.fetch(component, &sender);
        }
    }

    /// The code of a component, fetched where it is not at hand, for at most so long.
    ///
    /// # Errors
    /// [`RunError::Component`], or [`RunError::TimedOut`]: who fetches it goes on.
    pub(super) async fn ready(self: &Arc<Self>, component: &Arc<SiteComponent>, timeout: Duration) -> Result<Ready, RunError> {
        match tokio::time::timeout(timeout, self.wait(component)).await {
            Ok(loaded) => Ok(loaded?),
            Err(_) => Err(RunError::TimedOut),
        }
    }

    async fn wait(self: &Arc<Self>, component: &Arc<SiteComponent>) -> Loaded {
        component.used.store(self.clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        let mut loading = {
            let mut slot = component.slot();
            match &*slot {
                Slot::Warm(ready, _) => return Ok(ready.clone()),
                Slot::Failed(error) => return Err(Arc::clone(error)),
                Slot::Loading(loading) => loading.clone(),
                Slot::Cold => {
                    let (sender, receiver) = watch::channel(None);
                    *slot = Slot::Loading(receiver.clone());
                    let (residency, component) = (Arc::clone(self), Arc::clone(component));
                    // On a thread of its own: reading the code back is quick, and not to wait for those that compile.
                    tokio::task::spawn_blocking(move || residency.fetch(&component, &sender));
                    receiver
                }
            }
        };
        // Whoever fetches it goes on though nobody may be left who waits.
        match loading.wait_for(Option::is_some).await.as_deref() {
            Ok(Some(loaded)) => loaded.clone(),
            _ => Err(Arc::new(ComponentError::BrokeOff)),
        }
    }

    /// Fetches a component's code, puts it in its place and tells all who wait.
    fn fetch(&self, component: &Arc<SiteComponent>, waiting: &watch::Sender<Option<Loaded>>) {
        let fetched = catch_unwind(AssertUnwindSafe(|| self.load(component))).unwrap_or(Err(ComponentError::BrokeOff));
        let loaded = fetched.map_err(Arc::new);
        let (slot, told) = match loaded {
            Ok((ready, size)) => (Slot::Warm(ready.clone(), size), Ok(ready)),
            Err(error) => {
                tracing::error!(component = %component.path.display(), "{error}");
                (if error.passes() { Slot::Cold } else { Slot::Failed(Arc::clone(&error)) }, Err(error))
            }
        };
        let is_warm = told.is_ok();
        *component.slot() = slot;
        waiting.send_replace(Some(told));
        if is_warm {
            self.make_room(component);
        }
    }

    fn load(&self, component: &SiteComponent) -> Result<(Ready, usize), ComponentError> {
        let kept = self.cache.as_ref().and_then(|cache| cache.read_back(&self.engine, &component.key));
        let code = match kept {
            Some(code) => code,
            None => self.compilers.install(|| self.compile(component))?,
        };
        self.fetched.fetch_add(1, Ordering::Relaxed);
        let range = code.image_range();
        let size = (range.end as usize).saturating_sub(range.start as usize);
        let pre = self.linker.instantiate_pre(&code).map_err(ComponentError::Link)?;
        let ready = match component.door {
            Door::Typed => TypedDoorPre::new(pre).map(|door| Ready::Typed(Arc::new(Weighed::new(door, &code)))),
            Door::Http => ProxyPre::new(pre).map(|door| Ready::Http(Arc::new(Weighed::new(door, &code)))),
        };
        Ok((ready.map_err(ComponentError::Link)?, size))
    }

    fn compile(&self, component: &SiteComponent) -> Result<Component, ComponentError> {
        let file = file::read(&component.path, None, MAX_COMPONENT).map_err(|error| ComponentError::Read(error.into()))?;
        let wasm = file.get(component.within.clone()).filter(|wasm| Key::new(&self.engine, wasm) == component.key);
        let wasm = wasm.ok_or(ComponentError::Changed)?;
        let started = Instant::now();
        let compiled = Component::new(&self.engine, wasm).map_err(ComponentError::Compile)?;
        tracing::info!(component = %component.path.display(), ms = started.elapsed().as_millis(), "compiled");
        if let Some(cache) = &self.cache {
            cache.keep(&component.key, &compiled);
            cache.prune(&self.in_use());
        }
        Ok(compiled)
    }

    /// Gives up the code that was longest not asked for until the rest fits, the newcomer's aside.
    fn make_room(&self, newcomer: &Arc<SiteComponent>) {
        let mut warm = self.warm.lock().unwrap_or_else(PoisonError::into_inner);
        warm.retain(|component| !Weak::ptr_eq(component, &Arc::downgrade(newcomer)));
        warm.push(Arc::downgrade(newcomer));
        let mut held = Vec::new();
        warm.retain(|component| {
            let Some(component) = component.upgrade() else { return false };
            let Slot::Warm(_, size) = *component.slot() else { return false };
            let used = component.used.load(Ordering::Relaxed);
            held.push(Held { last_used: if Arc::ptr_eq(&component, newcomer) { u64::MAX } else { used }, size, what: component });
            true
        });
        for component in surplus(held, self.most) {
            *component.slot() = Slot::Cold;
            self.given_up.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(component = %component.path.display(), "its code is given up");
        }
    }

    /// What there is, and what came and went.
    pub(super) fn resident(&self) -> ResidentCode {
        let warm = self.warm.lock().unwrap_or_else(PoisonError::into_inner);
        let size = |component: Arc<SiteComponent>| if let Slot::Warm(_, size) = *component.slot() { size as u64 } else { 0 };
        ResidentCode {
            bytes: warm.iter().filter_map(Weak::upgrade).map(size).sum(),
            fetched: self.fetched.load(Ordering::Relaxed),
            given_up: self.given_up.load(Ordering::Relaxed),
        }
    }
}

/// Something that takes room, and when it was of use last.
struct Held<T> {
    last_used: u64,
    size: usize,
    what: T,
}

/// What has to go so that the rest is at most so large: what was of use longest ago first, what was last never.
fn surplus<T>(mut held: Vec<Held<T>>, most: u64) -> impl Iterator<Item = T> {
    let mut total: u64 = held.iter().map(|held| held.size as u64).sum();
    held.sort_unstable_by_key(|held| held.last_used);
    held.pop();
    held.into_iter().map_while(move |held| {
        let over = total > most;
        total -= held.size as u64;
        over.then_some(held.what)
    })
}

/// Lets all others go first.
#[cfg(target_os = "linux")]
fn step_back() {
    // On Linux it is the thread's own priority that changes.
    if let Err(error) = rustix::process::setpriority_process(None, 19) {
        tracing::debug!(%error, "components are compiled at the priority of those that serve");
    }
}

/// Elsewhere a thread's priority cannot be set apart from its process's.
#[cfg(not(target_os = "linux"))]
fn step_back() {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_of_use_longest_ago_goes_first() {
        let going = |sizes: &[(u64, usize)], most| {
            let held = sizes.iter().map(|&(last_used, size)| Held { last_used, size, what: last_used }).collect();
            surplus(held, most).collect::<Vec<_>>()
        };
        assert_eq!(going(&[], 0), [0; 0]);
        assert_eq!(going(&[(3, 5), (1, 5), (2, 5)], 15), [0; 0]);
        assert_eq!(going(&[(3, 5), (1, 5), (2, 5)], 14), [1]);
        assert_eq!(going(&[(3, 5), (1, 5), (2, 5)], 6), [1, 2]);
        assert_eq!(going(&[(3, 5), (1, 5), (2, 5)], 0), [1, 2], "what is needed now stays, however large");
    }
}
