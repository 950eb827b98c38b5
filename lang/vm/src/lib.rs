//! The virtual machine of djo: reads a flat program image in place and runs one request on it.
//!
//! `no_std`, so that the runtime component needs nothing of wasi:cli; the same code runs natively in tests.
#![no_std]

extern crate alloc;

pub mod builtins;
pub mod host;
pub mod image;
pub mod op;
