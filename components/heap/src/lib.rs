//! The heap of the no_std guests: a global allocator, and `cabi_realloc` over it.
#![no_std]
#![cfg(any(target_arch = "wasm32", test))]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod memory;
#[cfg(target_arch = "wasm32")]
mod realloc;

pub use arena::Heap;

#[cfg(test)]
mod tests;
