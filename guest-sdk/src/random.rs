//! Chance, from a source fit for secrets.

use alloc::{string::String, vec::Vec};

use crate::outside::random;

/// Random bytes.
#[must_use]
pub fn bytes(count: usize) -> Vec<u8> {
    random::get_random_bytes(count as u64)
}

/// A token of 32 hexadecimal digits: nobody guesses it.
#[must_use]
pub fn token() -> String {
    hex(&bytes(16))
}

/// A number below `end`, each as likely as the others; 0 when `end` is 0.
#[must_use]
pub fn below(end: u32) -> u32 {
    let chunk = bytes(8);
    let wide = chunk.iter().fold(0_u64, |wide, byte| wide << 8 | u64::from(*byte));
    // 64 bits over at most 32: the unevenness is far below anything that can be noticed.
    if end == 0 { 0 } else { (wide % u64::from(end)) as u32 }
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digit = |half: u8| char::from(DIGITS[usize::from(half & 15)]);
    bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(*byte)]).collect()
}
