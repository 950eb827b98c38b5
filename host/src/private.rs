//! The data folder's files: for the account that the host runs under, and nobody else of the machine.

use std::{fs, io, io::Write as _, path::Path};

use crate::replace::replace;

/// Makes a folder, and those above it that are not there. What is there keeps its mode.
pub(crate) fn create_folders(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Opens a file for writing, made where it is not there.
pub(crate) fn open(file: &Path) -> io::Result<fs::File> {
    let mut options = fs::OpenOptions::new();
    options.write(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(file)
}

/// Makes the data folder, and holds it for this process alone until the file is closed: two hosts would give its names and stores away twice.
pub(crate) fn hold(data: &Path) -> io::Result<fs::File> {
    create_folders(data)?;
    let lock = open(&data.join("lock"))?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(fs::TryLockError::WouldBlock) => Err(io::Error::new(io::ErrorKind::ResourceBusy, "another djo-host uses it")),
        Err(fs::TryLockError::Error(error)) => Err(error),
    }
}

/// Replaces a file whole, on the disk when it returns.
pub(crate) fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    replace(file, open, |made| made.write_all(content).and_then(|()| made.sync_all()))
}

#[cfg(test)]
#[cfg(unix)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_data_folder_is_one_hosts() {
        let folder = tempfile::tempdir().unwrap();
        let data = folder.path().join("dados");
        let held = hold(&data).unwrap();
        assert_eq!(hold(&data).unwrap_err().kind(), io::ErrorKind::ResourceBusy);
        drop(held);
        assert!(hold(&data).is_ok());
        write(&folder.path().join("arquivo"), b"").unwrap();
        assert!(hold(&folder.path().join("arquivo")).is_err());
    }

    #[test]
    fn what_is_made_is_its_owners_alone() {
        let folder = tempfile::tempdir().unwrap();
        let made = folder.path().join("a/b");
        create_folders(&made).unwrap();
        create_folders(&made).unwrap();
        write(&made.join("x"), b"um").unwrap();
        write(&made.join("x"), b"dois").unwrap();
        let mode = |path: &str| fs::metadata(folder.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!((mode("a"), mode("a/b"), mode("a/b/x")), (0o700, 0o700, 0o600));
        assert_eq!(fs::read(made.join("x")).unwrap(), b"dois");
        assert_eq!(fs::read_dir(&made).unwrap().count(), 1, "nothing is left aside");
    }
}
