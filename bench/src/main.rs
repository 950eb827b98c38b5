//! One run, side by side: djo-host and what people compare it with, on the same machine in the same minutes, as ratios.

mod cases;
mod cold;
mod contestants;
mod load;
mod memory;
mod plot;
mod report;
mod server;
mod sites;
mod visitor;

use std::path::PathBuf;

use anyhow::Result;
use clap::Parser;

use contestants::Field;
use report::Report;

/// What to run, and for how long.
#[derive(Parser)]
#[command(about = "Measures djo-host beside its peers and prints ratios")]
struct Args {
    /// The binary that is measured
    #[arg(long, default_value = "target/release/djo-host")]
    host: PathBuf,
    /// Where `bench/peers.sh` put the peers
    #[arg(long, default_value = "target/peers")]
    peers: PathBuf,
    /// How often each work is measured; the median counts
    #[arg(long, default_value_t = 3)]
    rounds: usize,
    /// Seconds of load each time
    #[arg(long, default_value_t = 4)]
    seconds: u64,
    /// Only works whose name has this in it
    #[arg(long)]
    only: Option<String>,
    /// Where the figures go as JSON
    #[arg(long)]
    json: Option<PathBuf>,
    /// Where the plot goes
    #[arg(long)]
    svg: Option<PathBuf>,
}

fn main() -> Result<()> {
    let args = Args::parse();
    let field = Field::new(&args.host, &args.peers)?;
    let wanted = |name: &str| args.only.as_ref().is_none_or(|only| name.contains(only.as_str()));
    let mut report = Report::default();
    for case in cases::all() {
        if wanted(case.work) {
            report.add(case.run(&field, args.rounds, args.seconds));
            report.print_last();
        }
    }
    if wanted(cold::WORK) {
        report.add(cold::run(&field));
        report.print_last();
    }
    if wanted(memory::WORK) {
        report.add(memory::run(&field));
        report.print_last();
    }
    report.print();
    if let Some(path) = &args.json {
        std::fs::write(path, serde_json::to_string_pretty(&report)? + "\n")?;
    }
    if let Some(path) = &args.svg {
        std::fs::write(path, plot::svg(&report))?;
    }
    Ok(())
}
