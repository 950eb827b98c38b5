//! Instances between two requests of their site. They take places of the pool and memory, so that they are few, and the oldest go first.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Tenant;
use super::engine::{MAX_INSTANCES, as_memory_allows};
use super::instance::Instance;

/// What an idle instance holds, about.
const BYTES_EACH: u64 = 512 << 10;

/// Instances that wait at once in the process: at least, and at most. A run that finds the pool full takes an idle one's place.
const MOST_IDLE: (u32, u32) = (64, MAX_INSTANCES / 4 * 3);

/// How long one waits for its next request.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The instances that wait.
pub(super) struct IdleInstances {
    state: Mutex<State>,
    most: u64,
    /// Runs that have ended in all.
    ended: AtomicU64,
}

/// That a tenant's instances serve one request after another, and when they last did.
#[derive(Debug, Default)]
pub struct Reuse {
    /// How many runs had ended in the process when one of the tenant's last did.
    last: AtomicU64,
}

#[derive(Default)]
struct State {
    next_ticket: u64,
    /// By ticket: the first has waited the longest.
    waiting: BTreeMap<u64, Idle>,
    /// Tickets of each tenant's, the latest last.
    of_tenant: HashMap<TenantKey, Vec<u64>>,
}

struct Idle {
    instance: Instance,
    since: Instant,
}

/// A revision of a site by its address, which stays its own as long as an instance of it waits.
type TenantKey = usize;

fn key(tenant: &Arc<Tenant>) -> TenantKey {
    Arc::as_ptr(tenant).addr()
}

impl Reuse {
    /// Notes that a run ends as the so-manieth of all; tells whether no more than `most` have ended since the last of this tenant's.
    fn comes_often(&self, ended: u64, most: u64) -> bool {
        ended.saturating_sub(self.last.swap(ended, Ordering::Relaxed)) <= most
    }
}

impl IdleInstances {
    /// Room for as many as the machine's memory suggests.
    pub(super) fn new() -> Self {
        let most = u64::from(as_memory_allows(BYTES_EACH, MOST_IDLE));
        // As if others had run before: a tenant's first request does not say that it comes again.
        Self { state: Mutex::default(), most, ended: AtomicU64::new(most + 1) }
    }

    /// The instance of a tenant that was used last: the warmest.
    pub(super) fn take(&self, tenant: &Arc<Tenant>) -> Option<Instance> {
        let mut state = self.lock();
        let ticket = *state.of_tenant.get(&key(tenant))?.last()?;
        state.remove(ticket)
    }

    /// Keeps an instance for its tenant's next request, if that may come before the places are needed by others: the last one came
    /// within as many runs as there are places. Of more sites that take turns than there are places, none would find its own again,
    /// and a fresh instance in memory that is warm is better than to push others out.
    pub(super) fn put(&self, instance: Instance) {
        let Some(reuse) = &instance.guest().tenant.reuse else { return };
        let ended = self.ended.fetch_add(1, Ordering::Relaxed);
        if !reuse.comes_often(ended, self.most) {
            return;
        }
        let since = Instant::now();
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.of_tenant.entry(key(&instance.guest().tenant)).or_default().push(ticket);
        state.waiting.insert(ticket, Idle { instance, since });
        let oldest = if state.waiting.len() as u64 > self.most { state.oldest() } else { None };
        drop(state);
        // Outside the lock: memory is cleared as an instance goes.
        drop(oldest);
    }

    /// Drops the instance that has waited the longest; tells whether there was one.
    pub(super) fn drop_oldest(&self) -> bool {
        let oldest = self.lock().oldest();
        oldest.is_some()
    }

    /// Drops what has waited for too long.
    pub(super) fn sweep(&self) {
        loop {
            let mut state = self.lock();
            let late = state.waiting.first_key_value().is_some_and(|(_, idle)| idle.since.elapsed() >= PATIENCE);
            let Some(oldest) = late.then(|| state.oldest()).flatten() else { return };
            drop(state);
            drop(oldest);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn oldest(&mut self) -> Option<Instance> {
        let ticket = *self.waiting.first_key_value()?.0;
        self.remove(ticket)
    }

    fn remove(&mut self, ticket: u64) -> Option<Instance> {
        let Idle { instance, .. } = self.waiting.remove(&ticket)?;
        let tenant = key(&instance.guest().tenant);
        if let Some(tickets) = self.of_tenant.get_mut(&tenant) {
            tickets.retain(|waiting| *waiting != ticket);
            if tickets.is_empty() {
                self.of_tenant.remove(&tenant);
            }
        }
        Some(instance)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_more_tenants_than_places_none_is_kept_in_turn() {
        let kept = |tenants: usize, turns: u64| {
            let all: Vec<_> = (0..tenants).map(|_| Reuse::default()).collect();
            let often = (0..turns).zip((0..tenants).cycle()).map(|(ended, which)| all[which].comes_often(100 + ended, 2));
            often.skip(tenants).filter(|often| *often).count()
        };
        assert_eq!((kept(1, 21), kept(2, 22), kept(3, 23)), (20, 20, 0));
    }
}
