//! Runs the site's code for a request, and puts on record how that ended.

use std::sync::Arc;
use std::time::Duration;

use super::Scene;
use super::app;
use super::cached::{Keeping, Looked, Source};
use super::negotiate::DocumentName;
use super::validate::Work;
use super::view::View;
use crate::cache::Stored;
use crate::lane::{PATIENCE, Place};
use crate::metrics::Counter;
use crate::sandbox::{Answer, Context, Entry, Failure, GuestBody, Request, RunError};
use crate::server::Host;
use crate::site::assets::Asset;
use crate::tenant::Site;
use crate::text::{cut, one_line};

/// What a request was answered with, unchecked.
pub(super) struct Answered {
    /// The site.
    pub site: Arc<Site>,
    /// The answer.
    pub outcome: Outcome,
}

/// The kinds of answer.
pub(super) enum Outcome {
    /// A guest's.
    Guest {
        /// The route it came by.
        route: usize,
        /// What ran.
        entry: Entry,
        /// What it said.
        answer: Answer,
        /// What is asked to be seen of it.
        view: View,
        /// What becomes of it.
        keeping: Keeping,
    },
    /// From the cache.
    Stored(Arc<Stored>),
    /// Of an earlier run under the same key.
    Replay(http::Response<bytes::Bytes>),
    /// A document.
    Document(DocumentName),
    /// A static file.
    Asset(Asset),
    /// The methods there are.
    Options(Vec<&'static str>),
    /// A plain application's: the head, and the body as it comes.
    App(http::Response<GuestBody>),
}

/// Why the site's code gave no answer. Clients see the kind alone; the log has the rest.
#[derive(Debug, thiserror::Error)]
pub enum ExecuteError {
    /// It failed, or met a limit that is not time.
    #[error("the run failed")]
    Failed(Option<Box<Failure>>),
    /// It took too long.
    #[error("out of time")]
    TimedOut,
    /// Every instance of the process is in use.
    #[error("no instance is free")]
    Busy,
    /// Every place of the site was taken for too long.
    #[error("the site is full")]
    SiteFull,
    /// The agents' lane was full for too long.
    #[error("the lane is full")]
    LaneFull,
    /// The site read a body that turned out to be larger than it may be.
    #[error("the body is over the limit")]
    BodyTooLarge,
}

/// Runs what the cache did not have. Agents pass the lane; the screen never does.
pub(super) async fn run(host: &Host, scene: &mut Scene, looked: Looked) -> Result<Answered, ExecuteError> {
    let Looked { site, source } = looked;
    let outcome = match source {
        Source::Hit(stored) => {
            site.metrics.count(Counter::CacheHits);
            Outcome::Stored(stored)
        }
        Source::Work(work, keeping) => match *work {
            Work::Asset(asset) => Outcome::Asset(asset),
            Work::Options(allow) => Outcome::Options(allow),
            Work::Replay(response) => Outcome::Replay(response),
            Work::Document(name) => Outcome::Document(name),
            Work::App(body) => Outcome::App(app::run(host, scene, &site, body).await?),
            Work::Run { route, request, view } => {
                let request = Arc::new(request);
                let answer = in_lane(host, scene, &site, &request).await?;
                Outcome::Guest { route, entry: request.entry, answer, view, keeping }
            }
        },
    };
    Ok(Answered { site, outcome })
}

/// A run of the site's code, in the lane where it is for an agent. A keyed run that found no room has not started.
async fn in_lane(host: &Host, scene: &mut Scene, site: &Arc<Site>, request: &Arc<Request>) -> Result<Answer, ExecuteError> {
    let place = match request.entry {
        Entry::Agent(_) | Entry::Action(_) => Some(host.lane.enter(&site.name).await.map_err(|_| ExecuteError::LaneFull)?),
        Entry::Screen(_) | Entry::ErrorPage(_) => None,
    };
    let started = |scene: &mut Scene, started| scene.ticket.as_mut().map_or((), |ticket| ticket.set_started(started));
    started(scene, true);
    attempt(host, site, scene.context(), request, place)
        .await
        .inspect_err(|error| started(scene, !matches!(error, ExecuteError::Busy | ExecuteError::SiteFull)))
}

/// One run on the sandbox, in its place in the lane if it has one; logged where it fails.
pub async fn attempt(
    host: &Host,
    site: &Site,
    context: Context,
    request: &Arc<Request>,
    place: Option<Place>,
) -> Result<Answer, ExecuteError> {
    let _of_site = match tokio::time::timeout(PATIENCE, site.places.acquire()).await {
        Ok(Ok(place)) => place,
        _ => return Err(ExecuteError::SiteFull),
    };
    site.metrics.count(Counter::Runs);
    let id = Arc::clone(&context.request_id);
    let started = std::time::Instant::now();
    let ended = host.sandbox.run(&site.tenant, context, request, timeout(site, request), place).await;
    ended.map_err(|error| put_on_record(site, &id, &request.path, started.elapsed(), error))
}

/// Logs and counts how a run failed; what is left is what a client may know.
pub(super) fn put_on_record(site: &Site, id: &str, path: &str, took: Duration, error: RunError) -> ExecuteError {
    let ms = took.as_millis();
    let text = error.to_string();
    // What the site's code says in an error may hold anything, as what it logs may.
    let (name, text) = (&*site.name, one_line(cut(&text, MAX_ERROR)));
    match &error {
        RunError::Failed(failure) => {
            let trace = trace(failure);
            let (kind, trace) = (one_line(cut(&failure.kind, MAX_KIND)), one_line(cut(&trace, MAX_ERROR)));
            tracing::error!(site = name, request = id, path, %kind, %trace, "{text}");
        }
        _ => tracing::error!(site = name, request = id, path, ms, "{text}"),
    }
    site.metrics.count(match &error {
        RunError::Failed(_) => Counter::Failures,
        RunError::TimedOut | RunError::CpuSpent => Counter::Timeouts,
        RunError::Memory(_) | RunError::Trap(_) | RunError::TooLarge(_) | RunError::Component(_) => Counter::Traps,
        // Counted with the answer that it gets.
        RunError::Busy(_) => return ExecuteError::Busy,
    });
    match error {
        RunError::Failed(failure) => ExecuteError::Failed(Some(failure)),
        RunError::TimedOut | RunError::CpuSpent => ExecuteError::TimedOut,
        RunError::Memory(_) | RunError::Trap(_) | RunError::TooLarge(_) | RunError::Component(_) => ExecuteError::Failed(None),
        RunError::Busy(_) => ExecuteError::Busy,
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
