//! The name that was probably meant.

use alloc::vec::Vec;

/// Names further apart than this do not suggest each other.
const DISTANCE_LIMIT: usize = 2;

/// The candidate nearest to a name, when one is within edit distance 2 (insertions, deletions, replacements, and swaps of neighbours
/// count 1 each; case counts). Among equals the first. Costs little for names of any length: what differs more in length is not compared.
pub fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let mut best: Option<(usize, &'a str)> = None;
    let letters: Vec<char> = if length <= 256 { name.chars().collect() } else { return None };
    for candidate in candidates {
        let other: Vec<char> = candidate.chars().take(260).collect();
        let limit = best.map_or(DISTANCE_LIMIT + 1, |(distance, _)| distance);
        if other.len().abs_diff(length) < limit {
            let distance = distance(&letters, &other);
            if distance < limit {
                best = Some((distance, candidate));
            }
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// Edit distance with swaps of neighbours (optimal string alignment).
pub fn distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i + 1);
        for (j, y) in b.iter().enumerate() {
            let mut cost = (last[j] + usize::from(x != y)).min(last[j + 1] + 1).min(row[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == *y {
                cost = cost.min(before[j - 1] + 1);
            }
            row.push(cost);
        }
        before = core::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_the_nearest_within_two() {
        let names = ["limit", "query"];
        assert_eq!(nearest("qeury", names), Some("query"));
        assert_eq!(nearest("Query", names), Some("query"));
        assert_eq!(nearest("limite", names), Some("limit"));
        assert_eq!(nearest("zzz", names), None);
        assert_eq!(nearest("tituol", ["autor", "titulo", "titulos"]), Some("titulo"));
        assert_eq!(nearest("ab", ["ac", "ad"]), Some("ac"));
        assert_eq!(nearest("titulo", []), None);
        assert_eq!(nearest(&"x".repeat(100_000), names), None);
    }
}
