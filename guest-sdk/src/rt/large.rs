//! Large free blocks, by address and joined with their neighbours: a String that grows step by step leaves blocks behind of which none is
//! large enough for the next, but together they are.
#![allow(unsafe_code)] // Free memory holds the list of what is free.

/// Blocks from this size on are here; smaller ones have lists by size.
pub(crate) const LARGE: usize = 32 << 10;
/// Their sizes are multiples of this, so that what is left of one can be described where it lies.
const GRAIN: usize = 4 << 10;

/// What a large block takes; `None` beyond any memory.
#[inline]
pub(crate) const fn room(size: usize) -> Option<usize> {
    match size.checked_add(GRAIN - 1) {
        Some(size) => Some(size & !(GRAIN - 1)),
        None => None,
    }
}

/// A free block, as it lies in its own first words.
#[derive(Clone, Copy)]
#[repr(C)]
struct Node {
    size: usize,
    /// The address of the next one; 0 after the last.
    next: usize,
}

/// The free blocks.
pub(crate) struct Large {
    first: usize,
}

impl Large {
    pub(crate) const fn new() -> Self {
        Self { first: 0 }
    }

    /// A block of this size out of the first that is large enough; 0 for none.
    pub(crate) fn take(&mut self, size: usize) -> usize {
        let (mut before, mut at) = (0, self.first);
        while at != 0 {
            let node = read(at);
            if node.size >= size {
                self.split(before, at, node, size);
                return at;
            }
            (before, at) = (at, node.next);
        }
        0
    }

    /// The bytes that follow a block, where so many are free; tells whether they were.
    pub(crate) fn extend(&mut self, end: usize, more: usize) -> bool {
        let (mut before, mut at) = (0, self.first);
        while at != 0 && at < end {
            (before, at) = (at, read(at).next);
        }
        if at != end || at == 0 {
            return false;
        }
        let node = read(at);
        let fits = node.size >= more;
        if fits {
            self.split(before, at, node, more);
        }
        fits
    }

    /// Takes a block back.
    pub(crate) fn give(&mut self, block: usize, size: usize) {
        let (mut before, mut at) = (0, self.first);
        while at != 0 && at < block {
            (before, at) = (at, read(at).next);
        }
        let mut freed = Node { size, next: at };
        if at != 0 && block + size == at {
            let following = read(at);
            freed = Node { size: size + following.size, next: following.next };
        }
        if before != 0 {
            let preceding = read(before);
            if before + preceding.size == block {
                return write(before, Node { size: preceding.size + freed.size, next: freed.next });
            }
        }
        write(block, freed);
        self.link(before, block);
    }

    /// Gives up the last block where it ends at the end of what is used, and answers where that is now.
    pub(crate) fn cut(&mut self, end: usize) -> usize {
        let (mut before, mut at) = (0, self.first);
        while at != 0 {
            let node = read(at);
            if at + node.size == end {
                self.link(before, 0);
                return at;
            }
            (before, at) = (at, node.next);
        }
        end
    }

    /// Takes the first bytes of a free block; the rest stays free.
    fn split(&mut self, before: usize, at: usize, node: Node, size: usize) {
        let rest = if node.size == size {
            node.next
        } else {
            write(at + size, Node { size: node.size - size, next: node.next });
            at + size
        };
        self.link(before, rest);
    }

    /// Makes the block before lead to another.
    fn link(&mut self, before: usize, to: usize) {
        if before == 0 {
            self.first = to;
        } else {
            write(before, Node { next: to, ..read(before) });
        }
    }
}

fn read(at: usize) -> Node {
    // SAFETY: only addresses on the list come here: free memory of this arena, at a multiple of 8, where `write` has put a node.
    unsafe { core::ptr::with_exposed_provenance::<Node>(at).read() }
}

fn write(at: usize, node: Node) {
    // SAFETY: the memory from here on was given up by its owner and has at least `GRAIN` bytes; it lies at a multiple of 8.
    unsafe { core::ptr::with_exposed_provenance_mut::<Node>(at).write(node) }
}
