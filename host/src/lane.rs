//! The agents' lane, second gate: how many agent calls run at once in the process, and that no site takes the others' share.
//!
//! A free place goes to whoever asks while nobody waits. Once calls wait, a place that falls free goes to the waiting site that
//! holds the fewest, the longest wait first: while sites compete, their shares even out with every call that ends. And since a call
//! may be long, one that does not end at once only has its place on loan: it is taken away for a call of a site that holds fewer, and
//! the long run stands still until it is its site's turn again. So any number of sites with long calls cannot shut another one out.

mod state;

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use atomic_waker::AtomicWaker;

use state::{State, Waiting};

/// How long a call waits for a place, at most.
pub const PATIENCE: Duration = Duration::from_millis(250);

/// Calls that came at once are refused one after the other over so many milliseconds: a crowd that is turned away in one moment comes
/// back in one moment, and would be felt by people each time.
const SPREAD: u64 = 50;

/// The lane: clones share it.
#[derive(Clone)]
pub struct Lane(Arc<Mutex<State>>);

/// A place in the lane, given back when dropped.
pub struct Place {
    /// `None` where there is nothing to give back.
    lane: Option<Lane>,
    site: Arc<str>,
    loan: Option<Arc<Loan>>,
}

/// A place that may be taken away from a long run and given back to it. Its run may be on a thread that gets no time for a while: nothing
/// here waits for that thread, and it looks without a lock.
#[derive(Default)]
struct Loan {
    taken: AtomicBool,
    /// Wakes the run that stands still.
    run: AtomicWaker,
}

/// No place fell free in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Lane {
    /// A lane of so many places, at least one.
    pub fn new(places: usize) -> Self {
        Self(Arc::new(Mutex::new(State::new(places.max(1)))))
    }

    /// Takes a place for a call of a site, waiting up to [`PATIENCE`].
    ///
    /// # Errors
    /// [`Full`] when none fell free.
    pub async fn enter(&self, site: &Arc<str>) -> Result<Place, Full> {
        let (ticket, place) = {
            let mut state = self.lock();
            if state.take(site) {
                return Ok(self.place(site));
            }
            let (ticket, place) = state.enqueue(site);
            let held = state.held(site);
            if state.take_back(held) {
                self.hand_on(&mut state);
            }
            (ticket, place)
        };
        match tokio::time::timeout(PATIENCE - Duration::from_millis(ticket % SPREAD), place).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Full),
        }
    }

    fn place(&self, site: &Arc<str>) -> Place {
        Place { lane: Some(self.clone()), site: Arc::clone(site), loan: None }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives free places to those who wait for one.
    fn hand_on(&self, state: &mut State) {
        while let Some((site, waiting)) = state.dequeue() {
            match waiting {
                Waiting::Call(sender) => {
                    if let Err(mut place) = sender.send(self.place(&site)) {
                        // Who waited has given up. The place goes back here: dropped as it is, it would ask for the lock that is held.
                        place.lane = None;
                        state.release(&site);
                    }
                }
                Waiting::Run(loan) => state.lend(&site, &loan),
            }
        }
    }
}

impl Place {
    /// From now on the place may be taken away for a call of a site that holds fewer.
    pub fn lend(&mut self) {
        if self.loan.is_none()
            && let Some(lane) = &self.lane
        {
            let loan = Arc::default();
            lane.lock().lend(&self.site, &loan);
            self.loan = Some(loan);
        }
    }

    /// Ready while the place is held; otherwise once it is held again.
    pub fn poll_held(&self, context: &mut Context<'_>) -> Poll<()> {
        let Some(loan) = self.loan.as_ref().filter(|loan| loan.is_taken()) else { return Poll::Ready(()) };
        loan.run.register(context.waker());
        // It may have come back before anyone knew whom to wake.
        if loan.is_taken() { Poll::Pending } else { Poll::Ready(()) }
    }

    /// A long run has had its turn: where a site that holds fewer waits, the place goes there.
    pub fn give_way(&self) {
        let (Some(lane), Some(loan)) = (&self.lane, &self.loan) else { return };
        let mut state = lane.lock();
        if state.is_due(&self.site) && state.take_away(loan) {
            lane.hand_on(&mut state);
        }
    }
}

impl Loan {
    fn is_taken(&self) -> bool {
        self.taken.load(Ordering::Acquire)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let Some(lane) = self.lane.take() else { return };
        let mut state = lane.lock();
        // A place that was taken away is not there to be given back.
        if self.loan.as_ref().is_none_or(|loan| state.forget(&self.site, loan)) {
            state.release(&self.site);
            lane.hand_on(&mut state);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn site(name: &str) -> Arc<str> {
        Arc::from(name)
    }

    #[tokio::test]
    async fn one_too_many_waits_then_is_refused() {
        let lane = Lane::new(2);
        let _a = lane.enter(&site("a")).await.unwrap();
        let b = lane.enter(&site("a")).await.unwrap();
        assert_eq!(lane.enter(&site("a")).await.err(), Some(Full));
        drop(b);
        assert!(lane.enter(&site("a")).await.is_ok());
    }

    #[tokio::test]
    async fn a_place_goes_to_the_site_that_holds_the_fewest() {
        let lane = Lane::new(2);
        let (first, _second) = (lane.enter(&site("a")).await.unwrap(), lane.enter(&site("a")).await.unwrap());
        let (a, b) = (site("a"), site("b"));
        let mut greedy = Box::pin(lane.enter(&a));
        let mut modest = Box::pin(lane.enter(&b));
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut greedy).await.is_err());
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut modest).await.is_err());
        drop(first);
        let place = modest.await.unwrap();
        assert!(tokio::time::timeout(Duration::from_millis(1), &mut greedy).await.is_err());
        drop(place);
        assert!(greedy.await.is_ok());
    }

    #[tokio::test]
    async fn places_of_those_who_gave_up_are_not_lost() {
        let lane = Lane::new(1);
        for _ in 0..100 {
            let place = lane.enter(&site("a")).await.unwrap();
            let b = site("b");
            let mut gives_up = Box::pin(lane.enter(&b));
            assert!(tokio::time::timeout(Duration::from_micros(10), &mut gives_up).await.is_err());
            drop(place);
            drop(gives_up);
        }
        assert_eq!(lane.lock().counts(), (1, 0, 0, 0));
    }

    async fn held(place: &Place) -> bool {
        tokio::time::timeout(Duration::from_millis(1), std::future::poll_fn(|context| place.poll_held(context))).await.is_ok()
    }

    async fn lent(lane: &Lane, site: &Arc<str>) -> Place {
        let mut place = lane.enter(site).await.unwrap();
        place.lend();
        place
    }

    #[tokio::test]
    async fn sites_with_long_calls_cannot_shut_another_out() {
        let lane = Lane::new(4);
        let (a, b, c) = (site("a"), site("b"), site("c"));
        let mut long = Vec::new();
        for site in [&a, &a, &a, &b] {
            long.push(lent(&lane, site).await);
        }
        let started = std::time::Instant::now();
        let short = lane.enter(&c).await.unwrap();
        assert!(started.elapsed() < PATIENCE / 2, "it waits for nothing");
        let mut still = Vec::new();
        for place in &long {
            still.push(held(place).await);
        }
        assert_eq!(still.iter().filter(|held| **held).count(), 3);
        assert!(still[3], "who holds the most gives way: {still:?}");
        drop(short);
        for place in &long {
            assert!(held(place).await);
        }
        drop(long);
        assert_eq!(lane.lock().counts(), (4, 0, 0, 0));
    }

    #[tokio::test]
    async fn a_place_that_came_back_can_be_taken_again_before_its_run_has_looked() {
        let lane = Lane::new(1);
        let (a, b) = (site("a"), site("b"));
        let long = lent(&lane, &a).await;
        for _ in 0..10 {
            drop(lane.enter(&b).await.unwrap());
        }
        assert!(held(&long).await);
    }

    #[tokio::test]
    async fn long_calls_take_turns() {
        let lane = Lane::new(1);
        let (a, b) = (site("a"), site("b"));
        let first = lent(&lane, &a).await;
        let second = lent(&lane, &b).await;
        for _ in 0..10 {
            assert!(held(&second).await && !held(&first).await);
            second.give_way();
            assert!(held(&first).await && !held(&second).await);
            first.give_way();
        }
        drop(first);
        assert!(held(&second).await);
        second.give_way();
        assert!(held(&second).await, "nobody waits");
        drop(second);
        assert_eq!(lane.lock().counts(), (1, 0, 0, 0));
    }

    #[tokio::test]
    async fn a_sites_own_long_calls_keep_their_places() {
        let lane = Lane::new(1);
        let a = site("a");
        let long = lent(&lane, &a).await;
        assert_eq!(lane.enter(&a).await.err(), Some(Full));
        long.give_way();
        assert!(held(&long).await);
    }

    #[tokio::test]
    async fn a_long_call_that_ends_while_it_stands_still_loses_nothing() {
        let lane = Lane::new(1);
        let long = lent(&lane, &site("a")).await;
        let short = lane.enter(&site("b")).await.unwrap();
        drop(long);
        drop(short);
        let long = lent(&lane, &site("a")).await;
        let short = lane.enter(&site("b")).await.unwrap();
        drop(short);
        drop(long);
        assert_eq!(lane.lock().counts(), (1, 0, 0, 0));
    }
}
