//! How many requests a second one client may make of the agents' lane.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};

/// Clients that are looked up before those who have long been quiet are forgotten.
const SWEEP_EVERY: u32 = 65_536;

/// The rate of every client, or none when it is turned off.
pub struct ClientRate {
    limiter: Option<DefaultKeyedRateLimiter<IpAddr>>,
    checked: AtomicU32,
    clock: DefaultClock,
}

/// How long a client has to wait.
#[derive(Clone, Copy, Debug)]
pub struct Wait(pub Duration);

impl ClientRate {
    /// `per_second` requests a second with a burst of twice that; 0 turns it off.
    pub fn new(per_second: u32) -> Self {
        let quota = NonZeroU32::new(per_second)
            .map(|rate| Quota::per_second(rate).allow_burst(rate.saturating_mul(NonZeroU32::MIN.saturating_add(1))));
        Self { limiter: quota.map(RateLimiter::keyed), checked: AtomicU32::new(0), clock: DefaultClock::default() }
    }

    /// Counts one request.
    ///
    /// # Errors
    /// [`Wait`] when the client has used up its burst.
    pub fn check(&self, client: IpAddr) -> Result<(), Wait> {
        let Some(limiter) = &self.limiter else { return Ok(()) };
        if self.checked.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            // Whoever has its whole burst back is as one never seen: the table holds those of the last two seconds, no more.
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        limiter.check_key(&network(client)).map_err(|refused| Wait(refused.wait_time_from(self.clock.now())))
    }
}

/// The client as it is counted: an IPv4 address, or the /64 that an IPv6 one belongs to.
fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        v4 => v4,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_burst_of_twice_the_rate_then_no_more() {
        let rate = ClientRate::new(5);
        let ana = "192.0.2.1".parse().unwrap();
        let passed = (0..20).filter(|_| rate.check(ana).is_ok()).count();
        assert!((10..=11).contains(&passed), "{passed} passed");
        assert!(rate.check("192.0.2.2".parse().unwrap()).is_ok());
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let rate = ClientRate::new(1);
        let client = |last: u16| format!("2001:db8:0:1::{last:x}").parse().unwrap();
        assert!(rate.check(client(1)).is_ok());
        assert!(rate.check(client(2)).is_ok());
        assert!(rate.check(client(3)).is_err());
    }

    #[test]
    fn zero_turns_it_off() {
        let rate = ClientRate::new(0);
        assert!((0..10_000).all(|_| rate.check("192.0.2.1".parse().unwrap()).is_ok()));
    }
}
