//! `Range`: one range of bytes (RFC 9110 §14). Several at once, and other units, are answered with the whole.

use core::ops::RangeInclusive;

/// What a `Range` header asks of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// All of it: no range, or one that is not understood.
    Whole,
    /// These bytes, which exist.
    Part(RangeInclusive<u64>),
    /// Bytes that do not exist.
    Nothing,
}

/// Reads `bytes=0-99`, `bytes=100-`, `bytes=-100`, for a file of `size` bytes.
pub fn parse(header: &str, size: u64) -> Wanted {
    let Some((unit, range)) = header.split_once('=') else { return Wanted::Whole };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Wanted::Whole;
    }
    let Some((first, last)) = range.trim().split_once('-') else { return Wanted::Whole };
    let (first, last) = (first.trim_end(), last.trim_start());
    match (number(first), number(last)) {
        (Some(first), None) if last.is_empty() && first < size => Wanted::Part(first..=size - 1),
        (Some(_), None) if last.is_empty() => Wanted::Nothing,
        (Some(first), Some(last)) if first > last => Wanted::Whole,
        (Some(first), Some(last)) if first < size => Wanted::Part(first..=last.min(size - 1)),
        (Some(_), Some(_)) => Wanted::Nothing,
        (None, Some(suffix)) if first.is_empty() && suffix > 0 && size > 0 => Wanted::Part(size.saturating_sub(suffix)..=size - 1),
        (None, Some(_)) if first.is_empty() => Wanted::Nothing,
        _ => Wanted::Whole,
    }
}

/// Digits alone; a number too large for 64 bits is past every end.
fn number(text: &str) -> Option<u64> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().unwrap_or(u64::MAX))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_range_is_cut_to_the_file() {
        let cases = [
            ("bytes=0-0", 10, Wanted::Part(0..=0)),
            ("bytes=2-5", 10, Wanted::Part(2..=5)),
            ("bytes=2-99", 10, Wanted::Part(2..=9)),
            ("bytes=2-", 10, Wanted::Part(2..=9)),
            ("BYTES = 9-9", 10, Wanted::Part(9..=9)),
            ("bytes=-3", 10, Wanted::Part(7..=9)),
            ("bytes=-99", 10, Wanted::Part(0..=9)),
            ("bytes=0-99999999999999999999999", 10, Wanted::Part(0..=9)),
            ("bytes=10-", 10, Wanted::Nothing),
            ("bytes=10-12", 10, Wanted::Nothing),
            ("bytes=99999999999999999999999-", 10, Wanted::Nothing),
            ("bytes=-0", 10, Wanted::Nothing),
            ("bytes=0-", 0, Wanted::Nothing),
            ("bytes=-1", 0, Wanted::Nothing),
            ("bytes=5-2", 10, Wanted::Whole),
            ("bytes=0-1,3-4", 10, Wanted::Whole),
            ("bytes=-", 10, Wanted::Whole),
            ("bytes=a-b", 10, Wanted::Whole),
            ("bytes=+1-2", 10, Wanted::Whole),
            ("bytes", 10, Wanted::Whole),
            ("items=0-1", 10, Wanted::Whole),
            ("", 10, Wanted::Whole),
        ];
        for (header, size, wanted) in cases {
            assert_eq!(parse(header, size), wanted, "{header} of {size}");
        }
    }
}
