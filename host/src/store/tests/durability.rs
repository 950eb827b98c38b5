//! What stays when files close, the host ends, or another version comes.

use std::{thread, time::Duration};

use rusqlite::Connection;

use super::Data;
use crate::{
    site::SiteName,
    store::{StoreError, StoreSettings, Stores},
};

#[test]
fn another_host_finds_what_was_written() {
    let data = Data::new();
    let store = data.site("a", 64);
    store.set("c", "k", b"v").unwrap();
    store.next_id("c").unwrap();
    // Beside the first, as after a kill: nothing was closed.
    let after = Stores::new(data.folder.path(), StoreSettings::default()).site(&SiteName::new("a").unwrap(), 64);
    assert_eq!(after.get("c", "k").unwrap().as_deref(), Some(&b"v"[..]));
    assert_eq!(after.next_id("c").unwrap(), 2);
    assert_eq!(store.next_id("c").unwrap(), 3, "two processes share one sequence");
}

#[cfg(unix)]
#[test]
fn the_files_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let data = Data::new();
    let store = data.site("a", 64);
    store.set("c", "k", b"v").unwrap();
    for (path, mode) in [("sites", 0o700), ("sites/a", 0o700), ("sites/a/store.db", 0o600), ("sites/a/store.db-wal", 0o600)] {
        let found = std::fs::metadata(data.folder.path().join(path)).unwrap().permissions().mode() & 0o777;
        assert_eq!(found, mode, "{path}");
    }
}

#[test]
fn sites_are_apart() {
    let data = Data::new();
    data.site("a", 64).set("c", "k", b"a").unwrap();
    assert_eq!(data.site("b", 64).get("c", "k").unwrap(), None);
}

#[test]
fn idle_stores_close_and_open_again() {
    let data = Data::with(StoreSettings { idle: Duration::from_millis(80), ..StoreSettings::default() });
    let store = data.site("a", 64);
    store.set("c", "k", b"v").unwrap();
    assert_eq!(data.stores.open_count(), 1);
    let log = data.folder.path().join("sites/a/store.db-wal");
    assert!(log.exists());
    for _ in 0..100 {
        if !log.exists() {
            break;
        }
        thread::sleep(Duration::from_millis(20));
    }
    assert!(!log.exists(), "closing folds the log into the file");
    assert_eq!(data.stores.open_count(), 0);
    assert_eq!(store.get("c", "k").unwrap().as_deref(), Some(&b"v"[..]));
    assert_eq!(data.stores.open_count(), 1);
}

#[test]
fn few_of_many_are_open_at_once() {
    let data = Data::with(StoreSettings { max_open: 4, idle: Duration::from_secs(3600) });
    let stores: Vec<_> = (0..20).map(|n| data.site(&format!("s{n}"), 64)).collect();
    for round in 0..2 {
        for store in &stores {
            assert_eq!(store.increment("c", "n", 1).unwrap(), round + 1);
            assert!(data.stores.open_count() <= 4);
        }
    }
    // The one that is used all the time stays open.
    for store in &stores[1..10] {
        stores[0].count("c").unwrap();
        store.count("c").unwrap();
    }
    assert!(data.folder.path().join("sites/s0/store.db-shm").exists());
    assert!(!data.folder.path().join("sites/s1/store.db-shm").exists());
}

#[test]
fn closing_under_use_fails_no_call() {
    let data = Data::with(StoreSettings { max_open: 1, idle: Duration::from_secs(3600) });
    let (a, b) = (data.site("a", 64), data.site("b", 64));
    thread::scope(|scope| {
        for store in [&a, &b, &a, &b] {
            scope.spawn(move || {
                for _ in 0..100 {
                    store.increment("c", "n", 1).unwrap();
                    store.get("c", "n").unwrap().unwrap();
                }
            });
        }
    });
    assert_eq!(a.increment("c", "n", 0).unwrap(), 200);
    assert_eq!(b.increment("c", "n", 0).unwrap(), 200);
}

#[test]
fn a_later_format_is_left_alone() {
    let data = Data::new();
    let folder = data.folder.path().join("sites/a");
    std::fs::create_dir_all(&folder).unwrap();
    Connection::open(folder.join("store.db")).unwrap().pragma_update(None, "user_version", 99).unwrap();
    let error = data.site("a", 64).get("c", "k").unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)) && error.is_fault());
    assert_eq!(error.to_string(), "o store está indisponível");
    assert!(error.detail().starts_with("o store está indisponível: the file has format 99, this host knows "), "{}", error.detail());
}

#[test]
fn a_damaged_file_is_an_error_without_paths() {
    let data = Data::new();
    let folder = data.folder.path().join("sites/a");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("store.db"), "isto não é um banco ".repeat(400)).unwrap();
    let error = data.site("a", 64).set("c", "k", b"v").unwrap_err();
    assert_eq!(error.to_string(), "o store está indisponível");
    assert!(error.detail().contains("not a database"), "{}", error.detail());
}
