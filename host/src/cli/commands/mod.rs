//! The commands: each does one thing through the library, and says how it went.

pub(super) mod agent;
pub(super) mod build;
mod cargo;
pub(super) mod check;
mod compile;
pub(super) mod inspect;
pub(super) mod mcp;
pub(super) mod new;
pub(super) mod serve;
pub(super) mod validate;
