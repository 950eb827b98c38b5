//! Each operation by itself, its limits, and that it is atomic.

use std::{thread, time::Duration};

use super::Data;
use djo_contract::wire::encode_int;

use crate::store::StoreError;

#[test]
fn values_come_back_as_they_were() {
    let data = Data::new();
    let store = data.site("a", 64);
    assert!(!store.exists(), "an unused store has no file");
    assert_eq!(store.get("posts", "1").unwrap(), None);
    let bytes: Vec<u8> = (0..=255).collect();
    store.set("posts", "1", &bytes).unwrap();
    store.set("posts", "ção\0%_'\"", b"").unwrap();
    assert_eq!(store.get("posts", "1").unwrap().as_deref(), Some(bytes.as_slice()));
    assert_eq!(store.get("posts", "ção\0%_'\"").unwrap().as_deref(), Some(&[][..]));
    assert_eq!(store.get("outra", "1").unwrap(), None);
    store.set("posts", "1", b"novo").unwrap();
    assert_eq!(store.get("posts", "1").unwrap().as_deref(), Some(&b"novo"[..]));
    assert!(store.exists());
}

#[test]
fn counts_follow_every_kind_of_write() {
    let data = Data::new();
    let store = data.site("a", 64);
    assert_eq!(store.count("c").unwrap(), 0);
    store.set("c", "k", b"1").unwrap();
    store.set("c", "k", b"2").unwrap();
    store.increment("c", "n", 1).unwrap();
    store.increment("c", "n", 1).unwrap();
    assert!(store.compare_and_swap("c", "x", None, Some(b"1")).unwrap());
    assert!(store.compare_and_swap("c", "x", Some(b"1"), Some(b"2")).unwrap());
    store.next_id("c").unwrap();
    assert_eq!(store.count("c").unwrap(), 3);
    assert!(store.delete("c", "k").unwrap());
    assert!(!store.delete("c", "k").unwrap());
    assert!(store.compare_and_swap("c", "x", Some(b"2"), None).unwrap());
    assert_eq!(store.count("c").unwrap(), 1);
    assert_eq!(store.count("d").unwrap(), 0);
}

#[test]
fn increment_adds_to_an_int_and_to_nothing_else() {
    let data = Data::new();
    let store = data.site("a", 64);
    assert_eq!(store.increment("c", "n", 5).unwrap(), 5);
    assert_eq!(store.increment("c", "n", -7).unwrap(), -2);
    assert_eq!(store.get("c", "n").unwrap().unwrap(), encode_int(-2));
    store.set("c", "n", &encode_int(i64::MAX)).unwrap();
    assert!(matches!(store.increment("c", "n", 1), Err(StoreError::Overflow)));
    assert_eq!(store.increment("c", "n", 0).unwrap(), i64::MAX, "a refused sum leaves the value");
    store.set("c", "s", b"texto").unwrap();
    assert!(matches!(store.increment("c", "s", 1), Err(StoreError::NotAnInt)));
    assert_eq!(store.get("c", "s").unwrap().as_deref(), Some(&b"texto"[..]));
}

#[test]
fn compare_and_swap_compares_bytes() {
    let data = Data::new();
    let store = data.site("a", 64);
    let cas = |old: Option<&[u8]>, new: Option<&[u8]>| store.compare_and_swap("c", "k", old, new).unwrap();
    assert!(cas(None, None), "absent as expected");
    assert!(!cas(Some(b"a"), Some(b"b")));
    assert!(!cas(Some(b"a"), None));
    assert!(cas(None, Some(b"a")));
    assert!(!cas(None, None));
    assert!(!cas(None, Some(b"b")));
    assert!(!cas(Some(b"A"), Some(b"b")));
    assert!(cas(Some(b"a"), Some(b"")));
    assert!(cas(Some(b""), None));
    assert_eq!(store.get("c", "k").unwrap(), None);
}

#[test]
fn ids_start_at_one_and_never_come_twice() {
    let data = Data::new();
    let store = data.site("a", 64);
    assert_eq!(store.next_id("c").unwrap(), 1);
    store.set("c", "1", b"x").unwrap();
    assert_eq!(store.next_id("c").unwrap(), 2);
    store.delete("c", "1").unwrap();
    assert_eq!(store.next_id("c").unwrap(), 3);
    assert_eq!(store.next_id("d").unwrap(), 1);
}

#[test]
fn sizes_have_limits_with_messages_for_the_author() {
    let data = Data::new();
    let store = data.site("a", 64);
    let long = "k".repeat(1025);
    assert!(store.set("c", &long[..1024], b"x").is_ok());
    let refusals = [
        (store.set("", "k", b"x").unwrap_err(), "o nome da coleção está vazio"),
        (store.set(&long[..257], "k", b"x").unwrap_err(), "o nome da coleção tem 257 bytes; o máximo é 256"),
        (store.set("c", &long, b"x").unwrap_err(), "a chave tem 1025 bytes; o máximo é 1024"),
        (store.get("c", &long).map(drop).unwrap_err(), "a chave tem 1025 bytes; o máximo é 1024"),
        (store.set("c", "k", &vec![0; 1024 * 1024 + 1]).unwrap_err(), "o valor tem 1048577 bytes; o máximo é 1048576 (1 MiB)"),
        (store.list("c", "", 0, None).map(drop).unwrap_err(), "o limite de uma lista vai de 1 a 1000, mas veio 0"),
        (store.list("c", "", 1001, None).map(drop).unwrap_err(), "o limite de uma lista vai de 1 a 1000, mas veio 1001"),
        (
            store.compare_and_swap("c", "k", None, Some(&vec![0; 1024 * 1024 + 1])).map(drop).unwrap_err(),
            "o valor tem 1048577 bytes; o máximo é 1048576 (1 MiB)",
        ),
    ];
    for (refusal, message) in refusals {
        assert_eq!(refusal.to_string(), message);
        assert!(!refusal.is_fault());
    }
    store.set("c", "k", &vec![7; 1024 * 1024]).unwrap();
    assert_eq!(store.get("c", "k").unwrap().unwrap().len(), 1024 * 1024);
}

#[test]
fn nothing_is_lost_between_threads() {
    let data = Data::new();
    let store = data.site("a", 64);
    let threads = 8;
    let each = 200;
    let ids = std::sync::Mutex::new(Vec::new());
    thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                let mut mine = Vec::new();
                for _ in 0..each {
                    store.increment("c", "n", 1).unwrap();
                    mine.push(store.next_id("c").unwrap());
                    // A counter by hand, the way a site would write it.
                    loop {
                        let old = store.get("c", "hand").unwrap();
                        let next = old.as_ref().map_or(0, |old| u64::from_be_bytes(old.as_slice().try_into().unwrap())) + 1;
                        if store.compare_and_swap("c", "hand", old.as_deref(), Some(&next.to_be_bytes())).unwrap() {
                            break;
                        }
                    }
                }
                ids.lock().unwrap().extend(mine);
            });
        }
    });
    let total = threads * each;
    assert_eq!(store.get("c", "n").unwrap().unwrap(), encode_int(total));
    assert_eq!(store.get("c", "hand").unwrap().unwrap(), (total as u64).to_be_bytes());
    let mut ids = ids.into_inner().unwrap();
    ids.sort_unstable();
    assert_eq!(ids, (1..=total).collect::<Vec<_>>());
}

#[test]
fn readers_do_not_wait_for_each_other() {
    let data = Data::new();
    let store = data.site("a", 64);
    store.set("c", "k", b"v").unwrap();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..500 {
                    assert_eq!(store.get("c", "k").unwrap().as_deref(), Some(&b"v"[..]));
                }
            });
        }
        scope.spawn(|| assert!((0..200).all(|_| store.increment("c", "n", 1).unwrap() > 0)));
    });
}

#[test]
fn a_sweep_removes_what_is_old_and_nothing_else() {
    let data = Data::new();
    let store = data.site("a", 64);
    for key in 0..1200 {
        store.set("sessions", &key.to_string(), b"x").unwrap();
    }
    store.set("posts", "1", b"x").unwrap();
    assert_eq!(store.sweep("sessions", Duration::from_secs(3600)).unwrap(), 0);
    assert_eq!(store.sweep("sessions", Duration::MAX).unwrap(), 0);
    assert_eq!(store.sweep("sessions", Duration::ZERO).unwrap(), 1200);
    assert_eq!(store.count("sessions").unwrap(), 0);
    assert_eq!(store.count("posts").unwrap(), 1);
}
