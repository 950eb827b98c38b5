//! What a site can reach beside its request: the component's imports. On the machine, in tests, memory takes their place.

#[cfg(target_arch = "wasm32")]
pub(crate) use crate::bindings::{
    djo::site::{log, outbound, progress, store},
    wasi::{clocks::wall_clock, random::random},
};
#[cfg(not(target_arch = "wasm32"))]
pub(crate) use memory::{log, outbound, progress, random, store, wall_clock};

#[cfg(not(target_arch = "wasm32"))]
mod memory;
