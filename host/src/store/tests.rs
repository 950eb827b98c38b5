//! What a store promises: tried on real files.
#![allow(clippy::unwrap_used)]

mod durability;
mod listing;
mod operations;
mod quota;

use std::{sync::Arc, time::Duration};

use tempfile::TempDir;

use super::{SiteStore, StoreSettings, Stores};
use crate::site::SiteName;

/// A data folder that is removed at the end of the test, and its stores.
struct Data {
    folder: TempDir,
    stores: Stores,
}

impl Data {
    fn new() -> Self {
        Self::with(StoreSettings { idle: Duration::from_secs(3600), ..StoreSettings::default() })
    }

    fn with(settings: StoreSettings) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let stores = Stores::new(folder.path(), settings);
        Self { folder, stores }
    }

    fn site(&self, name: &str, store_mb: u32) -> Arc<SiteStore> {
        self.stores.site(&SiteName::new(name).unwrap(), store_mb)
    }
}
