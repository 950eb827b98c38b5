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

/// The clock of one run.
#[derive(Debug)]
pub(super) struct Meter {
    clock: Arc<Clock>,
    started: Instant,
    timeout: Duration,
    cpu: Duration,
    /// The run has left the serving threads: from then on it is charged what the system says that its thread has computed, since a
    /// thread of low priority may wait in the middle of a stretch. Before that it is charged the time that has passed.
    left: AtomicBool,
    /// Nanoseconds spent in stretches that have ended.
    spent: AtomicU64,
    /// When the present stretch began, in nanoseconds of the clock that it is charged by.
    began: AtomicU64,
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

    /// A stretch of the run begins on this thread.
    pub(super) fn begin(&self) {
        self.clock.want();
        self.ticked.store(false, Relaxed);
        self.began.store(self.now(), Relaxed);
    }

    /// The stretch has ended, and the run has not: tells whether it has computed for a tick, in this stretch or in all so far.
    pub(super) fn end(&self) -> bool {
        let spent = self.spent();
        self.spent.store(nanoseconds(spent), Relaxed);
        self.ticked.load(Relaxed) || spent >= TICK
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
        let spent = self.spent();
        if self.left.load(Relaxed) && spent > self.cpu {
            return Err(CpuBudgetSpent.into());
        }
        // On a serving thread the first tick may come a moment after the start: a short run goes through to its end.
        if !self.left.load(Relaxed) && spent < TICK {
            return Ok(UpdateDeadline::Continue(1));
        }
        self.ticked.store(true, Relaxed);
        Ok(UpdateDeadline::Yield(1))
    }

    /// All that was spent until now, inside a stretch.
    fn spent(&self) -> Duration {
        Duration::from_nanos(self.spent.load(Relaxed) + self.now().saturating_sub(self.began.load(Relaxed)))
    }

    fn now(&self) -> u64 {
        nanoseconds(if self.left.load(Relaxed) { thread_time(self.started) } else { self.started.elapsed() })
    }
}

fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// How long this thread has computed.
#[cfg(unix)]
fn thread_time(_started: Instant) -> Duration {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Duration::new(u64::try_from(time.tv_sec).unwrap_or(0), u32::try_from(time.tv_nsec).unwrap_or(0))
}

/// Without such a clock, the time that has passed.
#[cfg(not(unix))]
fn thread_time(started: Instant) -> Duration {
    started.elapsed()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    fn compute(time: Duration) {
        let started = thread_time(Instant::now());
        while thread_time(Instant::now()) - started < time {}
    }

    #[test]
    fn the_first_tick_lets_a_short_run_go_on() {
        let meter = Meter::for_tests(LONG, LONG);
        meter.begin();
        assert!(matches!(meter.tick(), Ok(UpdateDeadline::Continue(1))));
        compute(2 * TICK);
        assert!(matches!(meter.tick(), Ok(UpdateDeadline::Yield(1))));
        assert!(meter.end());
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
    fn waiting_is_not_computing_once_it_has_left() {
        let meter = Meter::for_tests(LONG, 20 * TICK);
        meter.leave();
        meter.begin();
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
