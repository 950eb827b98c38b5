//! Request ids: unique, and not to be foretold.

use std::sync::Arc;

use rand::RngExt as _;

use crate::text;

/// A new id of 24 hexadecimal digits.
pub(super) fn next() -> Arc<str> {
    // Each thread has a generator of its own: a count of all would be fetched from one to the next each time.
    text::hex(&rand::rng().random::<[u8; 12]>()).into()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ() {
        let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(|| (0..10_000).map(|_| next()).collect::<Vec<_>>())).collect();
        let ids: std::collections::HashSet<_> = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
        assert_eq!(ids.len(), 40_000);
        assert!(ids.iter().all(|id| id.len() == 24));
    }
}
