//! Where in the source an error arose, for the author's eyes.

use std::collections::BTreeMap;

/// Lines that are shown before and after the one that failed.
const AROUND: usize = 2;

/// The line of a file and those around it, numbered, the line itself marked; `None` when there is no such line.
pub(super) fn excerpt(sources: &BTreeMap<String, Vec<u8>>, file: &str, line: u32) -> Option<String> {
    let text = String::from_utf8_lossy(sources.get(file)?);
    let at = (line as usize).checked_sub(1)?;
    let lines: Vec<&str> = text.lines().collect();
    lines.get(at)?;
    let (first, last) = (at.saturating_sub(AROUND), (at + AROUND).min(lines.len() - 1));
    let width = (last + 1).to_string().len();
    let mut out = String::new();
    for (index, line) in lines.iter().enumerate().take(last + 1).skip(first) {
        let mark = if index == at { '>' } else { ' ' };
        out.push_str(format!("{mark} {:>width$} | {line}", index + 1).trim_end());
        out.push('\n');
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_the_line_among_its_neighbours() {
        let text = (1..=10).map(|n| if n == 9 { String::from("\n") } else { format!("linha {n}\n") }).collect::<String>();
        let sources = BTreeMap::from([("core/a.djo".to_owned(), text.into_bytes())]);
        let shown = |line| excerpt(&sources, "core/a.djo", line);
        assert_eq!(shown(1).as_deref(), Some("> 1 | linha 1\n  2 | linha 2\n  3 | linha 3\n"));
        assert_eq!(shown(10).as_deref(), Some("   8 | linha 8\n   9 |\n> 10 | linha 10\n"));
        assert_eq!((shown(0), shown(11), excerpt(&sources, "../core/a.djo", 1)), (None, None, None));
    }
}
