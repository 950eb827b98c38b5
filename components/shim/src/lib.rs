//! What `build --portable` composes into a site in place of our host: its data in memory, its log on stderr.
#![cfg_attr(target_arch = "wasm32", no_std)]
#![cfg(any(target_arch = "wasm32", test))]

extern crate alloc;

#[cfg(target_arch = "wasm32")]
mod component;
mod data;

#[cfg(test)]
mod tests;
