//! The parser and the writer against known cases, each other, and serde_json.
#![allow(clippy::unwrap_used)]

use alloc::{string::String, vec, vec::Vec};

use proptest::prelude::*;

use super::*;
use crate::value::Value;

fn code(text: &str) -> &'static str {
    parse(text.as_bytes()).map_or_else(|issue| issue.code.as_str(), |_| "ok")
}

#[test]
fn reads_every_kind() {
    let text = r#" {"a":[null,true,false],"b":{"c":"d\u00e9\n\ud83d\ude00"},"i":-12,"f":1.5e3} "#;
    let value = parse(text.as_bytes()).unwrap();
    assert_eq!(value.get("b").and_then(|b| b.get("c")), Some(&"dé\n😀".into()));
    assert_eq!(to_string(&value), r#"{"a":[null,true,false],"b":{"c":"dé\n😀"},"i":-12,"f":1500}"#);
}

#[test]
fn keeps_integers_exact() {
    for (text, value) in [
        ("9223372036854775807", Value::Int(i64::MAX)),
        ("-9223372036854775808", Value::Int(i64::MIN)),
        ("9223372036854775808", Value::Huge("9223372036854775808".into())),
        ("-9223372036854775809", Value::Huge("-9223372036854775809".into())),
        ("123456789012345678901234567890", Value::Huge("123456789012345678901234567890".into())),
        ("-0", Value::Int(0)),
        ("4.0", Value::Float(4.0)),
        ("9007199254740993.0", Value::Int(9_007_199_254_740_993)),
        ("-9.007199254740993e15", Value::Int(-9_007_199_254_740_993)),
        ("90071992547409930e-1", Value::Int(9_007_199_254_740_993)),
        ("1e18", Value::Float(1e18)),
        ("1e25", Value::Float(1e25)),
        ("-0.0", Value::Float(-0.0)),
        ("0e99999999999999999999", Value::Float(0.0)),
        ("1e400", Value::Huge("1e400".into())),
        ("1e99999999999999999999", Value::Huge("1e99999999999999999999".into())),
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap(), value, "{text}");
    }
}

#[test]
fn a_fraction_that_a_double_loses_is_kept() {
    for text in [
        "9007199254740993.5",
        "4503599627370497.5",
        "-9223372036854775808.5",
        "4.0000000000000001",
        "0.99999999999999999999",
        "1e-400",
        "1e-99999999999999999999",
        "90071992547409935e-1",
    ] {
        assert_eq!(parse(text.as_bytes()).unwrap(), Value::Huge(text.into()));
        assert_eq!(Value::rounded(text), text.parse().ok());
    }
    assert_eq!(parse(b"4.5").unwrap(), Value::Float(4.5));
}

#[test]
fn refuses_what_is_not_json() {
    for text in [
        "",
        " ",
        "{",
        "[",
        "[1,]",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "01",
        "-",
        "1.",
        ".5",
        "1e",
        "+1",
        "NaN",
        "Infinity",
        "nul",
        "tru",
        "[1 2]",
        "{\"a\" 1}",
        "\"\u{1}\"",
        "\"\\x\"",
        "\"\\u12\"",
        "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"",
        "\"a",
        "// a\n1",
        "\u{FEFF}{}",
        "\u{A0}1",
    ] {
        assert_eq!(code(text), "invalid_json", "{text:?}");
    }
    assert_eq!(parse(b"{\"t\":\"\xff\"}").unwrap_err().code, SyntaxCode::InvalidJson);
    for second in ["{} {}", "{}{}", "{}[", "1 2", "[]null", "{}-1", "{}\"a\""] {
        assert_eq!(code(second), "extra_document", "{second}");
    }
    for rest in ["1 x", "{}x", "{}}", "[]]", "{},", "{}nulo", "{}:{}"] {
        assert_eq!(code(rest), "invalid_json", "{rest}");
    }
    assert_eq!(code("{\"a\":1,\"b\":{\"c\":1,\"\\u0063\":2}}"), "duplicate_member");
}

#[test]
fn limits_are_inclusive() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert_eq!(code(&nested(64)), "ok");
    assert_eq!(code(&nested(65)), "too_deep");
    assert_eq!(code(&"[".repeat(1_000_000)), "too_deep");
    let many = |values: usize| alloc::format!("[{}]", vec!["0"; values - 1].join(","));
    assert_eq!(code(&many(100_000)), "ok");
    assert_eq!(code(&many(100_001)), "too_large");
}

#[test]
fn tells_the_place_in_code_points() {
    let issue = parse("{\"é\":\n [1, x]}".as_bytes()).unwrap_err();
    assert_eq!(issue.detail(), "`x` onde se espera um valor, linha 2, coluna 6");
    assert_eq!((issue.path.as_str(), issue.pointer.as_str()), ("é[1]", "/é/1"));
    let issue = parse(b"{\"titulo\":\"\xff\"}").unwrap_err();
    assert_eq!(issue.detail(), "UTF-8 inválido, linha 1, coluna 12");
    assert_eq!(parse(b"{\"titulo\":").unwrap_err().detail(), "o texto termina onde se espera um valor, linha 1, coluna 11");
}

#[test]
fn finds_a_repeated_member_among_many_quickly() {
    let mut text = String::from("{");
    for index in 0..50_000 {
        text.push_str(&alloc::format!("\"campo{index}\":0,"));
    }
    text.push_str("\"campo7\":1}");
    let issue = parse(text.as_bytes()).unwrap_err();
    assert_eq!((issue.code, issue.pointer.as_str()), (SyntaxCode::DuplicateMember, "/campo7"));
}

#[test]
fn prints_doubles_as_javascript_does() {
    for (number, text) in [
        (4.0, "4"),
        (-0.0, "0"),
        (0.1, "0.1"),
        (1e21, "1e+21"),
        (1.5e300, "1.5e+300"),
        (1e20, "100000000000000000000"),
        (1e-6, "0.000001"),
        (9.999_999_999_999_997e-7, "9.999999999999997e-7"),
        (1.25e-7, "1.25e-7"),
        (-1.25e-7, "-1.25e-7"),
        (-2.5, "-2.5"),
        (999_999_999_999_999_868_928.0, "999999999999999900000"),
        (-1e21, "-1e+21"),
        (1_152_921_504_606_846_976.0, "1152921504606847000"),
        (f64::MAX, "1.7976931348623157e+308"),
        (5e-324, "5e-324"),
        (f64::NAN, "null"),
    ] {
        let mut out = String::new();
        write_float(number, &mut out);
        assert_eq!(out, text);
    }
}

/// Any value that the parser itself can make, short of `Huge`.
pub(crate) fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Nil),
        any::<bool>().prop_map(Value::Bool),
        any::<i64>().prop_map(Value::Int),
        (-5_i64..5).prop_map(Value::Int),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::Float),
        (-5_i32..5).prop_map(|number| Value::Float(f64::from(number))),
        ".{0,8}".prop_map(Value::Str),
    ];
    leaf.prop_recursive(4, 32, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::Arr),
            prop::collection::btree_map(".{0,6}", inner, 0..6).prop_map(|members| Value::Map(members.into_iter().collect())),
        ]
    })
}

/// The same content, where serde_json rounds numbers that it does not hold exactly.
fn same(ours: &Value, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Nil, serde_json::Value::Null) => true,
        (Value::Bool(a), serde_json::Value::Bool(b)) => a == b,
        (Value::Int(a), serde_json::Value::Number(b)) if b.is_i64() => Some(*a) == b.as_i64(),
        (Value::Int(a), serde_json::Value::Number(b)) => Some(*a as f64) == b.as_f64(),
        (Value::Float(a), serde_json::Value::Number(b)) => Some(*a) == b.as_f64(),
        (Value::Huge(text), serde_json::Value::Number(b)) => text.parse::<f64>().ok() == b.as_f64(),
        (Value::Str(a), serde_json::Value::String(b)) => a == b,
        (Value::Arr(a), serde_json::Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Map(a), serde_json::Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(name, value)| b.get(name).is_some_and(|found| same(value, found)))
        }
        _ => false,
    }
}

/// A text near JSON: written from a value, then damaged at one place.
fn damaged() -> impl Strategy<Value = Vec<u8>> {
    (any_value(), any::<prop::sample::Index>(), any::<u8>(), 0..4).prop_map(|(value, place, byte, how)| {
        let mut text = to_string(&value).into_bytes();
        let at = place.index(text.len());
        match how {
            0 => text[at] = byte,
            1 => text.insert(at, byte),
            2 => drop(text.remove(at)),
            _ => text.insert(at, b",:[]{}\"\\0-."[usize::from(byte) % 11]),
        }
        text
    })
}

proptest! {
    #[test]
    fn exact_text_reads_back_the_same(value in any_value()) {
        let mut text = String::new();
        write_exact(&value, &mut text);
        prop_assert_eq!(parse(text.as_bytes()).unwrap(), value);
    }

    #[test]
    fn compact_text_reads_back_equal(value in any_value()) {
        let again = parse(to_string(&value).as_bytes()).unwrap();
        prop_assert_eq!(to_string(&again), to_string(&value));
    }

    #[test]
    fn what_is_never_held_is_the_same(value in any_value(), text in damaged()) {
        let written = to_string(&value);
        prop_assert_eq!(compact(written.as_bytes(), Limits::default()).unwrap(), written.as_str());
        let items = value.as_arr().map(|items| items.len() as u64);
        prop_assert_eq!(count_items(written.as_bytes(), Limits::default()).unwrap(), items);
        match parse(&text) {
            Ok(value) => prop_assert_eq!(compact(&text, Limits::default()).unwrap(), to_string(&value)),
            Err(issue) => prop_assert_eq!(compact(&text, Limits::default()).unwrap_err(), issue),
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = parse(&bytes);
    }

    /// serde_json takes every text that we take, with the same content, and we refuse nothing that it takes but what we promise to.
    #[test]
    fn agrees_with_serde_json(text in damaged()) {
        match (parse(&text), serde_json::from_slice::<serde_json::Value>(&text)) {
            (Ok(ours), Ok(theirs)) => prop_assert!(same(&ours, &theirs), "{ours:?} {theirs}"),
            // Numbers that overflow a double are refused there, kept for a better message here.
            (Ok(ours), Err(error)) => prop_assert!(error.is_syntax() && alloc::format!("{ours:?}").contains("Huge"), "{error}"),
            (Err(issue), Ok(_)) => prop_assert_eq!(issue.code, SyntaxCode::DuplicateMember),
            (Err(_), Err(_)) => {}
        }
    }
}
