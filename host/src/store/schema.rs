//! The file: how it is opened, what it holds, how an older one is brought up to date.

use std::{path::Path, time::Duration};

use rusqlite::{Connection, OpenFlags, TransactionBehavior};

use super::error::{Fault, StoreError};
use crate::private;

/// How long a call waits for another process that writes. Within one process, writers take turns on a mutex.
const BUSY_TIMEOUT: Duration = Duration::from_secs(2);
/// Distinct statements of this module: all stay prepared.
const STATEMENT_CACHE: usize = 24;
/// SQLite's page.
const PAGE_BYTES: i64 = 4096;

/// Step n brings a file from format n to n + 1. Published steps never change.
///
/// Keys are blobs, so that their order is that of their bytes and a prefix is a range. The counts are kept by triggers, so that
/// every write stays one statement, which SQLite makes atomic by itself. STRICT makes a sequence that passes 64 bits an error.
const MIGRATIONS: &[&str] = &[
    "
    CREATE TABLE items (
        collection TEXT NOT NULL,
        key BLOB NOT NULL,
        value BLOB NOT NULL,
        written INTEGER NOT NULL, -- seconds since 1970
        UNIQUE (collection, key)
    ) STRICT;
    CREATE TABLE collections (
        name TEXT NOT NULL PRIMARY KEY,
        items INTEGER NOT NULL DEFAULT 0,
        last_id INTEGER NOT NULL DEFAULT 0
    ) STRICT, WITHOUT ROWID;
    CREATE TRIGGER item_added AFTER INSERT ON items BEGIN
        INSERT INTO collections (name, items) VALUES (new.collection, 1)
            ON CONFLICT (name) DO UPDATE SET items = items + 1;
    END;
    CREATE TRIGGER item_removed AFTER DELETE ON items BEGIN
        UPDATE collections SET items = items - 1 WHERE name = old.collection;
    END;
",
    // Not WITHOUT ROWID: the row's number tells how many came after it. AUTOINCREMENT, so that no number comes twice.
    "
    CREATE TABLE executions (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        scope BLOB NOT NULL UNIQUE,
        arguments BLOB NOT NULL,
        process TEXT NOT NULL, -- empty when nobody will ever know how it ended
        created INTEGER NOT NULL, -- seconds since 1970
        status INTEGER,
        headers TEXT NOT NULL DEFAULT '',
        body BLOB NOT NULL DEFAULT x''
    ) STRICT;
    CREATE INDEX executions_created ON executions (created);
",
    // What a next page needs, under the name of the execution that gave the last one.
    "
    ALTER TABLE executions ADD COLUMN name TEXT;
    ALTER TABLE executions ADD COLUMN caller BLOB;
    CREATE UNIQUE INDEX executions_name ON executions (name) WHERE name IS NOT NULL;
    CREATE TABLE continuations (
        number INTEGER PRIMARY KEY AUTOINCREMENT,
        execution TEXT NOT NULL UNIQUE,
        caller BLOB NOT NULL,
        tool TEXT NOT NULL,
        arguments BLOB NOT NULL,
        cursor TEXT NOT NULL,
        seen BLOB NOT NULL,
        created INTEGER NOT NULL -- seconds since 1970
    ) STRICT;
",
];

/// Opens the file for writing, makes it when it is not there, and brings its format up to date.
pub(super) fn open_writer(path: &Path) -> Result<Connection, StoreError> {
    if let Some(folder) = path.parent() {
        // What SQLite puts beside the file has the file's mode.
        let made = private::create_folders(folder).and_then(|()| private::open(path));
        made.map_err(|error| Fault::Folder(folder.to_path_buf(), error))?;
    }
    let mut connection = open(path, OpenFlags::SQLITE_OPEN_CREATE)?;
    connection.pragma_update(None, "journal_mode", "WAL")?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "journal_size_limit", 4 * 1024 * 1024)?;
    migrate(&mut connection)?;
    Ok(connection)
}

/// Opens a file that [`open_writer`] has made, for reading alone.
pub(super) fn open_reader(path: &Path) -> Result<Connection, StoreError> {
    let connection = open(path, OpenFlags::empty())?;
    connection.pragma_update(None, "query_only", true)?;
    Ok(connection)
}

/// Lets the file grow up to `store_mb` MiB. A file that is larger already keeps its size.
pub(super) fn limit_size(connection: &Connection, store_mb: u32) -> Result<(), StoreError> {
    let pages = i64::from(store_mb) * 1024 * 1024 / PAGE_BYTES;
    connection.pragma_update_and_check(None, "max_page_count", pages, |_| Ok(()))?;
    Ok(())
}

/// Tells whether the file has reached the size that [`limit_size`] allows: a full site, as opposed to a full disk.
pub(super) fn is_at_limit(connection: &Connection) -> bool {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    match (pragma("page_count"), pragma("max_page_count")) {
        // A statement that failed has given its pages back: what counts is that it could not have had many more.
        (Ok(used), Ok(allowed)) => used + MAX_STATEMENT_PAGES >= allowed,
        _ => false,
    }
}

/// Pages that one write can need: the largest value in overflow pages, and room for the trees to split.
const MAX_STATEMENT_PAGES: i64 = 300;

fn open(path: &Path, extra: OpenFlags) -> Result<Connection, StoreError> {
    // NO_MUTEX: a connection is used by one thread at a time, which the caller's mutex or ownership guarantees.
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX | extra;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(STATEMENT_CACHE);
    connection.pragma_update(None, "cache_size", -1024)?;
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "trusted_schema", false)?;
    Ok(connection)
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    let known = MIGRATIONS.len() as i64;
    if format(connection)? == known {
        return Ok(());
    }
    // Immediate, and asked again inside: another process may be at it.
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let found = format(&transaction)?;
    let Some(steps) = usize::try_from(found).ok().and_then(|found| MIGRATIONS.get(found..)) else {
        return Err(Fault::LaterFormat { found, known }.into());
    };
    for step in steps {
        transaction.execute_batch(step)?;
    }
    transaction.pragma_update(None, "user_version", known)?;
    transaction.commit()?;
    Ok(())
}

fn format(connection: &Connection) -> Result<i64, rusqlite::Error> {
    connection.pragma_query_value(None, "user_version", |row| row.get(0))
}
