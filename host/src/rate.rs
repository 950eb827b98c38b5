//! How many requests a second one client may make of the agents' lane.

use std::net::IpAddr;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};

use governor::clock::{Clock, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::DefaultKeyedStateStore;
use governor::{Quota, RateLimiter};
use http::{HeaderMap, HeaderName, HeaderValue};

/// Clients that are looked up before those who have long been quiet are forgotten.
const SWEEP_EVERY: u32 = 65_536;

type Limiter = RateLimiter<IpAddr, DefaultKeyedStateStore<IpAddr>, DefaultClock, StateInformationMiddleware>;

/// The rate of every client, or none when it is turned off.
pub struct ClientRate {
    limiter: Option<Limiter>,
    per_second: u32,
    checked: AtomicU32,
    clock: DefaultClock,
}

/// How a client stands after a request that was counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The client has used up its burst: the request is not to be served.
    pub refused: bool,
    per_second: u32,
    remaining: u32,
    /// Seconds until the whole burst is back or, when it is refused, until there is room for one request.
    reset: u64,
}

impl Standing {
    /// Says it in the fields of the IETF's draft "RateLimit header fields for HTTP" (draft-ietf-httpapi-ratelimit-headers-10): a
    /// client may make `q` requests in `w` seconds, of which `r` are left, and `t` seconds make it whole.
    pub fn write(&self, headers: &mut HeaderMap) {
        let policy = format!("\"agentes\";q={};w=2", burst(self.per_second));
        let standing = format!("\"agentes\";r={};t={}", self.remaining, self.reset);
        for (name, value) in [("ratelimit-policy", policy), ("ratelimit", standing)] {
            if let Ok(value) = HeaderValue::from_str(&value) {
                headers.insert(HeaderName::from_static(name), value);
            }
        }
    }
}

/// Requests that a client which has been quiet may make at once: those of two seconds.
fn burst(per_second: u32) -> u32 {
    per_second.saturating_mul(2)
}

impl ClientRate {
    /// `per_second` requests a second with a burst of twice that; 0 turns it off.
    pub fn new(per_second: u32) -> Self {
        let quota = NonZeroU32::new(per_second).zip(NonZeroU32::new(burst(per_second)));
        let limiter = quota.map(|(rate, burst)| RateLimiter::keyed(Quota::per_second(rate).allow_burst(burst)).with_middleware());
        Self { limiter, per_second, checked: AtomicU32::new(0), clock: DefaultClock::default() }
    }

    /// Counts one request. `None` when the rate is turned off.
    pub fn check(&self, client: IpAddr) -> Option<Standing> {
        let limiter = self.limiter.as_ref()?;
        if self.checked.fetch_add(1, Ordering::Relaxed) % SWEEP_EVERY == SWEEP_EVERY - 1 {
            // Whoever has its whole burst back is as one never seen: the table holds those of the last two seconds, no more.
            limiter.retain_recent();
            limiter.shrink_to_fit();
        }
        let per_second = self.per_second;
        Some(match limiter.check_key(&network(client)) {
            Ok(state) => {
                let remaining = state.remaining_burst_capacity();
                let used = burst(per_second).saturating_sub(remaining);
                Standing { refused: false, per_second, remaining, reset: used.div_ceil(per_second.max(1)).into() }
            }
            Err(early) => {
                let wait = early.wait_time_from(self.clock.now());
                Standing { refused: true, per_second, remaining: 0, reset: wait.as_secs() + u64::from(wait.subsec_nanos() > 0) }
            }
        })
    }
}

/// The client as it is counted: an IPv4 address, or the /64 that an IPv6 one belongs to.
pub(crate) fn network(client: IpAddr) -> IpAddr {
    match client.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6((u128::from(address) >> 64 << 64).into()),
        v4 => v4,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn passes(rate: &ClientRate, client: &str) -> bool {
        rate.check(client.parse().unwrap()).is_none_or(|standing| !standing.refused)
    }

    #[test]
    fn a_burst_of_twice_the_rate_then_no_more() {
        let rate = ClientRate::new(5);
        let passed = (0..20).filter(|_| passes(&rate, "192.0.2.1")).count();
        assert!((10..=11).contains(&passed), "{passed} passed");
        assert!(passes(&rate, "192.0.2.2"));
    }

    #[test]
    fn one_ipv6_network_is_one_client() {
        let rate = ClientRate::new(1);
        assert!(passes(&rate, "2001:db8:0:1::1"));
        assert!(passes(&rate, "2001:db8:0:1::2"));
        assert!(!passes(&rate, "2001:db8:0:1::3"));
    }

    #[test]
    fn zero_turns_it_off() {
        let rate = ClientRate::new(0);
        assert!((0..10_000).all(|_| rate.check("192.0.2.1".parse().unwrap()).is_none()));
    }

    #[test]
    fn a_client_is_told_how_it_stands() {
        let rate = ClientRate::new(2);
        let told = || {
            let mut headers = HeaderMap::new();
            rate.check("192.0.2.1".parse().unwrap()).unwrap().write(&mut headers);
            let text = |name: &str| headers[name].to_str().unwrap().to_owned();
            (text("ratelimit-policy"), text("ratelimit"))
        };
        let policy = "\"agentes\";q=4;w=2".to_owned();
        assert_eq!(told(), (policy.clone(), "\"agentes\";r=3;t=1".into()));
        told();
        told();
        assert_eq!(told(), (policy.clone(), "\"agentes\";r=0;t=2".into()));
        assert_eq!(told(), (policy, "\"agentes\";r=0;t=1".into()));
    }
}
