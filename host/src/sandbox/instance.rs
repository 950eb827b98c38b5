//! An instance of a component in a store of its own: made for one request, or kept for those that follow it on the same site.

use wasmtime::{PoolConcurrencyLimitError, Result, Store};

use super::bindings::exports::djo::site::handler::{Failure, Request, Response};
use super::bindings::{TypedDoor, TypedDoorPre};
use super::guest::Guest;
use super::idle::IdleInstances;
use super::run::RunError;

/// Requests that one instance serves.
const MOST_REQUESTS: u32 = 128;

/// Bytes of memory beyond which an instance is not kept: what one large request grew would stay for all that follow.
const MOST_MEMORY: usize = 2 << 20;

/// A component's instance.
pub(super) struct Instance {
    store: Store<Guest>,
    door: TypedDoor,
    served: u32,
}

impl Instance {
    /// A fresh one. Where every place of the pool is taken, the oldest idle one gives up its own.
    ///
    /// # Errors
    /// [`RunError::Busy`]
    pub(super) async fn new(door: &TypedDoorPre<Guest>, idle: &IdleInstances, guest: Guest) -> Result<Self, RunError> {
        let mut store = Store::new(door.engine(), guest);
        store.limiter(|guest| &mut guest.memory);
        store.epoch_deadline_callback(|store| store.data().meter.tick());
        store.set_epoch_deadline(1);
        let door = match door.instantiate_async(&mut store).await {
            Err(error) if error.is::<PoolConcurrencyLimitError>() && idle.drop_oldest() => door.instantiate_async(&mut store).await,
            instantiated => instantiated,
        };
        Ok(Self { store, door: door.map_err(RunError::Busy)?, served: 0 })
    }

    /// The instance for its next request: all that the host knows of the last one goes, and every limit starts anew.
    pub(super) fn renewed(mut self, guest: Guest) -> Self {
        *self.store.data_mut() = guest;
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
