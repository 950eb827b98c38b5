//! How much one site may store.

use std::{thread, time::Duration};

use djo_contract::session::COLLECTION as SESSIONS;

use super::Data;
use crate::{
    site::SiteName,
    store::{StoreError, StoreSettings, Stores},
};

#[test]
fn a_full_store_says_so_and_gets_room_by_deleting() {
    let data = Data::new();
    let store = data.site("a", 2);
    let value = vec![0; 10_000];
    let mut written = 0;
    let error = loop {
        match store.set("c", &format!("{written:05}"), &value) {
            Ok(()) => written += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(error, StoreError::Full(2)), "{}", error.detail());
    assert!(!error.is_fault());
    assert_eq!(error.to_string(), "o store do site está cheio: o limite é de 2 MB (store_mb em site.toml)");
    assert!((120..210).contains(&written), "{written} values of 10 kB in 2 MiB");
    assert_eq!(store.count("c").unwrap(), written, "the refused one left no trace");
    assert!(store.get("c", "00000").unwrap().is_some());
    for key in 0..20 {
        assert!(store.delete("c", &format!("{key:05}")).unwrap());
    }
    store.set("c", "de novo", &value).unwrap();
    assert!(std::fs::metadata(data.folder.path().join("sites/a/store.db")).unwrap().len() <= 2 * 1024 * 1024);
}

#[test]
fn a_new_bound_holds_at_once() {
    let data = Data::new();
    let store = data.site("a", 1);
    let value = vec![0; 600_000];
    store.set("c", "1", &value).unwrap();
    assert!(matches!(store.set("c", "2", &value), Err(StoreError::Full(1))));
    data.site("a", 4);
    store.set("c", "2", &value).unwrap();
    data.site("a", 1);
    assert!(matches!(store.set("c", "3", &value), Err(StoreError::Full(1))));
    assert_eq!(store.count("c").unwrap(), 2, "what is there stays");
}

#[test]
fn one_site_does_not_fill_another() {
    let data = Data::new();
    let (full, other) = (data.site("full", 1), data.site("other", 1));
    let value = vec![0; 100_000];
    while full.set("c", &full.next_id("c").unwrap_or_default().to_string(), &value).is_ok() {}
    other.set("c", "k", &value).unwrap();
}

#[test]
fn visitors_sessions_do_not_fill_the_store() {
    let data = Data::new();
    let store = data.site("a", 4);
    store.set("posts", "1", &[1; 1000]).unwrap();
    for n in 0..1500 {
        store.set(SESSIONS, &format!("{n:032x}"), &[0; 1000]).unwrap();
    }
    let kept = store.count(SESSIONS).unwrap();
    assert!((150..=450).contains(&kept), "{kept} of 1 kB in an eighth of 4 MiB");
    assert!(store.get(SESSIONS, &format!("{:032x}", 1499)).unwrap().is_some());
    assert_eq!(store.get(SESSIONS, &format!("{:032x}", 0)).unwrap(), None, "the oldest have gone");
    for n in 0..2 {
        store.set("posts", &n.to_string(), &vec![0; 1 << 20]).unwrap();
    }
}

#[test]
fn a_session_that_nobody_writes_to_ends() {
    let data = Data::new();
    let store = data.site("a", 4);
    store.set(SESSIONS, "velha", b"x").unwrap();
    store.set(SESSIONS, "nova", b"x").unwrap();
    store.set("posts", "velho", b"x").unwrap();
    let file = rusqlite::Connection::open(data.folder.path().join("sites/a/store.db")).unwrap();
    file.execute("UPDATE items SET written = written - 31 * 86400 WHERE CAST(key AS TEXT) LIKE 'velh%'", []).unwrap();
    drop(file);
    // A host's own thread looks now and then at the stores that are open.
    let later = Stores::new(data.folder.path(), StoreSettings { idle: Duration::from_millis(80), ..StoreSettings::default() });
    let store = later.site(&SiteName::new("a").unwrap(), 4);
    let swept = (0..200).any(|_| {
        thread::sleep(Duration::from_millis(10));
        store.get(SESSIONS, "velha").unwrap().is_none()
    });
    assert!(swept);
    assert!(store.get(SESSIONS, "nova").unwrap().is_some() && store.get("posts", "velho").unwrap().is_some());
}
