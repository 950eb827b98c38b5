//! Keyed calls: what is asked for twice under one key runs once, and is answered alike. The record is in the site's own store.

use std::hash::{BuildHasher, RandomState};
use std::sync::{Arc, LazyLock};

use super::caller::{Caller, hash};
use crate::sandbox::Tenant;
use crate::store::{Claim, MAX_BODY, NewExecution, Outcome, SiteStore, Standing, StoreError};

/// This process, among all that ever used a store.
static PROCESS: LazyLock<String> = LazyLock::new(|| {
    let random = |part: u8| RandomState::new().hash_one((part, std::process::id()));
    format!("{:016x}{:016x}", random(0), random(1))
});

/// A call under a key.
pub struct Keyed<'a> {
    /// The key space: a door's, or an action's within one.
    pub space: &'a str,
    /// Whose key it is.
    pub caller: Caller,
    /// The key.
    pub key: &'a str,
    /// What else must be the same: the tool and its decoded arguments.
    pub fingerprint: &'a [&'a [u8]],
    /// By what name the run can be asked for.
    pub execution: Option<&'a str>,
    /// Running it twice would do no harm.
    pub repeatable: bool,
    /// The id of the HTTP request, for the log.
    pub http_id: &'a Arc<str>,
}

/// What a key came to.
pub enum Claimed {
    /// It is this run's.
    Granted(Ticket),
    /// The run has ended before.
    Ended(Outcome),
    /// It is running; by this name it can be asked for.
    Running(Option<String>),
    /// It started and nobody knows how it ended.
    Unknown(Option<String>),
    /// The key was used for something else.
    Mismatch,
}

/// The duty to put the end of a keyed run on record. Dropped before that is done, it frees the key of a run that never started or may
/// be repeated, and marks any other as unknown: whoever asked has gone, and the run with it.
pub struct Ticket {
    tenant: Arc<Tenant>,
    scope: [u8; 32],
    http_id: Arc<str>,
    repeatable: bool,
    started: bool,
    settled: bool,
}

/// Claims a key.
///
/// # Errors
/// When the record cannot be written; nothing may run then.
pub fn claim(tenant: &Arc<Tenant>, keyed: &Keyed<'_>) -> Result<Claimed, StoreError> {
    let scope = hash(&[keyed.space.as_bytes(), keyed.caller.as_bytes(), keyed.key.as_bytes()]);
    let arguments = hash(keyed.fingerprint);
    let new =
        NewExecution { scope: &scope, arguments: &arguments, process: &PROCESS, name: keyed.execution, caller: keyed.caller.as_bytes() };
    Ok(match tenant.store.claim(&new)? {
        Claim::Granted => {
            let (tenant, http_id, repeatable) = (Arc::clone(tenant), Arc::clone(keyed.http_id), keyed.repeatable);
            Claimed::Granted(Ticket { tenant, scope, http_id, repeatable, started: false, settled: false })
        }
        Claim::Ended(outcome) => Claimed::Ended(outcome),
        Claim::Running(name) => Claimed::Running(name),
        Claim::Unknown(name) => Claimed::Unknown(name),
        Claim::Mismatch => Claimed::Mismatch,
    })
}

/// How the run of that name stands, for who called it; `None` when nothing is on record.
///
/// # Errors
/// When the record cannot be read.
pub fn standing(store: &SiteStore, name: &str, caller: &Caller) -> Result<Option<Standing>, StoreError> {
    store.execution(name, caller.as_bytes(), &PROCESS)
}

impl Ticket {
    /// Tells whether the run may have had effects.
    pub fn set_started(&mut self, started: bool) {
        self.started = started;
    }

    /// Whether the run may have had effects.
    pub fn has_started(&self) -> bool {
        self.started
    }

    /// Frees the key: the same call may come again.
    pub fn release(mut self) {
        self.repeatable = true;
    }

    fn log(&self, error: &StoreError) {
        self.tenant.log_error(&self.http_id, &format!("keyed run: {}", error.detail()));
    }

    /// Puts the answer on record, before it is sent. One that is too long to be kept can be asked for again only by running again.
    pub fn settle(mut self, outcome: &Outcome) {
        if outcome.body.len() > MAX_BODY && self.repeatable {
            return;
        }
        match self.tenant.store.settle(&self.scope, outcome) {
            Ok(()) => self.settled = true,
            Err(error) => self.log(&error),
        }
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        if self.settled {
            return;
        }
        let unknown = self.started && !self.repeatable;
        let ended = if unknown { self.tenant.store.abandon(&self.scope) } else { self.tenant.store.release(&self.scope) };
        if let Err(error) = ended {
            self.log(&error);
        }
    }
}
