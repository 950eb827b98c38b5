//! The virtual machine of djo: reads a flat program image in place and runs one request on it.
//!
//! `no_std`, so that the runtime component needs nothing of wasi:cli; the same code runs natively in tests.
//!
//! [`Program::new`] opens an image, [`run`] runs what a [`Request`](host::Request) names against a [`Host`](host::Host). A run shares
//! nothing with another one, builds no table at its start, and neither panics nor recurses without a limit, whatever the image holds.
#![no_std]

extern crate alloc;
#[cfg(test)]
extern crate std;

pub mod builtins;
pub mod host;
pub mod image;
pub mod op;

mod action;
mod answer;
mod context;
mod error;
mod escape;
mod heap;
mod json;
mod library;
mod machine;
mod ops;
mod place;
#[cfg(test)]
mod properties;
mod run;
mod session;
mod types;
mod value;
mod wire;

pub use image::{ImageError, Program};
pub use place::place;
pub use run::{run, run_within};
pub use session::{COLLECTION as SESSION_COLLECTION, COOKIE as SESSION_COOKIE, RESERVED_PREFIX};
