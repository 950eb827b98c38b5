//! HTTP calls of a site to other servers. Two doors lead here, `djo:site/outbound` for djo and whoever knows us, `wasi:http` for the
//! rest; both go by one policy and one client:
//!
//! `Call::new → allow-list → count → place → resolve and judge → connect to what was judged → limits`
//!
//! Every redirect that is followed goes the whole way again. A connection serves one call: nothing of it is kept for another.

mod address;
mod door;
mod error;
mod exchange;
mod hooks;
mod resolve;
mod tls;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use djo_contract::fetch::Origin;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::Share;
use crate::site::config::{Limits, SiteConfig};
use error::FetchError;
pub(super) use hooks::Hooks;
use tls::Tls;

/// Calls of one site that may be under way at once: what they hold of this machine's memory and connections is bounded by it.
const PLACES: usize = 16;

/// Where a site may call, and how much of it: shared by all its runs.
pub struct Outbound {
    allow: Vec<Origin>,
    /// Calls of one run.
    calls: u32,
    /// Bytes of a body, either way.
    most: usize,
    places: Arc<Semaphore>,
    lookups: Arc<Semaphore>,
    tls: Tls,
}

impl Outbound {
    /// What the owner of a site allows.
    #[must_use]
    pub fn new(config: &SiteConfig) -> Self {
        let Limits { outbound_calls, max_response, .. } = config.limits;
        Self {
            allow: config.outbound.allow.clone(),
            calls: outbound_calls,
            most: usize::try_from(max_response).unwrap_or(usize::MAX),
            places: Arc::new(Semaphore::new(PLACES)),
            lookups: Arc::new(Semaphore::new(resolve::LOOKUPS_OF_SITE)),
            tls: Tls::default(),
        }
    }
}

/// The calls of one run, by whichever door.
pub(super) struct Calls {
    outbound: Arc<Outbound>,
    made: AtomicU32,
    /// For the log.
    share: Arc<Share>,
    site: Arc<str>,
    request_id: Arc<str>,
}

impl Calls {
    pub(super) fn new(outbound: &Arc<Outbound>, share: &Arc<Share>, site: &Arc<str>, request_id: &Arc<str>) -> Arc<Self> {
        let (outbound, share) = (Arc::clone(outbound), Arc::clone(share));
        Arc::new(Self { outbound, made: AtomicU32::new(0), share, site: Arc::clone(site), request_id: Arc::clone(request_id) })
    }

    /// Whether the origin is one that the owner named, and one more call may be made. The place is held until the call is over.
    async fn admit(&self, origin: &Origin) -> Result<OwnedSemaphorePermit, FetchError> {
        if !self.outbound.allow.contains(origin) {
            return Err(FetchError::NotAllowed(origin.clone()));
        }
        let most = self.outbound.calls;
        if self.made.fetch_add(1, Ordering::Relaxed) >= most {
            return Err(FetchError::Spent(most));
        }
        let places = Arc::clone(&self.outbound.places);
        places.acquire_owned().await.map_err(|_| FetchError::Busy(PLACES))
    }

    /// Puts on record what the site's code is not told.
    fn log(&self, origin: &Origin, error: &FetchError) {
        let (site, request, detail) = (&*self.site, &*self.request_id, error.detail());
        match error {
            FetchError::Prohibited { .. } if self.share.may_log(detail.as_deref().map_or(0, str::len)) => {
                tracing::warn!(site, request, %origin, detail, "an outbound call is refused");
            }
            FetchError::Prohibited { .. } => {}
            _ => tracing::debug!(site, request, %origin, detail, "an outbound call failed: {error}"),
        }
    }
}
