//! How much a site may write to the log: a burst, and then so much a second, over all its runs. What is left out is counted.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Bytes that a site may write at once.
const BURST: f64 = 256.0 * 1024.0;
/// Bytes a second that it may write in the long run.
const RATE: f64 = 16.0 * 1024.0;
/// What has been used up opens again only with so many bytes: one line in so long says what was left out.
const OPENS_WITH: f64 = 32.0 * 1024.0;
/// Bytes of a line beside what the site wrote, about.
const BESIDE: usize = 128;

/// What one site may write.
#[derive(Debug)]
pub(super) struct LogBudget(Mutex<State>);

#[derive(Debug)]
struct State {
    left: f64,
    at: Instant,
    open: bool,
    /// Lines left out since the last that was not.
    left_out: u64,
}

/// Whether a line may be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Allowed {
    /// It may.
    Yes,
    /// It may, and before it so many were left out.
    After(u64),
    /// It is left out.
    No,
}

impl Default for LogBudget {
    fn default() -> Self {
        Self(Mutex::new(State { left: BURST, at: Instant::now(), open: true, left_out: 0 }))
    }
}

impl LogBudget {
    /// Spends a line of so many bytes.
    pub(super) fn spend(&self, bytes: usize) -> Allowed {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).spend((bytes + BESIDE) as f64, Instant::now())
    }
}

impl State {
    fn spend(&mut self, bytes: f64, now: Instant) -> Allowed {
        let passed = now.saturating_duration_since(self.at).as_secs_f64();
        self.at = now;
        self.left = (self.left + passed * RATE).min(BURST);
        self.open = if self.open { self.left >= bytes } else { self.left >= OPENS_WITH };
        if !self.open {
            self.left_out = self.left_out.saturating_add(1);
            return Allowed::No;
        }
        self.left -= bytes;
        match std::mem::take(&mut self.left_out) {
            0 => Allowed::Yes,
            left_out => Allowed::After(left_out),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_burst_and_then_so_much_a_second() {
        let start = Instant::now();
        let mut state = State { left: BURST, at: start, open: true, left_out: 0 };
        let mut written = [0.0; 60];
        let mut told = 0;
        for tick in 0..60_000 {
            let now = start + Duration::from_millis(tick);
            match state.spend(8192.0, now) {
                Allowed::No => {}
                Allowed::Yes => written[tick as usize / 1000] += 8192.0,
                Allowed::After(left_out) => {
                    assert!(left_out > 0);
                    written[tick as usize / 1000] += 8192.0;
                    told += 1;
                }
            }
        }
        assert!(written[0] <= BURST + RATE, "{}", written[0]);
        let later: f64 = written[1..].iter().sum();
        assert!((RATE * 50.0..=RATE * 62.0).contains(&later), "{later} bytes in a minute");
        assert!((10..=60).contains(&told), "{told} lines say what was left out");
        // Whoever writes little loses nothing.
        let mut state = State { left: BURST, at: start, open: true, left_out: 0 };
        assert!((0..10_000).all(|second| state.spend(1000.0, start + Duration::from_secs(second)) == Allowed::Yes));
    }
}
