//! Who may take how many of the engine's places. They are one process's, and no site, nor many of them, may use them up. Two counters say
//! it, and no lock.
//!
//! Three in four places are there for all: a site may take another while that is fair ([`is_fair`]). One that takes what it can while nobody
//! else does gets two in five. The other places are for sites that have few.

use std::collections::HashMap;
use std::ops::Deref;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError, Weak};

use wasmtime::component::Component;

use super::engine::{MAX_INSTANCES, MOST_MEMORIES, TABLES_EACH};
use super::idle::IdleInstances;
use super::log_budget::{Allowed, LogBudget};
use super::run::RunError;
use crate::memory::{Memory, SiteMemory, is_fair};

/// So many places of its own a site may have out of those that are kept for it.
const FEW: u32 = 4;

/// The places of the engine: each is an instance with a memory and two tables. An instance that needs more takes more of them.
#[derive(Debug)]
pub(super) struct Pool {
    places: u32,
    /// Taken for runs.
    taken: AtomicU32,
    /// Where there is an instance, that waits or runs.
    filled: AtomicU32,
    /// What their instances may grow to, and their bodies take.
    pub(super) memory: Arc<Memory>,
    sites: Mutex<HashMap<Arc<str>, Weak<Share>>>,
}

/// What a site has of what all share, over all of its revisions.
#[derive(Debug)]
pub struct Share {
    site: Arc<str>,
    /// Places.
    taken: AtomicU32,
    /// What it may write to the log.
    log: LogBudget,
    /// Lines of its log that were left out.
    left_out: AtomicU64,
    /// What it has of the memory there is.
    pub memory: Arc<SiteMemory>,
    pool: Arc<Pool>,
}

/// Places that a run has. Dropped after its instance has gone, or waits.
#[derive(Debug)]
pub(super) struct Taken<'s> {
    share: &'s Share,
    places: u32,
}

/// Places that an instance fills. Dropped after it.
#[derive(Debug)]
pub(super) struct Filled {
    pool: Arc<Pool>,
    places: u32,
}

/// A door, and how many places its instance fills.
pub(super) struct Weighed<D> {
    door: D,
    pub(super) places: u32,
}

impl<D> Weighed<D> {
    pub(super) fn new(door: D, component: &Component) -> Self {
        Self { door, places: places(component) }
    }
}

impl<D> Deref for Weighed<D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.door
    }
}

/// How many places an instance of a component fills: as many as it takes to have its memories and tables. One that takes in code from
/// elsewhere, which nobody can say it of, fills as many as any may.
fn places(component: &Component) -> u32 {
    match component.resources_required() {
        Some(needs) => needs.num_memories.max(needs.num_tables.div_ceil(TABLES_EACH)).max(1),
        None => MOST_MEMORIES,
    }
}

impl Pool {
    /// All places of the engine, and so many bytes of memory.
    pub(super) fn new(memory: u64) -> Arc<Self> {
        Self::of(MAX_INSTANCES, memory)
    }

    fn of(places: u32, memory: u64) -> Arc<Self> {
        let (taken, filled) = (AtomicU32::new(0), AtomicU32::new(0));
        Arc::new(Self { places, taken, filled, memory: Memory::of(memory), sites: Mutex::default() })
    }

    /// Whether a site may have `own` places, of which it is taking the last `places`, where `all` sites have taken so many before.
    fn allows(&self, own: u32, places: u32, all: u32) -> bool {
        let common = u64::from(self.places / 4 * 3);
        let left = common.saturating_sub(all.into());
        let few = own <= FEW.max(places) && all.saturating_add(places) <= self.places;
        few || is_fair(own.into(), left, common)
    }

    /// The share of the site of a name. It stays the same one for as long as anybody has it.
    pub(super) fn share(self: &Arc<Self>, site: &Arc<str>) -> Arc<Share> {
        let mut sites = self.sites.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(share) = sites.get(site).and_then(Weak::upgrade) {
            return share;
        }
        // Cleared where it would grow: what that costs is shared out over all that were put in.
        if sites.len() == sites.capacity() {
            sites.retain(|_, share| share.strong_count() > 0);
        }
        let (taken, log, left_out) = (AtomicU32::new(0), LogBudget::default(), AtomicU64::new(0));
        let (memory, pool) = (self.memory.share(), Arc::clone(self));
        let share = Arc::new(Share { site: Arc::clone(site), taken, log, left_out, memory, pool });
        sites.insert(Arc::clone(site), Arc::downgrade(&share));
        share
    }

    /// Makes room for an instance. Those that wait give up their places where there are none left, the oldest first.
    pub(super) fn fill(self: &Arc<Self>, places: u32, idle: &IdleInstances) -> Filled {
        self.filled.fetch_add(places, Relaxed);
        let filled = Filled { pool: Arc::clone(self), places };
        while self.filled.load(Relaxed) > self.places && idle.drop_oldest() {}
        filled
    }
}

impl Share {
    /// Takes places for a run.
    ///
    /// # Errors
    /// [`RunError::Busy`]: the site has its share.
    pub(super) fn take(&self, places: u32) -> Result<Taken<'_>, RunError> {
        // What others put in between makes it the stricter, never the laxer.
        let own = self.taken.fetch_add(places, Relaxed).saturating_add(places);
        let all = self.pool.taken.fetch_add(places, Relaxed);
        let taken = Taken { share: self, places };
        if self.pool.allows(own, places, all) {
            Ok(taken)
        } else {
            Err(RunError::Busy(wasmtime::Error::msg("the site has its share of the places there are")))
        }
    }

    /// Whether so many bytes may be written to the log of what the site does, by itself or by the host: what its visitors can bring about as
    /// often as they like must not fill it. Says how much was left out.
    pub fn may_log(&self, bytes: usize) -> bool {
        match self.log.spend(bytes) {
            Allowed::Yes => true,
            Allowed::After(lines) => {
                tracing::warn!(target: "djo::log", site = &*self.site, lines, "too much is written of the site: so many lines are left out");
                true
            }
            Allowed::No => {
                self.leave_out();
                false
            }
        }
    }

    /// Counts a line of its log that is left out.
    pub(super) fn leave_out(&self) {
        self.left_out.fetch_add(1, Relaxed);
    }

    /// How many lines of its log were left out so far.
    pub fn lines_left_out(&self) -> u64 {
        self.left_out.load(Relaxed)
    }

    /// The pool that it is a share of.
    pub(super) fn pool(&self) -> &Arc<Pool> {
        &self.pool
    }
}

impl Drop for Taken<'_> {
    fn drop(&mut self) {
        self.share.taken.fetch_sub(self.places, Relaxed);
        self.share.pool.taken.fetch_sub(self.places, Relaxed);
    }
}

impl Drop for Filled {
    fn drop(&mut self) {
        self.pool.filled.fetch_sub(self.places, Relaxed);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// All that a site gets where it takes what it can, so many places at a time.
    fn greedy(share: &Share, places: u32) -> Vec<Taken<'_>> {
        std::iter::from_fn(|| share.take(places).ok()).collect()
    }

    #[test]
    fn one_that_has_nothing_finds_a_place_beside_any_number_that_take_what_they_can() {
        for (most, each) in [(100, 1), (100, 2), (100, 4), (32, 8)] {
            for sites in [1, 2, most] {
                let pool = Pool::new(0);
                let all: Vec<_> = (0..sites).map(|site| pool.share(&Arc::from(format!("guloso-{site}")))).collect();
                let mut held = Vec::new();
                // Again and again, as their clients come again.
                for _ in 0..3 {
                    held.extend(all.iter().flat_map(|share| greedy(share, each)));
                }
                let calm = pool.share(&Arc::from("calmo"));
                let left = MAX_INSTANCES - pool.taken.load(Relaxed);
                assert!(greedy(&calm, 1).len() >= FEW as usize, "{sites} sites, {each} places each: {left} are left");
            }
        }
    }

    #[test]
    fn a_site_alone_has_a_good_part_and_gives_back_all() {
        let pool = Pool::of(2000, 0);
        let share = pool.share(&Arc::from("um"));
        assert!(Arc::ptr_eq(&share, &pool.share(&Arc::from("um"))), "over its revisions");
        let held = greedy(&share, 1);
        assert_eq!(held.len(), 573);
        drop(held);
        assert_eq!((share.taken.load(Relaxed), pool.taken.load(Relaxed)), (0, 0), "what was refused is given back, too");
        assert_eq!(greedy(&share, 4).len(), 143, "what is larger takes more");
    }
}
