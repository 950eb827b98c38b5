//! Requests that are retained for their next page: under the name of the execution that gave the last one, for whoever called it.

use rusqlite::{OptionalExtension as _, TransactionBehavior, params};

use super::error::StoreError;
use super::share::{ROW, beyond, of_visitors};
use super::site_store::{SiteStore, now};

/// For how long a next page can be asked for, in seconds.
const KEPT_SECONDS: i64 = 60 * 60;
/// Requests that a site retains; beyond it, and beyond their share of its store, the oldest go.
const MAX_ROWS: i64 = 10_000;
const SIZE: &str = "SELECT coalesce(sum(length(arguments) + length(cursor) + length(seen) + ?1), 0) FROM continuations";
const NEWEST: &str =
    "SELECT created, number, length(arguments) + length(cursor) + length(seen) + ?1 FROM continuations ORDER BY number DESC";

/// A retained request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Retained {
    /// The tool that was asked.
    pub tool: String,
    /// What it was asked: the model input, decoded, as JSON.
    pub arguments: Vec<u8>,
    /// Where the next page starts.
    pub cursor: String,
    /// Hashes of the cursors that the chain has had, 8 bytes each: a page that leads back to one leads in a circle.
    pub seen: Vec<u8>,
}

impl SiteStore {
    /// Retains a request under the name of the execution that gave its last page.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn retain(&self, execution: &str, caller: &[u8; 32], retained: &Retained) -> Result<(), StoreError> {
        self.write(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            let insert = "INSERT OR REPLACE INTO continuations (execution, caller, tool, arguments, cursor, seen, created) \
                VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
            let Retained { tool, arguments, cursor, seen } = retained;
            transaction.prepare_cached(insert)?.execute(params![execution, caller, tool, arguments, cursor, seen, now()])?;
            let newest = transaction.last_insert_rowid();
            transaction
                .prepare_cached("DELETE FROM continuations WHERE created <= ?1 OR number <= ?2")?
                .execute(params![now() - KEPT_SECONDS, newest - MAX_ROWS])?;
            let bytes = i64::try_from(arguments.len() + cursor.len() + seen.len()).unwrap_or(i64::MAX).saturating_add(ROW);
            let count = || Ok(transaction.prepare_cached(SIZE)?.query_row([ROW], |row| row.get(0))?);
            let most = of_visitors(self.store_mb());
            if self.pages.add(bytes, count)? > most {
                let mut statement = transaction.prepare_cached(NEWEST)?;
                let rows = statement.query_map([ROW], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))?;
                if let Some((_, number)) = beyond(rows, most / 2)? {
                    transaction.execute("DELETE FROM continuations WHERE number <= ?1", [number])?;
                }
                self.pages.set(count()?);
            }
            transaction.commit()?;
            Ok(())
        })
    }

    /// The request that an execution retained, for who called it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn retained(&self, execution: &str, caller: &[u8; 32]) -> Result<Option<Retained>, StoreError> {
        if !self.exists() {
            return Ok(None);
        }
        self.read(|connection| {
            let select = "SELECT tool, arguments, cursor, seen FROM continuations WHERE execution = ?1 AND caller = ?2 AND created > ?3";
            let mut statement = connection.prepare_cached(select)?;
            let row = statement.query_row(params![execution, caller, now() - KEPT_SECONDS], |row| {
                Ok(Retained { tool: row.get(0)?, arguments: row.get(1)?, cursor: row.get(2)?, seen: row.get(3)? })
            });
            Ok(row.optional()?)
        })
    }
}

impl SiteStore {
    /// Removes what is too old.
    pub(super) fn sweep_pages(&self) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.execute("DELETE FROM continuations WHERE created <= ?1", [now() - KEPT_SECONDS])?;
            self.pages.set(connection.query_row(SIZE, [ROW], |row| row.get(0))?);
            Ok(())
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::site::SiteName;
    use crate::store::{StoreSettings, Stores};

    #[test]
    fn a_request_is_retained_for_its_caller() {
        let folder = tempfile::tempdir().unwrap();
        let store = Stores::new(folder.path(), StoreSettings::default()).site(&SiteName::new("loja").unwrap(), 16);
        assert_eq!(store.retained("exec_1", &[1; 32]).unwrap(), None);
        let retained = Retained { tool: "listar".into(), arguments: b"{}".to_vec(), cursor: "c".into(), seen: vec![0; 8] };
        store.retain("exec_1", &[1; 32], &retained).unwrap();
        assert_eq!(store.retained("exec_1", &[1; 32]).unwrap(), Some(retained));
        assert_eq!(store.retained("exec_1", &[2; 32]).unwrap(), None);
        assert_eq!(store.retained("exec_2", &[1; 32]).unwrap(), None);
    }

    #[test]
    fn beyond_their_share_the_oldest_go() {
        let folder = tempfile::tempdir().unwrap();
        let store = Stores::new(folder.path(), StoreSettings::default()).site(&SiteName::new("loja").unwrap(), 4);
        let name = |n: u8| format!("exec_{n}");
        for n in 0..20 {
            let retained = Retained { tool: "listar".into(), arguments: vec![b' '; 100_000], cursor: "c".into(), seen: vec![0; 8] };
            store.retain(&name(n), &[1; 32], &retained).unwrap();
        }
        let held = (0..20).filter(|n| store.retained(&name(*n), &[1; 32]).unwrap().is_some()).count();
        assert!((2..=5).contains(&held), "{held} of 100 kB in an eighth of 4 MiB");
        assert!(store.retained(&name(19), &[1; 32]).unwrap().is_some());
        store.set("posts", "1", &vec![0; 1 << 20]).unwrap();
    }
}
