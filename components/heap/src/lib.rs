//! The heap of the no_std guests: a global allocator, and `cabi_realloc` over it.
#![no_std]
#![cfg(target_arch = "wasm32")]

extern crate alloc;

mod arena;
mod realloc;

pub use arena::Heap;
