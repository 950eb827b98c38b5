//! Compiled code, kept between starts. Machine code is run as it is, so only what this very host wrote is believed: each file
//! carries a hash keyed with a secret of the data folder. Anything else is compiled anew, and said so.

mod prune;

use std::fs;
use std::hash::{Hash, Hasher};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::time::SystemTime;

use crate::private;
use crate::replace::replace;
use crate::text::hex;
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};
use wasmtime::Engine;
use wasmtime::component::Component;

/// Length of a keyed hash.
const HASH: usize = 32;
/// Length of the key: one block of the hash.
const KEY: usize = 64;
/// Code larger than this is not read back.
const MAX_CODE: u64 = 512 << 20;

/// The compiled code of a data folder.
pub(super) struct CodeCache {
    folder: PathBuf,
    key: [u8; KEY],
    /// The runtime's, which every start needs.
    pinned: OnceLock<Key>,
}

impl CodeCache {
    /// The cache in `DATA/code`, made when it is not there.
    pub(super) fn open(data: &Path) -> io::Result<Self> {
        let folder = data.join("code");
        private::create_folders(&folder)?;
        let key = secret(&folder.join("key"))?;
        Ok(Self { folder, key, pinned: OnceLock::new() })
    }

    /// The runtime, from the cache where it is there and ours, else compiled and kept for the next start.
    pub(super) fn component(&self, engine: &Engine, wasm: &[u8]) -> wasmtime::Result<Component> {
        let key = self.pinned.get_or_init(|| Key::new(engine, wasm)).clone();
        if let Some(component) = self.read_back(engine, &key) {
            return Ok(component);
        }
        let component = Component::new(engine, wasm)?;
        self.keep(&key, &component);
        Ok(component)
    }

    /// Whether there is code under a key. Whether it is ours shows when it is read.
    pub(super) fn has(&self, key: &Key) -> bool {
        self.path(key).is_file()
    }

    /// The component whose code is kept under a key. Code that is not ours is as none, and said so.
    pub(super) fn read_back(&self, engine: &Engine, key: &Key) -> Option<Component> {
        match self.read(&self.path(key)) {
            Ok(Some(code)) => {
                // SAFETY: the keyed hash says that this host, with this key, wrote these bytes as the output of `serialize`;
                // the name holds the engine's compatibility hash, and wasmtime checks version and settings again.
                #[allow(unsafe_code)]
                match unsafe { Component::deserialize(engine, &code) } {
                    Ok(component) => return Some(component),
                    Err(error) => tracing::warn!(%error, "kept code does not fit this host: compiling anew"),
                }
            }
            Ok(None) => {}
            Err(error) => tracing::warn!(%error, "kept code is not believed: compiling anew"),
        }
        None
    }

    /// Keeps a component's code for the next time.
    pub(super) fn keep(&self, key: &Key, component: &Component) {
        if let Err(error) = component.serialize().and_then(|code| Ok(self.write(&self.path(key), &code)?)) {
            tracing::warn!(%error, "compiled code could not be kept");
        }
    }

    fn path(&self, key: &Key) -> PathBuf {
        self.folder.join(format!("{}.bin", key.0))
    }

    /// The code in a file; `None` when there is no file.
    fn read(&self, path: &Path) -> io::Result<Option<Vec<u8>>> {
        let file = match fs::File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            file => file?,
        };
        let mut bytes = Vec::new();
        (&file).take(MAX_CODE).read_to_end(&mut bytes)?;
        let (hash, code) = bytes.split_at_checked(HASH).ok_or(io::ErrorKind::UnexpectedEof)?;
        self.keyed(path, code).verify_slice(hash).map_err(|_| io::Error::other("the file was not written by this host"))?;
        // What was of use last is kept longest. Where that cannot be written down it only looks older than it is.
        let _ = file.set_modified(SystemTime::now());
        Ok(Some(bytes.split_off(HASH)))
    }

    fn write(&self, path: &Path, code: &[u8]) -> io::Result<()> {
        // Two sites may have one component, and be compiled at once.
        let hash = self.keyed(path, code).finalize().into_bytes();
        replace(path, private::open, |file| file.write_all(&hash).and_then(|()| file.write_all(code)))
    }

    /// Over the name, too, so that one file cannot stand in for another.
    fn keyed(&self, path: &Path, code: &[u8]) -> Hmac<Sha256> {
        let mut mac = <Hmac<Sha256> as Mac>::new(&self.key.into());
        mac.update(path.file_name().unwrap_or_default().as_encoded_bytes());
        mac.update(&[0]);
        mac.update(code);
        mac
    }
}

/// What code was made from and for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key(String);

impl Key {
    /// The key of a component's code for an engine.
    pub(super) fn new(engine: &Engine, wasm: &[u8]) -> Self {
        struct Sink(Sha256);
        impl Hasher for Sink {
            fn write(&mut self, bytes: &[u8]) {
                self.0.update(bytes);
            }
            fn finish(&self) -> u64 {
                0
            }
        }
        let mut sink = Sink(Sha256::new_with_prefix(wasm));
        engine.precompile_compatibility_hash().hash(&mut sink);
        Self(hex(&sink.0.finalize()[..16]))
    }
}

/// The folder's secret, made at its first use and readable by its owner alone.
fn secret(path: &Path) -> io::Result<[u8; KEY]> {
    let mut key = [0; KEY];
    match fs::read(path) {
        Ok(bytes) if bytes.len() == KEY => key.copy_from_slice(&bytes),
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
        // A damaged key is as none: what was kept under it is compiled anew.
        _ => {
            getrandom::fill(&mut key).map_err(io::Error::other)?;
            let mut options = fs::OpenOptions::new();
            options.write(true).create(true).truncate(true);
            #[cfg(unix)]
            std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
            options.open(path)?.write_all(&key)?;
        }
    }
    Ok(key)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn kept(folder: &Path) -> PathBuf {
        let files = fs::read_dir(folder.join("code")).unwrap().map(|entry| entry.unwrap().path());
        files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "bin")).unwrap()
    }

    #[test]
    fn code_is_kept_and_believed() {
        let (folder, engine) = (tempfile::tempdir().unwrap(), Engine::default());
        let cache = CodeCache::open(folder.path()).unwrap();
        cache.component(&engine, EMPTY).unwrap();
        let path = kept(folder.path());
        assert!(cache.read(&path).unwrap().is_some());
        let again = CodeCache::open(folder.path()).unwrap();
        assert_eq!(again.key, cache.key);
        assert!(again.read(&path).unwrap().is_some());
    }

    #[test]
    fn what_another_wrote_or_changed_is_compiled_anew() {
        let (folder, engine) = (tempfile::tempdir().unwrap(), Engine::default());
        let cache = CodeCache::open(folder.path()).unwrap();
        cache.component(&engine, EMPTY).unwrap();
        let path = kept(folder.path());
        let ours = fs::read(&path).unwrap();
        for at in [0, HASH, ours.len() - 1] {
            let mut changed = ours.clone();
            changed[at] ^= 1;
            fs::write(&path, changed).unwrap();
            assert!(cache.read(&path).is_err(), "byte {at}");
        }
        fs::write(&path, b"short").unwrap();
        assert!(cache.read(&path).is_err());
        cache.component(&engine, EMPTY).unwrap();
        assert_eq!(fs::read(&path).unwrap().len(), ours.len());

        let moved = path.with_file_name("other.bin");
        fs::write(&moved, &ours).unwrap();
        assert!(cache.read(&moved).is_err(), "a file under another name");
    }

    #[cfg(unix)]
    #[test]
    fn the_key_is_its_owners_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        CodeCache::open(folder.path()).unwrap();
        let mode = fs::metadata(folder.path().join("code/key")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}
