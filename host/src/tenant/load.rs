//! From a site on disk to one that can be served. Nothing of its code runs for that.

use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use djo_contract::model::Contract;
use djo_contract::route::Router;
use djo_contract::section;
use djo_lang::diagnostic;
use tokio::sync::Semaphore;

use super::{Documents, Site};
use crate::build::recognise;
use crate::options::SiteReady;
use crate::sandbox::{Program, Tenant};
use crate::site::assets::Assets;
use crate::site::discover::{EntryError, SiteCode, SiteEntry};
use crate::site::sources::{SiteSources, fingerprint_of_component};
use crate::store::Stores;

/// Largest component that is read, in bytes.
const MAX_COMPONENT: u64 = 64 << 20;

/// Why one site is refused; for its author.
#[derive(Debug, thiserror::Error)]
pub enum SiteError {
    /// Its files cannot be read.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// It is no usable site: its place, its name or its `site.toml`.
    #[error("{0}")]
    Entry(EntryError),
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
        other: String,
    },
    /// Its contract breaks a rule.
    #[error("the contract is invalid: {0}")]
    Contract(String),
}

/// The hosts that a site asks for, `NAME.localhost` first.
pub(super) fn hosts(entry: &SiteEntry) -> Vec<String> {
    std::iter::once(entry.name.localhost()).chain(entry.config.hosts.iter().cloned()).collect()
}

/// What to report of a site that can be served.
pub(super) fn ready(site: &Site, started: Instant) -> SiteReady {
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
    let tenant = Tenant {
        name: Arc::clone(&name),
        program: Program { image: image.into(), contract: contract_json.into_bytes().into() },
        store: stores.site(&entry.name, limits.store_mb),
        limits: limits.into(),
    };
    Ok(Site {
        name,
        hosts: hosts(entry),
        revision: revision.into(),
        router,
        assets,
        tenant: Arc::new(tenant),
        cache: Arc::default(),
        metrics: Arc::default(),
        places: Arc::new(Semaphore::new(limits.concurrency as usize)),
        max_body: usize::try_from(limits.max_body).unwrap_or(usize::MAX),
        documents: Documents::of(&contract),
        diagnostics: None,
        contract,
    })
}
