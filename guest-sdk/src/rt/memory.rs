//! Where the heap's bytes come from: the instance's linear memory, and in tests a block of the machine's.

/// Bytes of a page.
pub(crate) const PAGE: usize = 65_536;

#[cfg(target_arch = "wasm32")]
mod source {
    #![allow(unsafe_code)] // The symbol is declared, its address taken; it is never read.
    use core::arch::wasm32;

    unsafe extern "C" {
        /// Set by the linker: the first byte after stack and data.
        static __heap_base: u8;
    }

    /// The address of the first byte.
    pub(crate) fn base() -> usize {
        (&raw const __heap_base).addr()
    }

    /// One past the last byte.
    pub(crate) fn end() -> usize {
        wasm32::memory_size(0) * super::PAGE
    }

    /// Adds pages at the end; tells whether the host allowed it.
    pub(crate) fn grow(pages: usize) -> bool {
        wasm32::memory_grow(0, pages) != usize::MAX
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod source {
    use std::cell::Cell;
    use std::vec;

    use super::PAGE;

    /// What a host allows, in pages.
    pub(crate) const MOST: usize = 64;

    std::thread_local! {
        static START: usize = std::boxed::Box::leak(vec![0_u64; MOST * PAGE / 8].into_boxed_slice()).as_ptr().expose_provenance();
        static PAGES: Cell<usize> = const { Cell::new(2) };
    }

    pub(crate) fn base() -> usize {
        START.with(|start| *start) + 12
    }

    pub(crate) fn end() -> usize {
        START.with(|start| *start) + PAGES.get() * PAGE
    }

    pub(crate) fn grow(pages: usize) -> bool {
        let allowed = PAGES.get() + pages <= MOST;
        if allowed {
            PAGES.set(PAGES.get() + pages);
        }
        allowed
    }
}

pub(crate) use source::*;
