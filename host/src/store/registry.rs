//! Which stores are open: few of many. A store opens at first use; the idle ones and, beyond a bound, the least recently used close.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak, mpsc},
    thread,
    time::{Duration, Instant},
};

use super::site_store::SiteStore;
use crate::site::SiteName;
use crate::system::open_files;

/// Files that an open store holds, about.
const FILES_EACH: usize = 5;

/// How many stores stay open, and for how long.
#[derive(Clone, Copy, Debug)]
pub struct StoreSettings {
    /// Stores open at once. Default: as many as take a quarter of the files that this process may have open, from 4 to 1024.
    pub max_open: usize,
    /// A store that nobody used for this long closes. Default: one minute.
    pub idle: Duration,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self { max_open: (open_files() / 4 / FILES_EACH).clamp(4, 1024), idle: Duration::from_secs(60) }
    }
}

/// The stores of all sites of a data folder.
#[derive(Debug)]
pub struct Stores {
    folder: PathBuf,
    sites: Mutex<HashMap<SiteName, Weak<SiteStore>>>,
    open: Arc<OpenStores>,
    /// Dropped with the last handle, which ends the janitor.
    _janitor: mpsc::Sender<()>,
}

impl Stores {
    /// The stores under `DATA/sites`. Nothing is opened or made before it is used.
    pub fn new(data: &Path, settings: StoreSettings) -> Self {
        let open = Arc::new(OpenStores { settings, started: Instant::now(), stores: Mutex::default() });
        let (alive, ended) = mpsc::channel();
        let watched = Arc::clone(&open);
        // Without a thread the stores merely stay open for longer.
        let started = thread::Builder::new().name("djo-store-janitor".into()).spawn(move || {
            while ended.recv_timeout(settings.idle / 4) == Err(mpsc::RecvTimeoutError::Timeout) {
                watched.close_idle();
            }
        });
        if let Err(error) = started {
            tracing::warn!(%error, "idle stores will not be closed");
        }
        Self { folder: data.join("sites"), sites: Mutex::default(), open, _janitor: alive }
    }

    /// The store of a site, which may grow to `store_mb` MiB. The same one for as long as somebody holds it; the newest bound holds.
    pub fn site(&self, name: &SiteName, store_mb: u32) -> Arc<SiteStore> {
        let mut sites = lock(&self.sites);
        if let Some(store) = sites.get(name).and_then(Weak::upgrade) {
            store.set_store_mb(store_mb);
            return store;
        }
        let path = self.folder.join(name.as_str()).join("store.db");
        let store = SiteStore::new(path, store_mb, Arc::clone(&self.open));
        sites.insert(name.clone(), Arc::downgrade(&store));
        store
    }

    /// How many stores are open now.
    pub fn open_count(&self) -> usize {
        lock(&self.open.stores).len()
    }

    /// Closes what nobody used for [`StoreSettings::idle`], and clears away what is too old in the others. A thread of the host calls it, too.
    pub fn close_idle(&self) {
        self.open.close_idle();
    }
}

/// The open ones among all stores: as many entries as there are open files, however many sites there are.
#[derive(Debug)]
pub(super) struct OpenStores {
    settings: StoreSettings,
    started: Instant,
    stores: Mutex<Vec<Weak<SiteStore>>>,
}

impl OpenStores {
    /// Microseconds since this set of stores began.
    pub(super) fn now(&self) -> u64 {
        u64::try_from(self.started.elapsed().as_micros()).unwrap_or(u64::MAX)
    }

    /// Notes that a store has opened, and closes the least recently used one when there are too many.
    pub(super) fn opened(&self, store: &Weak<SiteStore>) {
        let evicted = {
            let mut stores = lock(&self.stores);
            stores.retain(|other| other.strong_count() > 0 && !other.ptr_eq(store));
            let oldest = (stores.len() >= self.settings.max_open)
                .then(|| stores.iter().enumerate().min_by_key(|(_, other)| other.upgrade().map(|other| other.last_used())))
                .flatten()
                .map(|(index, _)| index);
            let evicted = oldest.map(|index| stores.swap_remove(index));
            stores.push(store.clone());
            evicted
        };
        // Outside the lock: closing may write to the disk.
        if let Some(store) = evicted.and_then(|store| store.upgrade()) {
            store.close();
        }
    }

    fn close_idle(&self) {
        let (mut idle, mut open) = (Vec::new(), Vec::new());
        let limit = u64::try_from(self.settings.idle.as_micros()).unwrap_or(u64::MAX);
        let now = self.now();
        lock(&self.stores).retain(|store| match store.upgrade() {
            Some(store) if now.saturating_sub(store.last_used()) >= limit => {
                idle.push(store);
                false
            }
            Some(store) => {
                open.push(store);
                true
            }
            None => false,
        });
        for store in idle {
            store.close();
        }
        open.iter().for_each(|store| store.tidy());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
