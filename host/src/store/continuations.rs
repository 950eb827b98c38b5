//! Requests that are retained for their next page: under the name of the execution that gave the last one, for whoever called it.

use rusqlite::{OptionalExtension as _, TransactionBehavior, params};

use super::error::StoreError;
use super::site_store::{SiteStore, now};

/// For how long a next page can be asked for, in seconds.
const KEPT_SECONDS: i64 = 60 * 60;
/// Requests that a site retains; beyond it the oldest go.
const MAX_ROWS: i64 = 10_000;

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
}
