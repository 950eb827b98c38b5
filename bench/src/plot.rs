//! The ratios as a drawing: one bar a work, a line where it is meant to reach.

use std::fmt::Write as _;

use crate::report::Report;

const WIDTH: f64 = 900.0;
const LABEL: f64 = 430.0;
const ROW: f64 = 30.0;
/// Ratios are drawn by their logarithm: from a tenth to a hundred.
const DECADES: (f64, f64) = (-1.0, 2.0);

/// Draws the rates. Latencies and memory, where less is better, stay in the table.
pub(crate) fn svg(report: &Report) -> String {
    let rows: Vec<_> = report.rows.iter().filter(|row| row.is_rate).filter_map(|row| Some((row, row.ratio?))).collect();
    let height = ROW * (rows.len() as f64 + 1.5);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" font-family=\"system-ui,sans-serif\" font-size=\"13\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
    );
    for ratio in [0.1, 1.0, 10.0, 100.0] {
        let (x, bottom) = (place(ratio), height - ROW);
        let _ = writeln!(
            out,
            "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"0\" y2=\"{bottom}\" stroke=\"#ddd\"/>\
             <text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666\">{ratio}×</text>",
            bottom + 18.0
        );
    }
    for (index, (row, ratio)) in rows.iter().enumerate() {
        let y = ROW * index as f64 + 6.0;
        let (one, end, meant) = (place(1.0), place(*ratio), place(row.target));
        let colour = if row.met == Some(true) { "#1a7f4b" } else { "#b3541e" };
        let _ = writeln!(
            out,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"18\" fill=\"{colour}\"/>\
             <line x1=\"{meant:.1}\" x2=\"{meant:.1}\" y1=\"{:.1}\" y2=\"{:.1}\" stroke=\"#000\" stroke-width=\"2\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{ratio:.2}×</text>",
            LABEL - 8.0,
            y + 13.0,
            escape(&row.work),
            one.min(end),
            (end - one).abs().max(1.0),
            y - 3.0,
            y + 21.0,
            one.max(end) + 5.0,
            y + 13.0,
        );
    }
    out + "</svg>\n"
}

fn place(ratio: f64) -> f64 {
    let share = (ratio.max(1e-9).log10() - DECADES.0) / (DECADES.1 - DECADES.0);
    LABEL + share.clamp(0.0, 1.0) * (WIDTH - LABEL - 60.0)
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;")
}
