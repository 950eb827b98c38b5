//! The sources of a djo site, read from its folder.

use std::{collections::BTreeMap, io, path::Path};

use sha2::{Digest, Sha256};

use super::{assets, walk};
use crate::text::hex;

/// Files of a site, static ones aside.
const MAX_FILES: usize = 10_000;
/// Bytes of all sources of a site.
const MAX_TOTAL_BYTES: u64 = 32 * 1024 * 1024;
/// Folders that tools make, at the top of a site: nothing in them is the site's.
const TOOLS: [&str; 2] = ["node_modules", "target"];

/// What a djo site is compiled from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SiteSources {
    /// The `.djo` and `.djo.html` files by path, relative to the site's folder, with `/`.
    pub files: BTreeMap<String, Vec<u8>>,
}

impl SiteSources {
    /// Reads the sources in a folder. Not sources: `publico`, which is served as it is, and names that start with a dot.
    ///
    /// # Errors
    /// When something cannot be read, or the sources go beyond 10,000 files or 32 MiB.
    pub fn read(folder: &Path) -> io::Result<Self> {
        let enter = |relative: &str| relative != assets::FOLDER && !is_tools(relative);
        let mut left = MAX_TOTAL_BYTES;
        let mut files = BTreeMap::new();
        for file in walk::files(folder, MAX_FILES, enter)? {
            if !is_source(&file.relative) {
                continue;
            }
            let content = file.read(&mut left, MAX_TOTAL_BYTES)?;
            files.insert(file.relative, content);
        }
        Ok(Self { files })
    }

    /// The hash of all paths and contents: the same sources have the same one on every machine. 32 hexadecimal digits.
    pub fn fingerprint(&self) -> String {
        let mut hasher = Sha256::new();
        for (path, content) in &self.files {
            // Lengths first, so that no two lists of files are the same bytes.
            for part in [path.as_bytes(), content.as_slice()] {
                hasher.update((part.len() as u64).to_le_bytes());
                hasher.update(part);
            }
        }
        hex(&hasher.finalize()[..16])
    }
}

/// The hash of a component: the revision of a site that is one. 32 hexadecimal digits.
pub fn fingerprint_of_component(component: &[u8]) -> String {
    hex(&Sha256::digest(component)[..16])
}

/// A folder at the top of a site in which nothing is the site's.
pub(crate) fn is_tools(name: &str) -> bool {
    TOOLS.contains(&name)
}

fn is_source(path: &str) -> bool {
    path.ends_with(".djo") || path.ends_with(".djo.html")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::fs;

    use super::*;

    fn site(files: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        for path in files {
            let path = folder.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(&path, path.file_name().unwrap().as_encoded_bytes()).unwrap();
        }
        folder
    }

    #[test]
    fn only_sources_are_read() {
        let folder = site(&[
            "rotas.djo",
            "core/a.djo",
            "paginas/x/y.djo.html",
            "paginas/z.html",
            "publico/p.djo",
            "sub/publico/q.djo",
            ".git/r.djo",
            "target/s.djo",
            "site.toml",
            "core/.t.djo",
        ]);
        let sources = SiteSources::read(folder.path()).unwrap();
        assert_eq!(sources.files.keys().collect::<Vec<_>>(), ["core/a.djo", "paginas/x/y.djo.html", "rotas.djo", "sub/publico/q.djo"]);
        assert_eq!(sources.files["core/a.djo"], b"a.djo");
    }

    #[cfg(unix)]
    #[test]
    fn links_out_of_the_site_are_not_followed() {
        let outside = site(&["secret.djo"]);
        let folder = site(&["rotas.djo"]);
        std::os::unix::fs::symlink(outside.path().join("secret.djo"), folder.path().join("core.djo")).unwrap();
        std::os::unix::fs::symlink(outside.path(), folder.path().join("core")).unwrap();
        assert_eq!(SiteSources::read(folder.path()).unwrap().files.len(), 1);
    }

    #[test]
    fn the_fingerprint_is_of_paths_and_contents() {
        let of = |files: &[(&str, &str)]| {
            let files = files.iter().map(|(path, content)| ((*path).to_owned(), content.as_bytes().to_vec())).collect();
            SiteSources { files }.fingerprint()
        };
        let one = of(&[("a.djo", "x"), ("b.djo", "y")]);
        assert_eq!(one.len(), 32);
        assert_eq!(one, of(&[("b.djo", "y"), ("a.djo", "x")]));
        for other in [of(&[("a.djo", "x")]), of(&[("a.djo", "xb.djoy")]), of(&[("a.djo", "y"), ("b.djo", "x")]), of(&[])] {
            assert_ne!(one, other);
        }
    }

    #[test]
    fn a_huge_site_is_refused() {
        let folder = site(&["rotas.djo"]);
        fs::File::create(folder.path().join("a.djo")).unwrap().set_len(MAX_TOTAL_BYTES + 1).unwrap();
        assert!(SiteSources::read(folder.path()).is_err());
    }

    #[test]
    fn a_missing_folder_is_an_error() {
        assert_eq!(SiteSources::read(Path::new("não/existe")).unwrap_err().kind(), io::ErrorKind::NotFound);
    }
}
