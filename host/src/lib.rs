//! The host: serves many sites at once, each in a sandbox of its own.

pub mod build;
pub mod cache;
pub mod cli;
pub mod documents;
pub mod execution;
pub mod lane;
pub mod markdown;
pub mod memory;
pub mod metrics;
pub mod options;
pub mod pipeline;
mod private;
pub mod protocols;
pub mod rate;
mod replace;
pub mod respond;
pub mod sandbox;
pub mod schema;
pub mod server;
pub mod site;
pub mod store;
mod system;
pub mod tenant;
pub mod text;
pub mod tls;
pub mod tools;
