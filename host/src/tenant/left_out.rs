//! What lies on disk and is not served as it lies there, and why.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::hosts::Owners;
use crate::site::SiteName;
use crate::site::discover::SiteEntry;

/// Why a site was refused. The same reason is not told again.
#[derive(PartialEq)]
pub(super) enum Cause {
    /// It is no usable site, in these words.
    Entry(String),
    /// It does not load, being this.
    Code(Box<SiteEntry>),
    /// One of its hosts is another's.
    Host(String),
}

/// What was refused when it was last looked at.
pub(super) struct LeftOut {
    pub(super) cause: Cause,
    /// The name that is its own, where it has one.
    pub(super) name: Option<SiteName>,
    /// What its author is told.
    pub(super) why: Arc<str>,
}

/// All of it, by place.
pub(super) type AllLeftOut = HashMap<PathBuf, LeftOut>;

/// A site that is not served as it is, for its author to see why.
pub(super) struct Unserved {
    pub(super) name: String,
    /// The hosts that are its own.
    pub(super) hosts: Vec<String>,
    pub(super) why: Arc<str>,
}

impl Unserved {
    /// Those among what was left out that have a name of their own; of some an earlier version may be served.
    pub(super) fn among<'a>(left_out: impl Iterator<Item = &'a LeftOut>, owners: &Owners) -> Vec<Self> {
        let owned = owners.by_site();
        let unserved = left_out.filter_map(|one| {
            let name = one.name.as_ref()?.to_string();
            let hosts = owned.get(name.as_str()).into_iter().flatten().map(|host| (*host).clone()).collect();
            Some(Self { name, hosts, why: Arc::clone(&one.why) })
        });
        unserved.collect()
    }
}

/// How many are refused, for the operator to be told of.
#[derive(Debug, Default)]
pub struct Standing {
    outdated: AtomicUsize,
    left_out: AtomicUsize,
}

impl Standing {
    /// Notes what a look at the disk came to.
    pub(super) fn note<'a>(&self, left_out: impl Iterator<Item = &'a LeftOut>, is_served: impl Fn(&SiteName) -> bool) {
        let (outdated, unserved): (Vec<_>, Vec<_>) = left_out.partition(|one| one.name.as_ref().is_some_and(&is_served));
        self.outdated.store(outdated.len(), Ordering::Relaxed);
        self.left_out.store(unserved.len(), Ordering::Relaxed);
    }

    /// Sites that are served as they last were good, what lies on disk being refused.
    pub fn outdated(&self) -> usize {
        self.outdated.load(Ordering::Relaxed)
    }

    /// What is to be a site and is not served at all.
    pub fn left_out(&self) -> usize {
        self.left_out.load(Ordering::Relaxed)
    }
}
