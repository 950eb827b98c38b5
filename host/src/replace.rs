//! Files that are replaced whole: whoever reads one, after a crash too, sees what it was or what it is.

use std::{
    fs::{self, File},
    io,
    path::Path,
    sync::atomic::{AtomicU64, Ordering},
};

/// Replaces a file, or makes it: `create` makes one aside, `write` fills it, and it is moved in. Several may do so at once, in this process
/// and in others.
pub(crate) fn replace(
    file: &Path,
    create: impl FnOnce(&Path) -> io::Result<File>,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    static WRITES: AtomicU64 = AtomicU64::new(0);
    let aside = file.with_extension(format!("{}-{}.tmp", std::process::id(), WRITES.fetch_add(1, Ordering::Relaxed)));
    let written = create(&aside).and_then(|mut made| write(&mut made)).and_then(|()| fs::rename(&aside, file));
    // What is left of a write that failed is of no use; that it cannot be removed, either.
    written.inspect_err(|_| drop(fs::remove_file(&aside)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn a_file_is_as_it_was_until_it_is_whole() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.bin");
        replace(&file, |path| File::create(path), |made| made.write_all(b"um")).unwrap();
        let half = |made: &mut File| made.write_all(b"do").and_then(|()| Err(io::ErrorKind::StorageFull.into()));
        assert_eq!(replace(&file, |path| File::create(path), half).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(fs::read(&file).unwrap(), b"um");
        replace(&file, |path| File::create(path), |made| made.write_all(b"dois")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"dois");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left aside");
    }
}
