//! One call of a site's code, whatever door it came through: the routes themselves, `/agent/execute`, and those of other protocols.
//! Doors decode what they are sent into a [`Call`] and give what [`execute`] came to its form; in between, everything exists once:
//! what the host fills in, the cache, the lane, the run with its log and its counters, the checks of what the guest says.

mod bounds;
mod cached;
mod caller;
mod inject;
mod record;
mod run;
mod shape;
mod view;

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use djo_contract::decode::InjectError;

pub use bounds::BoundsError;
pub use caller::{Caller, canonical, hash};
pub use record::{Claimed, Keyed, Ticket, claim, standing};
pub use run::{RunFailure, attempt, put_on_record};
pub use shape::{ShapeError, checked, entity_tag, has_no_body, within_limits};
pub use view::{ResultError, View, ViewError};

use cached::Looked;

use crate::memory::Held;
use crate::sandbox::{Context, Entry, PageBounds, Request, aside};
use crate::server::Host;
use crate::tenant::Site;

/// A call whose input the contract has accepted.
pub struct Call {
    /// The site.
    pub site: Arc<Site>,
    /// The route it runs by.
    pub route: usize,
    /// What the code is given.
    pub request: Arc<Request>,
    /// What is asked to be seen of the result.
    pub view: View,
    /// On whose behalf.
    pub context: Context,
    /// Lowers the time-out of the route and of the site.
    pub timeout: Option<Duration>,
}

/// What a call was answered with: checked, and cut down to what was asked for.
pub struct Answered {
    /// Status, headers and body.
    pub response: http::Response<Bytes>,
    /// How much of a result this page is.
    pub page: Option<Box<PageBounds>>,
    /// It was kept, with what every answer says ([`crate::respond::say_always`]).
    pub is_kept: bool,
    /// The memory that it takes while it is made into what is sent.
    pub held: Held,
}

/// Why a call was not answered.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)]
pub enum ExecutionError {
    #[error(transparent)]
    Inject(#[from] InjectError),
    #[error(transparent)]
    Run(#[from] RunFailure),
    #[error(transparent)]
    Shape(#[from] ShapeError),
}

/// Executes a call. `started` is told when its code begins to run: from then on it may have had effects.
///
/// # Errors
/// [`ExecutionError`]; what it holds is for the log and the author, not for clients.
pub async fn execute(host: &Host, call: Box<Call>, started: impl FnMut(bool)) -> Result<Answered, ExecutionError> {
    // What the context adds is no part of what the client sent, and never overrides it.
    let completed = inject::complete(call)?;
    // Only what could run has a key; a hit takes no place in the lane.
    let missed = match cached::look_up(completed).await {
        Looked::Hit(answered) => return Ok(answered),
        Looked::Miss(missed) => missed,
    };
    // The only stage that runs code of the site. In a box: most of the future of every request would be room for it.
    let ran = Box::pin(run::run(host, missed, started)).await?;
    // What a guest says is checked before it is believed.
    let dev = host.options.dev;
    let shaped = if ran.weight() < aside::LARGE {
        shape::shape(dev, ran)?
    } else {
        let (queue, reads) = (ran.call.site.aside.clone(), ran.call.reads());
        // In a box: few are so large.
        match Box::pin(host.sandbox.aside(&queue, move || shape::shape(dev, ran))).await {
            Ok(shaped) => shaped?,
            // What only reads may be asked for again. Of an action it is not said that it has not run.
            Err(aside::Full) if reads => return Err(RunFailure::SiteFull.into()),
            Err(aside::Full) => return Err(ShapeError::NoRoom.into()),
        }
    };
    // Of the checked answer: nothing that a client could not be sent is kept.
    Ok(cached::keep(shaped))
}

impl Call {
    /// What only reads may be answered out of the cache.
    fn reads(&self) -> bool {
        self.request.method == "GET" && matches!(self.request.entry, Entry::Agent(_) | Entry::Screen(_))
    }
}

#[cfg(test)]
mod tests;
