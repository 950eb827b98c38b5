//! The wall clock and random bytes for a guest: all that most djo runs ask of WASI, and neither needs what the rest of it keeps for a run.

use std::time::{SystemTime, UNIX_EPOCH};

use rand::RngExt as _;
use wasmtime::component::{HasSelf, Linker};
use wasmtime_wasi::p2::bindings::clocks::wall_clock::{self, Datetime};
use wasmtime_wasi::p2::bindings::random::random;

use super::guest::Guest;

/// Random bytes of one call: the host has to hold them.
pub(super) const MAX_RANDOM: u64 = 1 << 20;

/// Puts them in the place of those that take a context of WASI's.
///
/// # Errors
/// As the linker's.
pub(super) fn add_to_linker(linker: &mut Linker<Guest>) -> wasmtime::Result<()> {
    linker.allow_shadowing(true);
    wall_clock::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?;
    random::add_to_linker::<_, HasSelf<_>>(linker, |guest| guest)?;
    linker.allow_shadowing(false);
    Ok(())
}

impl wall_clock::Host for Guest {
    fn now(&mut self) -> wasmtime::Result<Datetime> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?;
        Ok(Datetime { seconds: now.as_secs(), nanoseconds: now.subsec_nanos() })
    }

    fn resolution(&mut self) -> wasmtime::Result<Datetime> {
        Ok(Datetime { seconds: 0, nanoseconds: 1 })
    }
}

impl random::Host for Guest {
    fn get_random_bytes(&mut self, len: u64) -> wasmtime::Result<Vec<u8>> {
        wasmtime::ensure!(len <= MAX_RANDOM, "{len} random bytes are more than {MAX_RANDOM}");
        let mut bytes = vec![0; usize::try_from(len)?];
        rand::rng().fill(&mut bytes[..]);
        Ok(bytes)
    }

    fn get_random_u64(&mut self) -> wasmtime::Result<u64> {
        Ok(rand::rng().random())
    }
}
