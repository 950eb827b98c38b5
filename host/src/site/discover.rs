//! Which sites there are: what `serve PATH…` and `build SITE` find on disk.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    path::{Component, Path, PathBuf},
};

use djo_contract::section;

use super::{
    config::{self, ConfigError, FILE_NAME, SiteConfig},
    file::{self, FileError, shown},
    name::{BadSiteName, SiteName},
    walk::TooMuch,
};
use crate::build::peek_contract;

/// The file that makes a folder a djo site.
pub const ROUTES: &str = "rotas.djo";
/// Entries of a folder of sites that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// A site on disk. Reading its code may still fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SiteEntry {
    /// Its name.
    pub name: SiteName,
    /// Its folder; a `.wasm` alone has none.
    pub folder: Option<PathBuf>,
    /// The folder that no file of the site may lead out of, links resolved: its own, or the one that a `.wasm` was found in. A `.wasm`
    /// that was named by itself may lie anywhere.
    pub within: Option<PathBuf>,
    /// What its `site.toml` says.
    pub config: SiteConfig,
    /// Where its code is.
    pub code: SiteCode,
}

/// Where the code of a site is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteCode {
    /// djo sources in its folder.
    Sources,
    /// A component.
    Component(PathBuf),
}

/// A place that should be a site and cannot be used as one.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// Nothing is there, or it cannot be read.
    #[error("{}: {source}", shown(path))]
    Io {
        /// Where.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder of sites that it is in cannot be looked at.
    #[error("{}: {} cannot be looked at", shown(path), shown(folder))]
    Unseen {
        /// Where.
        path: PathBuf,
        /// The folder.
        folder: PathBuf,
    },
    /// One of its files is none that a site may have.
    #[error(transparent)]
    File(FileError),
    /// Its folder or file has a name that no site can have.
    #[error("{}: {source}", shown(path))]
    Name {
        /// Where.
        path: PathBuf,
        /// Why.
        source: BadSiteName,
    },
    /// Its `site.toml` cannot be used.
    #[error("{}: {source}", shown(path))]
    Config {
        /// The site's folder.
        path: PathBuf,
        /// Why.
        source: ConfigError,
    },
    /// Its component asks for what cannot be had.
    #[error("{}: {reason}", shown(path))]
    Wanted {
        /// The component.
        path: PathBuf,
        /// What cannot be had, and why.
        reason: String,
    },
    /// It is no site: no `rotas.djo`, no `component`, no `.wasm`.
    #[error("{}: no site here: neither {ROUTES}, nor a site.toml with a component, nor a .wasm", shown(.0))]
    NotASite(PathBuf),
    /// Its name is kept for a site in another folder, which is gone.
    #[error("{}: the name `{name}` is kept for {}, which is gone, for an hour", shown(path), shown(other))]
    Kept {
        /// Where.
        path: PathBuf,
        /// The name.
        name: SiteName,
        /// Who had it.
        other: PathBuf,
    },
    /// Another site has its name already.
    #[error("{}: the name `{name}` is taken by {}", shown(path), shown(other))]
    Taken {
        /// Where.
        path: PathBuf,
        /// The name.
        name: SiteName,
        /// Who has it.
        other: PathBuf,
    },
}

impl EntryError {
    /// Whether there is a site, though it cannot be used as it is.
    pub fn is_of_a_site(&self) -> bool {
        !matches!(self, Self::Io { .. } | Self::Name { .. } | Self::NotASite(_))
    }
}

/// What a look at some paths found.
#[derive(Debug, Default)]
pub struct Discovered {
    /// The sites, in the order of the paths, then of their names.
    pub sites: Vec<SiteEntry>,
    /// What should be a site and is not usable.
    pub refused: Vec<Refused>,
    /// Folders beside sites that are none, and may become some.
    pub passed: Vec<PathBuf>,
    /// Who has each name, usable or not.
    pub places: Places,
}

/// What should be a site and is not usable.
#[derive(Debug)]
pub struct Refused {
    /// Where.
    pub path: PathBuf,
    /// The name that it has or would have, or else its place, to show.
    pub shown: String,
    /// Why.
    pub error: EntryError,
}

/// Where the site of each name lies: absolute, the links of the folder around it resolved.
pub type Places = BTreeMap<SiteName, PathBuf>;

impl SiteEntry {
    /// The site at a path: a folder or a `.wasm` file.
    ///
    /// # Errors
    /// When there is none, or its name or `site.toml` cannot be used.
    pub fn at(path: &Path) -> Result<Self, EntryError> {
        Self::found(path, None)
    }

    /// The same, found in a folder of sites, whose links are resolved.
    fn found(path: &Path, sites: Option<&Path>) -> Result<Self, EntryError> {
        let io = |source| EntryError::Io { path: path.to_path_buf(), source };
        let is_dir = fs::metadata(path).map_err(io)?.is_dir();
        let is_site = if is_dir { has_marks(path) } else { Ok(is_component(path)) };
        let name = SiteName::of_path(path);
        match is_site {
            Ok(true) => {}
            // It cannot be looked at, but may well be a site, unless its name says that it is none.
            Err(source) if name.is_ok() => return Err(io(source)),
            Ok(false) | Err(_) => return Err(EntryError::NotASite(path.to_path_buf())),
        }
        let name = name.map_err(|source| EntryError::Name { path: path.to_path_buf(), source })?;
        if !is_dir {
            let (code, within) = (SiteCode::Component(path.to_path_buf()), sites.map(Path::to_path_buf));
            return Self { name, folder: None, within, config: SiteConfig::default(), code }.with_wanted();
        }
        let within = Some(path.canonicalize().map_err(io)?);
        let config = SiteConfig::load(path).map_err(|source| EntryError::Config { path: path.to_path_buf(), source })?;
        let code = match (&config.component, path.join(ROUTES).is_file()) {
            (None, true) => SiteCode::Sources,
            (Some(component), false) => SiteCode::Component(path.join(component)),
            (Some(_), true) => return Err(EntryError::Config { path: path.to_path_buf(), source: config::also_has(path, ROUTES) }),
            (None, false) if path.join(ROUTES).exists() => return Err(EntryError::File(FileError::NotRegular(path.join(ROUTES)))),
            (None, false) => return Err(EntryError::NotASite(path.to_path_buf())),
        };
        Self { name, folder: Some(path.to_path_buf()), within, config, code }.with_wanted()
    }

    /// A component carries what its own `site.toml` said when it was built. A contract that cannot be read says nothing here: whoever
    /// loads the site tells what is wrong with it.
    fn with_wanted(mut self) -> Result<Self, EntryError> {
        let SiteCode::Component(path) = &self.code else { return Ok(self) };
        let file = match file::open(path, self.within.as_deref()) {
            Ok(opened) => opened.file,
            Err(error) if error.is_absent() => return Ok(self),
            Err(error) => return Err(EntryError::File(error)),
        };
        if let Ok(Some(contract)) = peek_contract(file)
            && let Ok(contract) = section::decode(&contract)
        {
            self.config.adopt(&contract.wanted).map_err(|reason| EntryError::Wanted { path: path.clone(), reason })?;
        }
        Ok(self)
    }

    /// Where the site is: its folder, or its component.
    pub fn path(&self) -> &Path {
        match (&self.folder, &self.code) {
            (Some(folder), _) => folder,
            (None, SiteCode::Component(component)) => component,
            (None, SiteCode::Sources) => Path::new("."),
        }
    }
}

/// Finds the sites at some paths: each is a site, or a folder of sites. What cannot be used is told beside what can.
pub fn discover(paths: &[PathBuf]) -> Discovered {
    discover_after(paths, &Places::new(), &Places::new())
}

/// The same after an earlier look: whoever had a name `before` has it, usable or not, for as long as something is there, be it an empty
/// folder by now, or nobody can say that nothing is. The names of those that are gone are `kept` for their places. A name is also that of a
/// store, so that no newcomer may take it.
pub fn discover_after(paths: &[PathBuf], before: &Places, kept: &Places) -> Discovered {
    let mut look =
        Look { before: before.iter().map(|(name, place)| (place.as_path(), name)).collect(), found: Vec::new(), passed: Vec::new() };
    paths.iter().for_each(|path| look.at(path));
    let Look { before, found, passed } = look;
    let had = |found: &Found| before.get(found.place.as_path()).map(|name| (*name).clone());
    let holds = |found: &Found| had(found).filter(|name| found.may_have(name));
    let places = found.iter().filter_map(|found| Some((holds(found)?, found.place.clone()))).collect();
    let mut discovered = Discovered { places, passed, ..Discovered::default() };
    let mut served = HashSet::new();
    for one in found {
        let had = had(&one);
        let Found { path, place, entry } = one;
        let entry = entry.and_then(|entry| match (discovered.places.get(&entry.name), kept.get(&entry.name)) {
            // Another's, or this very one, named twice.
            (Some(other), _) if *other != place || served.contains(&entry.name) => {
                Err(EntryError::Taken { path: path.clone(), name: entry.name, other: other.clone() })
            }
            // In one folder, whoever could put a site in another's place could as well change that one.
            (None, Some(other)) if other.parent() != place.parent() => {
                Err(EntryError::Kept { path: path.clone(), name: entry.name, other: other.clone() })
            }
            _ => Ok(entry),
        });
        match entry {
            Ok(entry) => {
                served.insert(entry.name.clone());
                discovered.places.insert(entry.name.clone(), place);
                discovered.sites.push(entry);
            }
            Err(error) => {
                let shown = had.or_else(|| SiteName::of_path(&path).ok()).map_or_else(|| shown(&path), |name| name.to_string());
                discovered.refused.push(Refused { path, shown, error });
            }
        }
    }
    discovered
}

/// A site that was come upon, usable or not.
struct Found {
    path: PathBuf,
    place: PathBuf,
    entry: Result<SiteEntry, EntryError>,
}

impl Found {
    /// Whether it keeps the name that the site at its place had: not if it has another by now, or nothing is there.
    fn may_have(&self, name: &SiteName) -> bool {
        match &self.entry {
            Ok(entry) => entry.name == *name,
            Err(EntryError::Unseen { .. }) => true,
            // A link that leads nowhere is there; it may only be in the middle of being changed.
            Err(EntryError::Io { source, .. }) => source.kind() != io::ErrorKind::NotFound || self.path.is_symlink(),
            Err(_) => true,
        }
    }
}

/// A look at the disk.
struct Look<'a> {
    /// Which name each place had.
    before: HashMap<&'a Path, &'a SiteName>,
    found: Vec<Found>,
    passed: Vec<PathBuf>,
}

impl Look<'_> {
    /// Looks at a site, or a folder of sites.
    fn at(&mut self, path: &Path) {
        match SiteEntry::at(path) {
            Err(EntryError::NotASite(_)) if path.is_dir() => self.in_folder(path),
            Err(EntryError::Io { source, .. }) => self.unseen(path, source),
            entry => self.found.push(Found { path: path.to_path_buf(), place: place(path), entry }),
        }
    }

    /// A folder of sites: entries that are no sites, and were none, are passed over, but a folder without any is an error.
    fn in_folder(&mut self, folder: &Path) {
        let (sites, entries) = match entries(folder).and_then(|entries| Ok((folder.canonicalize()?, entries))) {
            Ok(seen) => seen,
            Err(source) => return self.unseen(folder, source),
        };
        let before = self.found.len();
        for path in entries {
            let place = place(&path);
            match SiteEntry::found(&path, Some(&sites)) {
                Err(EntryError::NotASite(_)) if !self.before.contains_key(place.as_path()) => self.passed.push(path),
                entry => self.found.push(Found { path, place, entry }),
            }
        }
        if self.found.len() == before {
            let error = EntryError::NotASite(folder.to_path_buf());
            self.found.push(Found { path: folder.to_path_buf(), place: place(folder), entry: Err(error) });
        }
    }

    /// What cannot be looked at. Where it is a folder of sites, so are those that were in it: they are not gone.
    fn unseen(&mut self, path: &Path, source: io::Error) {
        let folder = place(path);
        let inside: Vec<_> = self.before.keys().filter(|place| place.parent() == Some(&folder)).map(|place| place.to_path_buf()).collect();
        for place in inside {
            let path = path.join(place.file_name().unwrap_or_default());
            self.found.push(Found { path: path.clone(), place, entry: Err(EntryError::Unseen { path, folder: folder.clone() }) });
        }
        let entry = Err(EntryError::Io { path: path.to_path_buf(), source });
        self.found.push(Found { path: path.to_path_buf(), place: place(path), entry });
    }
}

/// A path as it is spelled, from the root: a site that is deployed by changing a link, wherever that is on its way, stays the same one.
pub(crate) fn place(path: &Path) -> PathBuf {
    let mut place = PathBuf::new();
    for part in std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).components() {
        match part {
            Component::ParentDir => _ = place.pop(),
            Component::CurDir => {}
            part => place.push(part),
        }
    }
    place
}

/// What lies in a folder, sorted by name, hidden entries aside.
fn entries(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name().as_encoded_bytes().starts_with(b".") {
            continue;
        }
        if paths.len() == MAX_ENTRIES {
            return Err(TooMuch::Entries(MAX_ENTRIES).into());
        }
        paths.push(entry.path());
    }
    paths.sort_unstable();
    Ok(paths)
}

fn is_component(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "wasm")
}

/// The folder holds something that only a site has.
fn has_marks(folder: &Path) -> io::Result<bool> {
    Ok(folder.join(ROUTES).try_exists()? || folder.join(FILE_NAME).try_exists()?)
}

#[cfg(test)]
mod tests;
