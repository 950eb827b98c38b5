//! What a run needs of a guest's memory, whose allocator keeps freed small blocks by size and never joins them: what is made anew in a
//! loop, a little longer each time, leaves blocks of every size behind. Large ones are joined.
#![allow(unsafe_code, clippy::unwrap_used)] // An allocator that counts; the system's does the work.

mod common;
mod memory;

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
};

use djo_lang::Sources;
use memory::{Site, body};

/// As in a guest: four sizes between each power of two and the next.
const CLASSES: usize = 4 * usize::BITS as usize;

/// From so many bytes on a block is a large one.
const LARGE: usize = 32 << 10;

struct BySize {
    live: [AtomicUsize; CLASSES],
    /// Blocks that were ever live at once: so many the guest's memory would hold.
    most: [AtomicUsize; CLASSES],
    /// Bytes of large blocks, and how many they ever were at once.
    large: AtomicUsize,
    most_large: AtomicUsize,
}

#[global_allocator]
static BLOCKS: BySize = BySize {
    live: [const { AtomicUsize::new(0) }; CLASSES],
    most: [const { AtomicUsize::new(0) }; CLASSES],
    large: AtomicUsize::new(0),
    most_large: AtomicUsize::new(0),
};

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
        if layout.size() >= LARGE {
            let live = self.large.fetch_add(layout.size(), Ordering::Relaxed) + layout.size();
            self.most_large.fetch_max(live, Ordering::Relaxed);
        } else {
            let (class, _) = class_of(layout.size());
            let live = self.live[class].fetch_add(1, Ordering::Relaxed) + 1;
            self.most[class].fetch_max(live, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        if layout.size() >= LARGE {
            self.large.fetch_sub(layout.size(), Ordering::Relaxed);
        } else {
            self.live[class_of(layout.size()).0].fetch_sub(1, Ordering::Relaxed);
        }
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Bytes of all blocks that memory would have to hold.
fn held() -> usize {
    let small: usize = (15..CLASSES).map(|class| BLOCKS.most[class].load(Ordering::Relaxed) * ((class % 4 + 5) << (class / 4 - 2))).sum();
    small + BLOCKS.most_large.load(Ordering::Relaxed)
}

/// Runs a program alone and tells what it answered and what it held, in MB.
fn run(program: &str) -> (String, usize) {
    static ALONE: Mutex<()> = Mutex::new(());
    let _alone = ALONE.lock().unwrap();
    let sources = Sources::default().with("rotas.djo", "Route.get:\"/\":{\"agent\": \"a.djo\"}\n").with("a.djo", program);
    BLOCKS.most.iter().chain([&BLOCKS.most_large]).for_each(|most| most.store(0, Ordering::Relaxed));
    let mut site = Site::new(&sources);
    let answer = site.agent("/", &[], "").unwrap();
    (body(&answer).to_owned(), held() >> 20)
}

fn loops(times: u32, before: &str, each: &str, answer: &str) -> (String, usize) {
    let each = each.replace("; ", "\n    ");
    run(&format!("{before}\ni = 0\nwhile i < {times}\n    {each}\n    i += 1\nHttp.json:({answer})\n"))
}

#[test]
fn a_string_that_grows_in_a_loop_fits_a_guest() {
    for (each, most) in [("s = \"x\" + s", 40), ("s = s + \"x\"", 8), ("s = $\"{s}x\"", 8)] {
        let (answer, held) = loops(50_000, "s = \"\"", each, "String.len:s");
        assert_eq!(answer, "50000");
        assert!(held < most, "{each}: {held} MB");
    }
    let (answer, held) = loops(1_000_000, "s = \"\"", "s = s + \"dez bytes\\n\"", "String.len:s");
    assert_eq!(answer, "10000000");
    assert!(held < 30, "{held} MB");
}

#[test]
fn a_stage_that_is_kept_keeps_nothing_of_what_came_behind_it() {
    let before = "base = String.repeat:\"a\":300\ncorpo = String.repeat:\"c\":1000000\nlista = []";
    let each = "resumo = base + i; pagina = resumo + corpo; Arr.push:lista:resumo";
    let (answer, held) = loops(100, before, each, "Arr.len:lista");
    assert_eq!(answer, "100");
    assert!(held < 10, "{held} MB");
}

#[test]
fn what_is_behind_a_string_is_copied_once() {
    // Both sides, and the whole.
    let (answer, held) = run("a = String.repeat:\"a\":1000000\nb = String.repeat:\"b\":20000000\nHttp.json:(String.len:(a + b))\n");
    assert_eq!(answer, "21000000");
    assert!(held < 50, "{held} MB");
    let (answer, held) = loops(5, "s = String.repeat:\"a\":500000", "s = s + s", "String.len:s");
    assert_eq!(answer, "16000000");
    assert!(held < 50, "{held} MB");
}

#[test]
fn rows_made_in_two_steps_take_no_more_than_their_length() {
    let (answer, held) = loops(
        50_000,
        "base = String.repeat:\"a\":300\nlista = []",
        "linha = base + i; linha = linha + \";\"; Arr.push:lista:linha",
        "Arr.len:lista",
    );
    assert_eq!(answer, "50000");
    assert!(held < 40, "{held} MB");
}
