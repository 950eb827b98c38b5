//! How much of memory what is kept may take, over all sites. Each makes room among its own alone, so that no site's answers go because
//! of another's; what is too old goes without being asked for.

use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};
use std::thread;
use std::time::Duration;

use super::ResponseCache;
use crate::memory::is_fair;

/// Bytes of responses that the process keeps, over all sites.
const MOST: usize = 128 << 20;
/// A site may keep so many whatever the others do, as long as there is any room.
const LEAST: usize = 64 << 10;
/// How often what is too old is cleared away.
const SWEEP_EVERY: Duration = Duration::from_secs(2);

/// The room of the process.
pub(super) static ROOM: LazyLock<Arc<Room>> = LazyLock::new(|| {
    let room = Arc::new(Room::of(MOST));
    let swept = Arc::clone(&room);
    let janitor = move || {
        loop {
            thread::sleep(SWEEP_EVERY);
            swept.sweep();
        }
    };
    // Without a thread what is too old merely stays until its site has others to keep.
    if let Err(error) = thread::Builder::new().name("djo-cache-janitor".into()).spawn(janitor) {
        tracing::warn!(%error, "responses that are too old will not be cleared away");
    }
    room
});

#[derive(Debug)]
pub(super) struct Room {
    most: usize,
    used: AtomicUsize,
    /// The caches that hold anything.
    filled: Mutex<Vec<Weak<ResponseCache>>>,
}

impl Room {
    pub(super) fn of(most: usize) -> Self {
        Self { most, used: AtomicUsize::new(0), filled: Mutex::default() }
    }

    pub(super) fn take(&self, bytes: usize) {
        self.used.fetch_add(bytes, Relaxed);
    }

    pub(super) fn give_back(&self, bytes: usize) {
        self.used.fetch_sub(bytes, Relaxed);
    }

    /// Whether a site may keep as much as it does.
    pub(super) fn allows(&self, own: usize) -> bool {
        let used = self.used.load(Relaxed);
        let left = self.most.saturating_sub(used);
        used <= self.most && (own <= LEAST || is_fair(own as u64, left as u64, self.most as u64))
    }

    /// From here on the cache is swept, until it is empty.
    pub(super) fn fills(&self, cache: &Arc<ResponseCache>) {
        self.lock().push(Arc::downgrade(cache));
    }

    /// Clears away what is too old.
    pub(super) fn sweep(&self) {
        let mut filled = std::mem::take(&mut *self.lock());
        filled.retain(|cache| cache.upgrade().is_some_and(|cache| cache.drop_expired()));
        self.lock().append(&mut filled);
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Vec<Weak<ResponseCache>>> {
        self.filled.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
