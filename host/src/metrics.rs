//! What is counted of each site, from the start of the process; a new revision goes on with the counts of the last. And of the log.

use std::sync::atomic::{AtomicU64, Ordering};

/// Lines of the log that nobody read in time and that were left out: the process has one log.
pub static UNREAD_LINES: AtomicU64 = AtomicU64::new(0);

/// Something that is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Counter {
    Requests,
    ClientErrors,
    ServerErrors,
    CacheHits,
    Runs,
    Failures,
    Traps,
    Timeouts,
    Refusals,
}

/// All counters, in the order in which they are told.
pub const COUNTERS: [Counter; 9] = [
    Counter::Requests,
    Counter::ClientErrors,
    Counter::ServerErrors,
    Counter::CacheHits,
    Counter::Runs,
    Counter::Failures,
    Counter::Traps,
    Counter::Timeouts,
    Counter::Refusals,
];

impl Counter {
    /// Its name, without the prefix of the product.
    pub fn name(self) -> &'static str {
        match self {
            Self::Requests => "requests_total",
            Self::ClientErrors => "client_errors_total",
            Self::ServerErrors => "server_errors_total",
            Self::CacheHits => "cache_hits_total",
            Self::Runs => "runs_total",
            Self::Failures => "run_failures_total",
            Self::Traps => "run_traps_total",
            Self::Timeouts => "run_timeouts_total",
            Self::Refusals => "refusals_total",
        }
    }

    /// What it counts, for people.
    pub fn help(self) -> &'static str {
        match self {
            Self::Requests => "Requests answered.",
            Self::ClientErrors => "Answers with a status of 4xx.",
            Self::ServerErrors => "Answers with a status of 5xx.",
            Self::CacheHits => "Answers from the response cache.",
            Self::Runs => "Runs of the site's code.",
            Self::Failures => "Runs that ended in an error of the site's code.",
            Self::Traps => "Runs that trapped or met the limit of memory or response size.",
            Self::Timeouts => "Runs that met the limit of time or CPU.",
            Self::Refusals => "Requests refused for want of a place or over the rate.",
        }
    }
}

/// The counts of one site.
#[derive(Debug, Default)]
pub struct Metrics([AtomicU64; COUNTERS.len()]);

impl Metrics {
    /// Counts one.
    pub fn count(&self, counter: Counter) {
        self.0[counter as usize].fetch_add(1, Ordering::Relaxed);
    }

    /// How many so far.
    pub fn get(&self, counter: Counter) -> u64 {
        self.0[counter as usize].load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_counter_has_a_place_of_its_own() {
        let metrics = Metrics::default();
        for (index, counter) in COUNTERS.into_iter().enumerate() {
            assert_eq!(counter as usize, index);
            metrics.count(counter);
        }
        assert!(COUNTERS.into_iter().all(|counter| metrics.get(counter) == 1));
    }
}
