//! Any pattern and text: what is accepted means what another engine says.
#![no_main]

use djo_contract::pattern::{Compiled, check};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: (&str, &str)| {
    let (pattern, text) = input;
    if check(pattern).is_err() {
        return;
    }
    let ours = Compiled::default();
    let found = ours.is_match(pattern, text);
    // The program that travels to guests is the same.
    let sent = ours.program(pattern).map(djo_contract::pattern::Program::to_text).unwrap_or_default();
    let arrived = djo_contract::pattern::Program::from_text(&sent).unwrap_or_else(|| panic!("{pattern:?}: {sent}"));
    assert_eq!(arrived.is_match(text), found);
    // Where the two dialects mean the same: no classes, whose Unicode differs, no flags, no line ends.
    let plain = |character: char| character.is_ascii_alphanumeric() || "()|*+?^$.-_, ".contains(character);
    if pattern.chars().all(plain) && text.is_ascii() && !text.contains(['\n', '\r']) && text.len() < 64 && !pattern.contains("(?") {
        if let Ok(theirs) = regex::RegexBuilder::new(pattern).size_limit(1 << 20).build() {
            assert_eq!(found, theirs.is_match(text), "{pattern:?} on {text:?}");
        }
    }
});
