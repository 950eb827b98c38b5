//! The open connections of one site: one that writes, and as many that read as there are threads reading at once.

use std::{
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rusqlite::Connection;

use super::{error::StoreError, schema};

/// Readers that stay open while nobody reads.
const IDLE_READERS: usize = 2;

/// Dropped when the site is idle; an operation that still runs keeps it to its end.
#[derive(Debug)]
pub(super) struct Connections {
    path: PathBuf,
    // Before the writer, which must close last: it is the one that folds the write-ahead log into the file.
    readers: Mutex<Vec<Connection>>,
    writer: Mutex<Writer>,
}

#[derive(Debug)]
struct Writer {
    connection: Connection,
    /// What the file's size was last limited to.
    store_mb: u32,
}

impl Connections {
    /// Opens the writer, which makes the file and brings it up to date.
    pub(super) fn open(path: &Path, store_mb: u32) -> Result<Self, StoreError> {
        let connection = schema::open_writer(path)?;
        schema::limit_size(&connection, store_mb)?;
        Ok(Self { path: path.to_path_buf(), readers: Mutex::default(), writer: Mutex::new(Writer { connection, store_mb }) })
    }

    /// Runs a reading operation: beside others and beside the writer, of which it sees what was committed before.
    pub(super) fn read<T>(&self, operation: impl FnOnce(&Connection) -> Result<T, StoreError>) -> Result<T, StoreError> {
        let idle = lock(&self.readers).pop();
        let reader = match idle {
            Some(reader) => reader,
            None => schema::open_reader(&self.path)?,
        };
        let result = operation(&reader);
        let mut readers = lock(&self.readers);
        if readers.len() < IDLE_READERS {
            readers.push(reader);
        }
        result
    }

    /// Runs a writing operation, one at a time. A site that is over its size is told so in its own words.
    pub(super) fn write<T>(
        &self,
        store_mb: u32,
        operation: impl FnOnce(&mut Connection) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut writer = lock(&self.writer);
        if writer.store_mb != store_mb {
            schema::limit_size(&writer.connection, store_mb)?;
            writer.store_mb = store_mb;
        }
        operation(&mut writer.connection).map_err(|error| match error {
            StoreError::Unavailable(super::error::Fault::Sqlite(cause)) if is_full(&cause) && schema::is_at_limit(&writer.connection) => {
                StoreError::Full(store_mb)
            }
            other => other,
        })
    }
}

fn is_full(error: &rusqlite::Error) -> bool {
    error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull)
}

/// A panic under the lock leaves nothing half done: SQLite rolls back what was not committed.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
