//! The clock.

use crate::outside::wall_clock;

/// Milliseconds since 1970, UTC.
#[must_use]
pub fn now() -> i64 {
    let now = wall_clock::now();
    i64::try_from(now.seconds).unwrap_or(i64::MAX / 1000).saturating_mul(1000).saturating_add(i64::from(now.nanoseconds / 1_000_000))
}
