//! The table, as people and programs read it.

use anyhow::Result;
use serde::Serialize;

/// What one round came to.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Figure {
    /// Answers a second, or milliseconds.
    pub(crate) ours: f64,
    /// The same of the other side.
    pub(crate) theirs: f64,
    /// Answers that failed, of both.
    pub(crate) errors: u64,
}

/// A line.
#[derive(Debug, Serialize)]
pub(crate) struct Row {
    /// What is done.
    pub(crate) work: String,
    /// By whom.
    pub(crate) ours: String,
    /// Compared with what.
    pub(crate) peer: String,
    /// Answers a second; else milliseconds of latency or KB, where less is better.
    pub(crate) is_rate: bool,
    /// The ratio that is meant: at least for rates, else at most.
    pub(crate) target: f64,
    /// The median of the rounds' ratios.
    pub(crate) ratio: Option<f64>,
    /// Whether the ratio is as meant, and nothing failed.
    pub(crate) met: Option<bool>,
    /// All rounds.
    pub(crate) rounds: Vec<Figure>,
    /// Why there is no figure.
    pub(crate) missing: Option<String>,
}

/// All lines.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    /// In the order in which they were measured.
    pub(crate) rows: Vec<Row>,
}

impl Row {
    /// A line from what its rounds came to.
    pub(crate) fn new(work: &str, ours: &str, peer: &str, is_rate: bool, target: f64, rounds: Result<Vec<Figure>>) -> Self {
        let (rounds, missing) = match rounds {
            Ok(rounds) => (rounds, None),
            Err(error) => (Vec::new(), Some(format!("{error:#}"))),
        };
        let ratio = median(rounds.iter().map(|round| round.ours / round.theirs).collect());
        let failed = rounds.iter().any(|round| round.errors > 0);
        let met = ratio.map(|ratio| !failed && if is_rate { ratio >= target } else { ratio <= target });
        Self { work: work.into(), ours: ours.into(), peer: peer.into(), is_rate, target, ratio, met, rounds, missing }
    }

    fn line(&self) -> String {
        let median = |side: fn(&Figure) -> f64| median(self.rounds.iter().map(side).collect()).unwrap_or_default();
        let digits = if self.is_rate { 0 } else { 2 };
        let errors: u64 = self.rounds.iter().map(|round| round.errors).sum();
        match (&self.missing, self.ratio, self.met) {
            (None, Some(ratio), Some(met)) => format!(
                "| {} | {} {:.digits$} | {} {:.digits$} | {ratio:.2}× | {} {}× | {}{} |",
                self.work,
                self.ours,
                median(|round| round.ours),
                self.peer,
                median(|round| round.theirs),
                if self.is_rate { "≥" } else { "≤" },
                self.target,
                if met { "yes" } else { "**no**" },
                if errors > 0 { format!(", {errors} errors") } else { String::new() },
            ),
            (missing, ..) => {
                format!("| {} | {} | {} | – | | {} |", self.work, self.ours, self.peer, missing.as_deref().unwrap_or("no figure"))
            }
        }
    }
}

impl Report {
    /// Adds a line.
    pub(crate) fn add(&mut self, row: Row) {
        self.rows.push(row);
    }

    /// Prints the last line: a run takes minutes.
    pub(crate) fn print_last(&self) {
        if let Some(row) = self.rows.last() {
            println!("{}", row.line());
        }
    }

    /// Prints the table.
    pub(crate) fn print(&self) {
        println!("\n| work | ours | peer | ratio | meant | met |\n|---|---|---|---|---|---|");
        for row in &self.rows {
            println!("{}", row.line());
        }
    }
}

fn median(mut figures: Vec<f64>) -> Option<f64> {
    figures.sort_unstable_by(f64::total_cmp);
    figures.get(figures.len() / 2).copied()
}
