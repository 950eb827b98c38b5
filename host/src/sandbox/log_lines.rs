//! The log of one run: bounded, for itself and with all other runs of its site, so that no site can fill it, and told apart from what the
//! host says itself.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use super::bindings::djo::site::log::Level;
use super::{Share, Tenant};
use crate::text::{cut, one_line};

/// A site's log line is cut here, and one run writes so many.
pub(super) const LOG_LINE: usize = 8 << 10;
const LOG_LINES: u32 = 1000;

/// Where a run's lines go.
pub(super) struct LogLines {
    site: Arc<str>,
    share: Arc<Share>,
    request: Arc<str>,
    written: AtomicU32,
}

impl LogLines {
    pub(super) fn new(tenant: &Tenant, request: Arc<str>) -> Self {
        Self { site: Arc::clone(&tenant.name), share: Arc::clone(&tenant.share), request, written: AtomicU32::new(0) }
    }

    pub(super) fn write(&self, level: Level, message: &str) {
        let before = self.written.fetch_update(Relaxed, Relaxed, |written| Some(written.saturating_add(1))).unwrap_or(u32::MAX);
        let message = match before.saturating_add(1).cmp(&LOG_LINES) {
            Ordering::Less => one_line(cut(message, LOG_LINE)),
            Ordering::Equal => {
                self.share.leave_out();
                "the rest of this run's lines is left out".into()
            }
            Ordering::Greater => return self.share.leave_out(),
        };
        let (site, request) = (&*self.site, &*self.request);
        if !self.share.may_log(message.len()) {
            return;
        }
        match level {
            Level::Print => tracing::info!(target: "djo::print", site, request, "{message}"),
            Level::Info => tracing::info!(target: "djo::log", site, request, "{message}"),
            Level::Warn => tracing::warn!(target: "djo::log", site, request, "{message}"),
            Level::Error => tracing::error!(target: "djo::log", site, request, "{message}"),
        }
    }
}
