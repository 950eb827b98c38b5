//! Which sites are served: loaded at the start, renewed one by one as their files change. A site that no longer loads keeps
//! serving as it last did.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use arc_swap::ArcSwap;

use super::hosts::{Claim, Owners, PATIENCE};
use super::load::{self, SiteError};
use super::record::Record;
use super::{Site, Table};
use crate::options::{ServeOptions, ServeReporter};
use crate::sandbox::Sandbox;
use crate::site::SiteName;
use crate::site::config::MaxLimit;
use crate::site::discover::{Discovered, Places, SiteEntry, discover_after};
use crate::store::Stores;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A site was refused and `--strict` was given.
    #[error("{0} of the sites cannot be served")]
    Strict(usize),
    /// Not one site can be served.
    #[error("there is no site to serve")]
    NoSite,
    /// `--default` names no site.
    #[error("the default site `{0}` is not among those that are served")]
    NoDefault(String),
}

/// The sites of a host.
pub struct Registry {
    paths: Vec<PathBuf>,
    default_site: Option<String>,
    dev: bool,
    max_limits: Vec<MaxLimit>,
    /// Where it is recorded whose the names and hosts are.
    data: PathBuf,
    stores: Stores,
    sandbox: Arc<Sandbox>,
    /// Swapped whole, never changed in place: a request keeps the revision that it started with. Every request looks here, and a lock
    /// that all threads write to takes ten times as long where two of them meet.
    table: ArcSwap<Table>,
    state: Mutex<State>,
}

/// What is known of the disk.
#[derive(Default)]
struct State {
    served: Vec<Served>,
    /// Who has each name.
    places: Places,
    owners: Owners,
    /// Both as they were last kept for the next start.
    record: Record,
    /// Hosts of sites that are gone since the start.
    retired: HashSet<String>,
    /// It was looked at before.
    looked: bool,
    /// A site waits for the host of one that is gone.
    waits: bool,
}

/// A site on disk, and how it is served.
struct Served {
    entry: SiteEntry,
    site: Arc<Site>,
}

impl Registry {
    /// Loads every site that the options name. Bad ones are reported and left out.
    ///
    /// # Errors
    /// [`LoadError`]
    pub fn load(options: &ServeOptions, stores: Stores, sandbox: Arc<Sandbox>, reporter: &dyn ServeReporter) -> Result<Self, LoadError> {
        let record = Record::load(&options.data);
        let (places, owners) = record.parts();
        let registry = Self {
            paths: options.paths.clone(),
            default_site: options.default_site.clone(),
            dev: options.dev,
            max_limits: options.max_limits.clone(),
            data: options.data.clone(),
            stores,
            sandbox,
            table: ArcSwap::default(),
            state: Mutex::new(State { places, owners, record, ..State::default() }),
        };
        let refused = registry.renew(&|_| true, reporter);
        let table = registry.table.load();
        if refused > 0 && options.strict {
            return Err(LoadError::Strict(refused));
        }
        match &options.default_site {
            Some(name) if table.fallback.is_none() => Err(LoadError::NoDefault(name.clone())),
            _ if table.by_host.is_empty() => Err(LoadError::NoSite),
            _ => {
                drop(table);
                Ok(registry)
            }
        }
    }

    /// The site of a host name without port, in any case.
    pub fn find(&self, host: &str) -> Option<Arc<Site>> {
        self.table.load().find(host)
    }

    /// Renews what lies at or above one of these paths, and takes in what came and went.
    pub fn changed(&self, touched: &[PathBuf], reporter: &dyn ServeReporter) {
        let is_touched = |site: &Path| {
            let site = site.canonicalize().unwrap_or_else(|_| site.to_path_buf());
            touched.iter().any(|path| path.starts_with(&site))
        };
        self.renew(&is_touched, reporter);
    }

    /// Whether a site may be served later though no file of it changes.
    pub fn waits(&self) -> bool {
        self.state.lock().unwrap_or_else(PoisonError::into_inner).waits
    }

    /// All sites that are served.
    pub fn sites(&self) -> Vec<Arc<Site>> {
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.served.iter().map(|one| Arc::clone(&one.site)).collect()
    }

    /// Looks at the disk again; answers how many sites were refused.
    fn renew(&self, is_touched: &dyn Fn(&Path) -> bool, reporter: &dyn ServeReporter) -> usize {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let Discovered { sites: mut entries, refused: unusable, places } = discover_after(&self.paths, &state.places);
        entries.iter_mut().for_each(|entry| entry.config.hold_to(&self.max_limits));
        let mut last: HashMap<SiteName, Served> = state.served.drain(..).map(|one| (one.entry.name.clone(), one)).collect();

        // Every site on disk has a claim to its hosts, also one that cannot be served: nobody else may answer for it.
        let unusable: Vec<_> =
            unusable.into_iter().map(|(shown, error)| (SiteName::new(&shown).ok(), shown, SiteError::from(error))).collect();
        let names: HashSet<&SiteName> = entries.iter().map(|entry| &entry.name).collect();
        let absent = unusable.iter().filter_map(|(name, ..)| name.as_ref()).filter(|name| !names.contains(name));
        let mut claims: Vec<_> = entries.iter().map(|entry| Claim { name: entry.name.as_str(), hosts: load::hosts(entry) }).collect();
        let owned = state.owners.by_site();
        claims.extend(absent.map(|name| {
            let hosts = owned.get(name.as_str()).into_iter().flatten().map(|host| (*host).clone()).collect();
            Claim { name: name.as_str(), hosts }
        }));
        // An author who renames a site does not wait for it.
        let patience = if self.dev { 0 } else { PATIENCE };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let owners = Owners::settle(&claims, &state.owners, now, patience);
        drop((claims, names, owned));

        let mut served = Vec::new();
        let (mut refused, mut waits) = (0, false);
        let mut fail = |last: Option<Served>, entry: Option<SiteEntry>, shown: &str, error: SiteError| {
            refused += 1;
            // The last good revision goes on, as long as its hosts are still its own.
            match last.filter(|last| owners.conflict(&last.site.name, &last.site.hosts).is_none()) {
                Some(last) => {
                    reporter.site_kept(shown, &error);
                    Some(Served { entry: entry.unwrap_or(last.entry), site: Arc::new(last.site.broken(&error)) })
                }
                None => {
                    reporter.site_refused(shown, &error);
                    None
                }
            }
        };
        for entry in entries {
            let last = last.remove(&entry.name);
            let shown = entry.name.clone();
            if let Some((host, owner)) = owners.conflict(entry.name.as_str(), &load::hosts(&entry)) {
                let (host, other) = (host.to_owned(), owner.site.clone());
                let error = match owner.gone {
                    None => SiteError::HostTaken { host, other },
                    Some(_) => {
                        waits = true;
                        SiteError::HostKept { host, other }
                    }
                };
                served.extend(fail(last, Some(entry), shown.as_str(), error));
                continue;
            }
            match last {
                Some(last) if last.entry == entry && !is_touched(entry.path()) => served.push(last),
                last => match self.load_one(&entry, last.as_ref(), reporter) {
                    Ok(site) => served.push(Served { entry, site }),
                    Err(error) => served.extend(fail(last, Some(entry), shown.as_str(), error)),
                },
            }
        }
        for (name, shown, error) in unusable {
            let last = name.and_then(|name| last.remove(&name));
            served.extend(fail(last, None, &shown, error));
        }

        state.waits = waits;
        let mut retired = std::mem::take(&mut state.retired);
        // What is only known from an earlier start keeps no site from answering for all hosts.
        if std::mem::replace(&mut state.looked, true) {
            state.owners.retire(&owners, &mut retired);
        }
        let record = Record::of(&places, &owners);
        if record != state.record {
            record.save(&self.data);
        }
        let reserved = retired.iter().chain(owners.hosts()).cloned().collect();
        let sites = served.iter().map(|one| Arc::clone(&one.site));
        let table = Table::new(sites, self.default_site.as_deref(), reserved);
        self.table.store(Arc::new(table));
        state.served = served;
        state.places = places;
        state.owners = owners;
        state.record = record;
        state.retired = retired;
        refused
    }

    fn load_one(&self, entry: &SiteEntry, last: Option<&Served>, reporter: &dyn ServeReporter) -> Result<Arc<Site>, SiteError> {
        let started = Instant::now();
        let mut site = load::site(entry, &self.stores, &self.sandbox)?;
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
