//! Where long runs go on. A run starts on the thread that serves its request, since the usual one ends within microseconds. One that has
//! computed for a tick moves to threads of the lowest class that the system has, and computes there with what the others leave.
//!
//! Such threads are preempted at once by any that serves. They starve only while serving alone takes the whole machine, and their runs'
//! time-outs, which are kept on the serving threads, go on meanwhile.

use std::future::{Future, poll_fn};
use std::num::NonZero;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;

use super::idle::{self, IdleInstances};
use super::meter::Meter;
use crate::lane::Place;

/// The runtime of the long runs.
pub(super) struct Background {
    runtime: Option<Runtime>,
    /// As many pieces of work as there are threads for runs: more would only take turns.
    workers: Arc<Semaphore>,
}

/// A run that is under way: whoever drops it ends it.
pub(super) struct Run<T> {
    /// What it has used of its time.
    pub(super) meter: Arc<Meter>,
    /// The guest's call, with its store.
    pub(super) call: Pin<Box<dyn Future<Output = T> + Send>>,
    /// Its place in the agents' lane.
    pub(super) place: Option<Place>,
}

impl<T: Send + 'static> Run<T> {
    /// Goes on until the call ends, or has computed for a tick: then `None`.
    async fn stretch(&mut self) -> Option<T> {
        poll_fn(|context| self.poll(context)).await
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<Option<T>> {
        if let Some(place) = &self.place {
            ready!(place.poll_held(context));
        }
        self.meter.begin();
        if let Poll::Ready(ended) = self.call.as_mut().poll(context) {
            return Poll::Ready(Some(ended));
        }
        let computed = self.meter.end();
        if let Some(place) = &mut self.place {
            // It does not end at once: others, of sites that hold fewer, may have its place when they need it.
            place.lend();
        }
        if computed { Poll::Ready(None) } else { Poll::Pending }
    }

    /// Goes on to the end, giving the thread back at each tick.
    async fn finish(mut self) -> T {
        loop {
            if let Some(ended) = self.stretch().await {
                return ended;
            }
            if let Some(place) = &self.place {
                place.give_way();
            }
            tokio::task::yield_now().await;
        }
    }
}

impl Background {
    /// Starts its threads: one for each core but one, which is left to those that serve. What gives way at once must still be told to,
    /// and a virtual machine that uses all of its cores is paused by the one under it. The threads also clear away idle instances that
    /// nobody needs any more.
    ///
    /// # Errors
    /// When the system gives no threads.
    pub(super) fn start(idle: &Arc<IdleInstances>) -> std::io::Result<Self> {
        let threads = std::thread::available_parallelism().map_or(1, NonZero::get).saturating_sub(1).max(1);
        let runtime =
            Builder::new_multi_thread().worker_threads(threads).thread_name("djo-long").on_thread_start(lower).enable_all().build()?;
        let idle = Arc::downgrade(idle);
        runtime.spawn(async move {
            while let Some(idle) = idle.upgrade() {
                idle.sweep();
                drop(idle);
                tokio::time::sleep(idle::PATIENCE / 4).await;
            }
        });
        Ok(Self { runtime: Some(runtime), workers: Arc::new(Semaphore::new(threads)) })
    }

    /// Conducts a run to its end, here as long as it is short. `None` when its thread went away under it, at the end of the process.
    pub(super) async fn conduct<T: Send + 'static>(&self, mut run: Run<T>) -> Option<T> {
        if let Some(ended) = run.stretch().await {
            return Some(ended);
        }
        run.meter.leave();
        let mut moved = Moved(self.runtime.as_ref()?.spawn(run.finish()));
        match (&mut moved.0).await {
            Ok(ended) => Some(ended),
            Err(error) => {
                tracing::error!(%error, "a long run");
                None
            }
        }
    }

    /// Does a piece of work that never waits. Dropped before it has begun, it does not begin. `None` at the end of the process, and when
    /// it panics.
    pub(super) async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Option<T> {
        let worker = Arc::clone(&self.workers).acquire_owned().await.ok()?;
        let done = self.runtime.as_ref()?.spawn_blocking(move || {
            let done = work();
            drop(worker);
            done
        });
        done.await.inspect_err(|error| tracing::error!(%error, "work on a large answer")).ok()
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            // It may be dropped on a thread of another runtime, which must not wait.
            runtime.shutdown_background();
        }
    }
}

/// A run on the other threads: dropped, it ends.
struct Moved<T>(JoinHandle<T>);

impl<T> Drop for Moved<T> {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// Gives this thread the lowest class that there is without privileges.
#[cfg(target_os = "linux")]
fn lower() {
    #[allow(unsafe_code, reason = "no safe wrapper among the libraries at hand has this call")]
    // SAFETY: it reads the struct that it is given and changes the class of this thread alone.
    let idle = unsafe { libc::sched_setscheduler(0, libc::SCHED_IDLE, &libc::sched_param { sched_priority: 0 }) } == 0;
    if !idle && let Err(error) = rustix::process::setpriority_process(None, 19) {
        tracing::warn!(%error, "long runs compute at the priority of those that serve");
    }
}

/// Elsewhere a thread's priority cannot be set apart from its process's.
#[cfg(not(target_os = "linux"))]
fn lower() {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::sync::atomic::{AtomicBool, Ordering};
    use std::time::{Duration, Instant};

    use super::super::engine::TICK;
    use super::*;

    /// Notes that it is dropped.
    struct Alive(Arc<AtomicBool>);

    impl Drop for Alive {
        fn drop(&mut self) {
            self.0.store(false, Ordering::SeqCst);
        }
    }

    fn thread() -> String {
        std::thread::current().name().unwrap_or_default().to_owned()
    }

    fn run<T: Send + 'static>(call: impl Future<Output = T> + Send + 'static) -> Run<T> {
        Run { meter: Arc::new(Meter::for_tests(60_000 * TICK, 60_000 * TICK)), call: Box::pin(call), place: None }
    }

    fn compute(time: Duration) {
        let started = Instant::now();
        while started.elapsed() < time {}
    }

    fn background() -> Background {
        Background::start(&Arc::new(IdleInstances::new())).unwrap()
    }

    #[tokio::test]
    async fn short_runs_stay_and_long_ones_go() {
        let (background, here) = (background(), thread());
        assert_eq!(background.conduct(run(async { thread() })).await, Some(here.clone()));
        let long = run(async move {
            let before = thread();
            // Its first stretch is not measured; the second is.
            tokio::task::yield_now().await;
            compute(2 * TICK);
            tokio::task::yield_now().await;
            (before, thread())
        });
        assert_eq!(background.conduct(long).await, Some((here, "djo-long".to_owned())));
    }

    /// Whether a run's future is dropped soon after whoever waits for it is gone.
    async fn ends_with_its_caller(call: impl Future<Output = ()> + Send + 'static) {
        let alive = Arc::new(AtomicBool::new(true));
        let guard = Alive(Arc::clone(&alive));
        let background = background();
        let run = run(async move {
            let _guard = guard;
            call.await;
        });
        assert!(tokio::time::timeout(20 * TICK, background.conduct(run)).await.is_err());
        let dropped = Instant::now();
        while alive.load(Ordering::SeqCst) {
            // Threads of the lowest class may have to wait for others on a machine that is busy.
            assert!(dropped.elapsed() < Duration::from_secs(5));
            tokio::time::sleep(TICK).await;
        }
    }

    #[tokio::test]
    async fn a_run_that_waits_ends_with_its_caller() {
        ends_with_its_caller(std::future::pending()).await;
    }

    #[tokio::test]
    async fn a_long_run_that_waits_ends_with_its_caller() {
        ends_with_its_caller(async {
            for _ in 0..3 {
                compute(2 * TICK);
                tokio::task::yield_now().await;
            }
            tokio::time::sleep(60_000 * TICK).await;
        })
        .await;
    }

    #[tokio::test]
    async fn a_long_run_that_computes_ends_with_its_caller() {
        ends_with_its_caller(async {
            loop {
                compute(TICK);
                tokio::task::yield_now().await;
            }
        })
        .await;
    }
}
