//! Ways to use up what there is: time, stack, memory, handles, the store.

use alloc::{format, vec, vec::Vec};
use core::hint::black_box;

use crate::bindings::djo::site::{log, store};
use crate::bindings::wasi::clocks::monotonic_clock;
use crate::bindings::wasi::http::types::Fields;
use crate::bindings::wasi::random::random;

/// An hour, in nanoseconds.
const HOUR: u64 = 3_600_000_000_000;

/// Does it. Returns where the host refuses politely, or when the way is unknown.
pub(crate) fn exhaust(how: &str) {
    match how {
        "spin" => loop {
            black_box(0);
        },
        "sleep" => monotonic_clock::subscribe_duration(HOUR).block(),
        "recurse" => {
            black_box(recurse(1));
        }
        "allocate" => {
            let mut held: Vec<Vec<u8>> = Vec::new();
            loop {
                held.push(vec![1; 1 << 20]);
                black_box(&held);
            }
        }
        "hoard" => {
            black_box(vec![1_u8; 24 << 20]);
            monotonic_clock::subscribe_duration(HOUR).block();
        }
        "timers" => {
            let held: Vec<_> = (0..1_000_000).map(|_| monotonic_clock::subscribe_duration(HOUR)).collect();
            black_box(held);
        }
        "fields" => {
            let held: Vec<_> = (0..1_000_000).map(|_| Fields::new()).collect();
            black_box(held);
        }
        "clock" => loop {
            black_box(monotonic_clock::now());
        },
        "random" => {
            black_box(random::get_random_bytes(1 << 40));
        }
        "log" => loop {
            log::write(log::Level::Error, &"\n\u{1b}[31mforged ".repeat(1000));
        },
        "store" => {
            let value = vec![7; 1 << 20];
            for number in 0..10_000 {
                if store::set("fill", &format!("{number}"), &value).is_err() {
                    break;
                }
            }
        }
        "trap" => core::arch::wasm32::unreachable(),
        _ => {}
    }
}

#[inline(never)]
fn recurse(depth: u64) -> u64 {
    let here = black_box([depth; 8]);
    if here[0] == 0 { 0 } else { recurse(depth + 1) + here[7] }
}
