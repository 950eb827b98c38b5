//! Instances between two requests of their site. They take places of the pool, so they are few, and the oldest go first.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::Tenant;
use super::engine::MAX_INSTANCES;
use super::instance::Instance;

/// Instances that wait at once in the process.
const MOST_IDLE: usize = MAX_INSTANCES as usize / 4;

/// How long one waits for its next request.
pub(super) const PATIENCE: Duration = Duration::from_secs(5);

/// The instances that wait.
#[derive(Default)]
pub(super) struct IdleInstances(Mutex<State>);

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

impl IdleInstances {
    /// The instance of a tenant that was used last: the warmest.
    pub(super) fn take(&self, tenant: &Arc<Tenant>) -> Option<Instance> {
        let mut state = self.lock();
        let ticket = *state.of_tenant.get(&key(tenant))?.last()?;
        state.remove(ticket)
    }

    /// Keeps an instance for its tenant's next request.
    pub(super) fn put(&self, instance: Instance) {
        let since = Instant::now();
        let mut state = self.lock();
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.of_tenant.entry(key(&instance.guest().tenant)).or_default().push(ticket);
        state.waiting.insert(ticket, Idle { instance, since });
        let oldest = if state.waiting.len() > MOST_IDLE { state.oldest() } else { None };
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
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
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
