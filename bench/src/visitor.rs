//! A visitor: requests at a steady pace over one connection, each timed from when it was due, so that a pause is felt by those who would
//! have come in it: not by one alone, as where the next waits for the last, nor by as many as could have come.

use std::hint::spin_loop;
use std::io::Write;
use std::net::SocketAddr;
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use djo_tests::client::{connect, read_response};

use crate::load::Request;
use crate::server::plain;

/// From one request to the next.
const PACE: Duration = Duration::from_millis(2);

/// How long before one is due the visitor is awake: a thread that sleeps wakes some 60 µs late.
const EARLY: Duration = Duration::from_micros(100);

/// What the visitor felt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Visit {
    /// The 99th percentile of the latency, in milliseconds.
    pub(crate) p99_ms: f64,
    /// Answers with another status than 2xx and 3xx.
    pub(crate) errors: u64,
}

/// Asks for so many seconds.
///
/// # Errors
/// When the connection breaks, or what comes is no HTTP.
pub(crate) fn visit(addr: SocketAddr, request: &Request, seconds: u64) -> Result<Visit> {
    let request = plain(request).header("Connection", "keep-alive");
    let head = request.head(addr);
    let mut stream = connect(addr)?;
    let (mut latencies, mut errors) = (Vec::new(), 0);
    let (started, length) = (Instant::now(), Duration::from_secs(seconds));
    let mut due = started;
    while due - started < length {
        sleep(due.saturating_duration_since(Instant::now() + EARLY));
        while Instant::now() < due {
            spin_loop();
        }
        stream.write_all(head.as_bytes())?;
        let response = read_response(&mut stream, &request.method)?;
        latencies.push(due.elapsed());
        errors += u64::from(response.status >= 400);
        due += PACE;
    }
    ensure!(!latencies.is_empty(), "no time for a request");
    latencies.sort_unstable();
    Ok(Visit { p99_ms: latencies[latencies.len() * 99 / 100].as_secs_f64() * 1000.0, errors })
}
