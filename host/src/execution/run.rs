//! Runs the site's code for a request, and puts on record how that ended.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{Semaphore, SemaphorePermit};

use super::Call;
use super::cached::{Keeping, Missed};
use crate::lane::{Lane, PATIENCE, Place};
use crate::metrics::Counter;
use crate::sandbox::{Answer, Context, Entry, Failure, Request, RunError};
use crate::server::Host;
use crate::tenant::Site;
use crate::text::{cut, one_line};

/// What a call was answered with by the guest, unchecked.
pub(super) struct Ran {
    /// The call.
    pub(super) call: Box<Call>,
    /// What the guest said.
    pub(super) answer: Answer,
    /// What becomes of it.
    pub(super) keeping: Keeping,
}

/// Why the site's code gave no answer. Clients see the kind alone; the log has the rest.
#[derive(Debug, thiserror::Error)]
pub enum RunFailure {
    /// It failed, or met a limit that is not time.
    #[error("o código do site falhou")]
    Failed(Option<Box<Failure>>),
    /// It was cut off by a limit that is not time, or by a trap, and told where.
    #[error("o código do site foi cortado")]
    BrokeOff(Box<Failure>),
    /// It took too long.
    #[error("tempo esgotado")]
    TimedOut,
    /// Every instance of the process is in use.
    #[error("não há instância livre")]
    Busy,
    /// While it ran no memory was left.
    #[error("não há memória livre")]
    Starved,
    /// Every place of the site was taken for too long.
    #[error("o site está ocupado")]
    SiteFull,
    /// The agents' lane was full for too long.
    #[error("a pista dos agentes está ocupada")]
    LaneFull,
    /// The site read a body that turned out to be larger than it may be.
    #[error("o corpo passa do limite")]
    BodyTooLarge,
}

/// Runs what the cache did not have. Agents pass the lane; the screen never does. A run that found no room has not started.
pub(super) async fn run(host: &Host, missed: Missed, mut started: impl FnMut(bool)) -> Result<Ran, RunFailure> {
    let Missed { call, keeping } = missed;
    let (in_lane, of_site) = match call.request.entry {
        Entry::Agent(_) | Entry::Action(_) => {
            let (in_lane, of_site) = both(&host.lane, &call.site.name, &call.site.places).await?;
            (Some(in_lane), of_site)
        }
        Entry::Screen(_) | Entry::ErrorPage(_) => (None, place(&call.site.places).await?),
    };
    started(true);
    let timeout = [call.timeout, timeout(&call.site, &call.request)].into_iter().flatten().min();
    let answer = begin(host, &call.site, call.context.clone(), &call.request, timeout, in_lane, of_site)
        .await
        // What only reads may be asked for again.
        .map_err(|error| if call.reads() && matches!(error, RunFailure::Starved) { RunFailure::Busy } else { error })
        .inspect_err(|error| started(!matches!(error, RunFailure::Busy)))?;
    Ok(Ran { call, answer, keeping })
}

/// A place of the site's own, its bulkhead.
async fn place(places: &Semaphore) -> Result<SemaphorePermit<'_>, RunFailure> {
    match tokio::time::timeout(PATIENCE, places.acquire()).await {
        Ok(Ok(place)) => Ok(place),
        _ => Err(RunFailure::SiteFull),
    }
}

/// A place in the lane and one of the site's own. A place in the lane is everybody's: none is held while the site's own are waited for. A
/// call that waits for the lane holds none of its site's, which people need too, unless it had to wait for that first.
async fn both<'a>(lane: &Lane, site: &Arc<str>, places: &'a Semaphore) -> Result<(Place, SemaphorePermit<'a>), RunFailure> {
    let in_lane = lane.enter(site).await.map_err(|_| RunFailure::LaneFull)?;
    if let Ok(of_site) = places.try_acquire() {
        return Ok((in_lane, of_site));
    }
    drop(in_lane);
    let of_site = place(places).await?;
    let in_lane = lane.enter(site).await.map_err(|_| RunFailure::LaneFull)?;
    Ok((in_lane, of_site))
}

/// One run on the sandbox beside the lane; logged where it fails.
pub async fn attempt(host: &Host, site: &Site, context: Context, request: &Arc<Request>) -> Result<Answer, RunFailure> {
    let of_site = place(&site.places).await?;
    begin(host, site, context, request, None, None, of_site).await
}

/// One run on the sandbox, in its places; logged where it fails.
async fn begin(
    host: &Host,
    site: &Site,
    context: Context,
    request: &Arc<Request>,
    timeout: Option<Duration>,
    in_lane: Option<Place>,
    _of_site: SemaphorePermit<'_>,
) -> Result<Answer, RunFailure> {
    site.metrics.count(Counter::Runs);
    let id = Arc::clone(&context.request_id);
    let started = std::time::Instant::now();
    let ended = host.sandbox.run(&site.tenant, context, request, timeout, in_lane).await;
    ended.map_err(|error| put_on_record(site, &id, &request.path, started.elapsed(), error))
}

/// Logs and counts how a run failed; what is left is what a client may know.
pub fn put_on_record(site: &Site, id: &str, path: &str, took: Duration, error: RunError) -> RunFailure {
    let ms = took.as_millis();
    let fault = error.fault();
    let text = match &fault {
        Some(fault) => format!("{}:{}: {}", fault.file, fault.line, fault.message),
        None => error.to_string(),
    };
    // What the site's code says in an error may hold anything, as what it logs may.
    let (name, text) = (&*site.name, one_line(cut(&text, MAX_ERROR)));
    match &error {
        _ if !site.tenant.share.may_log(2 * text.len()) => {}
        RunError::Failed(failure) => {
            let trace = trace(failure);
            let (kind, trace) = (one_line(cut(&failure.kind, MAX_KIND)), one_line(cut(&trace, MAX_ERROR)));
            tracing::error!(site = name, request = id, path, %kind, %trace, "{text}");
        }
        _ => {
            let kind = fault.as_ref().map(|fault| fault.kind.as_str());
            tracing::error!(site = name, request = id, path, ms, kind, "{text}");
        }
    }
    site.metrics.count(match &error {
        RunError::Failed(_) => Counter::Failures,
        RunError::TimedOut | RunError::CpuSpent => Counter::Timeouts,
        RunError::Memory(_) | RunError::Trap(_) | RunError::TooLarge(_) | RunError::Component(_) => Counter::Traps,
        // Counted with the answer that it gets.
        RunError::Busy(_) => return RunFailure::Busy,
        RunError::Starved(_) => return RunFailure::Starved,
    });
    if let Some(fault) = fault {
        return RunFailure::BrokeOff(Box::new(fault));
    }
    match error {
        RunError::Failed(failure) => RunFailure::Failed(Some(failure)),
        RunError::TimedOut | RunError::CpuSpent => RunFailure::TimedOut,
        RunError::Memory(_) | RunError::Trap(_) | RunError::TooLarge(_) | RunError::Component(_) => RunFailure::Failed(None),
        RunError::Busy(_) => RunFailure::Busy,
        RunError::Starved(_) => RunFailure::Starved,
    }
}

/// The time-out that an action's route asks for.
fn timeout(site: &Site, request: &Request) -> Option<Duration> {
    let Entry::Action(route) = request.entry else { return None };
    let timeout_ms = site.contract.routes.get(route as usize)?.options.timeout_ms?;
    Some(Duration::from_millis(u64::from(timeout_ms)))
}

/// The longest error that is logged, in bytes.
const MAX_ERROR: usize = 4 << 10;
/// And the longest name of its kind.
const MAX_KIND: usize = 100;

/// The calls that led to a failure, innermost first.
fn trace(failure: &Failure) -> String {
    let calls = failure.trace.iter().map(|frame| match frame.file.as_str() {
        // The standard library's own functions stand in no file.
        "" => frame.function.clone(),
        file => format!("{} ({file}:{})", frame.function, frame.line),
    });
    calls.collect::<Vec<_>>().join(" < ")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[tokio::test]
    async fn calls_of_a_full_site_hold_no_place_in_the_lane() {
        let (lane, crowded, neighbour) = (Lane::new(2), Arc::<str>::from("cheio"), Arc::<str>::from("vizinho"));
        let places = Arc::new(Semaphore::new(1));
        let running = both(&lane, &crowded, &places).await.unwrap();
        let crowd: Vec<_> = (0..12)
            .map(|_| {
                let (lane, crowded, places) = (lane.clone(), Arc::clone(&crowded), Arc::clone(&places));
                tokio::spawn(async move { both(&lane, &crowded, &places).await.err() })
            })
            .collect();
        let free = Semaphore::new(8);
        for _ in 0..10 {
            let started = Instant::now();
            assert!(both(&lane, &neighbour, &free).await.is_ok());
            assert!(started.elapsed() < PATIENCE / 2, "it waits for the other site's calls");
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        for call in crowd {
            assert!(matches!(call.await.unwrap(), Some(RunFailure::SiteFull)), "the site is full, not the lane");
        }
        drop(running);
        assert!(both(&lane, &crowded, &places).await.is_ok());
    }

    #[tokio::test]
    async fn calls_that_wait_for_the_lane_leave_their_sites_places_to_people() {
        let (lane, site, places) = (Lane::new(1), Arc::<str>::from("a"), Arc::new(Semaphore::new(3)));
        let _running = both(&lane, &site, &places).await.unwrap();
        let waiting = tokio::spawn({
            let (lane, site, places) = (lane.clone(), Arc::clone(&site), Arc::clone(&places));
            async move { both(&lane, &site, &places).await.err() }
        });
        tokio::time::sleep(PATIENCE / 4).await;
        assert_eq!(places.available_permits(), 2);
        assert!(matches!(waiting.await.unwrap(), Some(RunFailure::LaneFull)));
    }
}
