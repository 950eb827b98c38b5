//! Which sites are served: loaded at the start, renewed one by one as their files change. A site that no longer loads keeps
//! serving as it last did.

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;

use super::left_out::Standing;
use super::look::{Spot, Touched};
use super::record::Record;
use super::renewal::State;
use super::{Site, Table};
use crate::options::{ServeOptions, ServeReporter};
use crate::sandbox::Sandbox;
use crate::site::config::MaxLimit;
use crate::store::Stores;

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// A site was refused and `--strict` was given.
    #[error("{0} of the sites cannot be served")]
    Strict(usize),
    /// There is no site, not even one that cannot be served.
    #[error("there is no site to serve")]
    NoSite,
    /// `--default` names no site that is there, be it broken.
    #[error("there is no site `{0}` to be the default one")]
    NoDefault(String),
    /// Loading was given up: the host is to stop.
    #[error("loading was given up")]
    Abandoned,
}

/// The sites of a host.
pub struct Registry {
    pub(super) paths: Vec<PathBuf>,
    pub(super) default_site: Option<String>,
    pub(super) dev: bool,
    pub(super) max_limits: Vec<MaxLimit>,
    /// Where stores are, and where it is recorded whose the names and hosts are.
    pub(super) data: PathBuf,
    pub(super) stores: Stores,
    pub(super) sandbox: Arc<Sandbox>,
    /// Swapped whole, never changed in place: a request keeps the revision that it started with. Every request looks here, and a lock
    /// that all threads write to takes ten times as long where two of them meet.
    pub(super) table: ArcSwap<Table>,
    /// Held for as long as a renewal takes: by nobody who serves.
    state: Mutex<State>,
    pub(super) standing: Standing,
    stops: Stops,
}

/// Tells whoever loads sites to give up.
#[derive(Clone, Debug, Default)]
pub struct Stops(Arc<AtomicBool>);

impl Stops {
    /// From now on no site is loaded.
    pub fn stop(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Registry {
    /// Loads every site that the options name. Bad ones are reported and left out, be it all of them: each is served once it is mended.
    ///
    /// # Errors
    /// [`LoadError`]
    pub fn load(
        options: &ServeOptions,
        stores: Stores,
        sandbox: Arc<Sandbox>,
        reporter: &dyn ServeReporter,
        stops: Stops,
    ) -> Result<Self, LoadError> {
        let state = State::from(Record::load(&options.data));
        let registry = Self {
            paths: options.paths.clone(),
            default_site: options.default_site.clone(),
            dev: options.dev,
            max_limits: options.max_limits.clone(),
            data: options.data.clone(),
            stores,
            sandbox,
            table: ArcSwap::default(),
            state: Mutex::new(state),
            standing: Standing::default(),
            stops,
        };
        let (refused, names, hopes) = {
            let mut state = registry.state();
            registry.renew_in(&mut state, &HashSet::new(), reporter);
            (state.refusals(), state.names(), state.hopes())
        };
        let is_empty = registry.table.load().by_host.is_empty();
        match &options.default_site {
            _ if registry.stops.is_stopped() => Err(LoadError::Abandoned),
            _ if refused > 0 && options.strict => Err(LoadError::Strict(refused)),
            Some(name) if !names.contains(name) => Err(LoadError::NoDefault(name.clone())),
            _ if is_empty && !hopes => Err(LoadError::NoSite),
            _ => {
                if is_empty {
                    tracing::warn!("no site can be served yet: each is once its files are mended");
                }
                Ok(registry)
            }
        }
    }

    /// The site of a host name without port, in any case.
    pub fn find(&self, host: &str) -> Option<Arc<Site>> {
        self.table.load().find(host)
    }

    /// With `--dev`: why the site of a host that [`Registry::find`] finds no site for cannot be served.
    pub fn why_not(&self, host: &str) -> Option<Arc<str>> {
        self.table.load().why(host)
    }

    /// How many sites are not served as they are on disk.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// All sites that are served, by name.
    pub fn sites(&self) -> Vec<Arc<Site>> {
        self.table.load().sites.clone()
    }

    /// Which of the places that are looked at one of these paths touches.
    pub(super) fn touched(&self, paths: Vec<PathBuf>) -> HashSet<PathBuf> {
        let touched = Touched::of(paths);
        self.state().spots.iter().filter(|(_, (_, spot))| spot.is_touched(&touched)).map(|(path, _)| path.clone()).collect()
    }

    /// Which of these places, or of all, do not look any more as they did before what is served was read from them.
    pub(super) fn changed(&self, places: Option<&HashSet<PathBuf>>) -> HashSet<PathBuf> {
        let mut state = self.state();
        if places.is_none() {
            state.save(&self.data);
        }
        let among = |path: &Path| places.is_none_or(|places| places.contains(path));
        let spots = state.spots.iter().filter(|(path, _)| among(path));
        spots.filter(|(_, (target, spot))| Spot::of(target, &self.except()).mark != spot.mark).map(|(path, _)| path.clone()).collect()
    }

    /// How each place looked.
    pub(super) fn spots(&self) -> HashMap<PathBuf, Arc<Spot>> {
        self.state().spots.iter().map(|(path, (_, spot))| (path.clone(), Arc::clone(spot))).collect()
    }

    /// Renews what lies at the places that were touched, and takes in what came and went. Answers what it took to look at all, without what
    /// it took to load some.
    pub(super) fn renew(&self, touched: &HashSet<PathBuf>, reporter: &dyn ServeReporter) -> Duration {
        self.renew_in(&mut self.state(), touched, reporter)
    }

    /// When there is to be a renewal though nothing changes.
    pub(super) fn due(&self) -> Option<Instant> {
        self.state().due
    }

    /// That time has come.
    pub(super) fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due <= Instant::now())
    }

    /// The data folder may be in one of sites. What the host writes is no change.
    pub(super) fn except(&self) -> PathBuf {
        self.data.canonicalize().or_else(|_| std::path::absolute(&self.data)).unwrap_or_else(|_| self.data.clone())
    }

    pub(super) fn is_stopped(&self) -> bool {
        self.stops.is_stopped()
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
