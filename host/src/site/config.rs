//! `site.toml`: what its owner sets for a site. Every key is optional, unknown ones are errors.

mod error;
mod hosts;
mod limits;
mod reader;
pub(crate) mod size;
mod syntax;
#[cfg(test)]
mod tests;

use std::{io, path::Path, path::PathBuf};

use djo_contract::model::Wanted;

pub use djo_contract::fetch::Origin;
pub use error::{ConfigError, ConfigProblem};
pub use limits::{Limits, MaxLimit, Withheld};

use super::file::{self, FileError};

/// The file's name in the site's folder.
pub const FILE_NAME: &str = "site.toml";
/// A larger file is refused unread.
const MAX_FILE_BYTES: u64 = 64 * 1024;

/// The settings of one site.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteConfig {
    /// Host names it answers to beside `NAME.localhost`: lower case, without ports. Default: none.
    pub hosts: Vec<String>,
    /// The component that is the site, relative to its folder: for sites that are not djo source. Default: none.
    pub component: Option<PathBuf>,
    /// How long an instance lives. Default: `reuse` for djo sites, `request` for others.
    pub isolation: Option<Isolation>,
    /// What the site may use.
    pub limits: Limits,
    /// Where its code may call.
    pub outbound: Outbound,
    /// How its static files are served.
    pub r#static: Static,
    /// Which of `hosts` and the limits stand in the file: what a component asks for does not touch these.
    given: Vec<&'static str>,
    /// What was asked for and is not had.
    pub withheld: Vec<Withheld>,
}

/// How long an instance of the site's code lives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Isolation {
    /// `"request"`: a fresh instance for each request.
    Request,
    /// `"reuse"`: one instance for up to 128 requests, one after the other.
    Reuse,
}

/// `[outbound]`: where the site's code may call.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outbound {
    /// Origins, `https://api.exemplo.com` or `http://10.0.0.5:9000`: nothing else is called. Default: none.
    pub allow: Vec<Origin>,
}

/// `[static]`: how the site's static files are served.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Static {
    /// Seconds that a file may be kept by caches, 0 to one year. Default: what a component asks for, else [`Wanted::MAX_AGE`].
    pub max_age: Option<u32>,
}

impl SiteConfig {
    /// Seconds that a static file may be kept by caches.
    pub fn max_age(&self, wanted: Option<&Wanted>) -> u32 {
        self.r#static.max_age.or_else(|| wanted?.max_age).unwrap_or(Wanted::MAX_AGE)
    }

    /// Reads the settings of the site in a folder; without a file, the defaults.
    ///
    /// # Errors
    /// When the file cannot be read, is too large, or [`SiteConfig::parse`] finds something in it.
    pub fn load(folder: &Path) -> Result<Self, ConfigError> {
        text(folder)?.map_or_else(|| Ok(Self::default()), |text| Self::parse(&text))
    }

    /// Reads settings from the text of a `site.toml`.
    ///
    /// # Errors
    /// Everything that is wrong with it, at once: syntax, unknown keys, types, ranges, hosts.
    pub fn parse(text: &str) -> Result<Self, ConfigError> {
        reader::read(text)
    }
}

/// That a `site.toml` names a component although there is another thing that the site could be.
pub(super) fn also_has(folder: &Path, other: &str) -> ConfigError {
    let text = text(folder).ok().flatten().unwrap_or_default();
    let start = text.find("component").unwrap_or(0);
    let end = text[start..].find('\n').map_or(text.len(), |end| start + end);
    let message = format!("o site tem também {other}: escolha um dos dois");
    ConfigError::Problems(vec![ConfigProblem::new(&text, start..end, message, None)])
}

/// The text of the `site.toml` in a folder, where there is one.
///
/// # Errors
/// When it cannot be read, is no regular file of the folder's own, or is too large.
pub(crate) fn text(folder: &Path) -> Result<Option<String>, ConfigError> {
    let folder = folder.canonicalize().map_err(ConfigError::Read)?;
    match file::read(&folder.join(FILE_NAME), Some(&folder), MAX_FILE_BYTES) {
        Ok(bytes) => String::from_utf8(bytes).map(Some).map_err(|_| ConfigError::Read(io::ErrorKind::InvalidData.into())),
        Err(error) if error.is_absent() => Ok(None),
        Err(FileError::Io { source, .. }) => Err(ConfigError::Read(source)),
        Err(FileError::NotRegular(_)) => Err(ConfigError::NotRegular),
        Err(FileError::Outside { .. }) => Err(ConfigError::Outside),
        Err(FileError::TooLarge { size, most, .. }) => Err(ConfigError::TooLarge { size, max: most }),
    }
}
