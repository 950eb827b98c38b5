//! Round trips and lies.
#![allow(clippy::unwrap_used)]

use alloc::vec::Vec;

use proptest::prelude::*;

use super::*;
use crate::json::tests::any_value;

#[test]
fn integers_are_small_and_exact() {
    assert_eq!(encode_int(0), [INT, 0]);
    assert_eq!(encode_int(-1), [INT, 1]);
    for number in [i64::MIN, -64, 63, 64, i64::MAX] {
        assert_eq!(decode_int(&encode_int(number)), Some(number));
    }
    assert_eq!(decode_int(&[STR, 0]), None);
    assert_eq!(decode_int(&[INT, 0, 0]), None);
    assert_eq!(decode_int(&[INT, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02]), None);
}

#[test]
fn a_struct_keeps_its_name_and_reads_as_a_map() {
    let mut writer = Writer::default();
    writer.record("Post", 1);
    writer.key("id");
    writer.int(7);
    let bytes = writer.finish();
    assert_eq!(Reader::new(&bytes).token(), Ok(Token::Struct("Post", 1)));
    assert_eq!(decode(&bytes), Ok(Value::Map([("id".into(), Value::Int(7))].into())));
}

#[test]
fn a_hidden_field_is_known_without_its_struct() {
    let mut writer = Writer::default();
    writer.record("Usuario", 2);
    writer.key("senha");
    writer.hidden();
    writer.str("s3");
    writer.key("nome");
    writer.str("Ana");
    let bytes = writer.finish();
    let (password, name) = (("senha".into(), Value::from("s3")), ("nome".into(), Value::from("Ana")));
    assert_eq!(decode(&bytes), Ok(Value::Map([password, name.clone()].into())));
    assert_eq!(decode_shown(&bytes), Ok(Value::Map([name].into())));
}

#[test]
fn lies_are_refused() {
    // A count beyond the bytes, a string cut in two, depth beyond the limit, a tag that is none, more than one value.
    let deep: Vec<u8> = [ARR, 1].repeat(DEPTH_LIMIT + 1).into_iter().chain([NIL]).collect();
    for bytes in [
        &[ARR, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F][..],
        &[STR, 1, 0xC3],
        &deep,
        &[10],
        &[HIDDEN, NIL],
        &[MAP, 1, 1, b'a', HIDDEN, NIL],
        &[NIL, NIL],
        &[],
        &[FLOAT, 0],
    ] {
        assert_eq!(decode(bytes), Err(WireError));
    }
    let limit: Vec<u8> = [ARR, 1].repeat(DEPTH_LIMIT).into_iter().chain([NIL]).collect();
    assert!(decode(&limit).is_ok());
}

proptest! {
    #[test]
    fn round_trip(value in any_value()) {
        prop_assert_eq!(decode(&encode(&value)).unwrap(), value);
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        if let Ok(value) = decode(&bytes) {
            let _ = encode(&value);
        }
    }
}
