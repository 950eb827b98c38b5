//! Listings: by prefix, in the order of bytes, page by page.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::Data;
use crate::store::{MAX_PAGE_BYTES, SiteStore};

fn keys(store: &SiteStore, prefix: &str) -> Vec<String> {
    store.list("c", prefix, 1000, None).unwrap().items.into_iter().map(|(key, _)| key).collect()
}

#[test]
fn prefixes_are_text_and_not_patterns() {
    let data = Data::new();
    let store = data.site("a", 64);
    for key in ["a%b", "a%c", "axb", "a_b", "ab", "A", "", "é", "éa", "ê", "e", "日本", "日", "😀", "\u{10FFFF}x"] {
        store.set("c", key, b"").unwrap();
    }
    store.set("d", "a%z", b"").unwrap();
    assert_eq!(keys(&store, "a%"), ["a%b", "a%c"]);
    assert_eq!(keys(&store, "a_"), ["a_b"]);
    assert_eq!(keys(&store, "é"), ["é", "éa"]);
    assert_eq!(keys(&store, "日"), ["日", "日本"]);
    assert_eq!(keys(&store, "\u{10FFFF}"), ["\u{10FFFF}x"]);
    assert_eq!(keys(&store, "zz"), [""; 0]);
    assert_eq!(keys(&store, "").len(), 15);
    assert_eq!(keys(&store, "")[..3], ["", "A", "a%b"]);
}

#[test]
fn a_page_has_a_bound_in_bytes() {
    let data = Data::new();
    let store = data.site("a", 64);
    let value = vec![1; 1024 * 1024];
    for key in ["1", "2", "3", "4", "5", "6"] {
        store.set("c", key, &value).unwrap();
    }
    let page = store.list("c", "", 1000, None).unwrap();
    let bytes: usize = page.items.iter().map(|(key, value)| key.len() + value.len()).sum();
    assert!(bytes <= MAX_PAGE_BYTES && page.items.len() == 3, "{} items", page.items.len());
    let rest = store.list("c", "", 1000, page.cursor.as_deref()).unwrap();
    assert_eq!(rest.items.len(), 3);
    assert_eq!(rest.cursor, None);
}

#[test]
fn a_cursor_outlives_its_key() {
    let data = Data::new();
    let store = data.site("a", 64);
    for key in ["p1", "p2", "p3", "p4"] {
        store.set("c", key, b"").unwrap();
    }
    let page = store.list("c", "p", 2, None).unwrap();
    assert_eq!(page.cursor.as_deref(), Some("p2"));
    store.delete("c", "p2").unwrap();
    let rest = store.list("c", "p", 2, page.cursor.as_deref()).unwrap();
    assert_eq!(rest.items.iter().map(|(key, _)| key.as_str()).collect::<Vec<_>>(), ["p3", "p4"]);
    assert_eq!(rest.cursor, None, "a page that ends exactly at the end has no next one");
    assert_eq!(store.list("c", "p", 9, Some("a")).unwrap().items.len(), 3, "a cursor before the prefix");
    assert_eq!(store.list("c", "p", 9, Some("q")).unwrap().items.len(), 0, "a cursor after it");
}

#[test]
fn a_listing_reads_its_range_and_no_more() {
    let data = Data::new();
    data.site("a", 64).set("c", "k", b"").unwrap();
    let connection = rusqlite::Connection::open(data.folder.path().join("sites/a/store.db")).unwrap();
    let mut explain = connection.prepare(&format!("EXPLAIN QUERY PLAN {}", crate::store::site_store::LIST)).unwrap();
    let mut rows = explain.query(rusqlite::params!["c", b"a", b"b", None::<&[u8]>, 9]).unwrap();
    let mut plan = String::new();
    while let Some(row) = rows.next().unwrap() {
        plan += &row.get::<_, String>(3).unwrap();
    }
    assert!(plan.contains("collection=? AND key>? AND key<?") && !plan.contains("TEMP B-TREE"), "{plan}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever the keys, the prefix and the size of a page: the pages joined are the model's range.
    #[test]
    fn pages_joined_are_the_range(
        model in proptest::collection::btree_map("[ab%_é日\u{10FFFF}]{0,4}", proptest::collection::vec(any::<u8>(), 0..4), 0..40),
        prefix in "[ab%_é日]{0,2}",
        cursor in proptest::option::of("[ab%_é日]{0,3}"),
        limit in 1u32..9,
    ) {
        let data = Data::new();
        let store = data.site("a", 64);
        for (key, value) in &model {
            store.set("c", key, value).unwrap();
        }
        let expected: BTreeMap<String, Vec<u8>> = model
            .iter()
            .filter(|(key, _)| key.starts_with(&prefix) && cursor.as_ref().is_none_or(|cursor| *key > cursor))
            .map(|(key, value)| (key.clone(), value.clone()))
            .collect();
        let mut seen = Vec::new();
        let mut at = cursor;
        loop {
            let page = store.list("c", &prefix, limit, at.as_deref()).unwrap();
            prop_assert!(page.items.len() <= limit as usize);
            seen.extend(page.items);
            match page.cursor {
                Some(next) => at = Some(next),
                None => break,
            }
        }
        prop_assert_eq!(seen, expected.into_iter().collect::<Vec<_>>());
        prop_assert_eq!(store.count("c").unwrap(), model.len() as u64);
    }
}
