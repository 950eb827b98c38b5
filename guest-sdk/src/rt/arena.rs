//! The guest's allocator: free lists by size over a bump arena that starts at the linker's `__heap_base`, and for large blocks one list
//! by address.
//!
//! A request allocates little and ends soon, so the usual allocation is a few instructions and the memory it touches lies together,
//! which is what a host pays for when it clears the instance. When the last block is freed the arena starts anew, so that a reused
//! instance begins each request as a fresh one does. Blocks that are to outlive requests are [kept](Heap::keep) below that start.
#![allow(unsafe_code)] // An allocator hands out raw memory; each block says what it relies on.

use core::alloc::{GlobalAlloc, Layout};
use core::cell::UnsafeCell;
use core::ptr::null_mut;

use super::large::{LARGE, Large, room};
use super::memory::{self, PAGE};

/// Every block starts at a multiple of this.
const ALIGN: usize = 8;
/// Blocks up to this size have a class each 8 bytes; above, four classes between each power of two and the next.
const FINE: usize = 64;
/// Classes of the fine sizes (16, 24, …, 64) and of the powers from 2^6 up to what is large.
const CLASSES: usize = 7 + 4 * (LARGE.ilog2() as usize - 6);
/// The least and the most by which memory grows ahead of what is needed.
const GROW: (usize, usize) = (4 * PAGE, 64 * PAGE);

/// The allocator: `#[global_allocator] static HEAP: Heap = Heap::new();`
pub struct Heap(UnsafeCell<Arena>);

// SAFETY: a component instance runs one call at a time on one thread, and the allocator calls nothing that could call it back.
unsafe impl Sync for Heap {}

struct Arena {
    /// The next free byte; 0 before the first allocation.
    next: usize,
    /// One past the last byte of memory.
    end: usize,
    /// Blocks handed out and not yet freed.
    live: usize,
    /// How many of these are kept, and where the arena starts anew above them: 0 for its first byte.
    kept: usize,
    floor: usize,
    /// Heads of the lists of freed blocks; each block's first word is the next one's address, 0 ends a list.
    free: [usize; CLASSES],
    /// Freed blocks that are large.
    large: Large,
}

impl Heap {
    /// An empty heap; it looks for its memory when it is first used.
    #[must_use]
    pub const fn new() -> Self {
        Self(UnsafeCell::new(Arena { next: 0, end: 0, live: 0, kept: 0, floor: 0, free: [0; CLASSES], large: Large::new() }))
    }
}

impl Heap {
    /// Keeps so many of the blocks that are handed out now: the arena starts anew above them once all others are freed. A kept block is
    /// never freed.
    pub fn keep(&self, blocks: usize) {
        // SAFETY: no other reference to the arena is alive (see `Sync`).
        let arena = unsafe { &mut *self.0.get() };
        arena.kept += blocks;
        arena.floor = arena.next;
    }
}

impl Default for Heap {
    fn default() -> Self {
        Self::new()
    }
}

/// The class of a size, and the size of that class's blocks.
#[inline]
const fn class_of(size: usize) -> (usize, usize) {
    if size <= 16 {
        return (0, 16);
    }
    if size <= FINE {
        let class = (size - 9) / 8;
        return (class, class * 8 + 16);
    }
    let power = (usize::BITS - 1 - (size - 1).leading_zeros()) as usize;
    let shift = power - 2;
    let quarter = (size - 1) >> shift;
    (7 + (power - 6) * 4 + quarter - 4, (quarter + 1) << shift)
}

/// What a block of this size takes; `None` beyond any memory.
#[inline]
const fn taken(size: usize) -> Option<usize> {
    if size > LARGE { room(size) } else { Some(class_of(size).1) }
}

impl Arena {
    #[inline]
    fn allocate(&mut self, size: usize) -> *mut u8 {
        if size > LARGE {
            return self.allocate_large(size);
        }
        let (class, size) = class_of(size);
        let head = self.free[class];
        let block = if head == 0 { self.bump(size) } else { head };
        if block == 0 {
            return null_mut();
        }
        let block: *mut u8 = core::ptr::with_exposed_provenance_mut(block);
        if head != 0 {
            // SAFETY: a block on a free list is at least 16 bytes, belongs to nobody, and holds the next one's address.
            self.free[class] = unsafe { block.cast::<usize>().read() };
        }
        self.live += 1;
        block
    }

    fn allocate_large(&mut self, size: usize) -> *mut u8 {
        let Some(size) = room(size) else { return null_mut() };
        let block = match self.large.take(size) {
            0 => self.bump(size),
            block => block,
        };
        if block != 0 {
            self.live += 1;
        }
        core::ptr::with_exposed_provenance_mut(block)
    }

    /// A new block from the end of what is used, or 0.
    #[inline]
    fn bump(&mut self, size: usize) -> usize {
        if self.next == 0 {
            self.start();
        }
        let block = self.next;
        match block.checked_add(size) {
            Some(next) if next <= self.end || self.grow(next) => {
                self.next = next;
                block
            }
            _ => 0,
        }
    }

    #[cold]
    fn start(&mut self) {
        self.next = (memory::base() + ALIGN - 1) & !(ALIGN - 1);
        self.end = memory::end();
    }

    /// Makes `next` a valid end, ahead of need where the host allows it.
    #[cold]
    fn grow(&mut self, next: usize) -> bool {
        let needed = (next - self.end).div_ceil(PAGE);
        let ahead = needed.max((self.end / 2).clamp(GROW.0, GROW.1) / PAGE);
        let grown = if memory::grow(ahead) {
            ahead
        } else if memory::grow(needed) {
            needed
        } else {
            return false;
        };
        self.end += grown * PAGE;
        true
    }

    #[inline]
    fn free(&mut self, block: usize, size: usize) {
        if size > LARGE {
            return self.free_large(block, size);
        }
        let (class, size) = class_of(size);
        self.live -= 1;
        if self.live == self.kept {
            self.start_anew();
        } else if block + size == self.next {
            self.next = block;
        } else {
            // SAFETY: the block is at least 16 bytes and its owner has given it up.
            unsafe { core::ptr::with_exposed_provenance_mut::<usize>(block).write(self.free[class]) };
            self.free[class] = block;
        }
    }

    fn free_large(&mut self, block: usize, size: usize) {
        // What was handed out has a size that can be rounded.
        let size = room(size).unwrap_or(size);
        self.live -= 1;
        if self.live == self.kept {
            self.start_anew();
        } else if block + size == self.next {
            self.next = self.large.cut(block);
        } else {
            self.large.give(block, size);
        }
    }

    /// Gives a block another size where it lies, or says that it can't.
    #[inline]
    fn resize(&mut self, block: usize, old: usize, new: usize) -> bool {
        let (was_large, is_large) = (old > LARGE, new > LARGE);
        let (Some(old), Some(new)) = (taken(old), taken(new)) else { return false };
        if new == old {
            return true;
        }
        if block + old == self.next {
            return match block.checked_add(new) {
                Some(next) if next <= self.end || self.grow(next) => {
                    self.next = next;
                    true
                }
                _ => false,
            };
        }
        if was_large || is_large {
            if was_large && is_large && new < old {
                self.large.give(block + new, old - new);
                return true;
            }
            return was_large && is_large && self.large.extend(block + old, new - old);
        }
        // What is cut off is lost until the arena starts anew: only a little may be.
        new < old && new * 2 >= old
    }
}

// SAFETY: blocks do not overlap, since each comes from the end of what is used or from the list of freed blocks of its class; sizes are
// computed from the layout in the same way when a block is taken and when it is freed; null is answered when memory is refused.
unsafe impl GlobalAlloc for Heap {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: no other reference to the arena is alive (see `Sync`).
        let arena = unsafe { &mut *self.0.get() };
        if layout.align() <= ALIGN {
            return arena.allocate(layout.size());
        }
        // Nothing here asks for more than 8 as a rule: such a block carries its padding and is not reused before the arena starts anew.
        let Some(padded) = layout.size().checked_add(layout.align()) else { return null_mut() };
        let block = arena.allocate(padded);
        if block.is_null() { block } else { block.wrapping_add(block.align_offset(layout.align())) }
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: no other reference to the arena is alive (see `Sync`).
        let arena = unsafe { &mut *self.0.get() };
        if layout.align() <= ALIGN {
            arena.free(block.addr(), layout.size());
        } else {
            arena.abandon();
        }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: no other reference to the arena is alive in this block (see `Sync`).
        if layout.align() <= ALIGN && unsafe { &mut *self.0.get() }.resize(block.addr(), layout.size(), size) {
            return block;
        }
        let Ok(wanted) = Layout::from_size_align(size, layout.align()) else { return null_mut() };
        // SAFETY: the new block is another one and holds at least the smaller of the two sizes; the old one is freed once.
        unsafe {
            let moved = self.alloc(wanted);
            if !moved.is_null() {
                core::ptr::copy_nonoverlapping(block, moved, layout.size().min(size));
                self.dealloc(block, layout);
            }
            moved
        }
    }
}

impl Arena {
    /// Counts a block as freed without reusing it.
    fn abandon(&mut self) {
        self.live -= 1;
        if self.live == self.kept {
            self.start_anew();
        }
    }

    fn start_anew(&mut self) {
        self.next = self.floor;
        self.free = [0; CLASSES];
        self.large = Large::new();
    }
}
