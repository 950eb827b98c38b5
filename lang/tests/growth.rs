//! What a run needs of a guest's memory, whose allocator keeps freed blocks by size and never joins them: a String that is made anew
//! in a loop, as one that grows at its front is, leaves blocks of every size behind.
#![allow(unsafe_code, clippy::unwrap_used)] // An allocator that counts; the system's does the work.

mod common;
mod memory;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

use djo_lang::Sources;
use memory::{Site, body};

/// As in a guest: four sizes between each power of two and the next.
const CLASSES: usize = 4 * usize::BITS as usize;

struct BySize {
    live: [AtomicUsize; CLASSES],
    /// Blocks that were ever live at once: so many the guest's memory would hold.
    most: [AtomicUsize; CLASSES],
}

#[global_allocator]
static BLOCKS: BySize = BySize { live: [const { AtomicUsize::new(0) }; CLASSES], most: [const { AtomicUsize::new(0) }; CLASSES] };

fn class_of(size: usize) -> (usize, usize) {
    let size = size.max(16);
    let power = (usize::BITS - 1 - (size - 1).leading_zeros()) as usize;
    let shift = power - 2;
    let quarter = (size - 1) >> shift;
    (power * 4 + quarter - 4, (quarter + 1) << shift)
}

// SAFETY: all is the system's allocator's; what is counted beside it does not allocate.
unsafe impl GlobalAlloc for BySize {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let (class, _) = class_of(layout.size());
        let live = self.live[class].fetch_add(1, Ordering::Relaxed) + 1;
        self.most[class].fetch_max(live, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.live[class_of(layout.size()).0].fetch_sub(1, Ordering::Relaxed);
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Bytes of all blocks that memory would have to hold.
fn held() -> usize {
    (15..CLASSES).map(|class| BLOCKS.most[class].load(Ordering::Relaxed) * ((class % 4 + 5) << (class / 4 - 2))).sum()
}

#[test]
fn a_string_that_grows_in_a_loop_fits_a_guest() {
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\"}\n")
        .with("a.djo", "s = \"\"\ni = 0\nwhile i < 50000\n    s = \"x\" + s\n    i += 1\nHttp.json:(String.len:s)\n");
    let mut site = Site::new(&sources);
    let answer = site.agent("/", &[], "").unwrap();
    assert_eq!(body(&answer), "50000");
    assert!(held() < 40 << 20, "{} MB", held() >> 20);
}
