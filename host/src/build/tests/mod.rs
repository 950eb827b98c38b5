//! Components are made, read back, and told from what others made.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use proptest::prelude::*;
use wasm_encoder::{Component, CustomSection, Module, ModuleSection, NestedComponentSection};
use wasmparser::{Validator, WasmFeatures};

use super::{
    Kind, MAX_CONTRACT_BYTES, MAX_IMAGE_BYTES, Parts, RUNTIME, Reach, SECTION, compose, inspect, make_portable, peek_contract,
    read_contract, recognise, site_of_portable,
};

const IMAGE: &[u8] = b"a program image";
const CONTRACT: &[u8] = br#"{"routes":[]}"#;

fn site() -> Parts<'static> {
    Parts { image: IMAGE, contract: CONTRACT, files: vec![("estilo.css", b"body{}"), ("img/a.png", b"\x89PNG")] }
}

fn built() -> Vec<u8> {
    compose(&site(), Reach::Hosted).unwrap()
}

#[test]
fn a_built_site_is_a_valid_component() {
    for reach in Reach::ALL {
        for image in [&[][..], &[7; 70_000]] {
            let component = compose(&Parts { image, ..site() }, reach).unwrap();
            Validator::new_with_features(WasmFeatures::default()).validate_all(&component).unwrap();
        }
    }
}

#[test]
fn a_built_site_is_recognised() {
    for reach in Reach::ALL {
        let component = compose(&site(), reach).unwrap();
        let recognised = recognise(&component).unwrap();
        assert_eq!(recognised.parts, site());
        assert_eq!(recognised.reach, reach);
    }
}

#[test]
fn the_same_site_gives_the_same_bytes() {
    let mut turned = site();
    turned.files.reverse();
    assert_eq!(built(), compose(&turned, Reach::Hosted).unwrap());
}

#[test]
fn the_contract_is_read_from_its_section() {
    assert_eq!(read_contract(&built()).unwrap(), Some(CONTRACT));
    assert_eq!(read_contract(RUNTIME).unwrap(), None);
    assert!(read_contract(b"no component").is_err());
}

fn section(content: &[u8]) -> CustomSection<'_> {
    CustomSection { name: SECTION.into(), data: content.into() }
}

#[test]
fn the_contract_of_a_file_is_read_without_the_rest() {
    let file = tempfile::NamedTempFile::new().unwrap();
    let peek = |bytes: &[u8]| {
        std::fs::write(file.path(), bytes).unwrap();
        peek_contract(file.reopen().unwrap()).unwrap()
    };
    let built = built();
    assert_eq!(peek(&built).as_deref(), Some(CONTRACT));
    for bytes in
        [RUNTIME, b"", b"no component", &built[..built.len() / 2], b"\0asm\x0d\0\x01\0\0\xff\xff\xff\xff\x0f", b"\0asm\x0d\0\x01\0\0"]
    {
        assert_eq!(peek(bytes), None);
    }
}

/// Compilers put what a program says of itself into its module.
#[test]
fn the_contract_is_found_in_a_module_too() {
    let mut module = Module::new();
    module.section(&section(CONTRACT));
    let mut component = Component::new();
    component.section(&ModuleSection(&module));
    let bytes = component.clone().finish();
    assert_eq!(read_contract(&bytes).unwrap(), Some(CONTRACT));
    assert_eq!(read_contract(&module.clone().finish()).unwrap(), None, "a module alone is no site");

    let mut whole = component.clone();
    whole.section(&section(b"whole"));
    assert_eq!(read_contract(&whole.finish()).unwrap(), Some(&b"whole"[..]), "a composition speaks for itself");
    component.section(&ModuleSection(&module));
    assert!(read_contract(&component.finish()).is_err(), "which of two holds?");

    let mut outer = Component::new();
    outer.section(&NestedComponentSection(&{
        let mut inner = Component::new();
        inner.section(&section(CONTRACT));
        inner
    }));
    assert_eq!(read_contract(&outer.finish()).unwrap(), None, "a part does not speak for the whole");
    let huge = vec![b' '; MAX_CONTRACT_BYTES + 1];
    let mut component = Component::new();
    component.section(&section(&huge));
    assert!(read_contract(&component.finish()).is_err());
}

#[test]
fn limits_are_kept() {
    let refused = |parts: Parts<'_>| compose(&parts, Reach::Hosted).unwrap_err().to_string();
    assert_eq!(
        refused(Parts { image: &vec![0; MAX_IMAGE_BYTES + 1], ..site() }),
        "the image of the site: 16777217 bytes; at most 16777216 fit a component"
    );
    assert!(refused(Parts { contract: &vec![0; MAX_CONTRACT_BYTES + 1], ..site() }).contains("contract"));
    assert_eq!(refused(Parts { files: vec![("a", b""), ("b", b""), ("a", b"x")], ..site() }), "two static files are called `a`");
    let names: Vec<String> = (0..=10_000).map(|number| number.to_string()).collect();
    let files = names.iter().map(|name| (name.as_str(), &b""[..])).collect();
    assert_eq!(refused(Parts { files, ..site() }), "10001 static files; at most 10000 are possible");
}

#[test]
fn making_and_recognising_take_milliseconds() {
    let (image, contract) = (vec![3; 100_000], vec![4; 50_000]);
    let parts = Parts { image: &image, contract: &contract, ..site() };
    let start = Instant::now();
    let component = compose(&parts, Reach::Hosted).unwrap();
    assert!(recognise(&component).is_some());
    // Far above what it takes, far below what anyone waits for.
    assert!(start.elapsed().as_millis() < 500, "{:?}", start.elapsed());
}

#[test]
fn a_changed_byte_is_not_taken_for_ours() {
    let built = built();
    assert!(recognise(RUNTIME).is_none());
    // A sample of the bytes outside the runtime's own, and of those.
    let start = built.windows(RUNTIME.len()).position(|window| window == RUNTIME).unwrap();
    let places = (0..built.len()).filter(|place| place % if (start..start + RUNTIME.len()).contains(place) { 9973 } else { 11 } == 0);
    for place in places {
        let mut changed = built.clone();
        changed[place] ^= 1;
        // A change that only makes it another site of ours is one in the image or in a file: the contract stands there twice.
        if let Some(Parts { image, contract, files }) = recognise(&changed).map(|recognised| recognised.parts) {
            assert_eq!(contract, CONTRACT, "byte {place}");
            assert!(image != IMAGE || files != site().files, "byte {place}");
        }
    }
}

#[test]
fn a_site_is_found_in_what_was_made_portable_of_it() {
    // Any component that uses what is composed in will do for one written by hand: a djo site of ours does.
    let site = built();
    let portable = make_portable(site.clone()).unwrap();
    assert_eq!(&portable[site_of_portable(&portable).unwrap()], site);
    assert_eq!(site_of_portable(&site), None);
    for place in (0..portable.len()).filter(|place| place % 99_991 == 0 || portable.len() - place < 40) {
        let mut changed = portable.clone();
        changed[place] ^= 1;
        // Only a change inside the site leaves it a portable one.
        assert!(site_of_portable(&changed).is_none_or(|range| range.contains(&place)), "byte {place}");
    }
}

#[test]
fn a_portable_site_imports_what_every_http_host_has() {
    let component = compose(&site(), Reach::Portable).unwrap();
    let inspection = inspect(&component).unwrap();
    assert_eq!(inspection.kind, Kind::Site(Reach::Portable));
    let proxy = include_str!("../../../../wit/deps/http.wit");
    let proxy = &proxy[proxy.find("world proxy").unwrap()..];
    for name in &inspection.imports {
        let named = match name.strip_prefix("wasi:http/") {
            Some(own) => format!("import {};", own.split_once('@').unwrap().0),
            None => format!("import {name};"),
        };
        assert!(proxy.contains(&named), "{name}");
    }
}

/// What the worlds promise, and the reason for writing the runtime without std: no environment, files, sockets or terminals.
#[test]
fn a_built_site_imports_what_is_promised() {
    let built = built();
    let inspection = inspect(&built).unwrap();
    assert_eq!(inspection.kind, Kind::Site(Reach::Hosted));
    let interfaces = inspection.imports.iter().map(|name| name.split_once('@').unwrap().0);
    let promised = [
        "djo:site/context",
        "djo:site/store",
        "djo:site/log",
        "djo:site/progress",
        "djo:site/outbound",
        "wasi:clocks/wall-clock",
        "wasi:random/random",
        "wasi:io/error",
        "wasi:io/poll",
        "wasi:io/streams",
        "wasi:http/types",
    ];
    for interface in interfaces {
        assert!(promised.contains(&interface), "{interface}");
    }
    assert_eq!(inspection.exports, ["djo:site/handler@0.1.0", "wasi:http/incoming-handler@0.2.12"]);
    assert_eq!(inspection.files, [("estilo.css", 6), ("img/a.png", 4)]);
    assert_eq!(inspection.contract, Some(CONTRACT));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_program_comes_back(image in prop::collection::vec(any::<u8>(), 0..2000), contract in prop::collection::vec(any::<u8>(), 0..2000), path in ".*") {
        let parts = Parts { image: &image, contract: &contract, files: vec![(&path, &contract)] };
        let component = compose(&parts, Reach::Hosted).unwrap();
        let recognised = recognise(&component).unwrap();
        prop_assert_eq!(recognised.parts, parts);
        prop_assert_eq!(read_contract(&component).unwrap(), Some(contract.as_slice()));
    }

    #[test]
    fn no_bytes_are_too_strange(mut bytes in prop::collection::vec(any::<u8>(), 0..400), header in 0_usize..3) {
        let start: &[u8] = [&b""[..], b"\0asm\x0d\0\x01\0", b"\0asm\x01\0\0\0"][header];
        bytes.splice(0..0, start.iter().copied());
        let _ = (recognise(&bytes), site_of_portable(&bytes), read_contract(&bytes), inspect(&bytes));
    }

    #[test]
    fn no_damage_is_too_strange(place in any::<prop::sample::Index>(), value in any::<u8>(), length in any::<prop::sample::Index>()) {
        let mut bytes = built();
        let place = place.index(bytes.len());
        bytes[place] = value;
        bytes.truncate(length.index(bytes.len()) + 1);
        let _ = (recognise(&bytes), site_of_portable(&bytes), read_contract(&bytes), inspect(&bytes));
    }
}
