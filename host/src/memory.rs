//! How much memory what sites do may take, over all of them: what their instances grow to, and long bodies of requests and answers while
//! they are held. It is the machine's, and no site, nor many of them, may use it up. Two counters say it, and no lock.
//!
//! Three quarters are there for all, as far as that is fair ([`is_fair`]): one that takes what it can while nobody else does gets three in ten.
//! The other quarter is for sites that have little.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use crate::system;

/// Bytes of a body that are not counted: most bodies are shorter, and there are only so many connections.
const UNCOUNTED: usize = 64 << 10;

/// The part of all memory that a site may have out of what is kept for it: one in so many.
const LITTLE: u64 = 512;

/// What is assumed of a machine that does not say how much memory it has.
const UNKNOWN: u64 = 4 << 30;

/// The least that is shared out on a machine that has hardly any.
const FLOOR: u64 = 128 << 20;

/// Whether one that shares with any number of others may have `own` of `all`, where `left` is what nobody has. What it may have falls with the
/// square of what is left: however many take what they can, and whichever come first, they leave about as much as each of them has. In
/// proportion to it, each that comes would leave half, and twelve of them nothing.
pub fn is_fair(own: u64, left: u64, all: u64) -> bool {
    u128::from(own) * u128::from(all) <= u128::from(left) * u128::from(left)
}

/// There is no more memory for the site now: it has its share, or nobody has any left.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the site has its share of the memory there is")]
pub struct NoMemory;

/// The memory of the process that sites share.
#[derive(Debug)]
pub struct Memory {
    most: u64,
    taken: AtomicU64,
}

/// What one site has of it, over all of its revisions.
#[derive(Debug)]
pub struct SiteMemory {
    taken: AtomicU64,
    all: Arc<Memory>,
}

/// Memory that is held for a site, given back when dropped.
#[derive(Debug, Default)]
pub struct Held(Option<(Arc<SiteMemory>, u64)>);

impl Memory {
    /// So many bytes.
    pub fn of(most: u64) -> Arc<Self> {
        Arc::new(Self { most, taken: AtomicU64::new(0) })
    }

    /// Bytes that are taken.
    pub fn taken(&self) -> u64 {
        self.taken.load(Relaxed)
    }

    /// A site's share of it.
    pub fn share(self: &Arc<Self>) -> Arc<SiteMemory> {
        Arc::new(SiteMemory { taken: AtomicU64::new(0), all: Arc::clone(self) })
    }
}

impl SiteMemory {
    fn take(&self, bytes: u64) -> (u64, u64) {
        let before = |counter: &AtomicU64| counter.fetch_add(bytes, Relaxed);
        (before(&self.taken).saturating_add(bytes), before(&self.all.taken))
    }

    fn give_back(&self, bytes: u64) {
        self.taken.fetch_sub(bytes, Relaxed);
        self.all.taken.fetch_sub(bytes, Relaxed);
    }
}

impl Held {
    /// Takes more of the site's share.
    ///
    /// # Errors
    /// [`NoMemory`]: then what is held stays what it was.
    pub fn grow(&mut self, site: &Arc<SiteMemory>, bytes: usize) -> Result<(), NoMemory> {
        let bytes = bytes as u64;
        // What others put in between makes it the stricter, never the laxer.
        let (own, before) = site.take(bytes);
        let (most, common) = (site.all.most, site.all.most / 4 * 3);
        let is_little = own <= most / LITTLE && bytes <= most.saturating_sub(before);
        if !is_little && !is_fair(own, common.saturating_sub(before), common) {
            site.give_back(bytes);
            return Err(NoMemory);
        }
        self.add(site, bytes);
        Ok(())
    }

    /// Gives back what was taken last, and was not put to use.
    pub fn shrink(&mut self, bytes: usize) {
        if let Some((site, held)) = &mut self.0 {
            let bytes = (bytes as u64).min(*held);
            *held -= bytes;
            site.give_back(bytes);
        }
    }

    /// Sees to it that so many bytes of a body are held for, where they are many.
    ///
    /// # Errors
    /// As [`Held::grow`].
    pub fn cover(&mut self, site: &Arc<SiteMemory>, bytes: usize) -> Result<(), NoMemory> {
        let held = self.0.as_ref().map_or(0, |(_, held)| usize::try_from(*held).unwrap_or(usize::MAX));
        if bytes <= UNCOUNTED || bytes <= held { Ok(()) } else { self.grow(site, bytes - held) }
    }

    /// What is there already, whether or not it is within the site's share: the less it may take from now on.
    pub fn owed(site: &Arc<SiteMemory>, bytes: usize) -> Self {
        let mut held = Self::default();
        if bytes > UNCOUNTED {
            site.take(bytes as u64);
            held.add(site, bytes as u64);
        }
        held
    }

    /// Whether nothing is held.
    pub fn is_none(&self) -> bool {
        self.0.is_none()
    }

    fn add(&mut self, site: &Arc<SiteMemory>, bytes: u64) {
        let (_, held) = self.0.get_or_insert_with(|| (Arc::clone(site), 0));
        *held += bytes;
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some((site, bytes)) = &self.0 {
            site.give_back(*bytes);
        }
    }
}

/// Half of the memory that this process may have: the rest is the system's, the files' that it keeps at hand, and the host's own.
pub fn half_of_machine() -> u64 {
    (system::memory().unwrap_or(UNKNOWN) / 2).max(FLOOR)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const MOST: u64 = 1 << 30;
    const PIECE: usize = 1 << 19;

    /// All that a site gets where it takes what it can.
    fn greedy(site: &Arc<SiteMemory>) -> Held {
        let mut held = Held::default();
        while held.grow(site, PIECE).is_ok() {}
        held
    }

    fn bytes(held: &Held) -> u64 {
        held.0.as_ref().map_or(0, |(_, bytes)| *bytes)
    }

    #[test]
    fn one_that_has_nothing_finds_some_beside_any_number_that_take_what_they_can() {
        for sites in [1, 2, 10, 100] {
            let memory = Memory::of(MOST);
            let all: Vec<_> = (0..sites).map(|_| memory.share()).collect();
            let mut held = Vec::new();
            for _ in 0..3 {
                held.extend(all.iter().map(greedy));
            }
            let calm = greedy(&memory.share());
            assert!(bytes(&calm) >= MOST / LITTLE, "{sites} sites leave {}", bytes(&calm));
            assert!(memory.taken() <= MOST);
        }
    }

    #[test]
    fn a_site_alone_has_a_good_part_and_all_is_given_back() {
        let memory = Memory::of(MOST);
        let site = memory.share();
        let mut held = greedy(&site);
        assert_eq!(bytes(&held) >> 20, 293);
        assert_eq!(held.grow(&site, usize::MAX), Err(NoMemory), "what is refused is not held");
        assert_eq!(memory.taken(), bytes(&held));
        // What is there is counted even so, and in the way of what comes.
        let owed = Held::owed(&site, 100 << 20);
        assert_eq!(memory.taken(), bytes(&held) + (100 << 20));
        held.shrink(5 << 20);
        assert_eq!((bytes(&held) >> 20, memory.taken() >> 20), (288, 388));
        drop((held, owed));
        assert_eq!((memory.taken(), site.taken.load(Relaxed)), (0, 0));
    }

    #[test]
    fn nobody_has_more_than_there_is() {
        let memory = Memory::of(MOST);
        let debts: Vec<_> = (0..3).map(|_| Held::owed(&memory.share(), 400 << 20)).collect();
        assert_eq!(Held::default().grow(&memory.share(), 1), Err(NoMemory));
        drop(debts);
        assert_eq!(Held::default().grow(&memory.share(), 1), Ok(()));
    }
}
