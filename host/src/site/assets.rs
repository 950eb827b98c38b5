//! Static files: what lies in `publico/`, served where no route matches.
//!
//! The folder is indexed when the site is loaded, and a request is looked up in the index, so that no path can lead out of it.
//! A small file is read when it is first asked for and kept; a large one is read from disk each time.

mod content;
mod respond;

#[cfg(test)]
mod tests;

use std::{
    collections::HashMap,
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

use bytes::Bytes;
use http::HeaderValue;
use percent_encoding::percent_decode_str;

pub use respond::{AssetBody, AssetError};

use super::walk;
use content::Stored;

/// The folder's name in the site's folder.
pub const FOLDER: &str = "publico";
/// More files are not indexed: the site is refused.
const MAX_FILES: usize = 100_000;

/// The static files of one revision of a site.
#[derive(Clone, Debug, Default)]
pub struct Assets {
    by_path: HashMap<String, Arc<Indexed>>,
    cache_control: Option<HeaderValue>,
}

/// A static file, found. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Asset {
    file: Arc<Indexed>,
    cache_control: Option<HeaderValue>,
}

#[derive(Debug)]
struct Indexed {
    content_type: HeaderValue,
    stored: Stored,
}

impl Assets {
    /// Indexes the static files of the site in `site`; without a `publico` folder there are none.
    /// `max_age` is for how many seconds caches may keep a file.
    ///
    /// # Errors
    /// When the folder cannot be read, or holds too many files.
    pub fn load(site: &Path, max_age: u32) -> io::Result<Self> {
        let Some(root) = folder(site)? else {
            return Ok(Self::default());
        };
        let stored = |file: walk::Found| (file.relative.clone(), Stored::on_disk(file));
        Ok(Self::of(walk::files(&root, MAX_FILES, |_| true)?.into_iter().map(stored), max_age))
    }

    /// The static files that a component carries: paths relative to `publico`, with `/`, and contents.
    pub fn carried(files: impl IntoIterator<Item = (String, Bytes)>, max_age: u32) -> Self {
        Self::of(files.into_iter().map(|(path, content)| (path, Stored::given(content))), max_age)
    }

    fn of(files: impl Iterator<Item = (String, Stored)>, max_age: u32) -> Self {
        let index = |(path, stored): (String, Stored)| {
            let content_type = content_type(&path);
            (format!("/{path}"), Arc::new(Indexed { content_type, stored }))
        };
        let cache_control = HeaderValue::from_str(&format!("public, max-age={max_age}")).ok();
        Self { by_path: files.map(index).collect(), cache_control }
    }

    /// The file at a request's path, as sent: percent-encoded, without the query.
    pub fn find(&self, path: &str) -> Option<Asset> {
        if self.by_path.is_empty() {
            return None;
        }
        let file = self.by_path.get(decode(path)?.as_str())?;
        Some(Asset { file: Arc::clone(file), cache_control: self.cache_control.clone() })
    }

    /// How many files there are.
    pub fn len(&self) -> usize {
        self.by_path.len()
    }

    /// There are none.
    pub fn is_empty(&self) -> bool {
        self.by_path.is_empty()
    }
}

/// The site's `publico`, when it has one of its own: a link that leads out of the site is none.
fn folder(site: &Path) -> io::Result<Option<PathBuf>> {
    let root = site.join(FOLDER);
    Ok((root.is_dir() && root.canonicalize()?.starts_with(site.canonicalize()?)).then_some(root))
}

/// Reads all static files of the site in `site`, to be carried by a component: paths relative to `publico`, with `/`, in their order.
///
/// # Errors
/// When something cannot be read, or there are more than `max_files`, or more than `max_bytes` of content.
pub fn read_all(site: &Path, max_files: usize, max_bytes: usize) -> io::Result<Vec<(String, Vec<u8>)>> {
    let Some(root) = folder(site)? else {
        return Ok(Vec::new());
    };
    let mut left = max_bytes as u64;
    let mut read = Vec::new();
    for file in walk::files(&root, max_files, |_| true)? {
        let content = file.read(&mut left, max_bytes as u64)?;
        read.push((file.relative, content));
    }
    Ok(read)
}

/// Segment by segment: an encoded `/` is part of a name, which no file has.
fn decode(path: &str) -> Option<String> {
    let mut decoded = String::with_capacity(path.len());
    for segment in path.strip_prefix('/')?.split('/') {
        let segment = percent_decode_str(segment).decode_utf8().ok()?;
        if segment.contains('/') {
            return None;
        }
        decoded.push('/');
        decoded.push_str(&segment);
    }
    Some(decoded)
}

/// By the name's ending. Text is UTF-8, as everything on these sites.
pub fn content_type(name: &str) -> HeaderValue {
    let mime = mime_guess::from_path(name).first_or_octet_stream();
    let text = match (mime.type_().as_str(), mime.subtype().as_str()) {
        // RFC 9239: the one name, whatever the table has.
        (_, "javascript") => "text/javascript; charset=utf-8".to_owned(),
        ("text", _) | (_, "xml") => format!("{}; charset=utf-8", mime.essence_str()),
        _ if mime.suffix().is_some_and(|suffix| suffix == "xml") => format!("{}; charset=utf-8", mime.essence_str()),
        _ => mime.to_string(),
    };
    HeaderValue::from_str(&text).unwrap_or(HeaderValue::from_static("application/octet-stream"))
}
