//! An instance of a component in a store of its own: made for one request, or kept for those that follow it on the same site.

use wasmtime::{Engine, Result, Store};

use super::bindings::exports::djo::site::handler::{Failure, Request, Response};
use super::bindings::{TypedDoor, TypedDoorPre};
use super::guest::Guest;
use super::idle::IdleInstances;
use super::pool::{Filled, Weighed};
use super::run::{RunError, unstarted};

/// Requests that one instance serves.
const MOST_REQUESTS: u32 = 128;

/// Bytes of memory beyond which an instance is not kept: what one large request grew would stay for all that follow.
const MOST_MEMORY: usize = 2 << 20;

/// Bytes that one call may hand the host beside a response: values for the store, most of all.
const BESIDE_RESPONSE: usize = 8 << 20;

/// A store, with the limits that hold in it.
pub(super) fn store(engine: &Engine, guest: Guest) -> Store<Guest> {
    // What is handed over is copied: the same few bytes of a guest's, named a million times, would be a million copies.
    let most = guest.tenant.limits.response_bytes.saturating_add(BESIDE_RESPONSE);
    let mut store = Store::new(engine, guest);
    store.limiter(|guest| guest);
    store.set_hostcall_fuel(most);
    store.epoch_deadline_callback(|store| store.data().meter.tick());
    store.set_epoch_deadline(1);
    store
}

/// A component's instance.
pub(super) struct Instance {
    store: Store<Guest>,
    door: TypedDoor,
    served: u32,
    /// Falls after the store.
    _filled: Filled,
}

impl Instance {
    /// A fresh one.
    ///
    /// # Errors
    /// [`RunError::Busy`], or what a component does before its first call.
    pub(super) async fn new(door: &Weighed<TypedDoorPre<Guest>>, idle: &IdleInstances, guest: Guest) -> Result<Self, RunError> {
        let filled = guest.tenant.share.pool().fill(door.places, idle);
        let mut store = store(door.engine(), guest);
        match door.instantiate_async(&mut store).await {
            Ok(door) => Ok(Self { store, door, served: 0, _filled: filled }),
            Err(error) => Err(unstarted(error, store.data())),
        }
    }

    /// The instance for its next request: all that the host knows of the last one goes, and every limit starts anew.
    pub(super) fn renewed(mut self, mut guest: Guest) -> Self {
        let last = self.store.data_mut();
        guest.growth.take_over(&mut last.growth);
        *last = guest;
        self.store.set_epoch_deadline(1);
        self
    }

    /// Calls the typed door.
    ///
    /// # Errors
    /// A trap, the guest's or the host's.
    pub(super) async fn call(&mut self, request: &Request) -> Result<Result<Response, Failure>> {
        self.served += 1;
        self.door.djo_site_handler().call_handle(&mut self.store, request).await
    }

    /// For whom it runs, and what that run has done.
    pub(super) fn guest(&self) -> &Guest {
        self.store.data()
    }

    /// How many requests it has served.
    #[cfg(test)]
    pub(super) fn served(&self) -> u32 {
        self.served
    }

    /// Whether it may be kept, after a call that came back.
    pub(super) fn can_serve_again(&self) -> bool {
        self.served < MOST_REQUESTS && self.guest().is_clean(MOST_MEMORY)
    }
}
