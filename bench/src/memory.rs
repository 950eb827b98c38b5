//! What an idle djo site takes, and how long ten thousand of them take to start.

use anyhow::Result;

use crate::contestants::{Contestant, Field};
use crate::report::{Figure, Row};

/// The name of the row.
pub(crate) const WORK: &str = "KB of memory for each of 10,000 idle djo sites";

const SITES: usize = 10_000;
/// KB that a site may take.
const AT_MOST: f64 = 60.0;

/// Starts one site and ten thousand, and compares what the processes hold.
pub(crate) fn run(field: &Field) -> Row {
    let figure = || -> Result<Figure> {
        let sites = |count| Contestant::DjoSites { count, reuse: true };
        let one = sites(1);
        let base = field.server(&one)?.resident_kib()?;
        field.stop(&one);
        let many = sites(SITES);
        let server = field.server(&many)?;
        let (all, took) = (server.resident_kib()?, server.took);
        field.stop(&many);
        println!("  {SITES} sites answer {:.1} s after the start; {} MB in all", took.as_secs_f64(), all / 1024);
        Ok(Figure { ours: all.saturating_sub(base) as f64 / SITES as f64, theirs: 1.0, errors: 0 })
    };
    Row::new(WORK, "djo-host", "1 KB", false, AT_MOST, figure().map(|figure| vec![figure]))
}
