//! How much compiled code is kept. Code that nobody serves any more, of revisions and sites that are gone, makes room for what is: the
//! files that were of use longest ago go first, by the time that every use writes on them.

use std::collections::HashSet;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use super::{CodeCache, Key};

/// The most that a folder keeps, what is served aside.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    pub(super) bytes: u64,
    pub(super) files: usize,
}

/// Some thousand components of the usual size.
pub(super) const ROOM: Room = Room { bytes: 1 << 30, files: 4096 };
/// A file that was being written so long ago never will be.
const ABANDONED: Duration = Duration::from_secs(3600);

/// A file of code.
struct Kept {
    used: SystemTime,
    bytes: u64,
    path: PathBuf,
}

impl CodeCache {
    /// Removes what was of use longest ago until the rest has room. Code under these keys stays, and so does the runtime's, however much
    /// it is: it is needed sooner than anything else.
    pub(in crate::sandbox) fn prune(&self, in_use: &HashSet<Key>) {
        match self.prune_to(ROOM, in_use) {
            Ok(0) => {}
            Ok(removed) => tracing::info!(removed, "compiled code that nobody serves any more is removed"),
            Err(error) => tracing::warn!(%error, "compiled code cannot be looked through"),
        }
    }

    /// Tells how many files went.
    pub(super) fn prune_to(&self, most: Room, in_use: &HashSet<Key>) -> io::Result<usize> {
        let mut kept = self.kept()?;
        kept.sort_unstable_by_key(|file| file.used);
        let mut bytes: u64 = kept.iter().map(|file| file.bytes).sum();
        let mut files = kept.len();
        let mut removed = 0;
        for file in kept {
            if bytes <= most.bytes && files <= most.files {
                break;
            }
            let key = file.path.file_stem().and_then(|stem| stem.to_str()).map(|stem| Key(stem.to_owned()));
            if key.is_some_and(|key| in_use.contains(&key) || self.pinned.get() == Some(&key)) {
                continue;
            }
            // What cannot be removed, or is gone already, takes no part in what there is room for.
            removed += usize::from(fs::remove_file(&file.path).is_ok());
            (bytes, files) = (bytes - file.bytes, files - 1);
        }
        Ok(removed)
    }

    /// All files of code. What was left behind half written is removed on the way.
    fn kept(&self) -> io::Result<Vec<Kept>> {
        let mut kept = Vec::new();
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            let path = entry.path();
            // Another thread may have removed it meanwhile.
            let Ok(metadata) = entry.metadata() else { continue };
            let used = metadata.modified()?;
            match path.extension().and_then(|extension| extension.to_str()) {
                Some("bin") => kept.push(Kept { used, bytes: metadata.len(), path }),
                Some("tmp") if used.elapsed().is_ok_and(|age| age > ABANDONED) => {
                    let _ = fs::remove_file(path);
                }
                _ => {}
            }
        }
        Ok(kept)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use wasmtime::Engine;

    use super::*;

    /// A cache with files of 10 bytes, used so many hours ago.
    fn cache(folder: &tempfile::TempDir, files: &[(&str, u64)]) -> CodeCache {
        let cache = CodeCache::open(folder.path()).unwrap();
        for (name, hours) in files {
            let path = cache.folder.join(name);
            fs::write(&path, [0; 10]).unwrap();
            let used = SystemTime::now() - Duration::from_secs(hours * 3600);
            fs::File::options().write(true).open(path).unwrap().set_modified(used).unwrap();
        }
        cache
    }

    fn names(cache: &CodeCache) -> Vec<String> {
        let files = fs::read_dir(&cache.folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<_> = files.filter(|name| name != "key").collect();
        names.sort();
        names
    }

    #[test]
    fn what_was_of_use_longest_ago_goes_and_what_is_served_stays() {
        let served: HashSet<_> = [Key("a".into())].into();
        let files = [("a.bin", 9), ("b.bin", 8), ("c.bin", 7), ("d.bin", 6)];
        let left = |bytes, count| {
            let folder = tempfile::tempdir().unwrap();
            let cache = cache(&folder, &files);
            cache.prune_to(Room { bytes, files: count }, &served).unwrap();
            names(&cache).join(" ")
        };
        assert_eq!(left(40, 4), "a.bin b.bin c.bin d.bin");
        assert_eq!(left(39, 4), "a.bin c.bin d.bin");
        assert_eq!(left(40, 2), "a.bin d.bin");
        assert_eq!(left(0, 0), "a.bin");
    }

    #[test]
    fn a_use_is_written_down_and_the_runtime_stays() {
        let (folder, engine) = (tempfile::tempdir().unwrap(), Engine::default());
        let component = |number: u8| [b"\0asm\x0d\0\x01\0\0\x03\x01a".as_slice(), &[number]].concat();
        let cache = cache(&folder, &[]);
        cache.component(&engine, &component(0)).unwrap();
        let [old, new] = [1, 2].map(|number| {
            let wasm = component(number);
            let key = Key::new(&engine, &wasm);
            cache.keep(&key, &wasmtime::component::Component::new(&engine, &wasm).unwrap());
            key
        });
        let long_ago = SystemTime::now() - Duration::from_secs(3600);
        for name in names(&cache) {
            fs::File::options().write(true).open(cache.folder.join(name)).unwrap().set_modified(long_ago).unwrap();
        }
        assert!(cache.read_back(&engine, &new).is_some());
        assert_eq!(cache.prune_to(Room { bytes: u64::MAX, files: 2 }, &HashSet::new()).unwrap(), 1);
        assert!(!cache.has(&old) && cache.has(&new) && names(&cache).len() == 2, "{:?}", names(&cache));
    }

    #[test]
    fn what_was_left_half_written_goes() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(&folder, &[("a.1.tmp", 2), ("b.2.tmp", 0), ("other", 9)]);
        cache.prune_to(ROOM, &HashSet::new()).unwrap();
        assert_eq!(names(&cache), ["b.2.tmp", "other"]);
    }
}
