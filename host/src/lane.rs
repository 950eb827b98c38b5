//! The agents' lane, second gate: how many agent calls run at once in the process, and that no site takes the others' share.
//!
//! A free place goes to whoever asks while nobody waits. Once calls wait, a place that falls free goes to the waiting site that
//! holds the fewest, the longest wait first: while sites compete, their shares even out with every call that ends. And since a call
//! may be long, the last places are kept for sites that hold none: one busy site cannot shut the others out.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::sync::oneshot;

/// How long a call waits for a place.
pub const PATIENCE: Duration = Duration::from_millis(250);

/// The lane: clones share it.
#[derive(Clone)]
pub struct Lane(Arc<Mutex<State>>);

struct State {
    places: usize,
    free: usize,
    /// Free places that only a site without one may take.
    kept: usize,
    next_ticket: u64,
    sites: HashMap<Arc<str>, SiteState>,
    /// Sites that wait: places held, then the ticket of their longest wait.
    waiting: BTreeSet<(usize, u64, Arc<str>)>,
}

#[derive(Default)]
struct SiteState {
    held: usize,
    /// Its key in the waiting set, while it is there.
    listed: Option<(usize, u64)>,
    queue: VecDeque<(u64, oneshot::Sender<Place>)>,
}

/// A place in the lane, given back when dropped.
pub struct Place {
    lane: Option<Lane>,
    site: Arc<str>,
}

/// No place fell free in time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Full;

impl Lane {
    /// A lane of so many places, at least one.
    pub fn new(places: usize) -> Self {
        let places = places.max(1);
        let state = State { places, free: places, kept: 0, next_ticket: 0, sites: HashMap::new(), waiting: BTreeSet::new() };
        Self(Arc::new(Mutex::new(state)))
    }

    /// Takes a place for a call of a site, waiting up to [`PATIENCE`]. `alone`: the host serves no other site, so none is kept free.
    ///
    /// # Errors
    /// [`Full`] when none fell free.
    pub async fn enter(&self, site: &Arc<str>, alone: bool) -> Result<Place, Full> {
        let place = {
            let mut state = self.lock();
            state.kept = if alone || state.places == 1 { 0 } else { (state.places / 4).max(1) };
            let held = state.sites.get(site).map_or(0, |site| site.held);
            if state.may_take(held) && (held == 0 || state.waiting.is_empty()) {
                state.free -= 1;
                state.sites.entry(Arc::clone(site)).or_default().held += 1;
                return Ok(self.place(site));
            }
            state.enqueue(site)
        };
        match tokio::time::timeout(PATIENCE, place).await {
            Ok(Ok(place)) => Ok(place),
            _ => Err(Full),
        }
    }

    fn place(&self, site: &Arc<str>) -> Place {
        Place { lane: Some(self.clone()), site: Arc::clone(site) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing that can panic runs under the lock.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives a place back, and on to who waits for one.
    fn leave(&self, site: &Arc<str>) {
        let mut state = self.lock();
        state.release(site);
        while let Some((next, sender)) = state.dequeue() {
            match sender.send(self.place(&next)) {
                Ok(()) => break,
                Err(mut place) => {
                    // Who waited has given up. The place goes back here: dropped as it is, it would ask for the lock that is held.
                    place.lane = None;
                    state.release(&next);
                }
            }
        }
    }
}

impl State {
    fn enqueue(&mut self, site: &Arc<str>) -> oneshot::Receiver<Place> {
        let (sender, receiver) = oneshot::channel();
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let state = self.sites.entry(Arc::clone(site)).or_default();
        // Whoever gave up leaves its sender behind: they go when the line is touched.
        state.queue.retain(|(_, sender)| !sender.is_closed());
        state.queue.push_back((ticket, sender));
        self.reorder(site);
        receiver
    }

    /// Takes a free place for the site whose turn it is.
    fn dequeue(&mut self) -> Option<(Arc<str>, oneshot::Sender<Place>)> {
        loop {
            // The first holds the fewest: where it may not take a place, nobody may.
            if !self.may_take(self.waiting.first()?.0) {
                return None;
            }
            let (_, _, site) = self.waiting.pop_first()?;
            let Some(state) = self.sites.get_mut(&site) else { continue };
            state.listed = None;
            if let Some((_, sender)) = state.queue.pop_front() {
                state.held += 1;
                self.free -= 1;
                self.reorder(&site);
                return Some((site, sender));
            }
        }
    }

    /// Whether a site that holds so many places may take one more.
    fn may_take(&self, held: usize) -> bool {
        self.free > if held == 0 { 0 } else { self.kept }
    }

    fn release(&mut self, site: &Arc<str>) {
        self.free += 1;
        if let Some(state) = self.sites.get_mut(site) {
            state.held = state.held.saturating_sub(1);
        }
        self.reorder(site);
    }

    /// Puts a site where it now belongs among those that wait, and forgets one that neither waits nor holds a place.
    fn reorder(&mut self, site: &Arc<str>) {
        let Some(state) = self.sites.get_mut(site) else { return };
        if let Some((held, ticket)) = state.listed.take() {
            self.waiting.remove(&(held, ticket, Arc::clone(site)));
        }
        match state.queue.front() {
            Some((ticket, _)) => {
                state.listed = Some((state.held, *ticket));
                self.waiting.insert((state.held, *ticket, Arc::clone(site)));
            }
            None if state.held == 0 => {
                self.sites.remove(site);
            }
            None => {}
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            lane.leave(&self.site);
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
        let _a = lane.enter(&site("a"), true).await.unwrap();
        let b = lane.enter(&site("a"), true).await.unwrap();
        assert_eq!(lane.enter(&site("a"), true).await.err(), Some(Full));
        drop(b);
        assert!(lane.enter(&site("a"), true).await.is_ok());
    }

    #[tokio::test]
    async fn a_place_goes_to_the_site_that_holds_the_fewest() {
        let lane = Lane::new(2);
        let (first, _second) = (lane.enter(&site("a"), true).await.unwrap(), lane.enter(&site("a"), true).await.unwrap());
        let (a, b) = (site("a"), site("b"));
        let mut greedy = Box::pin(lane.enter(&a, true));
        let mut modest = Box::pin(lane.enter(&b, true));
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
            let place = lane.enter(&site("a"), true).await.unwrap();
            let b = site("b");
            let mut gives_up = Box::pin(lane.enter(&b, true));
            assert!(tokio::time::timeout(Duration::from_micros(10), &mut gives_up).await.is_err());
            drop(place);
            drop(gives_up);
        }
        let state = lane.lock();
        assert_eq!((state.free, state.sites.len(), state.waiting.len()), (1, 0, 0));
    }

    #[tokio::test]
    async fn a_busy_site_leaves_room_for_others() {
        let lane = Lane::new(4);
        let mut held = Vec::new();
        while let Ok(Ok(place)) = tokio::time::timeout(Duration::from_millis(5), lane.enter(&site("busy"), false)).await {
            held.push(place);
        }
        assert_eq!(held.len(), 3);
        assert!(lane.enter(&site("other"), false).await.is_ok());
    }
}
