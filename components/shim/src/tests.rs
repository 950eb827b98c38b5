//! The data behaves as our host's store does.
#![allow(clippy::unwrap_used)]

use alloc::{format, string::String, vec, vec::Vec};

use crate::data::Data;

fn keys(data: &Data, prefix: &str, limit: u32, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let (items, cursor) = data.list("c", prefix, limit, cursor).unwrap();
    (items.into_iter().map(|(key, _)| key).collect(), cursor)
}

#[test]
fn what_is_set_is_there_until_it_is_deleted() {
    let mut data = Data::new();
    assert_eq!(data.get("c", "k").unwrap(), None);
    data.set("c", "k", vec![1]).unwrap();
    assert_eq!(data.get("c", "k").unwrap(), Some(vec![1]));
    assert_eq!(data.count("c").unwrap(), 1);
    assert_eq!(data.get("outra", "k").unwrap(), None);
    assert!(data.delete("c", "k").unwrap());
    assert!(!data.delete("c", "k").unwrap());
    assert_eq!(data.count("c").unwrap(), 0);
}

#[test]
fn a_listing_goes_by_pages_in_order() {
    let mut data = Data::new();
    for key in ["b2", "a", "b1", "b3", "c"] {
        data.set("c", key, vec![]).unwrap();
    }
    assert_eq!(keys(&data, "b", 2, None), (vec!["b1".into(), "b2".into()], Some("b2".into())));
    assert_eq!(keys(&data, "b", 2, Some("b2")), (vec!["b3".into()], None));
    assert_eq!(keys(&data, "b", 3, None).1, None);
    assert_eq!(keys(&data, "", 10, Some("b3")), (vec!["c".into()], None));
    assert_eq!(keys(&data, "b", 10, Some("a")).0.len(), 3);
    assert!(data.list("c", "", 0, None).is_err());
    assert!(data.list("c", "", 1001, None).is_err());
}

#[test]
fn numbers_count_and_do_not_overflow() {
    let mut data = Data::new();
    assert_eq!(data.increment("c", "n", 5).unwrap(), 5);
    assert_eq!(data.increment("c", "n", -7).unwrap(), -2);
    data.increment("c", "m", i64::MAX).unwrap();
    assert_eq!(data.increment("c", "m", 1).unwrap_err(), "o resultado não cabe em Int");
    data.set("c", "t", b"?".to_vec()).unwrap();
    assert_eq!(data.increment("c", "t", 1).unwrap_err(), "o valor guardado nesta chave não é Int");
    assert_eq!((data.next_id("c").unwrap(), data.next_id("c").unwrap(), data.next_id("d").unwrap()), (1, 2, 1));
}

#[test]
fn a_swap_needs_the_value_that_is_held() {
    let mut data = Data::new();
    assert!(!data.compare_and_swap("c", "k", Some(b"a"), Some(b"b".to_vec())).unwrap());
    assert!(data.compare_and_swap("c", "k", None, Some(b"a".to_vec())).unwrap());
    assert!(!data.compare_and_swap("c", "k", None, Some(b"b".to_vec())).unwrap());
    assert!(data.compare_and_swap("c", "k", Some(b"a"), None).unwrap());
    assert_eq!(data.count("c").unwrap(), 0);
}

#[test]
fn limits_are_kept() {
    let mut data = Data::new();
    assert_eq!(data.get("", "k").unwrap_err(), "o nome da coleção está vazio");
    assert!(data.get(&"c".repeat(257), "k").is_err());
    assert!(data.get("c", &"k".repeat(1025)).is_err());
    assert!(data.set("c", "k", vec![0; (1 << 20) + 1]).is_err());
    for number in 0..31 {
        data.set("c", &format!("{number}"), vec![0; 1 << 20]).unwrap();
    }
    let full = data.set("c", "um a mais", vec![0; 1 << 20]).unwrap_err();
    assert_eq!(full, "o store do site está cheio: o limite é de 32 MB");
    data.delete("c", "0").unwrap();
    data.set("c", "um a mais", vec![0; 1 << 20]).unwrap();
}
