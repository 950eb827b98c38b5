//! One run: an instance, one call, one answer, and every way in which that can end.

use std::sync::Arc;
use std::time::Duration;

use wasmtime::PoolConcurrencyLimitError;

use super::background::Run;
use super::bindings::TypedDoorPre;
use super::bindings::exports::djo::site::handler::{Failure, Request, Response};
use super::code::Ready;
use super::guest::{Guest, Looked};
use super::idle::IdleInstances;
use super::instance::Instance;
use super::meter::{CpuBudgetSpent, Meter, OutOfTime};
use super::pool::Weighed;
use super::{Code, ComponentError, Context, Sandbox, Tenant};
use crate::lane::Place;
use crate::memory::{Held, NoMemory};

/// What a run answered, and what it looked at on the way.
#[derive(Debug)]
pub struct Answer {
    /// As the guest gave it: not yet checked.
    pub response: Response,
    /// What the host saw it read.
    pub looked: Looked,
    /// The memory that a long response takes.
    pub held: Held,
}

/// Why a run gave no answer. None of it is for a client.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// An error of the site's code that nothing caught.
    #[error("{}:{}: {}", .0.file, .0.line, .0.message)]
    Failed(Box<Failure>),
    /// The wall clock ran out.
    #[error("out of time")]
    TimedOut,
    /// The CPU budget ran out.
    #[error("out of CPU time")]
    CpuSpent,
    /// It asked for more memory than the site may have.
    #[error("out of memory: {0:#}")]
    Memory(wasmtime::Error),
    /// The guest trapped.
    #[error("trap: {0:#}")]
    Trap(wasmtime::Error),
    /// The response is larger than the site may send.
    #[error("a response of {0} bytes is over the limit")]
    TooLarge(usize),
    /// Every instance that the site may have is in use, or there is no memory for another: nothing has run.
    #[error("no instance is free: {0:#}")]
    Busy(wasmtime::Error),
    /// While it ran there was no more of the memory that all sites share.
    #[error(transparent)]
    Starved(#[from] NoMemory),
    /// The site's component cannot run.
    #[error(transparent)]
    Component(#[from] Arc<ComponentError>),
}

impl Sandbox {
    /// Runs a request of a site with a contract, on the shared runtime or in the site's own component. `timeout` may lower the site's
    /// own, never raise it; `place` is the run's in the agents' lane. Dropped before its end, the run ends too.
    ///
    /// # Errors
    /// [`RunError`]: the guest's failure, a limit it met, or no room.
    pub async fn run(
        &self,
        tenant: &Arc<Tenant>,
        context: Context,
        request: &Arc<Request>,
        timeout: Option<Duration>,
        place: Option<Place>,
    ) -> Result<Answer, RunError> {
        let timeout = timeout.unwrap_or(Duration::MAX).min(tenant.limits.timeout);
        let door = match &tenant.code {
            Code::Djo(_) => Arc::clone(&self.runtime),
            Code::Component(component) => match self.components.ready(component, timeout).await? {
                Ready::Typed(door) => door,
                Ready::Http(door) => return self.run_http(door, tenant, context, request, timeout, place).await,
            },
        };
        let meter = Arc::new(Meter::new(Arc::clone(&self.clock), timeout, tenant.limits.cpu));
        let guest = Guest::new(Arc::clone(tenant), context, Arc::clone(&meter));
        let call = Box::pin(call(door, Arc::clone(&self.idle), guest, Arc::clone(request)));
        let run = Run { meter, call, place };
        match tokio::time::timeout(timeout, self.background.conduct(run)).await {
            Ok(Some(ended)) => ended,
            Ok(None) | Err(_) => Err(RunError::TimedOut),
        }
    }
}

/// One call. All it needs is its own, so that it can move from thread to thread.
async fn call(
    door: Arc<Weighed<TypedDoorPre<Guest>>>,
    idle: Arc<IdleInstances>,
    guest: Guest,
    request: Arc<Request>,
) -> Result<Answer, RunError> {
    let tenant = Arc::clone(&guest.tenant);
    // Falls last, after the instance.
    let _taken = tenant.share.take(door.places)?;
    let reused = tenant.reuse.as_ref().and_then(|_| idle.take(&tenant));
    let mut instance = match reused {
        Some(instance) => instance.renewed(guest),
        None => Instance::new(&door, &idle, guest).await?,
    };
    let answered = match instance.call(&request).await {
        Ok(answered) => answered,
        Err(error) => return Err(explain(error, instance.guest())),
    };
    let looked = instance.guest().looked;
    let ended = match answered {
        // The machine has ended in order: a failed run drops its values as one that answered does.
        Err(failure) => Err(RunError::Failed(Box::new(failure))),
        Ok(response) if response.body.len() > tenant.limits.response_bytes => return Err(RunError::TooLarge(response.body.len())),
        Ok(response) => {
            let mut held = Held::default();
            let covered = held.cover(&tenant.share.memory, response.body.len());
            covered.map(|()| Answer { response, looked, held }).map_err(RunError::from)
        }
    };
    if instance.can_serve_again() {
        idle.put(instance);
    }
    ended
}

/// Tells why no instance could be had: the pool was full, or what the guest does before its first call failed.
pub(super) fn unstarted(error: wasmtime::Error, guest: &Guest) -> RunError {
    if error.is::<PoolConcurrencyLimitError>() || error.is::<NoMemory>() { RunError::Busy(error) } else { explain(error, guest) }
}

/// Tells a limit from a fault of the guest's own.
pub(super) fn explain(error: wasmtime::Error, guest: &Guest) -> RunError {
    if error.is::<OutOfTime>() {
        RunError::TimedOut
    } else if error.is::<CpuBudgetSpent>() {
        RunError::CpuSpent
    } else if let Some(none) = error.downcast_ref() {
        RunError::Starved(*none)
    } else if guest.growth.is_refused() {
        RunError::Memory(error)
    } else {
        RunError::Trap(error)
    }
}
