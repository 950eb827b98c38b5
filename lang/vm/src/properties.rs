//! Rules that hold for every value, tried with random ones.
#![allow(clippy::unwrap_used)]

use alloc::{string::String, vec::Vec};
use core::cmp::Ordering;

use proptest::prelude::*;

use djo_contract::value::Value as Plain;

use crate::{
    escape,
    heap::Heap,
    image::{Builder, Program},
    json,
    op::Escape,
    ops::{
        arithmetic::{floor_div, floor_mod, multiply},
        compare::int_float,
        equal::equal,
        number,
    },
    value::Value,
    wire,
};

fn with_heap<T>(run: impl FnOnce(&mut Heap<'_>) -> T) -> T {
    let image = Builder::new().finish().unwrap();
    let program = Program::new(&image).unwrap();
    run(&mut Heap::new(&program))
}

fn plain() -> impl Strategy<Value = Plain> {
    plain_with(|number| number.is_finite())
}

/// Values whose Floats pass a test.
fn plain_with(passes: fn(f64) -> bool) -> impl Strategy<Value = Plain> {
    let leaf = prop_oneof![
        Just(Plain::Nil),
        any::<bool>().prop_map(Plain::Bool),
        any::<i64>().prop_map(Plain::Int),
        any::<f64>().prop_filter_map("passes", move |number| passes(number).then_some(Plain::Float(number))),
        any::<String>().prop_map(Plain::Str),
    ];
    leaf.prop_recursive(5, 60, 20, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..20).prop_map(Plain::Arr),
            proptest::collection::btree_map("[a-zé]{0,3}", inner, 0..20).prop_map(|members| Plain::Map(members.into_iter().collect())),
        ]
    })
}

/// Ints of every size, and those next to where the halves of a word end.
fn ints() -> impl Strategy<Value = i64> {
    let edges = [0, i64::from(i32::MAX), i64::from(i32::MIN), i64::from(u32::MAX), i64::MAX, i64::MIN];
    let near = (prop::sample::select(edges.to_vec()), -2_i64..=2).prop_map(|(edge, step)| edge.wrapping_add(step));
    prop_oneof![any::<i64>(), any::<i32>().prop_map(i64::from), -20_i64..20, near]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn values_come_back_from_the_store(value in plain()) {
        with_heap(|heap| {
            let first = json::import(heap, &value).unwrap();
            let bytes = wire::encode(heap, first).unwrap();
            let second = wire::decode(heap, &bytes).unwrap();
            prop_assert!(equal(heap, first, second).unwrap());
            prop_assert_eq!(json::export(heap, second).unwrap(), value);
            Ok(())
        })?;
    }

    // A Float is written as JavaScript does: beyond 2^53, digits that are no longer exact, which reading takes for an integer.
    #[test]
    fn json_is_read_back_by_the_contract(value in plain_with(|number| number.abs() < 9e15)) {
        with_heap(|heap| {
            let held = json::import(heap, &value).unwrap();
            let mut text = Vec::new();
            json::encode(heap, held, &mut text).unwrap();
            prop_assert_eq!(core::str::from_utf8(&text).unwrap(), djo_contract::json::to_string(&value));
            let read = json::decode(heap, &text, json::Limits::default()).unwrap();
            prop_assert!(equal(heap, held, read).unwrap());
            Ok(())
        })?;
    }

    #[test]
    fn damaged_bytes_are_no_value_or_another(value in plain(), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        with_heap(|heap| {
            let held = json::import(heap, &value).unwrap();
            let mut bytes = wire::encode(heap, held).unwrap();
            let at = at.index(bytes.len());
            bytes[at] = byte;
            let _ = wire::decode(heap, &bytes);
            bytes.truncate(at);
            prop_assert!(wire::decode(heap, &bytes).is_err());
            Ok(())
        })?;
    }

    #[test]
    fn maps_keep_their_order_and_find_their_keys(steps in proptest::collection::vec((0_u8..60, any::<bool>()), 0..200), seed in any::<u64>()) {
        with_heap(|heap| {
            heap.set_seed(seed);
            let (handle, _) = heap.map(0);
            let mut model: Vec<(u8, i64)> = Vec::new();
            for (turn, (key, remove)) in (0..).zip(steps) {
                let name = heap.text(alloc::format!("k{key}"));
                let position = model.iter().position(|(known, _)| *known == key);
                if remove {
                    prop_assert_eq!(heap.remove(handle, name).unwrap(), position.is_some());
                    model.retain(|(known, _)| *known != key);
                } else {
                    heap.put(handle, name, Value::Int(turn)).unwrap();
                    match position {
                        Some(position) => model[position].1 = turn,
                        None => model.push((key, turn)),
                    }
                }
            }
            let entries: Vec<(String, i64)> = heap.entries(handle).unwrap().iter().map(|&(key, value)| match value {
                Value::Int(number) => (heap.lossy(key).into_owned(), number),
                _ => panic!("no Int"),
            }).collect();
            let wanted: Vec<(String, i64)> = model.iter().map(|(key, value)| (alloc::format!("k{key}"), *value)).collect();
            prop_assert_eq!(entries, wanted);
            for (key, value) in model {
                let found = heap.member_named(handle, &alloc::format!("k{key}"));
                prop_assert!(matches!(found, Some(Value::Int(found)) if found == value), "{:?}", found);
            }
            Ok(())
        })?;
    }

    #[test]
    fn nothing_leaves_its_place(text in "[a-z<>&\"'`/:;=\\\\ \t\n\u{2028}é]{0,20}|[ \t\n]*(java|JAVA|data|vb)[\t\n]?(script|SCRIPT)?[\t\n ]?:.*", raw in any::<bool>()) {
        let written = |escape: Escape| with_heap(|heap| {
            let value = if raw && !matches!(escape, Escape::Text) { heap.raw(text.as_str()) } else { heap.text(text.as_str()) };
            let mut out = Vec::new();
            escape::write(heap, value, escape, &mut out).unwrap();
            String::from_utf8(out).unwrap()
        });
        prop_assert!(!written(Escape::Text).contains(['<', '>', '"', '\'']));
        prop_assert!(!written(Escape::Attribute).contains(['"', '\'']));
        for escape in [Escape::Url, Escape::UrlPath, Escape::UrlRoot, Escape::UrlRootEnd, Escape::UrlAddress, Escape::UrlQuery] {
            prop_assert!(!written(escape).contains(['<', '>', '"', '\'', ' ', '\n', '\t']));
        }
        let url = written(Escape::Url);
        let scheme = url.split(['/', '?', '#']).next().unwrap_or("").split_once(':').map(|(scheme, _)| scheme.to_ascii_lowercase());
        prop_assert!(scheme.is_none_or(|scheme| ["http", "https", "mailto", "tel"].contains(&scheme.as_str())), "{}", url);
        let script = written(Escape::Script);
        prop_assert!(!script.contains(['<', '>', '&', '\u{2028}']), "{}", script);
        let string = written(Escape::ScriptString);
        prop_assert!(!string.contains(['<', '>', '&', '"', '\'', '`', '\n', '\u{2028}']), "{}", string);
    }

    #[test]
    fn products_are_exact_or_refused(a in ints(), b in ints()) {
        prop_assert_eq!(multiply(a, b), i64::try_from(i128::from(a) * i128::from(b)).ok());
    }

    #[test]
    fn texts_are_joined_as_a_page_shows_them(parts in proptest::collection::vec(plain(), 0..6), markup in any::<String>()) {
        with_heap(|heap| {
            let mut values: Vec<Value> = parts.iter().map(|part| json::import(heap, part).unwrap()).collect();
            let mut shown = Vec::new();
            values.iter().for_each(|value| escape::display(heap, *value, &mut shown).unwrap());
            let joined = escape::join(heap, &values).unwrap();
            assert!(matches!(joined, Value::Str(_)));
            assert_eq!(heap.bytes(joined), shown);
            // With markup among them, all else is escaped in it.
            let raw = heap.raw(markup.as_str());
            values.push(raw);
            let mut escaped = Vec::new();
            values.iter().for_each(|value| escape::write(heap, *value, Escape::Text, &mut escaped).unwrap());
            let joined = escape::join(heap, &values).unwrap();
            assert!(matches!(joined, Value::Raw(_)));
            assert_eq!(heap.bytes(joined), escaped);
        });
    }

    #[test]
    fn division_floors(a in ints(), b in ints()) {
        match (floor_div(a, b), floor_mod(a, b)) {
            (Ok(quotient), Ok(rest)) => {
                prop_assert_eq!(i128::from(quotient) * i128::from(b) + i128::from(rest), i128::from(a));
                prop_assert!(rest == 0 || (rest < 0) == (b < 0));
                prop_assert!(rest.unsigned_abs() < b.unsigned_abs());
            }
            (Err(_), rest) => prop_assert!(b == 0 && rest.is_err() || a == i64::MIN && b == -1),
            (Ok(_), Err(_)) => prop_assert!(false),
        }
    }

    #[test]
    fn ints_and_floats_compare_exactly(a in any::<i64>(), b in prop_oneof![any::<f64>(), any::<i64>().prop_map(|b| b as f64)]) {
        prop_assume!(b.is_finite());
        // Doubles of this size are integers, which 128 bits hold.
        let wanted = if b.abs() < 1e30 {
            i128::from(a).cmp(&(b as i128)).then_with(|| 0.0.partial_cmp(&(b - (b as i128) as f64)).unwrap())
        } else if b > 0.0 { Ordering::Less } else { Ordering::Greater };
        prop_assert_eq!(int_float(a, b), wanted);
    }

    #[test]
    fn rounding_is_as_in_the_standard_library(number in any::<f64>()) {
        prop_assume!(number.is_finite());
        extern crate std;
        prop_assert_eq!(number::floor(number), number.floor());
        prop_assert_eq!(number::ceil(number), number.ceil());
        prop_assert_eq!(number::round(number), number.round());
    }
}
