//! Sizes in bytes, as people write them: `"1MiB"`, `"512 KiB"`, `4096`.

/// Units and their bytes, as they may be written.
const UNITS: [(&str, u64); 4] = [("B", 1), ("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];

/// The bytes that a size stands for; `None` when it is none. Decimal units are none: `MB` means two things.
pub(crate) fn parse(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let (number, unit) = text.split_at(digits);
    let number: u64 = number.parse().ok()?;
    let unit = unit.trim_start();
    if unit.is_empty() {
        return Some(number);
    }
    let (_, bytes) = UNITS.into_iter().find(|(name, _)| name.eq_ignore_ascii_case(unit))?;
    number.checked_mul(bytes)
}

/// A size as a person reads it best: in the largest unit that leaves it whole.
pub(super) fn show(bytes: u64) -> String {
    let unit = UNITS.into_iter().rev().find(|(_, unit)| bytes >= *unit && bytes.is_multiple_of(*unit));
    match unit {
        Some((name, unit)) => format!("{}{name}", bytes / unit),
        None => format!("{bytes}B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_binary_units() {
        let good = [("0", 0), ("4096", 4096), ("1MiB", 1 << 20), ("1mib", 1 << 20), (" 512 KiB ", 512 << 10), ("2GiB", 2 << 30), ("7B", 7)];
        for (text, bytes) in good {
            assert_eq!(parse(text), Some(bytes), "{text}");
        }
        for text in ["", "MiB", "1MB", "1M", "-1", "1.5MiB", "1 MiB x", "99999999999999999999", "18446744073709551615GiB"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }

    #[test]
    fn sizes_are_shown_whole() {
        for (bytes, text) in [(0, "0B"), (1000, "1000B"), (1024, "1KiB"), (1 << 20, "1MiB"), (1536, "1536B"), (3 << 30, "3GiB")] {
            assert_eq!(show(bytes), text);
            assert_eq!(parse(text), Some(bytes));
        }
    }
}
