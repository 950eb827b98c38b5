//! The sites that are served, and how a request's host finds one.

mod hosts;
mod left_out;
pub mod load;
mod look;
mod record;
mod registry;
mod renewal;
#[cfg(test)]
mod tests;
pub mod watch;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use djo_contract::model::Contract;
use djo_contract::route::Router;
use djo_contract::tool::Catalogue;
use tokio::sync::Semaphore;

pub use left_out::Standing;
pub use load::SiteError;
pub use registry::{LoadError, Registry, Stops};

use left_out::Unserved;

use crate::cache::ResponseCache;
use crate::documents::Documents;
use crate::metrics::Metrics;
use crate::protocols::carmy::Discovery;
use crate::protocols::mcp;
use crate::sandbox::{Tenant, aside};
use crate::site::assets::Assets;
use crate::tools::Executions;

/// One revision of a site: all that answering for it takes.
pub struct Site {
    /// Its name.
    pub name: Arc<str>,
    /// Hosts it answers to, in lower case, `NAME.localhost` first.
    pub hosts: Vec<String>,
    /// Hash of what it was built from.
    pub revision: Arc<str>,
    /// A plain wasi:http application: no contract says what it offers, so that every request is its own to answer.
    pub is_plain: bool,
    /// Routes, actions, types.
    pub contract: Arc<Contract>,
    /// Its tools: what every door for agents offers.
    pub tools: Arc<Catalogue>,
    /// Its routes, ready for matching.
    pub router: Router,
    /// Its static files.
    pub assets: Assets,
    /// On whose behalf its code runs.
    pub tenant: Arc<Tenant>,
    /// Its kept responses: of this revision alone.
    pub cache: Arc<ResponseCache>,
    /// Places for runs of this site: its bulkhead against itself and a shield for the others.
    pub places: Arc<Semaphore>,
    /// What the host itself does with its large answers.
    pub aside: aside::Queue,
    /// Calls of its tools that run, or ended a moment ago.
    pub executions: Arc<Executions>,
    /// What is counted of it.
    pub metrics: Arc<Metrics>,
    /// The most bytes of a request body.
    pub max_body: usize,
    /// What it publishes to agents; with it, every response points to the manifest.
    pub documents: Option<Arc<Documents>>,
    /// What it was compiled from, with `--dev`: for its author to see where an error arose. Else empty.
    pub sources: Arc<BTreeMap<String, Vec<u8>>>,
    /// What it tells callers of its tools.
    pub discovery: Option<Arc<Discovery>>,
    /// The same for callers by MCP.
    pub mcp: Arc<mcp::Lists>,
    /// Why the next revision does not load; this one is the last good one.
    pub diagnostics: Option<Arc<str>>,
}

impl Site {
    /// The same revision, marked with why the next one does not load.
    fn broken(&self, why: Arc<str>) -> Self {
        Self {
            name: Arc::clone(&self.name),
            hosts: self.hosts.clone(),
            revision: Arc::clone(&self.revision),
            is_plain: self.is_plain,
            contract: Arc::clone(&self.contract),
            tools: Arc::clone(&self.tools),
            router: self.router.clone(),
            assets: self.assets.clone(),
            tenant: Arc::clone(&self.tenant),
            cache: Arc::clone(&self.cache),
            places: Arc::clone(&self.places),
            aside: self.aside.clone(),
            executions: Arc::clone(&self.executions),
            metrics: Arc::clone(&self.metrics),
            max_body: self.max_body,
            documents: self.documents.clone(),
            sources: Arc::clone(&self.sources),
            discovery: self.discovery.clone(),
            mcp: Arc::clone(&self.mcp),
            diagnostics: Some(why),
        }
    }
}

/// All sites by host.
#[derive(Default)]
struct Table {
    sites: Vec<Arc<Site>>,
    by_host: HashMap<String, Arc<Site>>,
    fallback: Option<Arc<Site>>,
    /// Hosts of sites that cannot be served now: no other site answers for them.
    reserved: HashSet<String>,
    /// Why a host's site cannot be served, for its author.
    why: HashMap<String, Arc<str>>,
    /// The same of the site that hosts nobody names would lead to.
    why_fallback: Option<Arc<str>>,
}

impl Table {
    /// A table of sites. Hosts that nobody names lead to the default site, or to the only one that there is on disk.
    fn new(
        sites: impl IntoIterator<Item = Arc<Site>>,
        default_site: Option<&str>,
        mut reserved: HashSet<String>,
        mut unserved: Vec<Unserved>,
    ) -> Self {
        let mut by_host = HashMap::new();
        let sites: Vec<_> = sites.into_iter().collect();
        for site in &sites {
            for host in &site.hosts {
                reserved.remove(host);
                by_host.insert(host.clone(), Arc::clone(site));
            }
        }
        let fallback = match default_site {
            Some(name) => sites.iter().find(|site| *site.name == *name),
            None if reserved.is_empty() => sites.first().filter(|_| sites.len() == 1),
            None => None,
        };
        let served: HashSet<&str> = sites.iter().map(|site| &*site.name).collect();
        unserved.retain(|one| !served.contains(one.name.as_str()));
        let why_fallback = match default_site {
            Some(name) => unserved.iter().find(|one| one.name == name),
            None => unserved.first().filter(|_| unserved.len() == 1 && sites.is_empty()),
        };
        let why_fallback = why_fallback.map(|one| Arc::clone(&one.why));
        let of_hosts = |one: Unserved| one.hosts.into_iter().map(move |host| (host, Arc::clone(&one.why)));
        let why = unserved.into_iter().flat_map(of_hosts).collect();
        Self { fallback: fallback.cloned(), sites, by_host, reserved, why, why_fallback }
    }

    fn find(&self, host: &str) -> Option<Arc<Site>> {
        let host = &*spelled(host);
        match self.by_host.get(host) {
            Some(site) => Some(Arc::clone(site)),
            None if self.reserved.contains(host) => None,
            None => self.fallback.clone(),
        }
    }

    /// Why nobody answers for a host, where its author is to see that.
    fn why(&self, host: &str) -> Option<Arc<str>> {
        let host = &*spelled(host);
        match self.why.get(host) {
            Some(why) => Some(Arc::clone(why)),
            None if self.reserved.contains(host) => None,
            None => self.why_fallback.clone(),
        }
    }
}

/// A host as the table has it: in lower case, without the root's dot, which is part of the same name.
fn spelled(host: &str) -> Cow<'_, str> {
    let host = host.strip_suffix('.').unwrap_or(host);
    match host.bytes().any(|byte| byte.is_ascii_uppercase()) {
        true => Cow::Owned(host.to_ascii_lowercase()),
        false => Cow::Borrowed(host),
    }
}
