//! Nearest names, for "you probably meant".

/// The candidate nearest to `name` by edit distance (with swaps), when it is near enough to be a slip:
/// at most a third of the name's length, and at most 3.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let length = name.chars().count();
    let limit = length.div_ceil(3).min(3);
    candidates
        .into_iter()
        .filter(|candidate| *candidate != name && candidate.chars().count().abs_diff(length) <= limit)
        .filter_map(|candidate| {
            let distance = if candidate.to_lowercase() == name.to_lowercase() { 0 } else { distance(name, candidate) };
            (distance <= limit).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

/// `a`, `b` ou `c`: the choices, quoted, at most ten of them.
pub(crate) fn quoted_list<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut quoted: Vec<String> = names.into_iter().map(|name| format!("`{name}`")).collect();
    if quoted.len() > 10 {
        quoted.truncate(10);
        return format!("{}…", quoted.join(", "));
    }
    match quoted.pop() {
        None => String::new(),
        Some(last) if quoted.is_empty() => last,
        Some(last) => format!("{} ou {last}", quoted.join(", ")),
    }
}

/// Optimal string alignment distance over code points; long names are cut, since they cannot be near.
fn distance(a: &str, b: &str) -> usize {
    const LONGEST: usize = 64;
    let a: Vec<char> = a.chars().take(LONGEST).collect();
    let b: Vec<char> = b.chars().take(LONGEST).collect();
    let mut before_last = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i; b.len() + 1];
        for j in 1..=b.len() {
            let substitution = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            row[j] = substitution.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                row[j] = row[j].min(before_last[j - 2] + 1);
            }
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_and_nothing_far() {
        assert_eq!(nearest("criar_psot", ["criar_post", "publicar"]), Some("criar_post"));
        assert_eq!(nearest("post", ["Post", "posto"]), Some("Post"));
        assert_eq!(nearest("xyz", ["criar_post", "a"]), None);
        assert_eq!(nearest("a", []), None);
    }

    #[test]
    fn lists_choices() {
        assert_eq!(quoted_list(["a"]), "`a`");
        assert_eq!(quoted_list(["a", "b", "c"]), "`a`, `b` ou `c`");
    }
}
