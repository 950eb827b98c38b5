//! The components that this host was built with.

/// The runtime: a site is composed with it, and the host compiles it once for all sites.
pub const RUNTIME: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/djo_runtime.wasm"));

/// What stands in for this host in a portable site.
pub(super) const SHIM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/djo_shim.wasm"));
