//! Matching, and the programs themselves.

use std::{
    format,
    string::{String, ToString},
};

use proptest::prelude::*;

use super::*;

fn matches(pattern: &str, text: &str) -> bool {
    assert_eq!(check(pattern), Ok(()), "{pattern}");
    Compiled::default().is_match(pattern, text)
}

#[test]
fn classes_are_ascii_but_for_spaces() {
    assert!(matches(r"^\d{2}$", "42") && !matches(r"^\d$", "٣"));
    assert!(matches(r"^\w+$", "a_1") && !matches(r"^\w$", "é") && matches(r"^\W$", "é"));
    assert!(matches(r"^\s$", "\u{a0}") && matches(r"^[\s\d]+$", " 1\t") && !matches(r"^[^\s]$", " "));
    assert!(matches(r"\bola\b", "é ola!") && matches(r"a\Bb", "ab") && !matches(r"a\bb", "ab"));
    assert!(!matches("^.$", "\r") && !matches("^.$", "\n") && matches("(?s)^.$", "\n"));
}

#[test]
fn searches_unless_anchored_and_dollar_is_the_very_end() {
    assert!(matches("b", "abc") && !matches("^b", "abc") && !matches("b$", "ab\n"));
    assert!(matches(r"\Aab\z", "ab") && matches(r"^\Qa.b\E$", "a.b") && !matches(r"^\Qa.b\E$", "axb"));
}

#[test]
fn classes_hold_what_re2_reads_in_them() {
    assert!(matches("^[]a]+$", "]a") && matches("^[^]a]$", "b") && matches("^[a[]+$", "[a"));
    assert!(matches("^[a&&b]+$", "&ab") && matches("^[[:alpha:]_]+$", "a_") && matches(r"^[\]\-.]+$", "]-."));
}

#[test]
fn knows_unicode() {
    assert!(matches(r"^\p{Lu}\pL+$", "Éa") && matches("(?i)^É$", "é") && matches(r"^\p{Greek}$", "λ"));
}

#[test]
fn what_cannot_be_used_is_said_in_one_line() {
    for (pattern, reason) in [
        ("(", "padrão inválido: falta um `)`"),
        ("a{2,1}", "padrão inválido: repetição invertida em `{…}`: o mínimo é maior que o máximo"),
        (r"(a)\1", "padrão inválido: referências a grupos, como `\\1`, não existem em RE2"),
        ("(?=a)", "padrão inválido: `(?=`, `(?!`, `(?<=` e `(?<!` não existem em RE2"),
        ("(?:(?:a{100}){100}){100}", "o padrão é grande demais"),
    ] {
        assert_eq!(check(pattern), Err(reason.into()), "{pattern}");
    }
    assert!(check(&"a".repeat(5000)).is_err());
    assert!(check(&"(".repeat(4000)).is_err());
}

#[test]
fn a_costly_match_is_cut_off() {
    let pattern = "(?:a|b)*a(?:a|b){400}";
    assert!(matches(pattern, &"ab".repeat(400)));
    assert!(!matches(pattern, &"ab".repeat(2_000_000)));
    // Turns that take nothing end.
    assert!(matches("(?:a*)*b", "aab") && matches("^(?:|a)+$", "aa") && matches("(?:^){4000000000}a", "a"));
}

#[test]
fn programs_travel_as_text() {
    let cell = Compiled::default();
    let text = cell.program("^[A-Z]{2}-é+$").map(Program::to_text).unwrap_or_default();
    assert_eq!(text, "41-5a|l0,s0,s0,c2d,ce9,b4.6,l1,m");
    assert!(Program::from_text(&text).is_some_and(|program| program.is_match("AB-éé") && !program.is_match("AB-e")));
    for text in
        ["", "|", "|c61", "|s0,m", "|j1", "|b0.2,m", "|l6,m", "|x", "5a-41|s0,m", "41 41|s0,m", "d800|s0,m", "|mm", "|c+61,m", ";|m;"]
    {
        assert_eq!(Program::from_text(text), None, "{text}");
    }
    assert_eq!(Program::from_text(&format!("|{}m", "c61,".repeat(9000))), None);
}

/// A set that nothing is in, alone and among others.
#[test]
fn classes_of_nothing_travel_too() {
    for (pattern, text) in [(r"[^\s\S]", "-|s0,m"), (r"[^\w\W]|c", "-|b1.3,s0,j4,c63,m"), (r"[ab][^\d\D][cd]", "61-62;-;63-64|s0,s1,s2,m")]
    {
        let cell = Compiled::default();
        let Some(program) = cell.program(pattern) else { panic!("{pattern}") };
        assert_eq!(program.to_text(), text, "{pattern}");
        assert_eq!(Program::from_text(text).as_ref(), Some(program), "{pattern}");
        assert!(!program.is_match("ab"));
    }
    assert_eq!(Program::from_text(";61|s1,m"), None, "it has a sign of its own");
}

/// As RE2 and the readers of published schemas have it: two hyphens are the end of a range, or its start, never a difference.
#[test]
fn hyphens_in_classes_are_characters() {
    for (pattern, inside, outside) in [
        ("[0-9--0-9]", "0-./9", "+,a"),
        ("[+--]", "+,-", ".*"),
        ("[--/]", "-./", ",0"),
        ("[^--/]", ",0", "-./"),
        ("[a-c--]", "abc-", "d,."),
        ("[---]", "-", ",."),
        (r"[\d--/]", "5-./", ",a"),
        (r"[a-\x63--/]", "ac-./", "d,"),
        ("[[:alpha:]--/]", "z-./", ",1"),
        ("[a-]", "a-", "b"),
        (r"[a\--c]", "a-.c", "d,"),
    ] {
        for character in inside.chars() {
            assert!(matches(pattern, character.encode_utf8(&mut [0; 4])), "{pattern} {character}");
        }
        for character in outside.chars() {
            assert!(!matches(pattern, character.encode_utf8(&mut [0; 4])), "{pattern} {character}");
        }
    }
    assert!(check("[a---]").is_err(), "a range from `a` back to `-`");
}

/// Patterns made of small pieces.
fn any_pattern() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(std::vec![
        "a",
        "b",
        "é",
        "[ab]",
        "[^a]",
        r"[^\s\S]",
        "[+--]",
        r"\d",
        r"\w",
        r"\s",
        ".",
        "^",
        "$",
        r"\b",
        r"\B",
        "1",
        " ",
        "_",
        "[[:alpha:]]",
        "[a-c_]",
        r"\pL",
        "(?m:^)",
        "(?i:É)",
        "(?s:.)"
    ]);
    let leaf = piece.prop_map(String::from);
    leaf.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|parts| parts.concat()),
            (inner.clone(), inner.clone()).prop_map(|(a, b)| format!("(?:{a}|{b})")),
            (inner, prop::sample::select(std::vec!["*", "+", "?", "{2}", "{1,3}", "{0,2}", "{2,}", "*?"]))
                .prop_map(|(a, times)| format!("(?:{a}){times}")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    /// The machine against the field's own engine, on the pattern as that engine reads it.
    #[test]
    fn agrees_with_the_regex_crate(pattern in any_pattern(), texts in prop::collection::vec("[abcé1 _\n\r]{0,6}", 8)) {
        let Ok(oracle) = regex::Regex::new(&translate::translate(&pattern)) else {
            prop_assert!(check(&pattern).is_err());
            return Ok(());
        };
        let cell = Compiled::default();
        let again = cell.program(&pattern).map(Program::to_text).and_then(|text| Program::from_text(&text));
        prop_assert_eq!(again.as_ref(), cell.program(&pattern));
        for text in texts {
            // Not `is_match`: that stops at an empty `\B` within a character, and finds nothing (`é|(?-u:\B)` in `_é1`).
            prop_assert_eq!(cell.is_match(&pattern, &text), oracle.find(&text).is_some(), "{} {:?}", pattern, text);
        }
    }

    #[test]
    fn any_text_is_a_pattern_or_not(pattern in "\\PC{0,12}|[\\[\\](){}|*+?^$.\\\\a-c0-9&:~-]{0,12}", text in "\\PC{0,6}") {
        if let Err(reason) = check(&pattern) {
            prop_assert!(!reason.to_string().contains('\n'));
        }
        let _ = Compiled::default().is_match(&pattern, &text);
    }

    #[test]
    fn any_program_runs_safely(text in "(41-5a 61)?\\|([cslbj]?[0-9a-f]{1,2}(\\.[0-3])?,){0,6}m", input in "[aAbZ \n]{0,6}") {
        if let Some(program) = Program::from_text(&text) {
            let _ = program.is_match(&input);
            prop_assert_eq!(program.to_text(), text);
        }
    }
}
