//! The host: serves many sites at once, each in a sandbox of its own.

pub mod build;
pub mod cli;
pub mod options;
pub mod sandbox;
pub mod schema;
pub mod site;
pub mod store;
pub mod text;
