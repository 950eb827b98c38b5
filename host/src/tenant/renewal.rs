//! A look at the disk, and what is served after it. What nobody touched is neither read again nor told of again.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use std::{fs, io};

use super::hosts::{Claim, Owners, PATIENCE};
use super::left_out::{AllLeftOut, Cause, LeftOut, Unserved};
use super::load::{self, SiteError};
use super::look::{Spot, Target};
use super::record::{Gone, Left, Record};
use super::registry::Registry;
use super::{Site, Table};
use crate::options::ServeReporter;
use crate::site::discover::{Discovered, EntryError, Places, Refused, SiteEntry, discover_after};
use crate::site::file::shown;
use crate::site::{SiteName, discover::place};

/// A site that took long to load is not loaded again for so many times as long: one that is saved all the time leaves the others room.
const REST: u32 = 4;
/// One that loads in less may be loaded at any time.
const QUICK: Duration = Duration::from_millis(100);
/// What is ready waits no longer than this for what is still loaded.
const PUBLISH: Duration = Duration::from_millis(200);
/// Nor for a site of more bytes than this.
const LARGE: u64 = 256 << 10;
/// A site that waits for what another had is tried again after so long.
const AGAIN: Duration = Duration::from_secs(5 * 60);

/// What is known of the disk.
#[derive(Default)]
pub(super) struct State {
    served: BTreeMap<SiteName, Served>,
    /// What was refused when it was last looked at.
    refused: AllLeftOut,
    /// All places, and how they looked before they were read.
    pub(super) spots: HashMap<PathBuf, (Target, Arc<Spot>)>,
    /// Until when a site is not loaded again.
    rests: HashMap<PathBuf, Instant>,
    /// Sites that changed meanwhile.
    waiting: HashSet<PathBuf>,
    /// Who has each name.
    places: Places,
    /// Who had one.
    gone: Gone,
    owners: Owners,
    /// All three as they are to be kept for the next start.
    record: Record,
    /// They are not, yet.
    unsaved: bool,
    /// Hosts of sites that are gone since the start.
    retired: HashSet<String>,
    /// All names on disk, those of sites that cannot be served among them.
    names: HashSet<String>,
    /// A site is there, or was: what cannot be served of it may be mended.
    hopes: bool,
    /// When there is to be another look though nothing changes.
    pub(super) due: Option<Instant>,
    /// It was looked at before.
    looked: bool,
}

/// A site on disk, and how it is served.
struct Served {
    entry: SiteEntry,
    site: Arc<Site>,
}

impl From<Record> for State {
    fn from(record: Record) -> Self {
        let (places, owners, gone) = record.parts();
        Self { places, owners, gone, record, ..Self::default() }
    }
}

impl State {
    pub(super) fn refusals(&self) -> usize {
        self.refused.len()
    }

    pub(super) fn names(&self) -> HashSet<String> {
        self.names.clone()
    }

    /// Whether there is a site at all, be it one that cannot be served as it is.
    pub(super) fn hopes(&self) -> bool {
        self.hopes
    }

    /// Keeps for the next start what is not kept yet.
    pub(super) fn save(&mut self, data: &Path) {
        let record = Record::of(&self.places, &self.owners, &self.gone);
        let is_new = record != self.record;
        if !is_new && !self.unsaved {
            return;
        }
        self.record = record;
        let saved = self.record.save(data);
        // Once is enough.
        if let Err(error) = &saved
            && !self.unsaved
        {
            tracing::warn!(%error, "whose the names and hosts are could not be kept for the next start; it is tried again");
        }
        self.unsaved = saved.is_err();
    }
}

impl Registry {
    pub(super) fn renew_in(&self, state: &mut State, touched: &HashSet<PathBuf>, reporter: &dyn ServeReporter) -> Duration {
        let began = Instant::now();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        // An author who renames a site does not wait for it.
        let patience = if self.dev { 0 } else { PATIENCE };
        let kept = self.kept(state, now, patience);
        let mut discovered = discover_after(&self.paths, &state.places, &kept);
        discovered.sites.iter_mut().for_each(|entry| entry.config.hold_to(&self.max_limits));
        let mut touched = touched.clone();
        touched.extend(std::mem::take(&mut state.waiting));
        self.look(state, &discovered, &touched);
        let Discovered { sites: entries, refused: unusable, places, .. } = discovered;
        let owners = settle(&entries, &unusable, &state.owners, now, patience);
        state.names = entries.iter().map(|entry| entry.name.to_string()).chain(unusable.iter().map(|one| one.shown.clone())).collect();
        state.hopes = !entries.is_empty() || !places.is_empty() || unusable.iter().any(|one| one.error.is_of_a_site());
        let stuck = self.take_names(state, places, now);
        // What is only known from an earlier start keeps no site from answering for all hosts.
        let is_first = !std::mem::replace(&mut state.looked, true);
        if !is_first {
            state.owners.retire(&owners, &mut state.retired);
        }
        state.owners = owners;
        state.save(&self.data);

        let mut round = Round {
            registry: self,
            reporter,
            owners: &state.owners,
            last: std::mem::take(&mut state.served),
            served: BTreeMap::new(),
            known: std::mem::take(&mut state.refused),
            refused: HashMap::new(),
            waits: false,
        };
        // What is gone is not served for as long as others are loaded.
        round.last.retain(|name, _| state.names.contains(name.as_str()));
        round.waits |= !stuck.is_empty();
        let (mut ready, waiting) = round.sort_out(entries, &touched, &state.rests, stuck);
        for one in unusable {
            let is_touched = touched.contains(&one.path);
            round.refuse_entry(one, is_touched);
        }
        // What is small is ready soon: it does not wait for what is not.
        ready.sort_by_key(|entry| state.spots.get(entry.path()).map_or(0, |(_, spot)| spot.bytes));
        let reserved: HashSet<String> = state.retired.iter().chain(state.owners.hosts()).cloned().collect();
        let looked = began.elapsed();
        let mut published = Instant::now();
        for entry in ready {
            if self.is_stopped() {
                break;
            }
            let is_large = state.spots.get(entry.path()).is_some_and(|(_, spot)| spot.bytes > LARGE);
            if published.elapsed() > PUBLISH || is_large {
                round.publish(&reserved);
                published = Instant::now();
            }
            let (path, started) = (entry.path().to_path_buf(), Instant::now());
            round.load(entry);
            let took = started.elapsed();
            if took > QUICK && !is_first {
                state.rests.insert(path, Instant::now() + took * REST);
            }
        }
        let Round { last, mut served, refused, waits, .. } = round;
        if self.is_stopped() {
            served.extend(last);
        }
        state.served = served;
        state.refused = refused;
        publish(self, state.served.values(), state.refused.values(), &state.owners, reserved);
        self.standing.note(state.refused.values(), |name| state.served.contains_key(name));
        state.rests.retain(|_, until| *until > began);
        let rests_end = waiting.iter().filter_map(|path| state.rests.get(path)).min().copied();
        state.waiting = waiting;
        let waits = waits.then(|| Instant::now() + AGAIN);
        state.due = rests_end.into_iter().chain(waits).min();
        looked
    }

    /// Notes how all places look before anything is read from them: what is saved while that goes on is seen to have changed.
    fn look(&self, state: &mut State, found: &Discovered, touched: &HashSet<PathBuf>) {
        let within = |path: &Path| match self.paths.iter().any(|served| served == path) {
            true => path.to_path_buf(),
            false => path.parent().unwrap_or(path).to_path_buf(),
        };
        let roots = self.paths.iter().map(|path| (path.clone(), Target::folder(path, path)));
        let passed = found.passed.iter().map(|path| (path.clone(), Target::folder(&within(path), path)));
        let refused = found.refused.iter().map(|one| {
            let target = match one.error {
                // What is no site becomes one by what lies right in it.
                EntryError::NotASite(_) | EntryError::Io { .. } | EntryError::Unseen { .. } => Target::folder,
                _ => Target::refused,
            };
            (one.path.clone(), target(&within(&one.path), &one.path))
        });
        let sites = found.sites.iter().map(|entry| (entry.path().to_path_buf(), Target::site(&within(entry.path()), entry)));
        // A path that is served may be a site: then it is looked at as one.
        let targets: HashMap<_, _> = roots.chain(passed).chain(refused).chain(sites).collect();
        let mut before = std::mem::take(&mut state.spots);
        let except = self.except();
        let mut spot = |path: &PathBuf, target: &Target| match before.remove(path) {
            Some((last, spot)) if last == *target && !touched.contains(path) => spot,
            _ => Arc::new(Spot::of(target, &except)),
        };
        state.spots = targets.into_iter().map(|(path, target)| (path.clone(), (target.clone(), spot(&path, &target)))).collect();
    }

    /// The names that are kept for the places of sites that are gone, or are found to be so now.
    fn kept(&self, state: &State, now: u64, patience: u64) -> Places {
        let gone = state.gone.iter().filter(|(_, left)| now.saturating_sub(left.since) < patience).map(|(name, left)| (name, &left.place));
        let there = state.places.iter().filter(|_| patience > 0);
        gone.chain(there).filter(|(_, place)| self.is_served(place)).map(|(name, place)| (name.clone(), place.clone())).collect()
    }

    /// Sites may still be found at a place: the paths that are served lead to it. Where they do not, the operator moved the sites.
    fn is_served(&self, at: &Path) -> bool {
        self.paths.iter().map(|path| place(path)).any(|served| served == at || Some(&*served) == at.parent())
    }

    /// Notes who has each name from now on. A store is its site's: a site in another folder that takes the name finds none. Answers whose
    /// store could not be set aside.
    fn take_names(&self, state: &mut State, places: Places, now: u64) -> BTreeMap<SiteName, io::Error> {
        let had = std::mem::replace(&mut state.places, places);
        let mut gone = std::mem::take(&mut state.gone);
        // Of a name whose store could not be set aside the first place is what counts.
        for (name, place) in had {
            gone.entry(name).or_insert(Left { place, since: now });
        }
        let mut stuck = BTreeMap::new();
        for (name, left) in gone {
            let store = self.data.join("sites").join(name.as_str());
            match state.places.get(&name) {
                None if self.is_served(&left.place) && (store.exists() || now.saturating_sub(left.since) < PATIENCE) => {
                    state.gone.insert(name, left);
                }
                Some(place) if place.parent() != left.place.parent() && self.is_served(&left.place) && !self.dev => {
                    if let Err(error) = set_aside(&store, &left.place, now) {
                        state.gone.insert(name.clone(), left);
                        stuck.insert(name, error);
                    }
                }
                _ => {}
            }
        }
        stuck
    }
}

/// Gives the store of a site that is gone a name that no site can have.
fn set_aside(store: &Path, place: &Path, now: u64) -> io::Result<()> {
    let mut aside = store.as_os_str().to_owned();
    aside.push(format!("~{now}"));
    match fs::rename(store, &aside) {
        Ok(()) => {
            let (aside, place) = (shown(Path::new(&aside)), shown(place));
            tracing::warn!(store = %aside, %place, "the name of a site that is gone is another's now: the store of the first is set aside");
            Ok(())
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// Every site on disk has a claim to its hosts, also one that cannot be served: nobody else may answer for it.
fn settle(entries: &[SiteEntry], unusable: &[Refused], before: &Owners, now: u64, patience: u64) -> Owners {
    let names: HashSet<&str> = entries.iter().map(|entry| entry.name.as_str()).collect();
    let absent: HashSet<SiteName> = unusable.iter().filter_map(|one| SiteName::new(&one.shown).ok()).collect();
    let owned = before.by_site();
    let mut claims: Vec<_> = entries.iter().map(|entry| Claim { name: entry.name.as_str(), hosts: load::hosts(entry) }).collect();
    claims.extend(absent.iter().filter(|name| !names.contains(name.as_str())).map(|name| {
        let hosts = owned.get(name.as_str()).into_iter().flatten().map(|host| (*host).clone()).collect();
        Claim { name: name.as_str(), hosts }
    }));
    Owners::settle(&claims, before, now, patience)
}

fn publish<'a>(
    registry: &Registry,
    served: impl Iterator<Item = &'a Served>,
    left_out: impl Iterator<Item = &'a LeftOut>,
    owners: &Owners,
    reserved: HashSet<String>,
) {
    // What is wrong with a site is its author's to see, and nobody else's.
    let unserved = if registry.dev { Unserved::among(left_out, owners) } else { Vec::new() };
    let table = Table::new(served.map(|one| Arc::clone(&one.site)), registry.default_site.as_deref(), reserved, unserved);
    registry.table.store(Arc::new(table));
}

/// One renewal, site by site.
struct Round<'a> {
    registry: &'a Registry,
    reporter: &'a dyn ServeReporter,
    owners: &'a Owners,
    /// What was served until now, and is not dealt with.
    last: BTreeMap<SiteName, Served>,
    served: BTreeMap<SiteName, Served>,
    known: AllLeftOut,
    refused: AllLeftOut,
    /// A site waits for what another had.
    waits: bool,
}

impl Round<'_> {
    /// Which sites are to be loaded, and which wait since they have just been. The others go on as they are, or are refused.
    fn sort_out(
        &mut self,
        entries: Vec<SiteEntry>,
        touched: &HashSet<PathBuf>,
        rests: &HashMap<PathBuf, Instant>,
        mut stuck: BTreeMap<SiteName, io::Error>,
    ) -> (Vec<SiteEntry>, HashSet<PathBuf>) {
        let (mut ready, mut waiting) = (Vec::new(), HashSet::new());
        let now = Instant::now();
        for entry in entries {
            if !self.has_hosts(&entry) || !touched.contains(entry.path()) && self.is_known(&entry) {
                continue;
            }
            if let Some(error) = stuck.remove(&entry.name) {
                let cause = Cause::Entry(error.to_string());
                self.refuse(None, entry.path(), None, (cause, false), || (entry.name.to_string(), error.into()));
            } else if rests.get(entry.path()).is_some_and(|until| *until > now) {
                self.wait(&entry);
                waiting.insert(entry.path().to_path_buf());
            } else {
                ready.push(entry);
            }
        }
        (ready, waiting)
    }

    /// The last good revision of a site, as long as its hosts are its own.
    fn last(&mut self, name: &SiteName) -> Option<Served> {
        self.last.remove(name).filter(|last| self.owners.conflict(&last.site.name, &last.site.hosts).is_none())
    }

    /// Goes on with the last good revision, told of as one that is broken, where there is one. Answers what the author is told.
    fn fail(&mut self, name: Option<&SiteName>, shown: &str, entry: Option<&SiteEntry>, error: &SiteError) -> Arc<str> {
        let why: Arc<str> = error.to_string().into();
        match name.and_then(|name| Some((name.clone(), self.last(name)?))) {
            Some((name, last)) => {
                self.reporter.site_kept(shown, error);
                let entry = entry.cloned().unwrap_or(last.entry);
                self.served.insert(name, Served { entry, site: Arc::new(last.site.broken(Arc::clone(&why))) });
            }
            None => self.reporter.site_refused(shown, error),
        }
        why
    }

    /// Goes on as before.
    fn go_on(&mut self, name: &SiteName) {
        if let Some(last) = self.last(name) {
            self.served.insert(name.clone(), last);
        }
    }

    /// Tells of a reason that is new, or of a site that was touched.
    fn refuse(
        &mut self,
        name: Option<&SiteName>,
        path: &Path,
        entry: Option<&SiteEntry>,
        (cause, tells): (Cause, bool),
        why: impl FnOnce() -> (String, SiteError),
    ) {
        let known = self.known.get(path).filter(|known| !tells && known.cause == cause).map(|known| Arc::clone(&known.why));
        let why = match (known, name) {
            (None, _) => {
                let (shown, error) = why();
                self.fail(name, &shown, entry, &error)
            }
            (Some(why), Some(name)) => {
                self.go_on(name);
                why
            }
            (Some(why), None) => why,
        };
        self.refused.insert(path.to_path_buf(), LeftOut { cause, name: name.cloned(), why });
    }

    /// Refuses what is no usable site.
    fn refuse_entry(&mut self, Refused { path, shown, error }: Refused, is_touched: bool) {
        self.waits |= matches!(error, EntryError::Kept { .. });
        let name = SiteName::new(&shown).ok();
        // A stranger that asks for a name is no revision of the site that has it.
        let name = name.filter(|_| !matches!(error, EntryError::Taken { .. } | EntryError::Kept { .. }));
        // Nor is a folder that was never a site, whatever it is called.
        let name = name.filter(|name| error.is_of_a_site() || self.last.contains_key(name));
        let cause = Cause::Entry(error.to_string());
        self.refuse(name.as_ref(), &path, None, (cause, is_touched), || (shown, SiteError::from(error)));
    }

    /// Whether a site may have all its hosts; it is refused if not.
    fn has_hosts(&mut self, entry: &SiteEntry) -> bool {
        let Some((host, owner)) =
            self.owners.conflict(entry.name.as_str(), &load::hosts(entry)).map(|(host, owner)| (host.to_owned(), owner.clone()))
        else {
            return true;
        };
        let other = owner.site;
        let error = match owner.gone {
            None => SiteError::HostTaken { host, other },
            Some(_) => {
                self.waits = true;
                SiteError::HostKept { host, other }
            }
        };
        let cause = Cause::Host(error.to_string());
        self.refuse(Some(&entry.name), entry.path(), Some(entry), (cause, false), || (entry.name.to_string(), error));
        false
    }

    /// Whether a site is as it was, served or refused: then it stays so.
    fn is_known(&mut self, entry: &SiteEntry) -> bool {
        let is_known = match self.known.get(entry.path()).map(|known| &known.cause) {
            Some(Cause::Code(refused)) => **refused == *entry,
            Some(_) => false,
            None => self.last.get(&entry.name).is_some_and(|last| last.entry == *entry),
        };
        if is_known {
            self.go_on(&entry.name);
            self.refused.extend(self.known.remove_entry(entry.path()));
        }
        is_known
    }

    /// Leaves a site that has just been loaded as it is for now.
    fn wait(&mut self, entry: &SiteEntry) {
        self.go_on(&entry.name);
        self.refused.extend(self.known.remove_entry(entry.path()));
    }

    fn load(&mut self, entry: SiteEntry) {
        match self.registry.load_one(&entry, self.last.get(&entry.name), self.reporter) {
            Ok(site) => {
                self.last.remove(&entry.name);
                self.served.insert(entry.name.clone(), Served { entry, site });
            }
            Err(error) => {
                let why = self.fail(Some(&entry.name), entry.name.as_str(), Some(&entry), &error);
                let (path, name) = (entry.path().to_path_buf(), Some(entry.name.clone()));
                self.refused.insert(path, LeftOut { cause: Cause::Code(Box::new(entry)), name, why });
            }
        }
    }

    /// Serves what is ready, and what is not as it was.
    fn publish(&self, reserved: &HashSet<String>) {
        let last = self.last.values().filter(|last| self.owners.conflict(&last.site.name, &last.site.hosts).is_none());
        let left_out = self.known.values().chain(self.refused.values());
        publish(self.registry, self.served.values().chain(last), left_out, self.owners, reserved.clone());
    }
}

impl Registry {
    fn load_one(&self, entry: &SiteEntry, last: Option<&Served>, reporter: &dyn ServeReporter) -> Result<Arc<Site>, SiteError> {
        let started = Instant::now();
        // A fault of ours that one site's files bring about is that site's alone.
        let loaded = catch_unwind(AssertUnwindSafe(|| load::site(entry, &self.stores, &self.sandbox)));
        let mut site = loaded.unwrap_or(Err(SiteError::BrokeOff))?;
        if let Some(last) = last {
            site.metrics = Arc::clone(&last.site.metrics);
            site.executions = Arc::clone(&last.site.executions);
        }
        if !self.dev {
            site.sources = Arc::default();
        }
        reporter.site_ready(&load::ready(&site, entry, started));
        Ok(Arc::new(site))
    }
}
