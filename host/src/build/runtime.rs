//! The runtime component that every djo site runs on, as it was built with this host.

/// The component's bytes: a site is composed with it, and the host compiles it once for all sites.
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/djo_runtime.wasm"));
