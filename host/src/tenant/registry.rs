//! Which sites are served: loaded at the start, renewed one by one as their files change. A site that no longer loads keeps
//! serving as it last did.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::Instant;

use super::load::{self, SiteError};
use super::{Site, Table};
use crate::options::{ServeOptions, ServeReporter};
use crate::site::discover::{Discovered, SiteEntry, discover};
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
    stores: Stores,
    /// Swapped whole, never changed in place: a request keeps the revision that it started with.
    table: RwLock<Arc<Table>>,
    served: Mutex<Vec<Served>>,
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
    pub fn load(options: &ServeOptions, stores: Stores, reporter: &dyn ServeReporter) -> Result<Self, LoadError> {
        let registry = Self {
            paths: options.paths.clone(),
            default_site: options.default_site.clone(),
            stores,
            table: RwLock::default(),
            served: Mutex::default(),
        };
        let refused = registry.renew(&|_| true, reporter);
        let table = registry.table();
        if refused > 0 && options.strict {
            return Err(LoadError::Strict(refused));
        }
        match &options.default_site {
            Some(name) if table.fallback.is_none() => Err(LoadError::NoDefault(name.clone())),
            _ if table.by_host.is_empty() => Err(LoadError::NoSite),
            _ => Ok(registry),
        }
    }

    /// The site of a host name without port, in any case.
    pub fn find(&self, host: &str) -> Option<Arc<Site>> {
        self.table().find(host)
    }

    /// Renews what lies at or above one of these paths, and takes in what came and went.
    pub fn changed(&self, touched: &[PathBuf], reporter: &dyn ServeReporter) {
        let is_touched = |site: &Path| {
            let site = site.canonicalize().unwrap_or_else(|_| site.to_path_buf());
            touched.iter().any(|path| path.starts_with(&site))
        };
        self.renew(&is_touched, reporter);
    }

    /// All sites that are served.
    pub fn sites(&self) -> Vec<Arc<Site>> {
        let served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        served.iter().map(|one| Arc::clone(&one.site)).collect()
    }

    fn table(&self) -> Arc<Table> {
        // A panic while the lock was held can only have left a whole table behind.
        Arc::clone(&self.table.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks at the disk again; answers how many sites were refused.
    fn renew(&self, is_touched: &dyn Fn(&Path) -> bool, reporter: &dyn ServeReporter) -> usize {
        let mut served = self.served.lock().unwrap_or_else(PoisonError::into_inner);
        let Discovered { sites, refused: unusable } = discover(&self.paths);
        let mut refused = unusable.len();
        for (name, error) in &unusable {
            reporter.site_refused(name, &error.to_string());
        }
        let mut before: HashMap<PathBuf, Served> = served.drain(..).map(|one| (one.entry.path().to_path_buf(), one)).collect();
        let mut taken = HashMap::new();
        for entry in sites {
            let last = before.remove(entry.path());
            let renewed = match last {
                Some(last) if last.entry == entry && !is_touched(entry.path()) => Ok(last.site),
                last => load_one(&entry, last.as_ref(), &self.stores, reporter).or_else(|error| {
                    refused += 1;
                    reporter.site_refused(entry.name.as_str(), &error.to_string());
                    last.map(|last| Arc::new(last.site.broken(&error))).ok_or(())
                }),
            };
            let Ok(site) = renewed else { continue };
            match claim_hosts(&mut taken, &site) {
                Ok(()) => served.push(Served { entry, site }),
                Err(error) => {
                    refused += 1;
                    reporter.site_refused(entry.name.as_str(), &error.to_string());
                }
            }
        }
        let table = Table::new(served.iter().map(|one| Arc::clone(&one.site)), self.default_site.as_deref());
        *self.table.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
        refused
    }
}

fn load_one(entry: &SiteEntry, last: Option<&Served>, stores: &Stores, reporter: &dyn ServeReporter) -> Result<Arc<Site>, SiteError> {
    let started = Instant::now();
    let mut site = load::site(entry, stores)?;
    if let Some(last) = last {
        site.metrics = Arc::clone(&last.site.metrics);
    }
    reporter.site_ready(&load::ready(&site, started));
    Ok(Arc::new(site))
}

/// A host leads to one site: the second one that names it is refused, so that none can take another's visitors.
fn claim_hosts(taken: &mut HashMap<String, Arc<str>>, site: &Site) -> Result<(), SiteError> {
    for host in &site.hosts {
        if let Some(other) = taken.get(host) {
            return Err(SiteError::HostTaken { host: host.clone(), other: Arc::clone(other) });
        }
    }
    taken.extend(site.hosts.iter().map(|host| (host.clone(), Arc::clone(&site.name))));
    Ok(())
}
