//! The operations on one site's store.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError, Weak,
        atomic::{AtomicU32, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime, UNIX_EPOCH},
};

use djo_contract::session::COLLECTION as SESSIONS;
use djo_contract::wire::{decode_int, encode_int};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::{
    connections::Connections,
    error::{Fault, StoreError},
    limits::{MAX_PAGE_BYTES, check_collection, check_key, check_limit, check_value},
    registry::OpenStores,
    share::Tally,
};

/// Rows that one transaction of a sweep removes: writers of the site wait for no more.
const SWEEP_BATCH: u32 = 500;

/// How long a session lasts that nothing is written to.
const SESSION_LASTS: Duration = Duration::from_secs(30 * 24 * 60 * 60);
/// How often what is too old is cleared away.
const TIDY_EVERY: Duration = Duration::from_secs(60 * 60);

/// A page of a range of keys, without the cursor itself.
pub(super) const LIST: &str = "SELECT key, value FROM items WHERE collection = ?1 AND key >= ?2 AND key < ?3 AND key IS NOT ?4 \
    ORDER BY key LIMIT ?5";

/// One site's store. Shared by all its requests; blocking; see [`super`] for what a call costs.
#[derive(Debug)]
pub struct SiteStore {
    path: PathBuf,
    store_mb: AtomicU32,
    connections: Mutex<Option<Arc<Connections>>>,
    /// When the last operation began, by the clock of `open`.
    last_used: AtomicU64,
    /// When what is too old was last cleared away, by the same clock.
    tidied: AtomicU64,
    /// Bytes of keyed answers, of next pages and of sessions.
    pub(super) answers: Tally,
    pub(super) pages: Tally,
    pub(super) sessions: Tally,
    open: Arc<OpenStores>,
    this: Weak<SiteStore>,
}

/// A page of a listing.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Page {
    /// Keys with their values, by the bytes of the key.
    pub items: Vec<(String, Vec<u8>)>,
    /// Where the next page starts; `None` at the end.
    pub cursor: Option<String>,
}

impl SiteStore {
    pub(super) fn new(path: PathBuf, store_mb: u32, open: Arc<OpenStores>) -> Arc<Self> {
        Arc::new_cyclic(|this| Self {
            path,
            store_mb: AtomicU32::new(store_mb),
            connections: Mutex::default(),
            last_used: AtomicU64::new(0),
            tidied: AtomicU64::new(0),
            answers: Tally::default(),
            pages: Tally::default(),
            sessions: Tally::default(),
            open,
            this: this.clone(),
        })
    }

    /// The value under a key.
    pub fn get(&self, collection: &str, key: &str) -> Result<Option<Vec<u8>>, StoreError> {
        check_collection(collection)?;
        check_key(key)?;
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT value FROM items WHERE collection = ?1 AND key = ?2")?;
            Ok(statement.query_row(params![collection, key.as_bytes()], |row| row.get(0)).optional()?)
        })
    }

    /// Writes a value.
    pub fn set(&self, collection: &str, key: &str, value: &[u8]) -> Result<(), StoreError> {
        check_collection(collection)?;
        check_key(key)?;
        check_value(value)?;
        self.write(|connection| {
            put(connection, collection, key, value)?;
            if collection == SESSIONS { self.session_written(connection, collection, key.len() + value.len()) } else { Ok(()) }
        })
    }

    /// Removes a key; tells whether it was there.
    pub fn delete(&self, collection: &str, key: &str) -> Result<bool, StoreError> {
        check_collection(collection)?;
        check_key(key)?;
        self.write(|connection| {
            let mut statement = connection.prepare_cached("DELETE FROM items WHERE collection = ?1 AND key = ?2")?;
            Ok(statement.execute(params![collection, key.as_bytes()])? == 1)
        })
    }

    /// Keys that start with `prefix`, after `cursor`, at most `limit` (1 to 1000), in the order of their bytes.
    /// A page also ends before it passes 4 MiB, but never without an item while there is one.
    pub fn list(&self, collection: &str, prefix: &str, limit: u32, cursor: Option<&str>) -> Result<Page, StoreError> {
        check_collection(collection)?;
        check_key(prefix)?;
        check_key(cursor.unwrap_or_default())?;
        check_limit(limit)?;
        self.read(|connection| {
            let mut statement = connection.prepare_cached(LIST)?;
            // A cursor before the prefix leaves all of it; one within is where to start, itself left out.
            let start = cursor.map_or(prefix, |cursor| cursor.max(prefix)).as_bytes();
            let mut rows = statement.query(params![collection, start, after_prefix(prefix), cursor.map(str::as_bytes), limit + 1])?;
            collect_page(&mut rows, limit as usize)
        })
    }

    /// How many keys a collection has.
    pub fn count(&self, collection: &str) -> Result<u64, StoreError> {
        check_collection(collection)?;
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT items FROM collections WHERE name = ?1")?;
            let items: Option<i64> = statement.query_row([collection], |row| row.get(0)).optional()?;
            Ok(items.unwrap_or_default().unsigned_abs())
        })
    }

    /// Adds to an Int (an absent one is 0) and answers the sum.
    pub fn increment(&self, collection: &str, key: &str, delta: i64) -> Result<i64, StoreError> {
        check_collection(collection)?;
        check_key(key)?;
        self.write(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let held: Option<Vec<u8>> = {
                let mut statement = transaction.prepare_cached("SELECT value FROM items WHERE collection = ?1 AND key = ?2")?;
                statement.query_row(params![collection, key.as_bytes()], |row| row.get(0)).optional()?
            };
            let held = held.map_or(Some(0), |value| decode_int(&value)).ok_or(StoreError::NotAnInt)?;
            let sum = held.checked_add(delta).ok_or(StoreError::Overflow)?;
            put(&transaction, collection, key, &encode_int(sum))?;
            transaction.commit()?;
            Ok(sum)
        })
    }

    /// Writes `new` (`None` removes) only when the key holds `old` (`None`: is absent), byte for byte; tells whether it did.
    pub fn compare_and_swap(&self, collection: &str, key: &str, old: Option<&[u8]>, new: Option<&[u8]>) -> Result<bool, StoreError> {
        check_collection(collection)?;
        check_key(key)?;
        check_value(new.unwrap_or_default())?;
        let key = key.as_bytes();
        // Each is one statement, hence atomic.
        self.write(|connection| {
            let changed = match (old, new) {
                (None, None) => {
                    let mut statement = connection.prepare_cached("SELECT 1 FROM items WHERE collection = ?1 AND key = ?2")?;
                    return Ok(!statement.exists(params![collection, key])?);
                }
                (None, Some(new)) => connection
                    .prepare_cached("INSERT INTO items (collection, key, value, written) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING")?
                    .execute(params![collection, key, new, now()])?,
                (Some(old), Some(new)) => connection
                    .prepare_cached("UPDATE items SET value = ?4, written = ?5 WHERE collection = ?1 AND key = ?2 AND value = ?3")?
                    .execute(params![collection, key, old, new, now()])?,
                (Some(old), None) => connection
                    .prepare_cached("DELETE FROM items WHERE collection = ?1 AND key = ?2 AND value = ?3")?
                    .execute(params![collection, key, old])?,
            };
            Ok(changed == 1)
        })
    }

    /// The next number of a collection's own sequence, from 1. No number comes twice, whatever is deleted.
    pub fn next_id(&self, collection: &str) -> Result<i64, StoreError> {
        check_collection(collection)?;
        self.write(|connection| {
            let mut statement = connection.prepare_cached(
                "INSERT INTO collections (name, last_id) VALUES (?1, 1) ON CONFLICT (name) DO UPDATE SET last_id = last_id + 1
                 WHERE last_id < 9223372036854775807 RETURNING last_id",
            )?;
            statement.query_row([collection], |row| row.get(0)).optional()?.ok_or(StoreError::Overflow)
        })
    }

    /// Clears away what is too old, now and then: sessions, keyed answers, next pages. What fails is tried again the next time.
    pub(super) fn tidy(&self) {
        let (now, every) = (self.open.now(), u64::try_from(TIDY_EVERY.as_micros()).unwrap_or(u64::MAX));
        let tidied = self.tidied.load(Ordering::Relaxed);
        if tidied != 0 && now.saturating_sub(tidied) < every || !self.exists() {
            return;
        }
        self.tidied.store(now.max(1), Ordering::Relaxed);
        let done = self.sweep(SESSIONS, SESSION_LASTS).and_then(|_| self.sweep_executions()).and_then(|()| self.sweep_pages());
        if let Err(error) = done {
            tracing::warn!(store = %self.path.display(), "what is too old stays: {}", error.detail());
        }
    }

    /// Removes the keys of a collection that were last written `age` ago or earlier; answers how many. For sessions: the host calls it.
    /// It works in small steps, so that the site's writers do not wait for it.
    pub fn sweep(&self, collection: &str, age: Duration) -> Result<usize, StoreError> {
        check_collection(collection)?;
        let oldest_kept = now().saturating_sub_unsigned(age.as_secs());
        let mut removed = 0;
        loop {
            let step: usize = self.write(|connection| {
                let mut statement = connection.prepare_cached(
                    "DELETE FROM items WHERE rowid IN (SELECT rowid FROM items WHERE collection = ?1 AND written <= ?2 LIMIT ?3)",
                )?;
                Ok(statement.execute(params![collection, oldest_kept, SWEEP_BATCH])?)
            })?;
            removed += step;
            if step < SWEEP_BATCH as usize {
                return Ok(removed);
            }
        }
    }

    /// Tells whether the site has ever stored anything: without a file there is nothing to sweep, and no reason to make one.
    pub fn exists(&self) -> bool {
        self.path.exists()
    }

    pub(super) fn store_mb(&self) -> u32 {
        self.store_mb.load(Ordering::Relaxed)
    }

    pub(super) fn set_store_mb(&self, store_mb: u32) {
        self.store_mb.store(store_mb, Ordering::Relaxed);
    }

    /// When the last operation began, by the clock of [`OpenStores`].
    pub(super) fn last_used(&self) -> u64 {
        self.last_used.load(Ordering::Relaxed)
    }

    /// Closes the files as soon as the operations that run have ended. The next operation opens them again.
    pub(super) fn close(&self) {
        let taken = self.slot().take();
        drop(taken);
    }

    fn slot(&self) -> MutexGuard<'_, Option<Arc<Connections>>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn connections(&self) -> Result<Arc<Connections>, StoreError> {
        self.last_used.store(self.open.now(), Ordering::Relaxed);
        let opened = {
            let mut slot = self.slot();
            if let Some(connections) = slot.as_ref() {
                return Ok(Arc::clone(connections));
            }
            let connections = Arc::new(Connections::open(&self.path, self.store_mb.load(Ordering::Relaxed))?);
            *slot = Some(Arc::clone(&connections));
            connections
        };
        self.open.opened(&self.this);
        Ok(opened)
    }

    pub(super) fn read<T>(&self, operation: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.connections()?.read(operation)
    }

    pub(super) fn write<T>(&self, operation: impl FnOnce(&mut Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        self.connections()?.write(self.store_mb.load(Ordering::Relaxed), operation)
    }
}

fn put(connection: &Connection, collection: &str, key: &str, value: &[u8]) -> Result<(), StoreError> {
    let mut statement = connection.prepare_cached(
        "INSERT INTO items (collection, key, value, written) VALUES (?1, ?2, ?3, ?4)
         ON CONFLICT (collection, key) DO UPDATE SET value = excluded.value, written = excluded.written",
    )?;
    statement.execute(params![collection, key.as_bytes(), value, now()])?;
    Ok(())
}

/// One row more than `limit` was asked for: it tells whether there is a next page.
fn collect_page(rows: &mut rusqlite::Rows<'_>, limit: usize) -> Result<Page, StoreError> {
    let mut page = Page::default();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let (key, value) = item(row)?;
        bytes += key.len() + value.len();
        if page.items.len() == limit || (bytes > MAX_PAGE_BYTES && !page.items.is_empty()) {
            page.cursor = page.items.last().map(|(key, _)| key.clone());
            break;
        }
        page.items.push((key, value));
    }
    Ok(page)
}

fn item(row: &Row<'_>) -> Result<(String, Vec<u8>), StoreError> {
    let key = String::from_utf8(row.get(0)?).map_err(|_| Fault::ForeignKey)?;
    Ok((key, row.get(1)?))
}

/// The first bytes after all that start with the prefix. In UTF-8 no byte is 255, so the last one can be raised, and 255 is after all keys.
fn after_prefix(prefix: &str) -> Vec<u8> {
    let mut bytes = prefix.as_bytes().to_vec();
    match bytes.last_mut() {
        Some(last) => *last = last.saturating_add(1),
        None => bytes.push(u8::MAX),
    }
    bytes
}

/// Seconds since 1970.
pub(super) fn now() -> i64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |elapsed| i64::try_from(elapsed.as_secs()).unwrap_or(i64::MAX))
}
