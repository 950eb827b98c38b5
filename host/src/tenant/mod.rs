//! The sites that are served, and how a request's host finds one.

pub mod documents;
pub mod load;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};

use djo_contract::model::Contract;
use djo_contract::route::Router;

pub use documents::{Document, Documents, MANIFEST_PATH};
pub use load::LoadError;

use crate::cache::ResponseCache;
use crate::sandbox::Tenant;
use crate::site::assets::Assets;

/// One revision of a site: all that answering for it takes.
pub struct Site {
    /// Its name.
    pub name: Arc<str>,
    /// Hosts it answers to, in lower case, `NAME.localhost` first.
    pub hosts: Vec<String>,
    /// Hash of what it was built from.
    pub revision: Arc<str>,
    /// Routes, actions, types.
    pub contract: Contract,
    /// Its routes, ready for matching.
    pub router: Router,
    /// Its static files.
    pub assets: Assets,
    /// On whose behalf its code runs.
    pub tenant: Arc<Tenant>,
    /// Its kept responses: of this revision alone.
    pub cache: Arc<ResponseCache>,
    /// The most bytes of a request body.
    pub max_body: usize,
    /// What it publishes to agents; with it, every response points to the manifest.
    pub documents: Option<Documents>,
}

/// All sites by host. Swapped whole, never changed in place.
#[derive(Default)]
pub struct Table {
    by_host: HashMap<String, Arc<Site>>,
    fallback: Option<Arc<Site>>,
}

/// The table in use.
pub struct Sites(RwLock<Arc<Table>>);

impl Table {
    /// A table of sites; `fallback` answers for hosts that no site names.
    pub fn new(sites: impl IntoIterator<Item = Arc<Site>>, fallback: Option<Arc<Site>>) -> Self {
        let mut by_host = HashMap::new();
        for site in sites {
            for host in &site.hosts {
                by_host.entry(host.clone()).or_insert_with(|| Arc::clone(&site));
            }
        }
        Self { by_host, fallback }
    }
}

impl Sites {
    /// Starts with this table.
    pub fn new(table: Table) -> Self {
        Self(RwLock::new(Arc::new(table)))
    }

    /// The site of a host name without port, in any case.
    pub fn find(&self, host: &str) -> Option<Arc<Site>> {
        // A panic while the lock was held can only have left a whole table behind.
        let table = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let found = match table.by_host.get(host) {
            None if host.bytes().any(|byte| byte.is_ascii_uppercase()) => table.by_host.get(&host.to_ascii_lowercase()),
            found => found,
        };
        found.or(table.fallback.as_ref()).map(Arc::clone)
    }

    /// Replaces the table: requests under way keep the site they have.
    pub fn swap(&self, table: Table) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(table);
    }
}
