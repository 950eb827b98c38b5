//! A site on disk: its name, its settings, its sources, its static files. What is read here is read when the site is loaded.

pub mod assets;
pub mod compile;
pub mod config;
pub mod discover;
pub(crate) mod file;
pub mod name;
pub mod sources;
pub(crate) mod trail;
mod walk;

pub use config::{ConfigError, SiteConfig};
pub use discover::{Discovered, EntryError, Places, SiteCode, SiteEntry, discover, discover_after};
pub use file::FileError;
pub use name::SiteName;
pub use sources::SiteSources;
pub(crate) use sources::is_tools;
pub use walk::{MAX_DEPTH, TooMuch};
