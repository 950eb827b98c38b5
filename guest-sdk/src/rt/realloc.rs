//! `cabi_realloc`: where the canonical ABI puts what it hands in. (With std, wasi-libc brings it.)
#![allow(unsafe_code)] // An entry point of the ABI that deals in raw memory.

use alloc::alloc::{Layout, alloc, realloc};

/// Gives or moves a block; traps when memory is refused, as the ABI asks.
///
/// # Safety
/// Called by the canonical ABI alone: `old` is null or a block of this allocator with `old_size` and `align`.
#[unsafe(no_mangle)]
unsafe extern "C" fn cabi_realloc(old: *mut u8, old_size: usize, align: usize, new_size: usize) -> *mut u8 {
    if new_size == 0 {
        return core::ptr::without_provenance_mut(align);
    }
    // SAFETY: `align` is a power of two and `new_size` is not 0 by the ABI's rules; `old` as above.
    let block = unsafe {
        if old_size == 0 {
            alloc(Layout::from_size_align_unchecked(new_size, align))
        } else {
            realloc(old, Layout::from_size_align_unchecked(old_size, align), new_size)
        }
    };
    if block.is_null() {
        core::arch::wasm32::unreachable();
    }
    block
}
