//! The host: serves many sites at once, each in a sandbox of its own.

pub mod build;
pub mod cli;
pub mod options;
pub mod site;
pub mod store;
