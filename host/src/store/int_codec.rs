//! How an Int is encoded in a value.

/// Encodes an Int.
pub(super) fn encode_int(value: i64) -> Vec<u8> {
    let mut bytes = vec![3];
    bytes.extend_from_slice(&value.to_le_bytes());
    bytes
}

/// Decodes an Int; `None` for anything else.
pub(super) fn decode_int(bytes: &[u8]) -> Option<i64> {
    match bytes {
        [3, rest @ ..] => Some(i64::from_le_bytes(rest.try_into().ok()?)),
        _ => None,
    }
}
