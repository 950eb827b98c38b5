//! What became of runs that carry a key: so that a run asked for twice happens once, whatever breaks in between.
//!
//! A row is written before a run starts and completed before its answer is sent. A row that another process left uncompleted is a run
//! whose end nobody knows: it is neither run again nor answered.

use rusqlite::{OptionalExtension as _, TransactionBehavior, params};

use super::error::StoreError;
use super::site_store::{SiteStore, now};

/// For how long an answer can be asked for again, in seconds.
pub(super) const KEPT_SECONDS: i64 = 24 * 60 * 60;
/// Keyed runs that a site may have on record; beyond it the oldest go.
const MAX_ROWS: i64 = 100_000;
/// The longest body that is put on record, in bytes.
const MAX_BODY: usize = 1 << 20;
/// One claim in so many sweeps what is too old.
const SWEEP_EVERY: i64 = 256;

/// What tells keyed runs apart: a hash of action, credential and key.
pub type Scope = [u8; 32];

/// An answer on record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// HTTP status.
    pub status: u16,
    /// Names and values.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
}

/// What a claim on a key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The key is this run's: it must be settled or released.
    Granted,
    /// The run has ended with this answer.
    Ended(Outcome),
    /// It is still running in this process.
    Running,
    /// It started and nobody knows how it ended.
    Unknown,
    /// The key was used with other arguments.
    Mismatch,
}

impl SiteStore {
    /// Claims a key for a run with these arguments (their hash). `process` names this process among all that ever used the file.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn claim(&self, scope: &Scope, arguments: &[u8; 32], process: &str) -> Result<Claim, StoreError> {
        self.write(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction
                .prepare_cached("DELETE FROM executions WHERE scope = ?1 AND created <= ?2")?
                .execute(params![scope, now() - KEPT_SECONDS])?;
            let found = transaction
                .prepare_cached("SELECT arguments, process, status, headers, body FROM executions WHERE scope = ?1")?
                .query_row([scope], |row| {
                    Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?, row.get(2)?, row.get::<_, String>(3)?, row.get(4)?))
                })
                .optional()?;
            let claim = match found {
                Some((earlier, ..)) if earlier != arguments => Claim::Mismatch,
                Some((_, _, Some(status), headers, body)) => Claim::Ended(Outcome { status, headers: parse(&headers), body }),
                Some((_, owner, None, ..)) if owner == process => Claim::Running,
                Some(_) => Claim::Unknown,
                None => {
                    transaction
                        .prepare_cached("INSERT INTO executions (scope, arguments, process, created) VALUES (?1, ?2, ?3, ?4)")?
                        .execute(params![scope, arguments, process, now()])?;
                    sweep(&transaction)?;
                    Claim::Granted
                }
            };
            transaction.commit()?;
            Ok(claim)
        })
    }

    /// Puts the answer of a claimed run on record. One that is too long to keep leaves the run's end unknown to who asks again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn settle(&self, scope: &Scope, outcome: &Outcome) -> Result<(), StoreError> {
        if outcome.body.len() > MAX_BODY {
            return self.abandon(scope);
        }
        let headers: String = outcome.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        self.write(|connection| {
            connection.prepare_cached("UPDATE executions SET status = ?2, headers = ?3, body = ?4 WHERE scope = ?1")?.execute(params![
                scope,
                outcome.status,
                headers,
                outcome.body
            ])?;
            Ok(())
        })
    }

    /// Says that a claimed run started and that its end will not be known.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn abandon(&self, scope: &Scope) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.prepare_cached("UPDATE executions SET process = '' WHERE scope = ?1")?.execute([scope])?;
            Ok(())
        })
    }

    /// Frees the key of a run that never started.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn release(&self, scope: &Scope) -> Result<(), StoreError> {
        self.write(|connection| {
            connection.prepare_cached("DELETE FROM executions WHERE scope = ?1 AND status IS NULL")?.execute([scope])?;
            Ok(())
        })
    }
}

/// Now and then removes what is too old, and the oldest beyond the bound.
fn sweep(connection: &rusqlite::Connection) -> Result<(), StoreError> {
    let rowid = connection.last_insert_rowid();
    if rowid % SWEEP_EVERY != 0 {
        return Ok(());
    }
    connection.prepare_cached("DELETE FROM executions WHERE created <= ?1")?.execute([now() - KEPT_SECONDS])?;
    connection.prepare_cached("DELETE FROM executions WHERE rowid <= ?1")?.execute([rowid - MAX_ROWS])?;
    Ok(())
}

fn parse(headers: &str) -> Vec<(String, String)> {
    headers.lines().filter_map(|line| line.split_once(": ")).map(|(name, value)| (name.to_owned(), value.to_owned())).collect()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::site::SiteName;
    use crate::store::{StoreSettings, Stores};
    use std::path::Path;

    const ARGUMENTS: [u8; 32] = [7; 32];

    fn store(folder: &Path) -> std::sync::Arc<SiteStore> {
        Stores::new(folder, StoreSettings::default()).site(&SiteName::new("loja").unwrap(), 16)
    }

    fn outcome() -> Outcome {
        Outcome { status: 201, headers: vec![("content-type".into(), "application/json".into())], body: b"{\"ok\":true}".to_vec() }
    }

    #[test]
    fn a_key_runs_once_and_is_answered_alike() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        assert_eq!(store.claim(&[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
        assert_eq!(store.claim(&[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Running);
        assert_eq!(store.claim(&[1; 32], &[8; 32], "p").unwrap(), Claim::Mismatch);
        store.settle(&[1; 32], &outcome()).unwrap();
        assert_eq!(store.claim(&[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Ended(outcome()));
        assert_eq!(store.claim(&[1; 32], &[8; 32], "p").unwrap(), Claim::Mismatch);
        assert_eq!(store.claim(&[2; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
    }

    #[test]
    fn what_never_started_leaves_the_key_free() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        assert_eq!(store.claim(&[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
        store.release(&[1; 32]).unwrap();
        assert_eq!(store.claim(&[1; 32], &[8; 32], "p").unwrap(), Claim::Granted);
    }

    #[test]
    fn another_process_knows_what_ended_and_what_did_not() {
        let folder = tempfile::tempdir().unwrap();
        let before = store(folder.path());
        for scope in [[1; 32], [2; 32]] {
            assert_eq!(before.claim(&scope, &ARGUMENTS, "before").unwrap(), Claim::Granted);
        }
        before.settle(&[1; 32], &outcome()).unwrap();
        drop(before);
        let after = store(folder.path());
        assert_eq!(after.claim(&[1; 32], &ARGUMENTS, "after").unwrap(), Claim::Ended(outcome()));
        assert_eq!(after.claim(&[2; 32], &ARGUMENTS, "after").unwrap(), Claim::Unknown);
    }

    #[test]
    fn an_answer_too_long_to_keep_is_not_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        assert_eq!(store.claim(&[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
        store.settle(&[1; 32], &Outcome { body: vec![b'x'; MAX_BODY + 1], ..outcome() }).unwrap();
        assert_eq!(store.claim(&[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Unknown);
    }
}
