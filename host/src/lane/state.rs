//! Who holds places in the lane, who waits for one, and whose turn it is. Every operation is done under the lane's lock.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::sync::oneshot;

use super::{Loan, Place};

/// The lane's places.
pub(super) struct State {
    /// Nobody waits while one is free.
    free: usize,
    next_ticket: u64,
    sites: HashMap<Arc<str>, SiteState>,
    /// Sites that wait: places held, then the ticket of their longest wait.
    waiting: BTreeSet<(usize, u64, Arc<str>)>,
    /// Places that may be taken away, and whose they are: no more than there are places.
    pub(super) lent: Vec<(Arc<str>, Arc<Loan>)>,
}

#[derive(Default)]
struct SiteState {
    held: usize,
    /// Its key in the waiting set, while it is there.
    listed: Option<(usize, u64)>,
    queue: VecDeque<Waiting>,
}

struct Waiting {
    ticket: u64,
    has_begun: bool,
    sender: oneshot::Sender<Place>,
}

impl State {
    pub(super) fn new(places: usize) -> Self {
        Self { free: places, next_ticket: 0, sites: HashMap::new(), waiting: BTreeSet::new(), lent: Vec::new() }
    }

    /// How many places a site holds.
    pub(super) fn held(&self, site: &str) -> usize {
        self.sites.get(site).map_or(0, |site| site.held)
    }

    /// Takes a free place, if there is one.
    pub(super) fn take(&mut self, site: &Arc<str>) -> bool {
        let free = self.free > 0;
        if free {
            self.free -= 1;
            self.sites.entry(Arc::clone(site)).or_default().held += 1;
        }
        free
    }

    /// Joins the line of a site: a run that has begun before those that have not.
    pub(super) fn enqueue(&mut self, site: &Arc<str>, has_begun: bool) -> oneshot::Receiver<Place> {
        let (sender, receiver) = oneshot::channel();
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let state = self.sites.entry(Arc::clone(site)).or_default();
        // Whoever gave up leaves its sender behind: they go when the line is touched.
        state.queue.retain(|waiting| !waiting.sender.is_closed());
        let place = if has_begun { state.queue.iter().position(|waiting| !waiting.has_begun) } else { None };
        state.queue.insert(place.unwrap_or(state.queue.len()), Waiting { ticket, has_begun, sender });
        self.reorder(site);
        receiver
    }

    /// Takes a free place for the site whose turn it is.
    pub(super) fn dequeue(&mut self) -> Option<(Arc<str>, oneshot::Sender<Place>)> {
        while self.free > 0 {
            let (_, _, site) = self.waiting.pop_first()?;
            let Some(state) = self.sites.get_mut(&site) else { continue };
            state.listed = None;
            if let Some(Waiting { sender, .. }) = state.queue.pop_front() {
                state.held += 1;
                self.free -= 1;
                self.reorder(&site);
                return Some((site, sender));
            }
        }
        None
    }

    /// Gives a place back.
    pub(super) fn release(&mut self, site: &Arc<str>) {
        self.free += 1;
        if let Some(state) = self.sites.get_mut(site) {
            state.held = state.held.saturating_sub(1);
        }
        self.reorder(site);
    }

    /// Takes back a lent place of the site that holds the most, if those are more than `held`.
    pub(super) fn take_back(&mut self, held: usize) -> bool {
        let most = self.lent.iter().max_by_key(|(site, _)| self.held(site));
        match most.filter(|(site, _)| self.held(site) > held) {
            Some((_, loan)) => self.take_away(&Arc::clone(loan)),
            None => false,
        }
    }

    /// Takes a lent place away; its run stands in its site's line for another one.
    pub(super) fn take_away(&mut self, loan: &Arc<Loan>) -> bool {
        let Some(index) = self.lent.iter().position(|(_, lent)| Arc::ptr_eq(lent, loan)) else { return false };
        let (site, loan) = self.lent.swap_remove(index);
        self.release(&site);
        *loan.next() = Some(self.enqueue(&site, true));
        loan.taken.store(true, Ordering::Release);
        true
    }

    /// Whether a site that waits holds fewer places than this one.
    pub(super) fn is_due(&self, site: &str) -> bool {
        self.waiting.first().is_some_and(|(held, ..)| *held < self.held(site))
    }

    /// Strikes out a loan; tells whether its place was still there.
    pub(super) fn forget(&mut self, loan: &Arc<Loan>) -> bool {
        let index = self.lent.iter().position(|(_, lent)| Arc::ptr_eq(lent, loan));
        index.map(|index| self.lent.swap_remove(index)).is_some()
    }

    /// Puts a site where it now belongs among those that wait, and forgets one that neither waits nor holds a place.
    fn reorder(&mut self, site: &Arc<str>) {
        let Some(state) = self.sites.get_mut(site) else { return };
        if let Some((held, ticket)) = state.listed.take() {
            self.waiting.remove(&(held, ticket, Arc::clone(site)));
        }
        match state.queue.front() {
            Some(Waiting { ticket, .. }) => {
                state.listed = Some((state.held, *ticket));
                self.waiting.insert((state.held, *ticket, Arc::clone(site)));
            }
            None if state.held == 0 => {
                self.sites.remove(site);
            }
            None => {}
        }
    }

    /// Places that are free, sites that are known, sites that wait, places lent.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize, usize, usize) {
        (self.free, self.sites.len(), self.waiting.len(), self.lent.len())
    }
}
