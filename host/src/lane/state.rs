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
    lent: Vec<(Arc<str>, Arc<Loan>)>,
}

#[derive(Default)]
struct SiteState {
    held: usize,
    /// Its key in the waiting set, while it is there.
    listed: Option<(usize, u64)>,
    /// Runs that stand still, then calls that have not begun.
    queue: VecDeque<(u64, Waiting)>,
}

/// Who waits for a place.
pub(super) enum Waiting {
    /// A call that has not begun.
    Call(oneshot::Sender<Place>),
    /// A long run whose place was taken away.
    Run(Arc<Loan>),
}

impl Waiting {
    fn has_given_up(&self) -> bool {
        matches!(self, Self::Call(sender) if sender.is_closed())
    }
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

    /// A call joins the line of its site: its number among all that waited, and where its place arrives.
    pub(super) fn enqueue(&mut self, site: &Arc<str>) -> (u64, oneshot::Receiver<Place>) {
        let (sender, receiver) = oneshot::channel();
        (self.wait(site, Waiting::Call(sender)), receiver)
    }

    fn wait(&mut self, site: &Arc<str>, waiting: Waiting) -> u64 {
        let ticket = self.next_ticket;
        self.next_ticket += 1;
        let queue = &mut self.sites.entry(Arc::clone(site)).or_default().queue;
        // Whoever gave up leaves its sender behind: they go when the line is touched.
        queue.retain(|(_, waiting)| !waiting.has_given_up());
        let place = match waiting {
            Waiting::Run(_) => queue.iter().take_while(|(_, waiting)| matches!(waiting, Waiting::Run(_))).count(),
            Waiting::Call(_) => queue.len(),
        };
        queue.insert(place, (ticket, waiting));
        self.reorder(site);
        ticket
    }

    /// Takes a free place for the site whose turn it is.
    pub(super) fn dequeue(&mut self) -> Option<(Arc<str>, Waiting)> {
        while self.free > 0 {
            let (_, _, site) = self.waiting.pop_first()?;
            let Some(state) = self.sites.get_mut(&site) else { continue };
            state.listed = None;
            if let Some((_, waiting)) = state.queue.pop_front() {
                state.held += 1;
                self.free -= 1;
                self.reorder(&site);
                return Some((site, waiting));
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

    /// The run that holds a place may lose it from now on.
    pub(super) fn lend(&mut self, site: &Arc<str>, loan: &Arc<Loan>) {
        self.lent.push((Arc::clone(site), Arc::clone(loan)));
        if loan.taken.swap(false, Ordering::AcqRel) {
            loan.run.wake();
        }
    }

    /// Takes a lent place away; its run stands in its site's line for another one.
    pub(super) fn take_away(&mut self, loan: &Arc<Loan>) -> bool {
        let Some(index) = self.lent.iter().position(|(_, lent)| Arc::ptr_eq(lent, loan)) else { return false };
        let (site, loan) = self.lent.swap_remove(index);
        loan.taken.store(true, Ordering::Release);
        self.release(&site);
        self.wait(&site, Waiting::Run(loan));
        true
    }

    /// Whether a site that waits holds fewer places than this one.
    pub(super) fn is_due(&self, site: &str) -> bool {
        self.waiting.first().is_some_and(|(held, ..)| *held < self.held(site))
    }

    /// Strikes out the loan of a run that ends; tells whether its place was still there. If not, the run waits for it no longer.
    pub(super) fn forget(&mut self, site: &Arc<str>, loan: &Arc<Loan>) -> bool {
        if let Some(index) = self.lent.iter().position(|(_, lent)| Arc::ptr_eq(lent, loan)) {
            self.lent.swap_remove(index);
            return true;
        }
        if let Some(state) = self.sites.get_mut(site) {
            state.queue.retain(|(_, waiting)| !matches!(waiting, Waiting::Run(waiting) if Arc::ptr_eq(waiting, loan)));
            self.reorder(site);
        }
        false
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

    /// Places that are free, sites that are known, sites that wait, places lent.
    #[cfg(test)]
    pub(super) fn counts(&self) -> (usize, usize, usize, usize) {
        (self.free, self.sites.len(), self.waiting.len(), self.lent.len())
    }
}
