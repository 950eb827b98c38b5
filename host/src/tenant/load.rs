//! From a site on disk to one that can be served. Nothing of its code runs for that.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use djo_contract::model::Contract;
use djo_contract::route::{Router, is_reserved};
use djo_contract::section;
use djo_contract::tool::{Catalogue, ToolError};
use djo_lang::diagnostic;
use tokio::sync::Semaphore;

use super::Site;
use crate::build::{BuildError, Inspection, inspect, read_files, recognise, site_of_portable};
use crate::documents::Documents;
use crate::options::SiteReady;
use crate::protocols::carmy::Discovery;
use crate::sandbox::{Code, ComponentError, Door, Outbound, Program, Reuse, Sandbox, Tenant, aside};
use crate::site::FileError;
use crate::site::assets::Assets;
use crate::site::compile::compile;
use crate::site::config::{ConfigError, Isolation};
use crate::site::discover::{EntryError, SiteCode, SiteEntry};
use crate::site::file::{self, MAX_COMPONENT, shown};
use crate::site::sources::{SiteSources, fingerprint_of_component};
use crate::store::Stores;

/// Largest component with code of its own, in bytes. All of it is compiled, which is what its size costs.
const MAX_OWN: usize = 32 << 20;

/// Diagnostics of a site that are told where others' are told, too: whoever has more looks at the rest with `check`.
const MAX_TOLD: usize = 50;

/// Why one site is refused; for its author.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// Its files cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// Its component is not read: what there is is no such file, or not the site's.
    #[error(transparent)]
    File(FileError),
    /// A site in Rust whose component is not there.
    #[error("{} is not there: build it with `djo-host build {}`", shown(component), shown(folder))]
    NotBuilt {
        /// What its `site.toml` names.
        component: PathBuf,
        /// Its folder.
        folder: PathBuf,
    },
    /// It is no usable site: its place, its name or its `site.toml`.
    #[error("{0}")]
    Entry(EntryError),
    /// It does not compile: diagnostics, rendered.
    #[error("{0}")]
    Compile(String),
    /// The component is larger than what is taken.
    #[error("the component has {size} bytes; at most {most} are taken")]
    TooLarge {
        /// Its bytes.
        size: u64,
        /// The most there may be.
        most: u64,
    },
    /// The component cannot be read.
    #[error("the component cannot be read: {0}")]
    Component(#[from] BuildError),
    /// The component answers no requests that this host could hand it.
    #[error("the component has no door: it exports neither djo:site/handler@0.1 with a contract nor wasi:http/incoming-handler@0.2")]
    NoDoor,
    /// The component cannot run here.
    #[error(transparent)]
    Code(#[from] ComponentError),
    /// A folder with sources was asked for and there is none.
    #[error("the site has no folder")]
    NoFolder,
    /// Another site answers to one of its hosts.
    #[error("the host `{host}` belongs to the site `{other}`")]
    HostTaken {
        /// The host.
        host: String,
        /// Whose it is.
        other: String,
    },
    /// Another site answered to one of its hosts a while ago.
    #[error("the host `{host}` is kept for the site `{other}`, which is gone, for an hour")]
    HostKept {
        /// The host.
        host: String,
        /// Whose it was.
        other: String,
    },
    /// It could not be loaded for a fault of the host's, which is on the log.
    #[error("the site could not be loaded: this is a fault of djo-host")]
    BrokeOff,
    /// Its contract breaks a rule.
    #[error("the contract is invalid: {0}")]
    Contract(String),
}

impl From<EntryError> for SiteError {
    /// What is wrong with a `site.toml` is told as it is of sources, and with what is wrong with those.
    fn from(error: EntryError) -> Self {
        match &error {
            EntryError::Config { path, source: ConfigError::Problems(problems) } => match compile(path, problems) {
                Ok(outcome) => Self::Compile(outcome.render_first(MAX_TOLD)),
                Err(_) => Self::Entry(error),
            },
            _ => Self::Entry(error),
        }
    }
}

/// The hosts that a site asks for, `NAME.localhost` first.
pub(super) fn hosts(entry: &SiteEntry) -> Vec<String> {
    std::iter::once(entry.name.localhost()).chain(entry.config.hosts.iter().cloned()).collect()
}

/// What to report of a site that can be served.
pub(super) fn ready(site: &Site, entry: &SiteEntry, started: Instant) -> SiteReady {
    SiteReady {
        name: site.name.to_string(),
        hosts: site.hosts.clone(),
        routes: site.contract.routes.len(),
        // Actions that only code calls are in the contract too, without a route.
        actions: site.contract.routes.iter().filter(|route| route.action.is_some()).count(),
        size: site.tenant.code.size(),
        withheld: entry.config.withheld.clone(),
        took: started.elapsed(),
    }
}

/// Loads one site.
///
/// # Errors
/// [`SiteError`]
pub fn site(entry: &SiteEntry, stores: &Stores, sandbox: &Sandbox) -> Result<Site, SiteError> {
    let loaded = match (&entry.code, &entry.folder) {
        (SiteCode::Sources, Some(folder)) => {
            let sources = SiteSources::read(folder)?;
            let revision = sources.fingerprint();
            let sources = djo_lang::Sources { files: sources.files };
            let compiled = djo_lang::compile(&sources)
                .map_err(|failed| SiteError::Compile(diagnostic::render_first(&failed.files, &failed.diagnostics, false, MAX_TOLD)))?;
            let code = djo(&compiled.image, &compiled.contract);
            let assets = Assets::load(folder, entry.config.max_age(None))?;
            Loaded { code, contract: Some(compiled.contract), assets, revision, sources: sources.files }
        }
        (SiteCode::Component(path), _) => component(entry, path, sandbox)?,
        (SiteCode::Sources, None) => return Err(SiteError::NoFolder),
    };
    assemble(entry, stores, sandbox, loaded)
}

/// What a site is made of, wherever it came from.
struct Loaded {
    code: Code,
    /// A plain wasi:http application has none.
    contract: Option<Contract>,
    assets: Assets,
    revision: String,
    sources: BTreeMap<String, Vec<u8>>,
}

fn djo(image: &[u8], contract: &Contract) -> Code {
    Code::Djo(Program { image: image.into(), contract: section::encode(contract).into_bytes().into() })
}

/// A component: a djo site of ours, byte for byte, whose program the shared runtime runs, or one with code of its own.
fn component(entry: &SiteEntry, path: &Path, sandbox: &Sandbox) -> Result<Loaded, SiteError> {
    let bytes = file::read(path, entry.within.as_deref(), MAX_COMPONENT).map_err(|error| match (error, &entry.folder) {
        (error, Some(folder)) if error.is_absent() && folder.join("Cargo.toml").is_file() => {
            SiteError::NotBuilt { component: path.to_owned(), folder: folder.clone() }
        }
        (FileError::TooLarge { size, most, .. }, _) => SiteError::TooLarge { size, most },
        (error, _) => SiteError::File(error),
    })?;
    if let Some(site) = recognise(&bytes) {
        let contract = decode(site.parts.contract)?;
        let files = site.parts.files.iter().map(|(path, content)| ((*path).to_owned(), Bytes::copy_from_slice(content)));
        let code = djo(site.parts.image, &contract);
        return Ok(Loaded {
            code,
            assets: Assets::carried(files, entry.config.max_age(Some(&contract.wanted))),
            revision: fingerprint_of_component(&bytes),
            sources: BTreeMap::new(),
            contract: Some(contract),
        });
    }
    let (_, carried) = read_files(&bytes)?;
    if bytes.len() - carried > MAX_OWN {
        return Err(SiteError::TooLarge { size: (bytes.len() - carried) as u64, most: MAX_OWN as u64 });
    }
    // What stands in for this host on another one would only be in the way: a second instance for each request.
    let own = site_of_portable(&bytes).unwrap_or(0..bytes.len());
    let wasm = &bytes[own.clone()];
    let (files, _) = read_files(wasm)?;
    let inspection = inspect(wasm)?;
    let mut contract = inspection.contract.map(decode).transpose()?;
    let door = door(&inspection, contract.is_some())?;
    if let Some(contract) = contract.as_mut().filter(|_| door == Door::Http) {
        // Only the typed door can be asked for a page that no path leads to.
        contract.error_pages.clear();
    }
    let code = Code::Component(sandbox.component(path, &bytes, own, &inspection.imports, door)?);
    // A plain application answers for every path; beside a contract's routes there is room for static files. Those of the folder are what
    // its author has before the eyes; those that the component carries are as old as its build.
    let folder = entry.folder.as_deref().filter(|_| contract.is_some());
    let max_age = entry.config.max_age(contract.as_ref().map(|contract| &contract.wanted));
    let mut assets = folder.map(|folder| Assets::load(folder, max_age)).transpose()?.unwrap_or_default();
    if assets.is_empty() && contract.is_some() {
        assets = Assets::carried(files.into_iter().map(|(path, content)| (path.to_owned(), Bytes::copy_from_slice(content))), max_age);
    }
    Ok(Loaded { code, contract, assets, revision: fingerprint_of_component(&bytes), sources: BTreeMap::new() })
}

/// The door by which a component is called.
fn door(inspection: &Inspection<'_>, has_contract: bool) -> Result<Door, SiteError> {
    if has_contract && inspection.has_typed_door() {
        Ok(Door::Typed)
    } else if inspection.has_http_door() {
        Ok(Door::Http)
    } else {
        Err(SiteError::NoDoor)
    }
}

/// A contract that anyone may have written.
fn decode(bytes: &[u8]) -> Result<Contract, SiteError> {
    let contract = section::decode(bytes).map_err(|error| SiteError::Contract(error.to_string()))?;
    match contract.routes.iter().find(|route| is_reserved(&route.path)) {
        Some(route) => Err(SiteError::Contract(format!("o caminho `{}` é reservado", route.path))),
        None => Ok(contract),
    }
}

fn assemble(entry: &SiteEntry, stores: &Stores, sandbox: &Sandbox, loaded: Loaded) -> Result<Site, SiteError> {
    let Loaded { code, contract, assets, revision, sources } = loaded;
    let is_plain = contract.is_none();
    let contract = Arc::new(contract.unwrap_or_default());
    let router = Router::new(&contract).map_err(|error| SiteError::Contract(error.to_string()))?;
    let tools = Arc::new(Catalogue::of(&contract).map_err(|error| SiteError::Contract(of_route(&contract, &error)))?);
    let name: Arc<str> = Arc::from(entry.name.as_str());
    let limits = &entry.config.limits;
    let store = stores.site(&entry.name, limits.store_mb);
    // Nothing of a djo program outlives its run. Of other code its owner alone can know.
    let reuse = entry.config.isolation.map_or(matches!(code, Code::Djo(_)), |isolation| isolation == Isolation::Reuse);
    let outbound = Arc::new(Outbound::new(&entry.config));
    let (share, reuse) = (sandbox.share(&name), reuse.then(Reuse::default));
    let tenant = Tenant { name: Arc::clone(&name), code, store, limits: limits.into(), outbound, share, reuse };
    let discovery = Discovery::of(&name, &contract, &tools).map(Arc::new);
    Ok(Site {
        hosts: hosts(entry),
        revision: revision.into(),
        router,
        assets,
        tenant: Arc::new(tenant),
        cache: Arc::default(),
        executions: Arc::default(),
        metrics: Arc::default(),
        aside: aside::Queue::default(),
        places: Arc::new(Semaphore::new(limits.concurrency as usize)),
        max_body: usize::try_from(limits.max_body).unwrap_or(usize::MAX),
        discovery,
        mcp: Arc::default(),
        documents: Documents::of(&name, &contract, &tools).map(Arc::new),
        tools,
        sources: Arc::new(sources),
        diagnostics: None,
        contract,
        is_plain,
        name,
    })
}

/// What a tool breaks, and the route that gives it.
fn of_route(contract: &Contract, error: &ToolError) -> String {
    match contract.routes.get(error.route()) {
        Some(route) => format!("{error} (na rota {} {})", route.method.as_str(), route.path),
        None => error.to_string(),
    }
}
