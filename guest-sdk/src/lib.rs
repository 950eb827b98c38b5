//! What no_std guests need beneath them: a global allocator, `cabi_realloc` over it, and `memcmp`.
#![no_std]
#![cfg(any(target_arch = "wasm32", test))]

extern crate alloc;
#[cfg(test)]
extern crate std;

mod arena;
mod compare;
mod memory;
#[cfg(target_arch = "wasm32")]
mod realloc;

pub use arena::Heap;

#[cfg(test)]
mod tests;
