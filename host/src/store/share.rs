//! What visitors may take of a site's store without its code having a say: keyed answers, next pages, sessions. Each has a share that
//! leaves the site most of its store, whatever visitors do.

use std::sync::atomic::{AtomicI64, Ordering::Relaxed};

use rusqlite::{Connection, params};

use super::error::StoreError;
use super::site_store::SiteStore;

/// Bytes of keyed answers: a quarter of the store, and no more than so many.
const MOST_ANSWERS: i64 = 64 << 20;
/// Bytes that a row takes beside what it holds, about.
pub(super) const ROW: i64 = 200;

/// The bytes that a site's keyed answers may take.
pub(super) fn of_answers(store_mb: u32) -> i64 {
    (mib(store_mb) / 4).min(MOST_ANSWERS)
}

/// The bytes that a site's next pages may take, and as many its sessions.
pub(super) fn of_visitors(store_mb: u32) -> i64 {
    mib(store_mb) / 8
}

fn mib(store_mb: u32) -> i64 {
    i64::from(store_mb) << 20
}

/// A sum of bytes that is counted once and then kept up, so that few writes have to count. It may be too high, and too low where another
/// process writes to the file: whoever acts on it counts again first.
#[derive(Debug)]
pub(super) struct Tally {
    sum: AtomicI64,
    /// The second in which it was last counted because there was no room.
    counted: AtomicI64,
}

impl Default for Tally {
    fn default() -> Self {
        Self { sum: AtomicI64::new(UNKNOWN), counted: AtomicI64::new(0) }
    }
}

/// Seconds until who found no room makes another count: it goes through all rows.
const COUNTED_FOR: i64 = 60;

const UNKNOWN: i64 = i64::MIN;

impl Tally {
    /// The sum with what is added to it, counted where it is not known.
    pub(super) fn add(&self, bytes: i64, count: impl FnOnce() -> Result<i64, StoreError>) -> Result<i64, StoreError> {
        match self.sum.fetch_update(Relaxed, Relaxed, |sum| (sum != UNKNOWN).then(|| sum.saturating_add(bytes))) {
            Ok(before) => Ok(before.saturating_add(bytes)),
            Err(_) => count().inspect(|sum| self.set(*sum)),
        }
    }

    /// Whether it is time to count again for want of room; asked once, it is not for a minute.
    pub(super) fn is_due(&self, now: i64) -> bool {
        let is_due = now - self.counted.load(Relaxed) >= COUNTED_FOR;
        if is_due {
            self.counted.store(now, Relaxed);
        }
        is_due
    }

    /// What was counted.
    pub(super) fn set(&self, sum: i64) {
        self.sum.store(sum, Relaxed);
    }
}

/// The bytes of a site's sessions.
const SIZE: &str = "SELECT coalesce(sum(length(key) + length(value) + ?2), 0) FROM items WHERE collection = ?1";
/// Its sessions, the last to be written first.
const NEWEST: &str =
    "SELECT written, rowid, length(key) + length(value) + ?2 FROM items WHERE collection = ?1 ORDER BY written DESC, rowid DESC";
const DROP: &str = "DELETE FROM items WHERE collection = ?1 AND (written, rowid) <= (?2, ?3)";

impl SiteStore {
    /// Notes that so many bytes were written to a session. Beyond their share, those that were longest not written to go.
    pub(super) fn session_written(&self, connection: &Connection, collection: &str, bytes: usize) -> Result<(), StoreError> {
        let most = of_visitors(self.store_mb());
        let count = || Ok(connection.prepare_cached(SIZE)?.query_row(params![collection, ROW], |row| row.get(0))?);
        let bytes = i64::try_from(bytes).unwrap_or(i64::MAX).saturating_add(ROW);
        if self.sessions.add(bytes, count)? <= most {
            return Ok(());
        }
        let sum = count()?;
        self.sessions.set(sum);
        if sum > most {
            let mut statement = connection.prepare_cached(NEWEST)?;
            let rows = statement.query_map(params![collection, ROW], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
            if let Some((written, row)) = beyond(rows, most / 2)? {
                connection.prepare_cached(DROP)?.execute(params![collection, written, row])?;
            }
            self.sessions.set(count()?);
        }
        Ok(())
    }
}

/// The first of some rows, the newest first, that does not fit beside those before it. The newest always fits.
pub(super) fn beyond(rows: impl Iterator<Item = rusqlite::Result<(i64, i64, i64)>>, most: i64) -> Result<Option<(i64, i64)>, StoreError> {
    let mut sum = 0_i64;
    for (place, row) in rows.enumerate() {
        let (written, row, bytes) = row?;
        sum = sum.saturating_add(bytes);
        if sum > most && place > 0 {
            return Ok(Some((written, row)));
        }
    }
    Ok(None)
}
