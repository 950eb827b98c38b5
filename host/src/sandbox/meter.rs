//! What a run has used of its time: the wall clock from its start, and the CPU time spent inside it.
//!
//! The epoch's callback reads it on the way through the guest, whoever polls the run writes it. Both happen on one thread at a time,
//! so that plain counters do.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

use wasmtime::UpdateDeadline;

use super::engine::{Clock, TICK};

/// Raised inside the guest's call when its time is up: a timer outside fires only when the runtime comes round to it, and a guest
/// that computes without a pause must not outrun it.
#[derive(Debug, thiserror::Error)]
#[error("out of time")]
pub(super) struct OutOfTime;

/// Raised inside the guest's call when its CPU time is used up.
#[derive(Debug, thiserror::Error)]
#[error("CPU budget spent")]
pub(super) struct CpuBudgetSpent;

/// The clock of one run. It is charged what the system says that its thread has computed, never the time that passes: a thread may wait
/// for others in the middle of a run, and a short one must not be taken for long because of that.
#[derive(Debug)]
pub(super) struct Meter {
    clock: Arc<Clock>,
    started: Instant,
    timeout: Duration,
    cpu: Duration,
    /// The run has left the serving threads.
    left: AtomicBool,
    /// Nanoseconds spent in stretches that have ended.
    spent: AtomicU64,
    /// What its thread had computed when the present stretch began, in nanoseconds; 0 while that is not known. The usual run ends in its
    /// first stretch, before any tick, and is spared the look: its time counts from the first tick that it meets.
    began: AtomicU64,
    has_begun: AtomicBool,
    /// A tick met the guest in this stretch, and it stopped there.
    ticked: AtomicBool,
}

impl Meter {
    /// A clock that starts now: so much time in all, so much of it computing.
    pub(super) fn new(clock: Arc<Clock>, timeout: Duration, cpu: Duration) -> Self {
        Self {
            clock,
            started: Instant::now(),
            timeout,
            cpu,
            left: AtomicBool::new(false),
            spent: AtomicU64::new(0),
            began: AtomicU64::new(0),
            has_begun: AtomicBool::new(false),
            ticked: AtomicBool::new(false),
        }
    }

    /// One of an engine that nothing runs in.
    #[cfg(test)]
    #[allow(clippy::unwrap_used)]
    pub(super) fn for_tests(timeout: Duration, cpu: Duration) -> Self {
        static CLOCK: std::sync::OnceLock<Arc<Clock>> = std::sync::OnceLock::new();
        let clock = CLOCK.get_or_init(|| super::engine::engine().unwrap().1);
        Self::new(Arc::clone(clock), timeout, cpu)
    }

    /// How long the run may still take.
    pub(super) fn time_left(&self) -> Duration {
        self.timeout.saturating_sub(self.started.elapsed())
    }

    /// A stretch of the run begins on this thread.
    pub(super) fn begin(&self) {
        self.clock.want();
        self.ticked.store(false, Relaxed);
        let is_first = !self.has_begun.swap(true, Relaxed);
        self.began.store(if is_first { 0 } else { thread_time() }, Relaxed);
    }

    /// The stretch has ended, and the run has not: tells whether it has computed for a tick, in this stretch or in all so far.
    pub(super) fn end(&self) -> bool {
        if self.began.load(Relaxed) > 0 {
            self.spent.store(self.spent_until(thread_time()), Relaxed);
        }
        self.ticked.load(Relaxed) || self.spent.load(Relaxed) >= nanoseconds(TICK)
    }

    /// The run leaves the serving threads.
    pub(super) fn leave(&self) {
        self.left.store(true, Relaxed);
    }

    /// A tick meets the guest while it computes.
    ///
    /// # Errors
    /// [`OutOfTime`], [`CpuBudgetSpent`]
    pub(super) fn tick(&self) -> wasmtime::Result<UpdateDeadline> {
        self.clock.want();
        if self.started.elapsed() >= self.timeout {
            return Err(OutOfTime.into());
        }
        let now = thread_time();
        if self.began.load(Relaxed) == 0 {
            self.began.store(now, Relaxed);
        }
        let spent = self.spent_until(now);
        if spent > nanoseconds(self.cpu) {
            return Err(CpuBudgetSpent.into());
        }
        if !self.left.load(Relaxed) && spent < nanoseconds(TICK) {
            return Ok(UpdateDeadline::Continue(1));
        }
        self.ticked.store(true, Relaxed);
        Ok(UpdateDeadline::Yield(1))
    }

    /// All that was spent, when this thread has computed so much.
    fn spent_until(&self, now: u64) -> u64 {
        self.spent.load(Relaxed) + now.saturating_sub(self.began.load(Relaxed))
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How long this thread has computed, in nanoseconds.
#[cfg(unix)]
fn thread_time() -> u64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    nanoseconds(Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0)))
}

/// Without such a clock, the time that has passed.
#[cfg(not(unix))]
fn thread_time() -> u64 {
    static START: std::sync::LazyLock<Instant> = std::sync::LazyLock::new(Instant::now);
    nanoseconds(START.elapsed())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn compute(time: Duration) {
        let started = thread_time();
        while thread_time() - started < nanoseconds(time) {}
    }

    #[test]
    fn a_run_may_compute_for_a_tick_where_it_began() {
        let meter = Meter::for_tests(LONG, LONG);
        meter.begin();
        assert!(matches!(meter.tick(), Ok(UpdateDeadline::Continue(1))));
        compute(TICK);
        assert!(matches!(meter.tick(), Ok(UpdateDeadline::Yield(1))));
        assert!(meter.end());
    }

    #[test]
    fn who_has_to_wait_for_the_processor_does_not_leave() {
        let meter = Meter::for_tests(LONG, 20 * TICK);
        meter.begin();
        for _ in 0..10 {
            std::thread::sleep(4 * TICK);
            assert!(matches!(meter.tick(), Ok(UpdateDeadline::Continue(1))));
        }
        assert!(!meter.end());
    }

    #[test]
    fn many_small_stretches_add_up() {
        let meter = Meter::for_tests(LONG, LONG);
        let stretch = |_: &u32| {
            meter.begin();
            compute(TICK / 4);
            meter.end()
        };
        assert!((0..10).find(stretch).is_some_and(|stretches| stretches > 0));
    }

    #[test]
    fn the_budget_is_of_computing() {
        let meter = Meter::for_tests(LONG, 20 * TICK);
        meter.begin();
        meter.leave();
        std::thread::sleep(40 * TICK);
        assert!(matches!(meter.tick(), Ok(UpdateDeadline::Yield(1))));
        compute(21 * TICK);
        assert!(meter.tick().err().unwrap().is::<CpuBudgetSpent>());
    }

    #[test]
    fn the_wall_clock_counts_everything() {
        let meter = Meter::for_tests(TICK, LONG);
        std::thread::sleep(2 * TICK);
        meter.begin();
        assert!(meter.tick().err().unwrap().is::<OutOfTime>());
    }
}
