//! Random allocations against a shadow of what each block must still hold.
#![allow(unsafe_code, clippy::unwrap_used)] // Calls an allocator by hand.

use core::alloc::{GlobalAlloc, Layout};
use std::vec::Vec;

use proptest::prelude::*;

use super::arena::Heap;
use super::memory::{MOST, PAGE};

#[derive(Clone, Debug)]
enum Step {
    Alloc { size: usize, align: usize },
    Realloc { which: usize, size: usize },
    Free { which: usize },
}

fn size() -> impl Strategy<Value = usize> {
    prop_oneof![8 => 1_usize..130, 4 => 100_usize..5_000, 1 => 5_000_usize..200_000]
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        4 => (size(), prop_oneof![9 => Just(1_usize), 9 => Just(8), 1 => Just(16), 1 => Just(64)]).prop_map(|(size, align)| Step::Alloc { size, align }),
        2 => (any::<usize>(), size()).prop_map(|(which, size)| Step::Realloc { which, size }),
        3 => any::<usize>().prop_map(|which| Step::Free { which }),
    ]
}

/// A block and the byte that fills it.
struct Block {
    start: *mut u8,
    layout: Layout,
    filled: u8,
}

impl Block {
    fn new(start: *mut u8, layout: Layout, filled: u8) -> Self {
        assert_eq!(start.addr() % layout.align(), 0);
        unsafe { start.write_bytes(filled, layout.size()) };
        Self { start, layout, filled }
    }

    fn check(&self, length: usize) {
        let bytes = unsafe { core::slice::from_raw_parts(self.start, length) };
        assert!(bytes.iter().all(|byte| *byte == self.filled), "another block wrote into this one");
    }
}

fn run(heap: &Heap, steps: &[Step]) {
    let mut blocks: Vec<Block> = Vec::new();
    for (number, step) in steps.iter().enumerate() {
        let fill = (number % 251) as u8 + 1;
        match *step {
            Step::Alloc { size, align } => {
                let layout = Layout::from_size_align(size, align).unwrap();
                let start = unsafe { heap.alloc(layout) };
                if !start.is_null() {
                    blocks.push(Block::new(start, layout, fill));
                }
            }
            Step::Realloc { which, size } if !blocks.is_empty() => {
                let place = which % blocks.len();
                let block = &mut blocks[place];
                let start = unsafe { heap.realloc(block.start, block.layout, size) };
                if !start.is_null() {
                    block.start = start;
                    block.check(block.layout.size().min(size));
                    let layout = Layout::from_size_align(size, block.layout.align()).unwrap();
                    *block = Block::new(start, layout, fill);
                }
            }
            Step::Free { which } if !blocks.is_empty() => {
                let block = blocks.swap_remove(which % blocks.len());
                block.check(block.layout.size());
                unsafe { heap.dealloc(block.start, block.layout) };
            }
            _ => {}
        }
    }
    for block in blocks {
        block.check(block.layout.size());
        unsafe { heap.dealloc(block.start, block.layout) };
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn blocks_never_overlap(rounds in prop::collection::vec(prop::collection::vec(step(), 1..200), 1..3)) {
        let heap = Heap::new();
        rounds.iter().for_each(|steps| run(&heap, steps));
    }
}

#[test]
fn when_the_last_block_is_freed_the_arena_starts_anew() {
    let heap = Heap::new();
    let layout = Layout::from_size_align(1000, 8).unwrap();
    let first = unsafe { heap.alloc(layout) };
    let second = unsafe { heap.alloc(layout) };
    unsafe {
        heap.dealloc(first, layout);
        heap.dealloc(second, layout);
    }
    assert_eq!(unsafe { heap.alloc(Layout::from_size_align(10, 1).unwrap()) }, first);
}

#[test]
fn kept_blocks_stay_below_where_it_starts_anew() {
    let heap = Heap::new();
    let layout = Layout::from_size_align(1000, 8).unwrap();
    let request = unsafe { heap.alloc(layout) };
    let kept = Block::new(unsafe { heap.alloc(layout) }, layout, 7);
    heap.keep(1);
    let second = unsafe { heap.alloc(layout) };
    unsafe {
        heap.dealloc(request, layout);
        heap.dealloc(second, layout);
    }
    for _ in 0..3 {
        let block = Block::new(unsafe { heap.alloc(layout) }, layout, 9);
        assert_eq!(block.start, second, "each request begins at the same place");
        kept.check(1000);
        unsafe { heap.dealloc(block.start, layout) };
    }
}

#[test]
fn growing_the_last_block_moves_nothing() {
    let heap = Heap::new();
    let small = Layout::from_size_align(100, 1).unwrap();
    let block = unsafe { heap.alloc(small) };
    assert_eq!(unsafe { heap.realloc(block, small, 100_000) }, block);
}

#[test]
fn memory_is_reused_without_end() {
    let heap = Heap::new();
    let kept = unsafe { heap.alloc(Layout::from_size_align(8, 8).unwrap()) };
    // Far more than there is, a little at a time, as a loop that joins strings does.
    let mut text: (*mut u8, Layout) = (kept, Layout::from_size_align(8, 8).unwrap());
    for size in (8..100_000).step_by(7) {
        let layout = Layout::from_size_align(size, 1).unwrap();
        let next = unsafe { heap.alloc(layout) };
        assert!(!next.is_null(), "at {size}");
        if text.0 != kept {
            unsafe { heap.dealloc(text.0, text.1) };
        }
        text = (next, layout);
    }
}

/// As a String does that grows in a loop under a collector: what it was before is freed later, much at once.
#[test]
fn large_blocks_are_joined_when_they_are_freed() {
    let heap = Heap::new();
    let kept = Block::new(unsafe { heap.alloc(Layout::from_size_align(8, 8).unwrap()) }, Layout::from_size_align(8, 8).unwrap(), 1);
    let mut old: Vec<Block> = Vec::new();
    for size in (1_000..700_000).step_by(777) {
        let layout = Layout::from_size_align(size, 1).unwrap();
        let block = unsafe { heap.alloc(layout) };
        assert!(!block.is_null(), "at {size}");
        old.push(Block::new(block, layout, (size % 255) as u8));
        if old.iter().map(|block| block.layout.size()).sum::<usize>() > 1_500_000 {
            for block in old.drain(..old.len() - 1) {
                block.check(block.layout.size());
                unsafe { heap.dealloc(block.start, block.layout) };
            }
        }
    }
    kept.check(8);
}

#[test]
fn a_large_block_grows_into_what_is_free_behind_it() {
    let heap = Heap::new();
    let layout = |size| Layout::from_size_align(size, 1).unwrap();
    let first = Block::new(unsafe { heap.alloc(layout(100_000)) }, layout(100_000), 3);
    let second = unsafe { heap.alloc(layout(100_000)) };
    let third = Block::new(unsafe { heap.alloc(layout(40_000)) }, layout(40_000), 4);
    unsafe { heap.dealloc(second, layout(100_000)) };
    assert_eq!(unsafe { heap.realloc(first.start, first.layout, 150_000) }, first.start);
    first.check(100_000);
    // What is left between the two, and what a block gives back, is used again.
    let between = unsafe { heap.alloc(layout(40_000)) };
    assert!(between > first.start && between < third.start);
    assert_eq!(unsafe { heap.realloc(first.start, layout(150_000), 50_000) }, first.start);
    assert!(unsafe { heap.alloc(layout(90_000)) } < third.start);
    third.check(40_000);
}

#[test]
fn refused_memory_is_null_and_harms_nothing() {
    let heap = Heap::new();
    let layout = Layout::from_size_align(40, 8).unwrap();
    let block = Block::new(unsafe { heap.alloc(layout) }, layout, 7);
    let huge = Layout::from_size_align(MOST * PAGE, 1).unwrap();
    assert!(unsafe { heap.alloc(huge) }.is_null());
    assert!(unsafe { heap.realloc(block.start, layout, huge.size()) }.is_null());
    block.check(40);
    assert!(!unsafe { heap.alloc(layout) }.is_null());
}

proptest! {
    #[test]
    fn ranges_compare_as_slices_do(same in prop::collection::vec(any::<u8>(), 0..20), left in prop::collection::vec(any::<u8>(), 20), right in prop::collection::vec(any::<u8>(), 20)) {
        let (left, right) = ([same.clone(), left].concat(), [same, right].concat());
        for length in 0..=left.len() {
            let found = unsafe { super::compare::memcmp(left.as_ptr(), right.as_ptr(), length) };
            prop_assert_eq!(found.cmp(&0), left[..length].cmp(&right[..length]));
        }
    }
}
