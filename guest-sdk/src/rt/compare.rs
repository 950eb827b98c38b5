//! `memcmp`, which compiled code calls and nobody else here defines: eight bytes at a time, since a machine compares many names.
#![allow(unsafe_code)] // Deals in raw memory by definition.

/// Compares two ranges as unsigned bytes.
///
/// # Safety
/// Called by compiled code: both ranges are readable for `length` bytes.
#[cfg_attr(target_arch = "wasm32", unsafe(no_mangle))]
pub(crate) unsafe extern "C" fn memcmp(left: *const u8, right: *const u8, length: usize) -> i32 {
    let mut at = 0;
    while at + 8 <= length {
        // SAFETY: `at + 8` is within both ranges; reads need no alignment.
        let (a, b) = unsafe { (left.add(at).cast::<u64>().read_unaligned(), right.add(at).cast::<u64>().read_unaligned()) };
        if a != b {
            return if a.swap_bytes() < b.swap_bytes() { -1 } else { 1 };
        }
        at += 8;
    }
    while at < length {
        // SAFETY: `at` is within both ranges.
        let (a, b) = unsafe { (left.add(at).read(), right.add(at).read()) };
        if a != b {
            return i32::from(a) - i32::from(b);
        }
        at += 1;
    }
    0
}
