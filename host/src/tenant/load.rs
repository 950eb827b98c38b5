//! From a site on disk to one that can be served. Nothing of its code runs for that.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use djo_contract::model::Contract;
use djo_contract::route::Router;
use djo_contract::section;
use djo_lang::diagnostic;

use super::{Documents, Site, Sites, Table};
use crate::build::recognise;
use crate::options::{ServeOptions, ServeReporter, SiteReady};
use crate::sandbox::{Program, Tenant};
use crate::site::assets::Assets;
use crate::site::discover::{SiteCode, SiteEntry, discover};
use crate::site::sources::{SiteSources, fingerprint_of_component};
use crate::store::Stores;

/// Largest component that is read, in bytes.
const MAX_COMPONENT: u64 = 64 << 20;

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

/// Why one site is refused; for its author.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// Its files cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It does not compile: diagnostics, rendered.
    #[error("{0}")]
    Compile(String),
    /// The component is too large to be read.
    #[error("the component has {0} bytes; at most {MAX_COMPONENT} are read")]
    TooLarge(u64),
    /// The component is not one that this host runs.
    #[error("the component is not a djo site of this version: build it again with `djo-host build`")]
    Foreign,
    /// Another site answers to one of its hosts.
    #[error("the host `{host}` belongs to the site `{other}`")]
    HostTaken {
        /// The host.
        host: String,
        /// Whose it is.
        other: Arc<str>,
    },
    /// Its contract breaks a rule.
    #[error("the contract is invalid: {0}")]
    Contract(String),
}

/// Loads every site that the options name. Bad ones are reported and left out.
///
/// # Errors
/// [`LoadError`]
pub fn load(options: &ServeOptions, stores: &Stores, reporter: &dyn ServeReporter) -> Result<Sites, LoadError> {
    let found = discover(&options.paths);
    let mut refused = found.refused.len();
    for (name, error) in &found.refused {
        reporter.site_refused(name, &error.to_string());
    }
    let mut sites: Vec<Arc<Site>> = Vec::new();
    let mut taken: HashMap<String, Arc<str>> = HashMap::new();
    for entry in &found.sites {
        let started = Instant::now();
        match site(entry, stores).and_then(|site| claim_hosts(&mut taken, site)) {
            Ok(site) => {
                reporter.site_ready(&ready(&site, started));
                sites.push(Arc::new(site));
            }
            Err(error) => {
                refused += 1;
                reporter.site_refused(entry.name.as_str(), &error.to_string());
            }
        }
    }
    if refused > 0 && options.strict {
        return Err(LoadError::Strict(refused));
    }
    let fallback = match &options.default_site {
        Some(name) => {
            let named = sites.iter().find(|site| *site.name == **name);
            Some(Arc::clone(named.ok_or_else(|| LoadError::NoDefault(name.clone()))?))
        }
        None if sites.len() == 1 && refused == 0 => sites.first().map(Arc::clone),
        None => None,
    };
    if sites.is_empty() {
        return Err(LoadError::NoSite);
    }
    Ok(Sites::new(Table::new(sites, fallback)))
}

/// A host leads to one site: the second one that names it is refused, so that none can take another's visitors.
fn claim_hosts(taken: &mut HashMap<String, Arc<str>>, site: Site) -> Result<Site, SiteError> {
    for host in &site.hosts {
        if let Some(other) = taken.get(host) {
            return Err(SiteError::HostTaken { host: host.clone(), other: Arc::clone(other) });
        }
    }
    taken.extend(site.hosts.iter().map(|host| (host.clone(), Arc::clone(&site.name))));
    Ok(site)
}

fn ready(site: &Site, started: Instant) -> SiteReady {
    SiteReady {
        name: site.name.to_string(),
        hosts: site.hosts.clone(),
        routes: site.contract.routes.len(),
        // Actions that only code calls are in the contract too, without a route.
        actions: site.contract.routes.iter().filter(|route| route.action.is_some()).count(),
        size: site.tenant.program.image.len(),
        took: started.elapsed(),
    }
}

/// Loads one site.
///
/// # Errors
/// [`SiteError`]
pub fn site(entry: &SiteEntry, stores: &Stores) -> Result<Site, SiteError> {
    let loaded = match (&entry.code, &entry.folder) {
        (SiteCode::Sources, Some(folder)) => {
            let sources = SiteSources::read(folder)?;
            let revision = sources.fingerprint();
            let compiled = djo_lang::compile(&djo_lang::Sources { files: sources.files })
                .map_err(|failed| SiteError::Compile(diagnostic::render(&failed.files, &failed.diagnostics, false)))?;
            let contract_json = section::encode(&compiled.contract);
            let assets = Assets::load(folder, entry.config.r#static.max_age)?;
            Loaded { image: compiled.image, contract_json, contract: compiled.contract, assets, revision }
        }
        (SiteCode::Component(path), _) => component(entry, path)?,
        (SiteCode::Sources, None) => return Err(SiteError::Foreign),
    };
    assemble(entry, stores, loaded)
}

/// What a site is made of, wherever it came from.
struct Loaded {
    image: Vec<u8>,
    contract_json: String,
    contract: Contract,
    assets: Assets,
    revision: String,
}

/// A built site: ours, byte for byte, so that the shared runtime can run its program.
fn component(entry: &SiteEntry, path: &std::path::Path) -> Result<Loaded, SiteError> {
    let size = std::fs::metadata(path)?.len();
    if size > MAX_COMPONENT {
        return Err(SiteError::TooLarge(size));
    }
    let bytes = std::fs::read(path)?;
    let parts = recognise(&bytes).ok_or(SiteError::Foreign)?.parts;
    let contract = section::decode(parts.contract).map_err(|error| SiteError::Contract(error.to_string()))?;
    let files = parts.files.iter().map(|(path, content)| ((*path).to_owned(), Bytes::copy_from_slice(content)));
    Ok(Loaded {
        image: parts.image.to_vec(),
        contract_json: section::encode(&contract),
        assets: Assets::carried(files, entry.config.r#static.max_age),
        revision: fingerprint_of_component(&bytes),
        contract,
    })
}

fn assemble(entry: &SiteEntry, stores: &Stores, loaded: Loaded) -> Result<Site, SiteError> {
    let Loaded { image, contract_json, contract, assets, revision } = loaded;
    let router = Router::new(&contract).map_err(|error| SiteError::Contract(error.to_string()))?;
    let name: Arc<str> = Arc::from(entry.name.as_str());
    let limits = &entry.config.limits;
    let mut hosts = vec![entry.name.localhost()];
    hosts.extend(entry.config.hosts.iter().cloned());
    let tenant = Tenant {
        name: Arc::clone(&name),
        program: Program { image: image.into(), contract: contract_json.into_bytes().into() },
        store: stores.site(&entry.name, limits.store_mb),
        limits: limits.into(),
    };
    Ok(Site {
        name,
        hosts,
        revision: revision.into(),
        router,
        assets,
        tenant: Arc::new(tenant),
        cache: Arc::default(),
        max_body: usize::try_from(limits.max_body).unwrap_or(usize::MAX),
        documents: Documents::of(&contract),
        contract,
    })
}
