//! How a file of a site is read. Whoever writes into a site's folder may put there a pipe, a device, a file without end or a link: only
//! regular files are opened, none is waited for, and none is read further than it may be long, or from outside its folder.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use crate::text::one_line;

/// Largest component that is read, in bytes: a djo site with all the static files that it may have.
pub(crate) const MAX_COMPONENT: u64 = 96 << 20;

/// A file that is not read.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// It is not there, or cannot be read.
    #[error("{}: {}", shown(path), in_words(source))]
    Io {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A folder, a pipe, a device, a socket.
    #[error("{}: not a regular file", shown(.0))]
    NotRegular(PathBuf),
    /// A link that leads out of the folder that the file belongs to.
    #[error("{}: leads out of {}", shown(path), shown(folder))]
    Outside {
        /// The file.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// It is longer than what is read of such a file.
    #[error("{}: {size} bytes; at most {most} are read", shown(path))]
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its bytes, or as many as were seen.
        size: u64,
        /// The most there may be.
        most: u64,
    },
}

/// A path as it stands in a message: whoever writes into a folder names its files, and a name may hold what ends a line or colours it.
pub(crate) fn shown(path: &Path) -> String {
    one_line(&path.to_string_lossy()).into_owned()
}

impl FileError {
    pub(super) fn io(path: &Path, source: io::Error) -> Self {
        Self::Io { path: path.to_path_buf(), source }
    }

    /// Nothing is there.
    pub fn is_absent(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == io::ErrorKind::NotFound)
    }
}

/// Without the number that the system has for the most usual ones.
fn in_words(error: &io::Error) -> String {
    match error.kind() {
        io::ErrorKind::NotFound => "not found".to_owned(),
        io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
        _ => error.to_string(),
    }
}

impl From<FileError> for io::Error {
    fn from(error: FileError) -> Self {
        let kind = match &error {
            FileError::Io { source, .. } => source.kind(),
            // There is no such file of the site's.
            FileError::NotRegular(_) | FileError::Outside { .. } => io::ErrorKind::NotFound,
            FileError::TooLarge { .. } => io::ErrorKind::FileTooLarge,
        };
        Self::new(kind, error)
    }
}

/// A regular file, opened, and its size as it is now.
pub(super) struct Opened {
    pub(super) file: File,
    pub(super) metadata: fs::Metadata,
}

/// Opens a regular file. With `within`, a folder whose own links are resolved, it must lie beneath that.
///
/// # Errors
/// [`FileError`], but not for its size.
pub(super) fn open(path: &Path, within: Option<&Path>) -> Result<Opened, FileError> {
    let failed = |source| FileError::io(path, source);
    // Asked before: to open a device is to use it.
    if !fs::metadata(path).map_err(failed)?.is_file() {
        return Err(FileError::NotRegular(path.to_path_buf()));
    }
    let file = options().open(path).map_err(failed)?;
    let metadata = file.metadata().map_err(failed)?;
    if !metadata.is_file() {
        return Err(FileError::NotRegular(path.to_path_buf()));
    }
    match within {
        Some(folder) if !place(&file, path).map_err(failed)?.starts_with(folder) => {
            Err(FileError::Outside { path: path.to_path_buf(), folder: folder.to_path_buf() })
        }
        _ => Ok(Opened { file, metadata }),
    }
}

/// Reads a file that [`open`] opens, of at most so many bytes.
///
/// # Errors
/// [`FileError`]
pub(crate) fn read(path: &Path, within: Option<&Path>, most: u64) -> Result<Vec<u8>, FileError> {
    let Opened { file, metadata } = open(path, within)?;
    let too_large = |size| FileError::TooLarge { path: path.to_path_buf(), size, most };
    if metadata.len() > most {
        return Err(too_large(metadata.len()));
    }
    let mut content = Vec::with_capacity(usize::try_from(metadata.len()).unwrap_or_default());
    // One byte more than there may be tells a file that grew, or whose size said nothing.
    file.take(most.saturating_add(1)).read_to_end(&mut content).map_err(|source| FileError::io(path, source))?;
    if content.len() as u64 > most { Err(too_large(content.len() as u64)) } else { Ok(content) }
}

/// What has become a pipe since it was looked at is not waited for.
fn options() -> fs::OpenOptions {
    let mut options = fs::OpenOptions::new();
    options.read(true);
    #[cfg(target_os = "linux")]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NONBLOCK | libc::O_NOCTTY);
    options
}

/// Where an open file lies, links resolved. Linux says it of the file itself, whatever its path leads to by now.
fn place(file: &File, path: &Path) -> io::Result<PathBuf> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd as _;
        if let Ok(place) = fs::read_link(format!("/proc/self/fd/{}", file.as_raw_fd())) {
            return Ok(place);
        }
    }
    let _ = file;
    path.canonicalize()
}

/// Makes a pipe that has a place among files.
#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
pub(super) fn make_pipe(path: &Path) {
    assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::{fs::symlink, net::UnixListener};

    use super::*;

    /// A folder, its links resolved.
    fn folder() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().canonicalize().unwrap();
        (folder, path)
    }

    #[test]
    fn only_regular_files_are_read_and_none_is_waited_for() {
        let (_folder, root) = folder();
        fs::write(root.join("x"), "abc").unwrap();
        fs::create_dir(root.join("pasta")).unwrap();
        make_pipe(&root.join("fifo"));
        let _socket = UnixListener::bind(root.join("socket")).unwrap();
        symlink("/dev/zero", root.join("zero")).unwrap();
        symlink("fifo", root.join("link")).unwrap();
        assert_eq!(read(&root.join("x"), Some(&root), 3).unwrap(), b"abc");
        for other in ["pasta", "fifo", "socket", "zero", "link"] {
            assert!(matches!(read(&root.join(other), None, 10), Err(FileError::NotRegular(_))), "{other}");
        }
        assert!(read(&root.join("nada"), None, 10).unwrap_err().is_absent());
        // Looked at as a regular file, a pipe when it is opened.
        #[cfg(target_os = "linux")]
        assert!(!options().open(root.join("fifo")).unwrap().metadata().unwrap().is_file());
    }

    #[test]
    fn a_name_forges_no_line() {
        let error = FileError::NotRegular(PathBuf::from("a\nb\u{1b}[31m"));
        assert_eq!(error.to_string(), "a\\nb\\u{1b}[31m: not a regular file");
    }

    #[test]
    fn no_more_is_read_than_may_be() {
        let (_folder, root) = folder();
        fs::write(root.join("x"), "abcd").unwrap();
        assert!(matches!(read(&root.join("x"), None, 3), Err(FileError::TooLarge { size: 4, most: 3, .. })));
        // Its size says nothing.
        #[cfg(target_os = "linux")]
        assert!(matches!(read(Path::new("/proc/self/maps"), None, 16), Err(FileError::TooLarge { size: 17, .. })));
    }

    #[test]
    fn a_link_may_lead_about_the_folder_but_not_out_of_it() {
        let ((_outside, outside), (_folder, root)) = (folder(), folder());
        fs::write(outside.join("secret"), "x").unwrap();
        fs::create_dir(root.join("a")).unwrap();
        fs::write(root.join("a/x"), "x").unwrap();
        symlink("a/x", root.join("inside")).unwrap();
        symlink(outside.join("secret"), root.join("file")).unwrap();
        symlink(&outside, root.join("b")).unwrap();
        assert_eq!(read(&root.join("inside"), Some(&root), 1).unwrap(), b"x");
        for path in [root.join("file"), root.join("b/secret"), root.join("..").join(outside.file_name().unwrap()).join("secret")] {
            assert!(matches!(read(&path, Some(&root), 1), Err(FileError::Outside { .. })), "{}", path.display());
            assert_eq!(read(&path, None, 1).unwrap(), b"x");
        }
    }
}
