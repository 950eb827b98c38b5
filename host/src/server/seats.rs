//! How many connections there may be: in all, so that files are left for everything else, and from one peer, so that it leaves room for
//! the others. Who is refused costs no more than its acceptance.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::rate::network;
use crate::system::open_files;

/// The most connections that there ever are.
const MOST: usize = 32_768;
/// Of those that one peer may have: many people may share an address.
const MOST_OF_PEER: usize = 512;

/// The seats of all connections.
pub(super) struct Seats {
    most: usize,
    most_of_peer: usize,
    taken: Mutex<Taken>,
    refused: AtomicU64,
}

#[derive(Default)]
struct Taken {
    all: usize,
    by_peer: HashMap<IpAddr, usize>,
}

/// A connection's seat, given back when dropped.
pub(super) struct Seat {
    seats: Arc<Seats>,
    /// `None` for a peer that is not counted by itself.
    peer: Option<IpAddr>,
}

impl Seats {
    /// As many as this process may have: of the files that the system lets it open, half are for connections.
    pub(super) fn of_process() -> Arc<Self> {
        Self::new((open_files() / 2).clamp(1, MOST))
    }

    fn new(most: usize) -> Arc<Self> {
        let most_of_peer = (most / 4).clamp(1, MOST_OF_PEER);
        Arc::new(Self { most, most_of_peer, taken: Mutex::default(), refused: AtomicU64::new(0) })
    }

    /// A seat for a peer, counted as its rate is: an IPv4 address, or an IPv6 network. One that speaks for many, a proxy that is trusted, and
    /// whoever runs on this very machine count among all alone.
    pub(super) fn take(self: &Arc<Self>, peer: IpAddr, speaks_for_many: bool) -> Option<Seat> {
        let is_here = peer.to_canonical().is_loopback();
        let peer = (!speaks_for_many && !is_here).then(|| network(peer));
        let mut taken = self.lock();
        let of_peer = peer.map_or(0, |peer| taken.by_peer.get(&peer).copied().unwrap_or(0));
        if taken.all >= self.most || of_peer >= self.most_of_peer {
            self.refused.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        taken.all += 1;
        if let Some(peer) = peer {
            taken.by_peer.insert(peer, of_peer + 1);
        }
        drop(taken);
        Some(Seat { seats: Arc::clone(self), peer })
    }

    /// Connections that are open.
    pub(super) fn taken(&self) -> usize {
        self.lock().all
    }

    /// Connections that were refused so far.
    pub(super) fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Nothing that can panic runs under the lock.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        let mut taken = self.seats.lock();
        taken.all -= 1;
        if let Some(peer) = self.peer
            && let Some(of_peer) = taken.by_peer.get_mut(&peer)
        {
            *of_peer -= 1;
            if *of_peer == 0 {
                taken.by_peer.remove(&peer);
            }
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn take(seats: &Arc<Seats>, peer: &str, times: usize) -> Vec<Seat> {
        (0..times).filter_map(|_| seats.take(peer.parse().unwrap(), false)).collect()
    }

    #[test]
    fn one_peer_leaves_room_for_the_others() {
        let seats = Seats::new(100);
        let greedy = take(&seats, "192.0.2.1", 200);
        assert_eq!((greedy.len(), seats.refused()), (25, 175));
        assert_eq!(take(&seats, "192.0.2.2", 1).len(), 1);
        let network: Vec<_> = (0..200).filter_map(|n| seats.take(format!("2001:db8::{n:x}").parse().unwrap(), false)).collect();
        assert_eq!(network.len(), 25, "an IPv6 network is one peer");
        drop(greedy);
        assert_eq!(take(&seats, "192.0.2.1", 1).len(), 1);
        drop(network);
        assert_eq!(seats.taken(), 0);
        assert!(seats.lock().by_peer.is_empty(), "who left is forgotten");
    }

    #[test]
    fn a_proxy_may_have_all_there_are_and_no_more() {
        let seats = Seats::new(100);
        let proxy: Vec<_> = (0..200).filter_map(|_| seats.take("192.0.2.1".parse().unwrap(), true)).collect();
        assert_eq!(proxy.len(), 100);
        assert!(take(&seats, "127.0.0.1", 1).is_empty(), "nobody has more than there are");
        assert!(take(&seats, "192.0.2.2", 1).is_empty());
        drop(proxy);
        assert_eq!(take(&seats, "192.0.2.2", 1).len(), 1);
        assert_eq!(take(&seats, "::ffff:127.0.0.1", 200).len(), 100, "who runs here speaks for many, too");
    }
}
