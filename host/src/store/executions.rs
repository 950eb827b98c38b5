//! What became of runs that carry a key: so that a run asked for twice happens once, whatever breaks in between.
//!
//! A row is written before a run starts and completed before its answer is sent. A row that another process left uncompleted is a run
//! whose end nobody knows: it is neither run again nor answered.

use rusqlite::{Connection, OptionalExtension as _, Transaction, TransactionBehavior, params};

use super::error::StoreError;
use super::share::{ROW, of_answers};
use super::site_store::{SiteStore, now};

/// For how long an answer can be asked for again, in seconds.
pub(super) const KEPT_SECONDS: i64 = 24 * 60 * 60;
/// The bytes of what is on record.
const SIZE: &str = "SELECT coalesce(sum(length(headers) + length(body) + ?1), 0) FROM executions";
/// The longest body that is put on record, in bytes.
pub const MAX_BODY: usize = 256 << 10;
/// One claim in so many sweeps what is too old.
const SWEEP_EVERY: i64 = 1024;

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

/// A run that claims its key.
pub struct NewExecution<'a> {
    /// What tells its key apart.
    pub scope: &'a Scope,
    /// A hash of what must be the same when the key comes again.
    pub arguments: &'a [u8; 32],
    /// This process among all that ever used the file.
    pub process: &'a str,
    /// By what name the run can be asked for, if at all.
    pub name: Option<&'a str>,
    /// A hash of who alone may ask.
    pub caller: &'a [u8; 32],
}

/// How a run stands that was asked for by its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It ended with this answer.
    Ended(Outcome),
    /// It is running, in this process.
    Running,
    /// It started and nobody knows how it ended.
    Unknown,
}

/// What a claim on a key came to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The key is this run's: it must be settled or released.
    Granted,
    /// The run has ended with this answer.
    Ended(Outcome),
    /// It is still running in this process, under this name.
    Running(Option<String>),
    /// It started under this name and nobody knows how it ended.
    Unknown(Option<String>),
    /// The key was used with other arguments.
    Mismatch,
}

impl SiteStore {
    /// Claims a key for a run.
    ///
    /// # Errors
    /// When the store cannot be written. [`StoreError::RecordFull`]: what is on record is promised, and there is no room for more.
    pub fn claim(&self, new: &NewExecution<'_>) -> Result<Claim, StoreError> {
        self.write(|connection| {
            let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
            transaction
                .prepare_cached("DELETE FROM executions WHERE scope = ?1 AND created <= ?2")?
                .execute(params![new.scope, now() - KEPT_SECONDS])?;
            let found = transaction
                .prepare_cached("SELECT arguments, process, status, headers, body, name FROM executions WHERE scope = ?1")?
                .query_row([new.scope], |row| {
                    Ok((row.get::<_, Vec<u8>>(0)?, row.get::<_, String>(1)?, outcome(row, 2)?, row.get::<_, Option<String>>(5)?))
                })
                .optional()?;
            let claim = match found {
                Some((earlier, ..)) if earlier != new.arguments => Claim::Mismatch,
                Some((_, _, Some(outcome), _)) => Claim::Ended(outcome),
                Some((_, owner, None, name)) if owner == new.process => Claim::Running(name),
                Some((.., name)) => Claim::Unknown(name),
                None if !self.has_room(&transaction)? => {
                    transaction.commit()?;
                    return Err(StoreError::RecordFull);
                }
                None => {
                    self.insert(&transaction, new)?;
                    if transaction.last_insert_rowid() % SWEEP_EVERY == 0 {
                        self.answers.set(sweep(&transaction)?);
                    }
                    Claim::Granted
                }
            };
            transaction.commit()?;
            Ok(claim)
        })
    }

    /// Whether the record takes one more.
    fn has_room(&self, transaction: &Transaction<'_>) -> Result<bool, StoreError> {
        let fits = |bytes: i64| bytes + ROW <= of_answers(self.store_mb());
        if fits(self.answers.add(0, || recorded(transaction))?) {
            return Ok(true);
        }
        if !self.answers.is_due(now()) {
            return Ok(false);
        }
        // The sum may be too high: what it is of has become too old, or was never written.
        let counted = sweep(transaction)?;
        self.answers.set(counted);
        Ok(fits(counted))
    }

    fn insert(&self, transaction: &Transaction<'_>, new: &NewExecution<'_>) -> Result<(), StoreError> {
        let insert = "INSERT INTO executions (scope, arguments, process, created, name, caller) VALUES (?1, ?2, ?3, ?4, ?5, ?6)";
        let (scope, arguments, process) = (new.scope, new.arguments, new.process);
        transaction.prepare_cached(insert)?.execute(params![scope, arguments, process, now(), new.name, new.caller])?;
        self.answers.add(ROW, || recorded(transaction))?;
        Ok(())
    }

    /// How the run of that name stands, for who called it.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn execution(&self, name: &str, caller: &[u8; 32], process: &str) -> Result<Option<Standing>, StoreError> {
        if !self.exists() {
            return Ok(None);
        }
        self.read(|connection| {
            let select = "SELECT process, status, headers, body FROM executions WHERE name = ?1 AND caller = ?2 AND created > ?3";
            let found = connection
                .prepare_cached(select)?
                .query_row(params![name, caller, now() - KEPT_SECONDS], |row| Ok((row.get::<_, String>(0)?, outcome(row, 1)?)))
                .optional()?;
            Ok(found.map(|(owner, outcome)| match outcome {
                Some(outcome) => Standing::Ended(outcome),
                None if owner == process => Standing::Running,
                None => Standing::Unknown,
            }))
        })
    }

    /// Puts the answer of a claimed run on record. One that is too long to keep, or for which there is no room, leaves the run's end unknown
    /// to who asks again.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn settle(&self, scope: &Scope, outcome: &Outcome) -> Result<(), StoreError> {
        if outcome.body.len() > MAX_BODY {
            return self.abandon(scope);
        }
        let headers: String = outcome.headers.iter().map(|(name, value)| format!("{name}: {value}\n")).collect();
        let settled =
            self.write(|connection| {
                connection
                    .prepare_cached("UPDATE executions SET status = ?2, headers = ?3, body = ?4 WHERE scope = ?1")?
                    .execute(params![scope, outcome.status, headers, outcome.body])?;
                let bytes = i64::try_from(headers.len() + outcome.body.len()).unwrap_or(i64::MAX);
                self.answers.add(bytes, || recorded(connection))?;
                Ok(())
            });
        match settled {
            Err(StoreError::Full(_)) => self.abandon(scope),
            settled => settled,
        }
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
            let mut statement = connection.prepare_cached("DELETE FROM executions WHERE scope = ?1 AND status IS NULL")?;
            if statement.execute([scope])? > 0 {
                self.answers.add(-ROW, || recorded(connection))?;
            }
            Ok(())
        })
    }
}

impl SiteStore {
    /// Removes what is too old.
    pub(super) fn sweep_executions(&self) -> Result<(), StoreError> {
        self.write(|connection| {
            self.answers.set(sweep(connection)?);
            Ok(())
        })
    }
}

/// The bytes of what is on record.
fn recorded(connection: &Connection) -> Result<i64, StoreError> {
    Ok(connection.prepare_cached(SIZE)?.query_row([ROW], |row| row.get(0))?)
}

/// Removes what is too old; answers the bytes of what is left.
fn sweep(connection: &Connection) -> Result<i64, StoreError> {
    connection.prepare_cached("DELETE FROM executions WHERE created <= ?1")?.execute([now() - KEPT_SECONDS])?;
    recorded(connection)
}

/// The answer of a row from its column `first` on; `None` while there is none.
fn outcome(row: &rusqlite::Row<'_>, first: usize) -> rusqlite::Result<Option<Outcome>> {
    let Some(status) = row.get(first)? else { return Ok(None) };
    Ok(Some(Outcome { status, headers: parse(&row.get::<_, String>(first + 1)?), body: row.get(first + 2)? }))
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

    fn name(scope: &Scope) -> String {
        format!("exec_{}", scope[0])
    }

    fn claim(store: &SiteStore, scope: &Scope, arguments: &[u8; 32], process: &str) -> Result<Claim, StoreError> {
        store.claim(&NewExecution { scope, arguments, process, name: Some(&name(scope)), caller: &[9; 32] })
    }

    fn outcome() -> Outcome {
        Outcome { status: 201, headers: vec![("content-type".into(), "application/json".into())], body: b"{\"ok\":true}".to_vec() }
    }

    #[test]
    fn a_key_runs_once_and_is_answered_alike() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        assert_eq!(claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
        assert_eq!(claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Running(Some(name(&[1; 32]))));
        assert_eq!(claim(&store, &[1; 32], &[8; 32], "p").unwrap(), Claim::Mismatch);
        store.settle(&[1; 32], &outcome()).unwrap();
        assert_eq!(claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Ended(outcome()));
        assert_eq!(claim(&store, &[1; 32], &[8; 32], "p").unwrap(), Claim::Mismatch);
        assert_eq!(claim(&store, &[2; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
    }

    #[test]
    fn what_never_started_leaves_the_key_free() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        assert_eq!(claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
        store.release(&[1; 32]).unwrap();
        assert_eq!(claim(&store, &[1; 32], &[8; 32], "p").unwrap(), Claim::Granted);
    }

    #[test]
    fn another_process_knows_what_ended_and_what_did_not() {
        let folder = tempfile::tempdir().unwrap();
        let before = store(folder.path());
        for scope in [[1; 32], [2; 32]] {
            assert_eq!(claim(&before, &scope, &ARGUMENTS, "before").unwrap(), Claim::Granted);
        }
        before.settle(&[1; 32], &outcome()).unwrap();
        drop(before);
        let after = store(folder.path());
        assert_eq!(claim(&after, &[1; 32], &ARGUMENTS, "after").unwrap(), Claim::Ended(outcome()));
        assert_eq!(claim(&after, &[2; 32], &ARGUMENTS, "after").unwrap(), Claim::Unknown(Some(name(&[2; 32]))));
    }

    #[test]
    fn an_answer_too_long_to_keep_is_not_run_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        assert_eq!(claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
        store.settle(&[1; 32], &Outcome { body: vec![b'x'; MAX_BODY + 1], ..outcome() }).unwrap();
        assert_eq!(claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap(), Claim::Unknown(Some(name(&[1; 32]))));
    }

    #[test]
    fn who_called_may_ask_how_a_run_stands() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let asked = |caller: u8, process: &str| store.execution(&name(&[1; 32]), &[caller; 32], process).unwrap();
        assert_eq!(asked(9, "p"), None);
        claim(&store, &[1; 32], &ARGUMENTS, "p").unwrap();
        assert_eq!((asked(9, "p"), asked(9, "later"), asked(8, "p")), (Some(Standing::Running), Some(Standing::Unknown), None));
        store.settle(&[1; 32], &outcome()).unwrap();
        assert_eq!((asked(9, "p"), asked(8, "p")), (Some(Standing::Ended(outcome())), None));
    }

    #[test]
    fn beyond_its_share_no_new_key_is_taken_and_no_promise_broken() {
        let folder = tempfile::tempdir().unwrap();
        let store = Stores::new(folder.path(), StoreSettings::default()).site(&SiteName::new("loja").unwrap(), 4);
        let mut granted = 0..60_u8;
        let refused = granted.find(|number| match claim(&store, &[*number; 32], &ARGUMENTS, "p") {
            Ok(claim) => {
                assert_eq!(claim, Claim::Granted);
                store.settle(&[*number; 32], &Outcome { body: vec![b'x'; 200 << 10], ..outcome() }).unwrap();
                false
            }
            Err(error) => matches!(error, StoreError::RecordFull),
        });
        assert_eq!(refused, Some(6), "of 200 KiB, in a quarter of 4 MiB");
        for number in 0..6 {
            assert!(matches!(claim(&store, &[number; 32], &ARGUMENTS, "p").unwrap(), Claim::Ended(_)), "{number}");
        }
        store.set("posts", "1", &vec![0; 1 << 20]).unwrap();
        // When the oldest are too old there is room again.
        let path = folder.path().join("sites/loja/store.db");
        Connection::open(path).unwrap().execute("UPDATE executions SET created = 0 WHERE number < 4", []).unwrap();
        store.tidy();
        assert_eq!(claim(&store, &[60; 32], &ARGUMENTS, "p").unwrap(), Claim::Granted);
    }
}
