//! The one engine of the process: how it allocates, and the clock that no guest can stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Duration;

use crate::system;
use wasmtime::{Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig};

/// One tick of the epoch clock: how long a run may compute on a serving thread, how often a longer one yields, and the grain of its budget.
pub(super) const TICK: Duration = Duration::from_millis(1);

/// Ticks that the clock goes on for after a guest was last seen to compute.
const REST_AFTER: u32 = 64;

/// How long the clock rests at most before it looks whether its engine is still there.
const LONGEST_REST: Duration = Duration::from_secs(1);

/// Guests that can be alive at once in the process, each with one memory and `TABLES_EACH` tables: one that has more counts as more.
/// How they are shared out among sites is `pool.rs`'s to say; beyond it a request is answered 503.
pub const MAX_INSTANCES: u32 = 2000;

/// Tables for each guest.
pub(super) const TABLES_EACH: u32 = 2;

/// Elements that each of them may have.
pub(super) const MOST_ELEMENTS: usize = 20_000;

/// The most memories, and core instances, of one guest.
pub(super) const MOST_MEMORIES: u32 = 4;
const MOST_CORE_INSTANCES: u32 = 16;

/// The most memory a site may be given, in bytes: all that a 32-bit guest can address. A whole slot of address space costs
/// nothing until it is touched, and lets compiled code leave out its bounds checks.
pub const MAX_MEMORY: usize = 4 << 30;

/// Stack of a guest's own frames. A djo program keeps its frames on the heap of the machine that runs it.
const WASM_STACK: usize = 128 << 10;

/// Stack of a call: the guest's frames and, above them, those of host functions. SQLite is the deepest of these.
const CALL_STACK: usize = 512 << 10;

/// What stays resident of an instance's memory, in bytes: as much as a usual djo request touches (64 KiB stack, 64 KiB data, its heap).
/// Each further 128 KiB would cost it 1.5 µs.
pub(super) const KEPT_RESIDENT: usize = 256 << 10;

/// Slots of the pool that keep the image of who used them last: at least, and at most.
const MOST_WARM: (u32, u32) = (100, MAX_INSTANCES / 2);

/// The part of the machine's memory that what is kept between requests may take: one in so many, for each kind of thing that is kept.
const OF_MEMORY: u64 = 32;

/// How many things of so many bytes may be kept between requests, at least and at most.
pub(super) fn as_memory_allows(bytes_each: u64, (least, most): (u32, u32)) -> u32 {
    let fit = system::memory().unwrap_or(0) / OF_MEMORY / bytes_each;
    u32::try_from(fit).unwrap_or(most).clamp(least, most)
}

/// Builds the engine and starts its clock.
///
/// # Errors
/// When the machine refuses the address space of the pool.
pub(super) fn engine() -> wasmtime::Result<(Engine, Arc<Clock>)> {
    let mut pool = PoolingAllocationConfig::default();
    pool.total_component_instances(MAX_INSTANCES)
        // A mere count: none of what a guest holds can run out before its memories and tables do.
        .total_core_instances(MAX_INSTANCES * MOST_CORE_INSTANCES)
        .total_memories(MAX_INSTANCES)
        .total_tables(MAX_INSTANCES * TABLES_EACH)
        .total_stacks(MAX_INSTANCES)
        .max_core_instances_per_component(MOST_CORE_INSTANCES)
        .max_memories_per_component(MOST_MEMORIES)
        .max_tables_per_component(16)
        .table_elements(MOST_ELEMENTS)
        .max_memory_size(MAX_MEMORY)
        // A component finds its own slot again, its image mapped already. Of more components than that in turn, none would.
        .max_unused_warm_slots(as_memory_allows(KEPT_RESIDENT as u64, MOST_WARM))
        // What stays resident is cleared by memset instead of being handed back to the kernel: the dearest part of a fresh instance.
        .linear_memory_keep_resident(KEPT_RESIDENT)
        .table_keep_resident(1 << 20)
        // To clear only the pages that the kernel says were written would be faster, but the scan passes over one that was swapped out: what
        // a guest wrote would be there for the next one (wasmtime's pull request 14357, in its version 50).
        .pagemap_scan(Enabled::No);
    let mut config = Config::new();
    config
        .allocation_strategy(InstanceAllocationStrategy::Pooling(pool))
        .memory_reservation(MAX_MEMORY as u64)
        .max_wasm_stack(WASM_STACK)
        .async_stack_size(CALL_STACK)
        .epoch_interruption(true)
        .concurrency_support(false);
    let engine = Engine::new(&config)?;
    let clock = Clock::start(&engine);
    Ok((engine, clock))
}

/// Ticks from a thread of the operating system: a runtime whose threads are all busy in guests could not wake a timer of its own.
/// It rests while nothing computes: a thousand wake-ups a second are not free.
#[derive(Debug)]
pub(super) struct Clock {
    wanted: Arc<AtomicBool>,
    thread: Thread,
}

impl Clock {
    fn start(engine: &Engine) -> Arc<Self> {
        let wanted = Arc::new(AtomicBool::new(false));
        let (weak, asked) = (engine.weak(), Arc::clone(&wanted));
        let ticking = std::thread::Builder::new().name("djo-epochs".into()).spawn(move || {
            let mut ticks = 0_u32;
            while let Some(engine) = weak.upgrade() {
                engine.increment_epoch();
                drop(engine);
                std::thread::sleep(TICK);
                ticks = ticks.wrapping_add(1);
                if ticks.is_multiple_of(REST_AFTER) {
                    // Whoever asks from here on finds the clock not wanted, and wakes it.
                    while !asked.swap(false, Ordering::SeqCst) && weak.upgrade().is_some() {
                        std::thread::park_timeout(LONGEST_REST);
                    }
                }
            }
        });
        match ticking {
            Ok(handle) => Arc::new(Self { wanted, thread: handle.thread().clone() }),
            Err(error) => {
                // Without ticks a spinning guest could not be stopped, so nothing may run.
                tracing::error!(%error, "no thread for the epoch clock");
                std::process::abort();
            }
        }
    }

    /// A guest is about to compute, or goes on to: the clock ticks for at least [`REST_AFTER`] ticks more, or until it is asked again.
    pub(super) fn want(&self) {
        if !self.wanted.load(Ordering::SeqCst) {
            self.wanted.store(true, Ordering::SeqCst);
            self.thread.unpark();
        }
    }
}
