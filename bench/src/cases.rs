//! The works that are measured, each against a peer, and how the ratio is meant to come out.

use anyhow::Result;

use crate::contestants::{Contestant, Field, imitated};
use crate::load::{Load, Pressure, Request, press};
use crate::report::{Figure, Row};
use crate::visitor::visit;

/// A contestant and what it is asked.
pub(crate) struct Target {
    name: &'static str,
    contestant: Contestant,
    request: Request,
}

/// One line of the table.
pub(crate) struct Case {
    /// What is done.
    pub(crate) work: &'static str,
    ours: Target,
    measure: Measure,
}

enum Measure {
    /// Answers a second, ours over the peer's: at least so much.
    Rate { peer: Target, at_least: f64 },
    /// The 99th percentile of what a visitor of ours waits while the other presses the same server, over its value without: at most so
    /// much, and no failure.
    Beside { other: Target, connections: usize, at_most: f64 },
}

fn djo(name: &'static str, host: &'static str, request: Request) -> Target {
    Target { name, contestant: Contestant::Djo, request: request.to([format!("{host}.localhost")]) }
}

/// So many sites of a kind, in turn.
fn in_turn(name: &'static str, contestant: Contestant) -> Target {
    let (prefix, count) = match contestant {
        Contestant::DjoComponents(count) => ("r", count),
        Contestant::DjoSites { count, .. } => ("s", count),
        _ => ("", 0),
    };
    let hosts = (0..count).map(|number| format!("{prefix}{number}.localhost"));
    Target { name, contestant, request: Request::agent("/posts").to(hosts) }
}

fn wasmtime(name: &'static str, component: &'static str, reuse: bool, path: &str) -> Target {
    Target { name, contestant: Contestant::Wasmtime { component, reuse }, request: Request::agent(path) }
}

fn hyper(name: &'static str) -> Target {
    Target { name: "bare hyper, the same bytes", contestant: Contestant::Hyper(name), request: imitated(name) }
}

/// A message of about 1 KB.
fn message() -> String {
    let text = "Uma mensagem de mil caracteres, mais ou menos. ".repeat(20);
    format!("{{\"titulo\":\"Recado\",\"texto\":\"{text}\",\"numero\":41}}")
}

fn execute(tool: &str) -> Request {
    Request::post("/agent/execute", format!("{{\"tool\":\"{tool}\",\"arguments\":{}}}", message()))
}

/// All of them.
pub(crate) fn all() -> Vec<Case> {
    let rate = |work, ours, peer, at_least| Case { work, ours, measure: Measure::Rate { peer, at_least } };
    let beside = |work, ours, other, connections| Case { work, ours, measure: Measure::Beside { other, connections, at_most: 2.0 } };
    let agent = Request::agent;
    let carmy = || Target { name: "carmy, no sandbox", contestant: Contestant::Carmy, request: execute("receber") };
    let spin = || djo("actions that spin", "novo", Request::post("/girar", "{}".into()));
    let page = |host| djo("djo-host, page", host, Request::screen("/posts"));
    let djo_sites = |count, reuse| {
        in_turn(if count == 1 { "djo-host, 1 djo site" } else { "djo-host, all in turn" }, Contestant::DjoSites { count, reuse })
    };
    let components =
        |count| in_turn(if count == 1 { "djo-host, 1 component" } else { "djo-host, all in turn" }, Contestant::DjoComponents(count));
    let wasmtime_fresh = "wasmtime serve, fresh";
    let wasmtime_reuse = "wasmtime serve, reuse";
    vec![
        rate(
            "hello from Rust, fresh instance",
            djo("djo-host", "rust-ola", agent("/ola")),
            wasmtime(wasmtime_fresh, "rust-ola", false, "/ola"),
            5.0,
        ),
        rate(
            "3 posts from djo, fresh instance; peer: Rust",
            djo("djo-host", "novo", agent("/posts")),
            wasmtime(wasmtime_fresh, "rust-posts", false, "/posts"),
            4.0,
        ),
        rate(
            "3 posts from djo, fresh instance; peer: JavaScript",
            djo("djo-host", "novo", agent("/posts")),
            wasmtime(wasmtime_reuse, "js", true, "/posts"),
            3.0,
        ),
        rate(
            "3 posts from djo, fresh instance; peer: Python",
            djo("djo-host", "novo", agent("/posts")),
            wasmtime(wasmtime_reuse, "python", true, "/posts"),
            3.0,
        ),
        rate(
            "3 posts from djo, instances reused; peer: Rust",
            djo("djo-host", "reuso", agent("/posts")),
            wasmtime(wasmtime_reuse, "rust-posts", true, "/posts"),
            1.2,
        ),
        rate(
            "the same djo component elsewhere, fresh",
            djo("djo-host", "novo", agent("/posts")),
            wasmtime(wasmtime_fresh, "djo", false, "/posts"),
            4.0,
        ),
        rate(
            "3 posts from Rust, fresh instance",
            djo("djo-host", "rust-posts", agent("/posts")),
            wasmtime(wasmtime_fresh, "rust-posts", false, "/posts"),
            4.0,
        ),
        rate("action, 1 KB body, instances reused", djo("djo-host, action", "reuso", Request::post("/recados", message())), carmy(), 0.8),
        rate("the same by /agent/execute", djo("djo-host, carmy/1", "reuso", execute("receber")), carmy(), 0.8),
        rate("HTML page, instances reused; peer: its agent face", page("reuso"), djo("djo-host, agent", "reuso", agent("/posts")), 0.8),
        rate("cache hit", djo("djo-host", "reuso", agent("/guardados")), hyper("cache"), 0.8),
        rate("304", djo("djo-host", "reuso", imitated("304")), hyper("304"), 0.8),
        rate("manifest", djo("djo-host", "reuso", imitated("manifest")), hyper("manifest"), 0.8),
        rate("1,000 djo sites in turn, fresh instance", djo_sites(1000, false), djo_sites(1, false), 0.9),
        rate("1,000 djo sites in turn, instances reused", djo_sites(1000, true), djo_sites(1, true), 0.9),
        rate("300 Rust components in turn, fresh instance", components(300), components(1), 0.6),
        beside("screen's p99 beside 200 agents, the lane full", page("vizinho"), spin(), 200),
        beside("a site's p99 beside one that spins", djo("djo-host, agent", "vizinho", agent("/posts")), spin(), 4),
    ]
}

impl Case {
    /// Measures it: both sides in each round, one right after the other.
    pub(crate) fn run(&self, field: &Field, rounds: usize, seconds: u64) -> Row {
        let (peer, target) = match &self.measure {
            Measure::Rate { peer, at_least } => (peer.name, *at_least),
            Measure::Beside { at_most, .. } => ("calm", *at_most),
        };
        let figures = (0..rounds).map(|round| self.round(field, seconds, round)).collect::<Result<Vec<_>>>();
        let is_rate = matches!(self.measure, Measure::Rate { .. });
        for target in [Some(&self.ours), self.other()].into_iter().flatten() {
            if matches!(target.contestant, Contestant::DjoSites { .. } | Contestant::DjoComponents(_)) {
                field.stop(&target.contestant);
            }
        }
        Row::new(self.work, self.ours.name, peer, is_rate, target, figures)
    }

    fn other(&self) -> Option<&Target> {
        match &self.measure {
            Measure::Rate { peer, .. } => Some(peer),
            Measure::Beside { other, .. } => Some(other),
        }
    }

    fn round(&self, field: &Field, seconds: u64, round: usize) -> Result<Figure> {
        let usual = Pressure::usual(seconds);
        let on = |target: &Target, pressure: Pressure| -> Result<Load> {
            press(field.server(&target.contestant)?.addr, &target.request, pressure)
        };
        match &self.measure {
            Measure::Rate { peer, .. } => {
                if round == 0 {
                    // Code is compiled, pools are warm, before anything counts.
                    for target in [&self.ours, peer] {
                        field.server(&target.contestant)?.wake(&target.request)?;
                        on(target, Pressure::usual(1))?;
                    }
                }
                let (ours, theirs) = if round.is_multiple_of(2) {
                    let ours = on(&self.ours, usual)?;
                    (ours, on(peer, usual)?)
                } else {
                    let theirs = on(peer, usual)?;
                    (on(&self.ours, usual)?, theirs)
                };
                Ok(Figure { ours: ours.rate, theirs: theirs.rate, errors: ours.errors + theirs.errors })
            }
            Measure::Beside { other, connections, .. } => {
                let visiting = || visit(field.server(&self.ours.contestant)?.addr, &self.ours.request, seconds);
                visiting()?;
                let calm = visiting()?;
                let addr = field.server(&other.contestant)?.addr;
                let crowd = Pressure { connections: *connections, seconds: seconds + 2, background: true };
                let request = other.request.clone();
                let pressing = std::thread::spawn(move || press(addr, &request, crowd));
                std::thread::sleep(std::time::Duration::from_secs(1));
                let beside = visiting()?;
                // What the crowd was answered does not count: most of it is refused, as it should be.
                drop(pressing.join());
                Ok(Figure { ours: beside.p99_ms, theirs: calm.p99_ms, errors: beside.errors + calm.errors })
            }
        }
    }
}
