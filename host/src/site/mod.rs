//! A site on disk: its name, its settings, its sources, its static files. What is read here is read when the site is loaded.

pub mod assets;
pub mod config;
pub mod name;
mod walk;

pub use config::{ConfigError, SiteConfig};
pub use name::SiteName;
