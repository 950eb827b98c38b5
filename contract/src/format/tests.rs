//! The formats against examples and against jsonschema's own.

use std::string::String;

use proptest::prelude::*;

use super::is_valid;

/// What jsonschema says. A display name before an address is no part of RFC 5321's mailbox: switched off there.
fn oracle(format: &str, text: &str) -> bool {
    let schema = serde_json::json!({"format": format});
    jsonschema::options()
        .should_validate_formats(true)
        .with_email_options(jsonschema::EmailOptions::default().without_display_text())
        .build(&schema)
        .is_ok_and(|validator| validator.is_valid(&text.into()))
}

#[test]
fn known_examples() {
    for (format, good, bad) in [
        (
            "email",
            &["a@b", "ana.maria+x@exemplo.com.br", "\"a b\"@x.y", "\"\"@x.y", "a@[127.0.0.1]", "a@[IPv6:::1]", "a@xn--bcher-kva.de"][..],
            &[
                "",
                "a",
                "@b",
                "a@",
                "a@b..c",
                ".a@b",
                "a b@c",
                "a@-b",
                "é@b.c",
                "a@é.c",
                "a@[300.1.1.1]",
                "Ana <a@b.c>",
                "a@ab--c.d",
                "\"@b",
                "a@b.c\n",
            ][..],
        ),
        (
            "uri",
            &[
                "http://a.b/c?d=e#f",
                "mailto:a@b",
                "urn:x:y",
                "http://[::1]:80/",
                "http://[v1.a:b]/",
                "a:",
                "http://u:p@h:/",
                "file:///a%20b",
                "a://",
            ],
            &[
                "",
                "/a",
                "a",
                "1a:b",
                "http://a b",
                "http://[::1",
                "http://[g]/",
                "http://a:b",
                "http://a/%zz",
                "http://a/é",
                "http://a/<",
                "a:b#c#d",
                "http://a@b@c/",
            ],
        ),
        (
            "date",
            &["2024-02-29", "0000-01-01", "2000-02-29"],
            &["2023-02-29", "1900-02-29", "2024-13-01", "2024-00-01", "2024-01-32", "24-01-01", "2024-1-01", "2024-01-01 ", "2024/01/01"],
        ),
        (
            "date-time",
            &["2024-01-01T00:00:00Z", "2024-01-01t23:59:60z", "2024-01-01T10:00:00.123-03:00", "1998-12-31T15:59:60.123-08:00"],
            &[
                "2024-01-01",
                "2024-01-01T00:00:00",
                "2024-01-01 00:00:00Z",
                "2024-01-01T24:00:00Z",
                "2024-01-01T00:00:60Z",
                "2024-01-01T00:00:00.Z",
                "2024-01-01T00:00:00+24:00",
                "2024-01-01T00:00:00+0300",
            ],
        ),
        (
            "uuid",
            &["00000000-0000-0000-0000-000000000000", "2EB8AA08-aa98-11ea-b4aa-73b441d16380"],
            &[
                "x",
                "2eb8aa08-aa98-11ea-b4aa73b441d16380",
                "2eb8aa08aa9811eab4aa73b441d16380",
                "{2eb8aa08-aa98-11ea-b4aa-73b441d16380}",
                "2eb8aa08-aa98-11ea-b4aa-73b441d1638g",
            ],
        ),
    ] {
        for text in good {
            assert!(is_valid(format, text), "{format}: {text:?} should be good");
        }
        for text in bad {
            assert!(!is_valid(format, text), "{format}: {text:?} should be bad");
        }
        for text in good.iter().chain(bad) {
            assert_eq!(is_valid(format, text), oracle(format, text), "{format}: {text:?}");
        }
    }
    assert!(is_valid("telefone", "qualquer"));
}

/// Texts near a format: an example with a few characters replaced, or a mix of its alphabet.
fn near(example: &'static str, alphabet: &'static str) -> impl Strategy<Value = String> {
    let damaged = prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..3).prop_map(move |places| {
        let mut text: std::vec::Vec<char> = example.chars().collect();
        let letters: std::vec::Vec<char> = alphabet.chars().collect();
        for (place, letter) in places {
            let at = place.index(text.len());
            text[at] = letters[letter.index(letters.len())];
        }
        text.into_iter().collect()
    });
    let letters: std::vec::Vec<char> = alphabet.chars().collect();
    let mixed = prop::collection::vec(prop::sample::select(letters), 0..24).prop_map(|letters| letters.into_iter().collect());
    prop_oneof![damaged, mixed]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]
    #[test]
    fn email_as_jsonschema(text in near("ana.b+c@ex-1.com.br", "ab1.@+\" é_ x")) {
        prop_assert_eq!(is_valid("email", &text), oracle("email", &text));
    }
    #[test]
    fn uri_as_jsonschema(text in near("http://u:p@[::1]:80/a/%20b?c=d#e", "a1:/?#@%2é ~.")) {
        prop_assert_eq!(is_valid("uri", &text), oracle("uri", &text));
    }
    #[test]
    fn date_as_jsonschema(text in near("2024-02-29", "01239-")) {
        prop_assert_eq!(is_valid("date", &text), oracle("date", &text));
    }
    #[test]
    fn date_time_as_jsonschema(text in near("2024-12-31T23:59:60.5-00:00", "012356.:TZ+")) {
        prop_assert_eq!(is_valid("date-time", &text), oracle("date-time", &text));
    }
    #[test]
    fn uuid_as_jsonschema(text in near("2eb8aa08-aa98-11ea-b4aa-73b441d16380", "0aFg-")) {
        prop_assert_eq!(is_valid("uuid", &text), oracle("uuid", &text));
    }
}
