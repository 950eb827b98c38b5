//! What the disk looks like where a site lies, to tell later whether anything of it has changed: where to listen for that, and a mark to
//! compare where nothing can be heard.

use std::collections::HashSet;
use std::fs::{self, Metadata};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io;
use std::path::{Path, PathBuf};

use crate::site::trail::trail;
use crate::site::{MAX_DEPTH, SiteCode, SiteEntry, is_tools};

/// Files and folders of a site that are looked at: more than a site may have.
const MAX_LOOKED: usize = 40_000;

/// How a place looked.
#[derive(Debug, Default)]
pub(super) struct Spot {
    /// Every link on the way to it, and the place itself: each is changed in the folder around it.
    pub(super) steps: Vec<PathBuf>,
    /// The folders whose files are its own, links resolved.
    pub(super) folders: Vec<PathBuf>,
    /// Bytes of its files.
    pub(super) bytes: u64,
    /// The same as long as it looks the same.
    pub(super) mark: u64,
}

/// What is looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Target {
    /// The served path that it was found by.
    within: PathBuf,
    path: PathBuf,
    extent: Extent,
    component: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Extent {
    Tree,
    Entries,
    Itself,
}

impl Target {
    /// A site: all its files and its component.
    pub(super) fn site(within: &Path, entry: &SiteEntry) -> Self {
        let extent = if entry.folder.is_some() { Extent::Tree } else { Extent::Itself };
        let component = match &entry.code {
            SiteCode::Component(component) => Some(component.clone()),
            SiteCode::Sources => None,
        };
        Self { within: within.to_path_buf(), path: entry.path().to_path_buf(), extent, component }
    }

    /// What should be a site, and is none that can be used.
    pub(super) fn refused(within: &Path, path: &Path) -> Self {
        Self { within: within.to_path_buf(), path: path.to_path_buf(), extent: Extent::Tree, component: None }
    }

    /// A folder that may become a site, or has sites: its entries alone.
    pub(super) fn folder(within: &Path, path: &Path) -> Self {
        Self { within: within.to_path_buf(), path: path.to_path_buf(), extent: Extent::Entries, component: None }
    }
}

impl Spot {
    /// Looks, but not into the folder `except`, which is none of any site's.
    pub(super) fn of(target: &Target, except: &Path) -> Self {
        let root = trail(&target.path).pop().unwrap_or_default();
        let mut look = Look { spot: Self::default(), except, hasher: DefaultHasher::new(), left: MAX_LOOKED };
        look.steps(&target.within);
        look.steps(&target.path);
        match target.extent {
            Extent::Tree => look.tree(root),
            Extent::Entries => drop(look.folder(&root)),
            Extent::Itself => {}
        }
        if let Some(component) = &target.component {
            look.steps(component);
        }
        Self { mark: look.hasher.finish(), ..look.spot }
    }

    /// Whether one of these was touched: files, and the folders they lie in.
    pub(super) fn is_touched(&self, touched: &Touched) -> bool {
        self.steps.iter().any(|step| touched.paths.contains(step))
            || self.folders.iter().any(|folder| touched.folders.contains(folder) || touched.paths.contains(folder))
    }

    /// Where changes of it can be heard.
    pub(super) fn listens_at(&self) -> impl Iterator<Item = &Path> {
        self.folders.iter().map(PathBuf::as_path).chain(self.steps.iter().filter_map(|step| step.parent()))
    }
}

/// Paths in which something happened.
#[derive(Debug, Default)]
pub(super) struct Touched {
    paths: HashSet<PathBuf>,
    folders: HashSet<PathBuf>,
}

impl Touched {
    pub(super) fn of(paths: Vec<PathBuf>) -> Self {
        let folders = paths.iter().filter_map(|path| Some(path.parent()?.to_path_buf())).collect();
        Self { paths: paths.into_iter().collect(), folders }
    }
}

struct Look<'a> {
    spot: Spot,
    except: &'a Path,
    hasher: DefaultHasher,
    left: usize,
}

impl Look<'_> {
    /// Adds the way to a path, and what is there.
    fn steps(&mut self, path: &Path) {
        let steps = trail(path);
        steps.hash(&mut self.hasher);
        if let Some(end) = steps.last() {
            self.stat(fs::metadata(end));
        }
        steps.into_iter().for_each(|step| {
            if !self.spot.steps.contains(&step) {
                self.spot.steps.push(step);
            }
        });
    }

    fn stat(&mut self, stat: io::Result<Metadata>) {
        match stat {
            Ok(stat) => {
                // A folder's own times change with each file that a tool hides in it; its entries are looked at one by one.
                if !stat.is_dir() {
                    stat.len().hash(&mut self.hasher);
                    self.spot.bytes += stat.len();
                    #[cfg(not(unix))]
                    stat.modified().ok().hash(&mut self.hasher);
                }
                #[cfg(unix)]
                {
                    use std::os::unix::fs::MetadataExt as _;
                    (stat.dev(), stat.ino(), stat.mode()).hash(&mut self.hasher);
                    if !stat.is_dir() {
                        (stat.mtime(), stat.mtime_nsec(), stat.ctime(), stat.ctime_nsec()).hash(&mut self.hasher);
                    }
                }
            }
            Err(error) => error.kind().hash(&mut self.hasher),
        }
    }

    /// Adds all files of a folder.
    fn tree(&mut self, root: PathBuf) {
        let mut folders = vec![(root, 0)];
        while let Some((folder, depth)) = folders.pop() {
            for inner in self.folder(&folder) {
                let is_tools = depth == 0 && inner.file_name().and_then(|name| name.to_str()).is_some_and(is_tools);
                if depth < MAX_DEPTH && !is_tools {
                    folders.push((inner, depth + 1));
                }
            }
        }
    }

    /// Adds one folder, and answers the folders in it.
    fn folder(&mut self, folder: &Path) -> Vec<PathBuf> {
        if folder.starts_with(self.except) || self.left == 0 {
            return Vec::new();
        }
        let entries = fs::read_dir(folder).and_then(|entries| {
            let names =
                entries.map(|entry| Ok(entry?.file_name())).filter(|name| !name.as_ref().is_ok_and(|name| is_hidden(name.as_ref())));
            names.take(self.left).collect::<io::Result<Vec<_>>>()
        });
        let mut names = match entries {
            Ok(names) => names,
            Err(error) => {
                error.kind().hash(&mut self.hasher);
                return Vec::new();
            }
        };
        self.left -= names.len();
        self.spot.folders.push(folder.to_path_buf());
        // In the order of the names: a folder gives them in any.
        names.sort_unstable();
        let mut inner = Vec::new();
        for name in names {
            let path = folder.join(&name);
            name.hash(&mut self.hasher);
            let own = fs::symlink_metadata(&path);
            let is_link = own.as_ref().is_ok_and(Metadata::is_symlink);
            if own.as_ref().is_ok_and(Metadata::is_dir) {
                inner.push(path.clone());
            }
            if is_link {
                self.stat(fs::metadata(&path));
            }
            self.stat(own);
        }
        inner
    }
}

/// Editors and tools keep their own files under names that start with a dot; no site has any.
pub(super) fn is_hidden(path: &Path) -> bool {
    path.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b"."))
}
