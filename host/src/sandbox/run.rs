//! One run: a fresh instance, one call, one answer, and every way in which that can end.

use std::sync::Arc;
use std::time::{Duration, Instant};

use wasmtime::{Store, UpdateDeadline};

use super::bindings::exports::djo::site::handler::{Failure, Request, Response};
use super::code::Ready;
use super::guest::{Guest, Looked};
use super::{Code, Context, Sandbox, Tenant};

/// What a run answered, and what it looked at on the way.
#[derive(Debug)]
pub struct Answer {
    /// As the guest gave it: not yet checked.
    pub response: Response,
    /// What the host saw it read.
    pub looked: Looked,
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
    /// Every instance of the process is in use.
    #[error("no instance is free: {0:#}")]
    Busy(wasmtime::Error),
}

/// Raised inside the guest's call when its time is up: a timer outside fires only when the runtime comes round to it, and a guest
/// that computes without a pause must not outrun it.
#[derive(Debug, thiserror::Error)]
#[error("out of time")]
struct OutOfTime;

/// Raised inside the guest's call when its ticks are used up.
#[derive(Debug, thiserror::Error)]
#[error("CPU budget spent")]
struct CpuBudgetSpent;

impl Sandbox {
    /// Runs a request of a site with a contract, on the shared runtime or in the site's own component. `timeout` may lower the site's own, never raise it.
    ///
    /// # Errors
    /// [`RunError`]: the guest's failure, a limit it met, or no room.
    pub async fn run(
        &self,
        tenant: &Arc<Tenant>,
        context: Context,
        request: &Request,
        timeout: Option<Duration>,
    ) -> Result<Answer, RunError> {
        let mut store = Store::new(&self.engine, Guest::new(Arc::clone(tenant), context));
        store.limiter(|guest| &mut guest.memory);
        store.set_epoch_deadline(1);
        let timeout = timeout.unwrap_or(Duration::MAX).min(tenant.limits.timeout);
        let started = Instant::now();
        store.epoch_deadline_callback(move |mut store| {
            if started.elapsed() >= timeout {
                return Err(OutOfTime.into());
            }
            let guest = store.data_mut();
            guest.ticks += 1;
            if guest.ticks > guest.tick_budget {
                return Err(CpuBudgetSpent.into());
            }
            Ok(UpdateDeadline::Yield(1))
        });
        let call = async {
            let runtime = match &tenant.code {
                Code::Djo(_) => &self.runtime,
                Code::Component(component) => match component.ready() {
                    Ready::Typed(door) => door,
                    Ready::Http => return Err(RunError::Trap(wasmtime::Error::msg("the component has no typed door"))),
                },
            };
            let door = runtime.instantiate_async(&mut store).await.map_err(RunError::Busy)?;
            door.djo_site_handler().call_handle(&mut store, request).await.map_err(RunError::Trap)
        };
        let ended = tokio::time::timeout(timeout, call).await;
        let response = match ended {
            Err(_) => return Err(RunError::TimedOut),
            Ok(Err(RunError::Trap(error))) => return Err(explain(error, &store)),
            Ok(Err(error)) => return Err(error),
            Ok(Ok(Err(failure))) => return Err(RunError::Failed(Box::new(failure))),
            Ok(Ok(Ok(response))) => response,
        };
        if response.body.len() > tenant.limits.response_bytes {
            return Err(RunError::TooLarge(response.body.len()));
        }
        Ok(Answer { response, looked: store.data().looked })
    }
}

/// Tells a limit from a fault of the guest's own.
fn explain(error: wasmtime::Error, store: &Store<Guest>) -> RunError {
    if error.is::<OutOfTime>() {
        RunError::TimedOut
    } else if error.is::<CpuBudgetSpent>() {
        RunError::CpuSpent
    } else if store.data().memory.refused {
        RunError::Memory(error)
    } else {
        RunError::Trap(error)
    }
}
