//! Nearest names, for "you probably meant".

use djo_contract::issue::distance;

/// Longer names are not compared: nothing written by hand is near them.
const MAX_LENGTH: usize = 64;

/// More names are not compared: a source may have as many as it has lines, and as many mistakes.
const MAX_CANDIDATES: usize = 2_000;

/// The candidate nearest to `name` when it is near enough to be a slip: at most a third of the name's length away, and at
/// most 3 (stricter for short names than [`djo_contract::issue::nearest`], where any two letters are near each other), and less than
/// half of the longer of the two, but for two letters swapped;
/// a difference of case alone is none.
pub(crate) fn nearest<'a>(name: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let (letters, lower): (Vec<char>, String) = (name.chars().collect(), name.to_lowercase());
    let limit = letters.len().div_ceil(3).min(3);
    if letters.len() > MAX_LENGTH {
        return None;
    }
    candidates
        .into_iter()
        .take(MAX_CANDIDATES)
        .filter(|candidate| *candidate != name)
        .filter_map(|candidate| {
            let other: Vec<char> = candidate.chars().take(MAX_LENGTH + limit + 1).collect();
            if other.len().abs_diff(letters.len()) > limit {
                return None;
            }
            let distance = if candidate.to_lowercase() == lower { 0 } else { distance(&letters, &other) };
            let near = distance * 2 < letters.len().max(other.len()) || same_letters(&letters, &other);
            (near && distance <= limit).then_some((distance, candidate))
        })
        .min()
        .map(|(_, candidate)| candidate)
}

fn same_letters(a: &[char], b: &[char]) -> bool {
    let sorted = |letters: &[char]| {
        let mut letters = letters.to_vec();
        letters.sort_unstable();
        letters
    };
    a.len() == b.len() && sorted(a) == sorted(b)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_a_slip_and_nothing_far() {
        assert_eq!(nearest("criar_psot", ["criar_post", "publicar"]), Some("criar_post"));
        assert_eq!(nearest("post", ["Post", "posto"]), Some("Post"));
        assert_eq!(nearest("xyz", ["criar_post", "a"]), None);
        assert_eq!(nearest("a", []), None);
        // Another name is no slip.
        assert_eq!(nearest("x", ["C", "xy", "y"]), None);
        assert_eq!(nearest("ab", ["ac", "b"]), None);
        assert_eq!(nearest("abcd", ["abxy"]), None);
        assert_eq!(nearest("x", ["X"]), Some("X"));
        assert_eq!(nearest("ot", ["to", "ou"]), Some("to"));
        assert_eq!(nearest("id", ["ids"]), Some("ids"));
    }

    #[test]
    fn a_name_is_not_compared_with_however_many_there_are() {
        let mut compared = 0;
        let names = (0..100_000).map(|_| "a").inspect(|_| compared += 1);
        assert_eq!(nearest("criar_psot", names), None);
        assert!(compared <= MAX_CANDIDATES, "{compared}");
    }

    #[test]
    fn lists_choices() {
        assert_eq!(quoted_list(["a"]), "`a`");
        assert_eq!(quoted_list(["a", "b", "c"]), "`a`, `b` ou `c`");
    }
}
