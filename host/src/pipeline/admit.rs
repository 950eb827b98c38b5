//! The agents' lane, first gate: how often a client may ask. The screen never stands in it.

use std::sync::Arc;

use super::Scene;
use super::negotiate::{Face, Negotiated};
use crate::sandbox::Entry;
use crate::server::Host;
use crate::tenant::Site;

/// A request that may go on.
pub(super) struct Admitted {
    /// The site.
    pub site: Arc<Site>,
    /// What will answer.
    pub face: Face,
}

/// Why it may not.
#[derive(Debug, thiserror::Error)]
pub enum AdmitError {
    /// The client asks too often.
    #[error("over the rate")]
    OverRate,
}

/// Counts a request of an agent or to an action against its client.
pub(super) fn admit(host: &Host, scene: &mut Scene, negotiated: Negotiated) -> Result<Admitted, AdmitError> {
    let Negotiated { site, face } = negotiated;
    let metered = matches!(face, Face::Document(_) | Face::Door(_) | Face::Run { entry: Entry::Agent(_) | Entry::Action(_), .. });
    if metered {
        scene.standing = host.rate.check(scene.client);
        if scene.standing.is_some_and(|standing| standing.refused) {
            return Err(AdmitError::OverRate);
        }
    }
    Ok(Admitted { site, face })
}
