//! How much one site may store.

use super::Data;
use crate::store::StoreError;

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
