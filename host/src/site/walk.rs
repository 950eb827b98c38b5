//! The files of a folder: within bounds, never through a link that leads out of it.

use std::{
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::file::{self, FileError, shown};
use crate::text::one_line;

/// Folders within folders.
pub const MAX_DEPTH: usize = 32;

/// A regular file.
#[derive(Debug)]
pub(super) struct Found {
    /// Relative to the folder, with `/`.
    pub(super) relative: String,
    /// Absolute, links resolved.
    pub(super) path: PathBuf,
    /// The folder, the same way: what the path leads to must lie in it when it is read, too.
    pub(super) root: Arc<Path>,
    /// Its bytes.
    pub(super) size: u64,
}

impl Found {
    /// Reads it, as far as `left` of `most` bytes allows, which it takes from that.
    pub(super) fn read(&self, left: &mut u64, most: u64) -> io::Result<Vec<u8>> {
        let content = file::read(&self.path, Some(&self.root), *left).map_err(|error| match error {
            FileError::TooLarge { .. } => io::Error::from(TooMuch::Bytes(most)),
            other => other.into(),
        })?;
        *left -= content.len() as u64;
        Ok(content)
    }
}

/// Lists the files beneath `root`, sorted by relative path. `enter` is asked for each folder by its relative path.
///
/// Left out: names that start with a dot or are not UTF-8, links to folders, links to files outside, whatever is no regular file.
///
/// # Errors
/// When something cannot be read, there are more than `max_files`, or folders are nested too deep.
pub(super) fn files(root: &Path, max_files: usize, enter: impl Fn(&str) -> bool) -> io::Result<Vec<Found>> {
    let root: Arc<Path> = root.canonicalize().map_err(|source| FileError::io(root, source))?.into();
    let mut found = Vec::new();
    let mut folders = vec![(root.to_path_buf(), String::new(), 0)];
    while let Some((folder, prefix, depth)) = folders.pop() {
        let failed = |source| FileError::io(&folder, source);
        for entry in fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            let Some(name) = name.to_str().filter(|name| !name.starts_with('.')) else { continue };
            let relative = format!("{prefix}{name}");
            let kind = entry.file_type().map_err(failed)?;
            if kind.is_dir() {
                if depth == MAX_DEPTH {
                    return Err(TooMuch::Depth(relative).into());
                }
                if enter(&relative) {
                    folders.push((entry.path(), relative + "/", depth + 1));
                }
                continue;
            }
            let path = if kind.is_symlink() {
                match entry.path().canonicalize() {
                    Ok(target) if target.starts_with(&root) => target,
                    _ => {
                        tracing::warn!(link = %shown(&entry.path()), "left out: the link leads nowhere, or out of the folder");
                        continue;
                    }
                }
            } else {
                entry.path()
            };
            let metadata = fs::symlink_metadata(&path).map_err(|source| FileError::io(&path, source))?;
            if metadata.is_file() {
                if found.len() == max_files {
                    return Err(TooMuch::Files(max_files).into());
                }
                found.push(Found { relative, path, root: Arc::clone(&root), size: metadata.len() });
            }
        }
    }
    found.sort_unstable_by(|a, b| a.relative.cmp(&b.relative));
    Ok(found)
}

/// A folder holds more than is read of one.
#[derive(Debug, thiserror::Error)]
pub enum TooMuch {
    /// More files than so many.
    #[error("more than {0} files")]
    Files(usize),
    /// More bytes than so many.
    #[error("more than {0} bytes")]
    Bytes(u64),
    /// More entries than so many.
    #[error("more than {0} entries")]
    Entries(usize),
    /// Folders within folders, at this path.
    #[error("{}: folders are nested deeper than {MAX_DEPTH}", one_line(.0))]
    Depth(String),
}

impl From<TooMuch> for io::Error {
    fn from(error: TooMuch) -> Self {
        Self::other(error)
    }
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn relative(root: &Path) -> Vec<String> {
        files(root, 100, |folder| folder != "skipped").unwrap().into_iter().map(|file| file.relative).collect()
    }

    #[test]
    fn only_what_is_inside_is_found() {
        let outside = tempfile::tempdir().unwrap();
        fs::write(outside.path().join("secret"), "x").unwrap();
        let inside = tempfile::tempdir().unwrap();
        let root = inside.path();
        for folder in ["a/b", ".git", "skipped"] {
            fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in ["z", "a/b/c", "a.b", ".env", ".git/config", "skipped/x", "é"] {
            fs::write(root.join(file), "x").unwrap();
        }
        symlink(outside.path().join("secret"), root.join("leak")).unwrap();
        symlink(outside.path(), root.join("a/out")).unwrap();
        symlink("..", root.join("a/loop")).unwrap();
        symlink("nowhere", root.join("dangling")).unwrap();
        symlink("../z", root.join("a/inner")).unwrap();
        assert_eq!(relative(root), ["a.b", "a/b/c", "a/inner", "z", "é"]);
    }

    #[test]
    fn there_are_bounds() {
        let folder = tempfile::tempdir().unwrap();
        for n in 0..4 {
            fs::write(folder.path().join(n.to_string()), "x").unwrap();
        }
        assert_eq!(files(folder.path(), 4, |_| true).unwrap().len(), 4);
        assert!(files(folder.path(), 3, |_| true).is_err());
        fs::create_dir_all(folder.path().join("d/".repeat(MAX_DEPTH))).unwrap();
        assert!(files(folder.path(), 4, |_| true).is_ok());
        fs::create_dir_all(folder.path().join("d/".repeat(MAX_DEPTH + 1))).unwrap();
        assert!(files(folder.path(), 4, |_| true).is_err());
    }
}
