//! What stands beneath a guest without std: an allocator, `cabi_realloc` over it, `memcmp`, and where a panic ends.

#[cfg(any(target_arch = "wasm32", test))]
mod arena;
#[cfg(any(target_arch = "wasm32", test))]
mod compare;
#[cfg(any(target_arch = "wasm32", test))]
mod large;
#[cfg(any(target_arch = "wasm32", test))]
mod memory;
#[cfg(target_arch = "wasm32")]
mod panic;
#[cfg(target_arch = "wasm32")]
mod realloc;
#[cfg(test)]
mod tests;

#[cfg(any(target_arch = "wasm32", test))]
pub use arena::Heap;
#[cfg(target_arch = "wasm32")]
pub use panic::panic;
