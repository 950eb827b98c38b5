//! Request ids: unique in the process, unguessable across processes, cheap.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
static THREADS: AtomicU32 = AtomicU32::new(0);

thread_local! {
    /// Which thread this is, and how many ids it has given: one count for all threads would be fetched from one to the next each time.
    static THREAD: u32 = THREADS.fetch_add(1, Ordering::Relaxed);
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A new id of 24 hexadecimal digits.
pub(super) fn next() -> Arc<str> {
    let count = COUNT.replace(COUNT.get().wrapping_add(1));
    // The count is spread over its digits, so that an id does not tell how busy the host is.
    let spread = count.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ *PROCESS;
    let tail = (*PROCESS >> 32) as u32 ^ THREAD.with(|thread| *thread);
    let bytes = spread.to_be_bytes().into_iter().chain(tail.to_be_bytes());
    let mut digits = [0; 24];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    // Digits are always text.
    Arc::from(std::str::from_utf8(&digits).unwrap_or_default())
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
