//! Executions of one site that run now or ended a moment ago: what happened in each, event by event, and the handle that ends it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rand::RngExt as _;
use tokio::sync::Notify;

use super::answer::Answer;
use super::event::Event;
use crate::execution::Caller;
use crate::sandbox::Progress;
use crate::text::cut;

/// For how long an execution that ended can be looked at.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// Executions that ended and are kept, and bytes of their events.
const MAX_ENDED: usize = 256;
const MAX_ENDED_BYTES: usize = 2 << 20;
/// Events that one execution reports, and their bytes; what it reports beyond them is left out.
const MAX_EVENTS: usize = 1_000;
const MAX_EVENT_BYTES: usize = 256 << 10;
/// Events of an execution that reports nothing.
const USUAL_EVENTS: usize = 3;
/// The longest message of a progress report, in bytes.
const MAX_MESSAGE: usize = 1 << 10;

/// One execution. Shared by who runs it, who waits for it and who asks about it.
pub struct Execution {
    /// `exec_` and a UUID.
    pub id: Arc<str>,
    /// The tool.
    pub tool: Arc<str>,
    /// Who alone may ask about it.
    pub caller: Caller,
    /// The run began: it may have had effects.
    started: AtomicBool,
    log: Mutex<Log>,
    /// Told of every event.
    happened: Notify,
    cancelled: AtomicBool,
    /// Told once it is cancelled.
    stop: Notify,
    /// The execution whose answer it gives again.
    original: OnceLock<Arc<str>>,
    /// By what its caller can end it, where the protocol has no word for its id.
    handle: OnceLock<[u8; 32]>,
}

#[derive(Default)]
struct Log {
    events: Vec<Event>,
    bytes: usize,
    answer: Option<Arc<Answer>>,
}

impl Execution {
    /// A new execution of a tool.
    pub fn new(tool: &str, caller: Caller) -> Arc<Self> {
        Arc::new(Self {
            id: new_id(),
            tool: tool.into(),
            caller,
            started: AtomicBool::new(false),
            log: Mutex::new(Log { events: Vec::with_capacity(USUAL_EVENTS), ..Log::default() }),
            happened: Notify::new(),
            cancelled: AtomicBool::new(false),
            stop: Notify::new(),
            original: OnceLock::new(),
            handle: OnceLock::new(),
        })
    }

    /// Whether its code has begun to run.
    pub fn has_started(&self) -> bool {
        self.started.load(Ordering::Relaxed)
    }

    pub(super) fn set_started(&self, started: bool) {
        self.started.store(started, Ordering::Relaxed);
    }

    /// The id by which it is told of: what is given again is told of as what it was.
    pub fn told_as(&self) -> &str {
        self.original.get().unwrap_or(&self.id)
    }

    /// It is there; of one that gives an answer again, as which it is told of is known by then. Said once.
    pub(super) fn begin(&self, original: Option<&str>) {
        if let Some(original) = original {
            // A second name is none.
            let _ = self.original.set(original.into());
        }
        if self.lock().events.is_empty() {
            self.tell(Event::Started);
        }
    }

    /// Names it, once, by what only its caller knows of it.
    pub fn set_handle(&self, handle: [u8; 32]) {
        // A second name is none.
        let _ = self.handle.set(handle);
    }

    /// Ends it: what runs is dropped.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
        self.stop.notify_waiters();
    }

    /// Returns when it is cancelled.
    pub(super) async fn cancelled(&self) {
        // Made before the look: what is told in between is heard.
        let told = self.stop.notified();
        if !self.cancelled.load(Ordering::Acquire) {
            told.await;
        }
    }

    /// How it ended, if it has.
    pub fn answer(&self) -> Option<Arc<Answer>> {
        self.lock().answer.clone()
    }

    /// Waits for its end.
    pub async fn ended(&self) -> Arc<Answer> {
        loop {
            // Made before the look: what is told in between is heard.
            let told = self.happened.notified();
            if let Some(answer) = self.answer() {
                return answer;
            }
            told.await;
        }
    }

    /// Events from one on, and whether these are the last.
    pub fn events(&self, from: usize) -> (Vec<Event>, bool) {
        let log = self.lock();
        let end = log.answer.as_ref().filter(|_| from <= log.events.len()).map(|answer| Event::Completed(Arc::clone(answer)));
        (log.events.get(from..).unwrap_or_default().iter().cloned().chain(end).collect(), log.answer.is_some())
    }

    /// Waits until there are more events than so many, or no more will come.
    pub async fn more_than(&self, events: usize) {
        loop {
            let told = self.happened.notified();
            {
                let log = self.lock();
                if log.answer.is_some() || log.events.len() > events {
                    return;
                }
            }
            told.await;
        }
    }

    /// Takes in a report of the run. Those beyond the bound are left out, as are numbers that JSON cannot say.
    pub(super) fn report(&self, progress: Progress) {
        let Progress { done, total, message } = progress;
        if done.is_finite() {
            let total = total.filter(|total| total.is_finite());
            let message = message.map(|message| cut(&message, MAX_MESSAGE).to_owned());
            self.tell(Event::Progress(Arc::new(Progress { done, total, message })));
        }
    }

    /// Takes an event in.
    pub(super) fn tell(&self, event: Event) {
        {
            let mut log = self.lock();
            let full = log.events.len() >= MAX_EVENTS || log.bytes >= MAX_EVENT_BYTES;
            if log.answer.is_some() || full && matches!(event, Event::Progress(_)) {
                return;
            }
            log.bytes += event.bytes();
            log.events.push(event);
        }
        self.happened.notify_waiters();
    }

    /// Its end.
    pub(super) fn finish(&self, answer: Answer) {
        {
            let mut log = self.lock();
            if log.answer.is_some() {
                return;
            }
            log.bytes += answer.bytes();
            log.answer = Some(Arc::new(answer));
        }
        self.happened.notify_waiters();
    }

    fn bytes(&self) -> usize {
        self.lock().bytes
    }

    fn lock(&self) -> MutexGuard<'_, Log> {
        // Nothing that can panic runs under the lock.
        self.log.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends an execution for which nobody waits any more.
pub struct CancelOnDrop(pub Arc<Execution>);

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

/// The executions of a site.
#[derive(Default)]
pub struct Executions(Mutex<Table>);

#[derive(Default)]
struct Table {
    by_id: HashMap<Arc<str>, Arc<Execution>>,
    /// Those that ended, the oldest first, with their bytes.
    ended: VecDeque<(Instant, Arc<str>, usize)>,
    ended_bytes: usize,
}

impl Executions {
    /// Takes in an execution that begins.
    pub(super) fn begin(&self, execution: &Arc<Execution>) {
        self.lock().by_id.insert(Arc::clone(&execution.id), Arc::clone(execution));
    }

    /// Keeps one that ended for a while.
    pub(super) fn ended(&self, execution: &Execution) {
        let bytes = execution.bytes();
        // Let go of after the lock: it is the others' turn before all that these held is given back.
        let mut gone = Vec::new();
        let mut table = self.lock();
        table.ended.push_back((Instant::now(), Arc::clone(&execution.id), bytes));
        table.ended_bytes += bytes;
        while let Some((since, _, bytes)) = table.ended.front() {
            let bytes = *bytes;
            if since.elapsed() < KEPT && table.ended.len() <= MAX_ENDED && table.ended_bytes <= MAX_ENDED_BYTES {
                break;
            }
            if let Some((_, id, _)) = table.ended.pop_front() {
                gone.extend(table.by_id.remove(&id));
            }
            table.ended_bytes = table.ended_bytes.saturating_sub(bytes);
        }
        drop(table);
        drop(gone);
    }

    /// The execution of that id, for who called it.
    pub fn find(&self, id: &str, caller: &Caller) -> Option<Arc<Execution>> {
        self.lock().by_id.get(id).filter(|execution| execution.caller == *caller).cloned()
    }

    /// Ends what runs under a [handle](Execution::set_handle).
    pub fn cancel(&self, handle: &[u8; 32]) {
        let found: Vec<_> = self.lock().by_id.values().filter(|execution| execution.handle.get() == Some(handle)).cloned().collect();
        found.iter().for_each(|execution| execution.cancel());
    }

    /// How many run or are kept.
    pub fn len(&self) -> usize {
        self.lock().by_id.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        // Nothing that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// `exec_` and a random UUID (RFC 9562, version 4).
pub(super) fn new_id() -> Arc<str> {
    // Seeded by the system, and not to be foretold.
    let mut bytes: [u8; 16] = rand::rng().random();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let [a, b, c, d, e] = [&bytes[..4], &bytes[4..6], &bytes[6..8], &bytes[8..10], &bytes[10..]].map(crate::text::hex);
    format!("exec_{a}-{b}-{c}-{d}-{e}").into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn caller() -> Caller {
        Caller::of(&crate::sandbox::Context {
            headers: Arc::default(),
            client: std::net::Ipv4Addr::LOCALHOST.into(),
            secure: false,
            request_id: "r".into(),
            progress: None,
        })
    }

    #[test]
    fn reports_are_bounded_and_the_end_is_always_told() {
        let execution = Execution::new("t", caller());
        for done in 0..2 * MAX_EVENTS {
            execution.report(Progress { done: done as f64, total: Some(f64::NAN), message: Some("x".repeat(10_000)) });
        }
        execution.report(Progress { done: f64::INFINITY, total: None, message: None });
        let (events, ended) = execution.events(0);
        assert!(!ended && events.len() <= MAX_EVENTS && execution.bytes() < 2 * MAX_EVENT_BYTES);
        assert!(!events[0].data("e", "t").contains("total"));
        execution.finish(Answer::failed(&execution.id, &super::super::error::ToolError::cancelled(false)));
        execution.report(Progress { done: 1.0, total: None, message: None });
        let (events, ended) = execution.events(events.len());
        assert_eq!((events.len(), events[0].name(), ended), (1, "execution.completed", true));
        assert!(execution.events(usize::MAX).0.is_empty());
    }

    /// Whoever waits is woken, whether it looked before or after, from another thread.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn who_waits_is_told() {
        for _ in 0..500 {
            let execution = Execution::new("t", caller());
            let waiting = Arc::clone(&execution);
            let waits = tokio::spawn(async move {
                waiting.more_than(0).await;
                let seen = waiting.events(0).0.len();
                waiting.cancelled().await;
                (seen, waiting.ended().await.status)
            });
            execution.tell(Event::Started);
            execution.cancel();
            execution.finish(Answer::failed(&execution.id, &super::super::error::ToolError::cancelled(false)));
            let (seen, status) = tokio::time::timeout(Duration::from_secs(20), waits).await.unwrap().unwrap();
            assert!(seen >= 1 && status.is_client_error());
            execution.cancelled().await;
            execution.more_than(1_000).await;
        }
    }

    #[test]
    fn only_the_newest_that_ended_are_kept() {
        let executions = Executions::default();
        let all: Vec<_> = (0..2 * MAX_ENDED).map(|_| Execution::new("t", caller())).collect();
        for execution in &all {
            executions.begin(execution);
            executions.ended(execution);
        }
        assert_eq!(executions.len(), MAX_ENDED);
        assert!(executions.find(&all[0].id, &caller()).is_none());
        assert!(executions.find(&all.last().unwrap().id, &caller()).is_some());
    }

    #[test]
    fn ids_are_uuids() {
        let id = new_id();
        assert_eq!((id.len(), &id[..5], &id[19..20]), (41, "exec_", "4"));
        assert_ne!(id, new_id());
    }
}
