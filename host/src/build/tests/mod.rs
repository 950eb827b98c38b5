//! Components are made, read back, and told from what others made.
#![allow(clippy::unwrap_used)]

use std::time::Instant;

use proptest::prelude::*;
use wasmparser::{Validator, WasmFeatures};

use super::{MAX_CONTRACT_BYTES, MAX_IMAGE_BYTES, RUNTIME, Reach, compose, read_contract, recognise};

const CONTRACT: &[u8] = br#"{"routes":[]}"#;

fn built() -> Vec<u8> {
    compose(b"a program image", CONTRACT, Reach::Hosted).unwrap()
}

#[test]
fn a_built_site_is_a_valid_component() {
    for reach in Reach::ALL {
        let component = compose(&[7; 70_000], CONTRACT, reach).unwrap();
        Validator::new_with_features(WasmFeatures::default()).validate_all(&component).unwrap();
    }
}

#[test]
fn a_built_site_is_recognised() {
    for reach in Reach::ALL {
        let recognised = recognise(&compose(b"a program image", CONTRACT, reach).unwrap()).unwrap();
        assert_eq!(recognised.image, b"a program image");
        assert_eq!(recognised.contract, CONTRACT);
        assert_eq!(recognised.reach, reach);
    }
}

#[test]
fn timing() {
    let start = Instant::now();
    let built = compose(&[3; 30_000], &[4; 20_000], Reach::Hosted).unwrap();
    println!("compose {:?} {} bytes, runtime {}", start.elapsed(), built.len(), RUNTIME.len());
    let start = Instant::now();
    assert!(recognise(&built).is_some());
    println!("recognise {:?}", start.elapsed());
}

#[test]
fn the_same_site_gives_the_same_bytes() {
    assert_eq!(built(), built());
}

#[test]
fn the_contract_is_read_from_its_section() {
    assert_eq!(read_contract(&built()), Some(CONTRACT));
    assert_eq!(read_contract(RUNTIME), None);
    assert_eq!(read_contract(b"no component"), None);
}

#[test]
fn limits_are_kept() {
    assert!(compose(&vec![0; MAX_IMAGE_BYTES + 1], b"{}", Reach::Hosted).is_err());
    assert!(compose(b"", &vec![0; MAX_CONTRACT_BYTES + 1], Reach::Hosted).is_err());
}

#[test]
fn a_changed_byte_is_not_taken_for_ours() {
    let built = built();
    assert!(recognise(RUNTIME).is_none());
    // Every byte outside the runtime's own, and some of those.
    let start = built.windows(RUNTIME.len()).position(|window| window == RUNTIME).unwrap();
    let places = (0..built.len()).filter(|place| !(start..start + RUNTIME.len()).contains(place) || place % 997 == 0);
    for place in places {
        let mut changed = built.clone();
        changed[place] ^= 1;
        if let Some(recognised) = recognise(&changed) {
            // A change of the data alone is another site of ours only when section and program agree.
            let again = compose(&recognised.image, &recognised.contract, recognised.reach).unwrap();
            assert!(again == changed && recognised.image != b"a program image", "byte {place}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_program_comes_back(image in prop::collection::vec(any::<u8>(), 0..2000), contract in prop::collection::vec(any::<u8>(), 0..2000)) {
        let component = compose(&image, &contract, Reach::Hosted).unwrap();
        let recognised = recognise(&component).unwrap();
        prop_assert_eq!(recognised.image, image);
        prop_assert_eq!(read_contract(&component), Some(contract.as_slice()));
        prop_assert_eq!(recognised.contract, contract);
    }

    #[test]
    fn no_bytes_are_too_strange(mut bytes in prop::collection::vec(any::<u8>(), 0..400), header in 0_usize..3) {
        let start: &[u8] = [&b""[..], b"\0asm\x0d\0\x01\0", b"\0asm\x01\0\0\0"][header];
        bytes.splice(0..0, start.iter().copied());
        let _ = (recognise(&bytes), read_contract(&bytes));
    }

    #[test]
    fn no_damage_is_too_strange(place in any::<prop::sample::Index>(), value in any::<u8>(), length in any::<prop::sample::Index>()) {
        let mut bytes = built();
        let place = place.index(bytes.len());
        bytes[place] = value;
        bytes.truncate(length.index(bytes.len()) + 1);
        let _ = (recognise(&bytes), read_contract(&bytes));
    }
}
