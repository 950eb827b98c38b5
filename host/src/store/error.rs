//! Why an operation of the store was refused or failed.

use super::limits::{MAX_COLLECTION_BYTES, MAX_KEY_BYTES, MAX_LIST_LIMIT, MAX_VALUE_BYTES};

/// A refused or failed operation. `Display` is the message for the site's code: Portuguese, without paths or SQL.
/// [`StoreError::detail`] is for the host's log.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A collection needs a name.
    #[error("o nome da coleção está vazio")]
    EmptyCollection,
    /// The collection's name is too long.
    #[error("o nome da coleção tem {0} bytes; o máximo é {MAX_COLLECTION_BYTES}")]
    CollectionTooLong(usize),
    /// The key (or prefix, or cursor) is too long.
    #[error("a chave tem {0} bytes; o máximo é {MAX_KEY_BYTES}")]
    KeyTooLong(usize),
    /// The encoded value is too large.
    #[error("o valor tem {0} bytes; o máximo é {MAX_VALUE_BYTES} (1 MiB)")]
    ValueTooLarge(usize),
    /// A listing asked for none or for too many.
    #[error("o limite de uma lista vai de 1 a {MAX_LIST_LIMIT}, mas veio {0}")]
    BadLimit(u32),
    /// `increment` of something that holds no Int.
    #[error("o valor guardado nesta chave não é Int")]
    NotAnInt,
    /// The sum, or the next id, does not fit 64 bits.
    #[error("o resultado não cabe em Int")]
    Overflow,
    /// The site used up its `store_mb`.
    #[error("o store do site está cheio: o limite é de {0} MB (store_mb em site.toml)")]
    Full(u32),
    /// What is kept of keyed runs has its share of the store: a run under a new key would have no record.
    #[error("o registro das chaves de repetição do site está cheio")]
    RecordFull,
    /// Another process held the file for too long.
    #[error("o store está ocupado; tente de novo")]
    Busy(#[source] rusqlite::Error),
    /// The database failed: disk full, damaged or unreadable file, a file of a later version.
    #[error("o store está indisponível")]
    Unavailable(#[source] Fault),
}

/// What failed beneath the store. For the log: it may name files.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// SQLite's own error.
    #[error(transparent)]
    Sqlite(rusqlite::Error),
    /// The store's folder could not be made.
    #[error("cannot create {0}: {1}")]
    Folder(std::path::PathBuf, #[source] std::io::Error),
    /// The file was written by a later version of the host.
    #[error("the file has format {found}, this host knows formats up to {known}")]
    LaterFormat {
        /// `user_version` of the file.
        found: i64,
        /// The latest format of this host.
        known: i64,
    },
    /// A key that is not UTF-8: written by something else.
    #[error("a stored key is not UTF-8")]
    ForeignKey,
}

impl StoreError {
    /// Tells whether the host, not the site's code, is to blame: worth a warning in the host's log.
    pub fn is_fault(&self) -> bool {
        matches!(self, Self::Busy(_) | Self::Unavailable(_))
    }

    /// The message with all that lies beneath it, for the host's log.
    pub fn detail(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}

impl From<Fault> for StoreError {
    fn from(fault: Fault) -> Self {
        Self::Unavailable(fault)
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(rusqlite::ErrorCode::DatabaseBusy | rusqlite::ErrorCode::DatabaseLocked) => Self::Busy(error),
            _ => Self::Unavailable(Fault::Sqlite(error)),
        }
    }
}
