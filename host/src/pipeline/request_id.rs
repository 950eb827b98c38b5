//! Request ids: unique in the process, unguessable across processes, cheap.

use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};

static PROCESS: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(std::process::id()));
static COUNT: AtomicU64 = AtomicU64::new(1);

const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// A new id of 24 hexadecimal digits.
pub(super) fn next() -> Arc<str> {
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    // The count is spread over its digits, so that an id does not tell how busy the host is.
    let spread = count.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ *PROCESS;
    let tail = (*PROCESS >> 32) as u32 ^ (count >> 32) as u32;
    let bytes = spread.to_be_bytes().into_iter().chain(tail.to_be_bytes());
    let mut digits = [0; 24];
    for (pair, byte) in digits.chunks_exact_mut(2).zip(bytes) {
        pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    }
    // Digits are always text.
    Arc::from(std::str::from_utf8(&digits).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_differ() {
        let ids: std::collections::HashSet<_> = (0..10_000).map(|_| next()).collect();
        assert_eq!(ids.len(), 10_000);
        assert!(ids.iter().all(|id| id.len() == 24));
    }
}
