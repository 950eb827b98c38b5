//! Bounded results: what code says of a page is checked against the page, and told to who asked. Source: the tool boundary, §4.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use crate::{
    json,
    route::{percent_decode, percent_encoded},
    tool::CURSOR,
};

/// The longest cursor or hint, in bytes.
const MAX_TEXT: usize = 4 << 10;

/// How much of a result a page is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds<'a> {
    /// Items in the page.
    pub returned: u64,
    /// There are more.
    pub truncated: bool,
    /// How many there are in all.
    pub total: Option<u64>,
    /// How to ask for less.
    pub refinement_hint: Option<&'a str>,
    /// The next page.
    pub next_cursor: Option<&'a str>,
}

/// What was said of a page that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoundsError {
    /// A bounded result is a list.
    NotList,
    /// The code counts otherwise than whoever checks it.
    Returned {
        /// What the code said.
        said: u64,
        /// What was counted.
        counted: u64,
    },
    /// Who is told that there is more must be able to do something about it.
    NoWayOn,
    /// A cursor leads to more.
    CursorAtEnd,
    /// A page that leads on without having brought anything may lead on for ever.
    EmptyWithCursor,
    /// Fewer in all than in this page.
    Total,
    /// The cursor or the hint is too long.
    TooLong,
}

impl fmt::Display for BoundsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotList => out.write_str("a bounded result must be a list"),
            Self::Returned { said, counted } => write!(out, "`returned` is {said}, but the page has {counted} items"),
            Self::NoWayOn => out.write_str("a truncated page needs `next_cursor` or `refinement_hint`"),
            Self::CursorAtEnd => out.write_str("`next_cursor` needs `truncated: true`"),
            Self::EmptyWithCursor => out.write_str("an empty page cannot have `next_cursor`"),
            Self::Total => out.write_str("`total` is less than the items of the page"),
            Self::TooLong => write!(out, "`next_cursor` and `refinement_hint` have at most {MAX_TEXT} bytes"),
        }
    }
}

impl core::error::Error for BoundsError {}

impl Bounds<'_> {
    /// Checks the bounds of a page against its body.
    ///
    /// # Errors
    /// What cannot be.
    pub fn check(&self, body: &[u8]) -> Result<(), BoundsError> {
        let counted = json::count_items(body, json::RESULT).ok().flatten().ok_or(BoundsError::NotList)?;
        if self.returned == counted { self.fit() } else { Err(BoundsError::Returned { said: self.returned, counted }) }
    }

    /// The bounds with the count that holds, whatever the code said it is.
    ///
    /// # Errors
    /// What else cannot be.
    pub fn recounted(self, body: &[u8]) -> Result<Self, BoundsError> {
        let counted = match self.check(body) {
            Err(BoundsError::Returned { counted, .. }) => Self { returned: counted, ..self },
            checked => return checked.map(|()| self),
        };
        counted.fit().map(|()| counted)
    }

    /// Whether they contradict each other.
    fn fit(&self) -> Result<(), BoundsError> {
        let long = |text: Option<&str>| text.is_some_and(|text| text.len() > MAX_TEXT);
        if self.truncated && self.next_cursor.is_none() && self.refinement_hint.is_none() {
            Err(BoundsError::NoWayOn)
        } else if self.next_cursor.is_some() && !self.truncated {
            Err(BoundsError::CursorAtEnd)
        } else if self.next_cursor.is_some() && self.returned == 0 {
            Err(BoundsError::EmptyWithCursor)
        } else if self.total.is_some_and(|total| total < self.returned) {
            Err(BoundsError::Total)
        } else if long(self.next_cursor) || long(self.refinement_hint) {
            Err(BoundsError::TooLong)
        } else {
            Ok(())
        }
    }

    /// The headers of a GET that say how much there is and where the next page is: names in lower case.
    pub fn headers(&self, path: &str, query: &str) -> Vec<(&'static str, String)> {
        let total = self.total.map(|total| ("x-total-count", total.to_string()));
        let next = self.next_cursor.map(|cursor| ("link", format!("<{path}?{}>; rel=\"next\"", with_cursor(query, cursor))));
        total.into_iter().chain(next).collect()
    }
}

/// A query that asks for the page at a cursor.
fn with_cursor(query: &str, cursor: &str) -> String {
    let mut asked = String::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty() && !is_cursor(pair)) {
        asked.push_str(pair);
        asked.push('&');
    }
    asked.push_str("cursor=");
    asked.push_str(&percent_encoded(cursor, b""));
    asked
}

/// Whether a raw query says itself which page it wants.
pub fn has_cursor(query: &str) -> bool {
    query.split('&').any(is_cursor)
}

fn is_cursor(pair: &str) -> bool {
    pair.split('=').next().and_then(|name| percent_decode(name).ok()).is_some_and(|name| name == CURSOR)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: Bounds<'_> = Bounds { returned: 2, truncated: true, total: Some(9), refinement_hint: None, next_cursor: Some("c") };

    #[test]
    fn what_is_said_of_a_page_is_checked() {
        assert_eq!(PAGE.check(b"[1,2]"), Ok(()));
        let long = "x".repeat(MAX_TEXT + 1);
        for (page, body, error) in [
            (PAGE, "{}", BoundsError::NotList),
            (PAGE, "[1]", BoundsError::Returned { said: 2, counted: 1 }),
            (Bounds { next_cursor: None, ..PAGE }, "[1,2]", BoundsError::NoWayOn),
            (Bounds { truncated: false, ..PAGE }, "[1,2]", BoundsError::CursorAtEnd),
            (Bounds { returned: 0, ..PAGE }, "[]", BoundsError::EmptyWithCursor),
            (Bounds { total: Some(1), ..PAGE }, "[1,2]", BoundsError::Total),
            (Bounds { refinement_hint: Some(&long), ..PAGE }, "[1,2]", BoundsError::TooLong),
        ] {
            assert_eq!(page.check(body.as_bytes()), Err(error));
        }
    }

    #[test]
    fn a_wrong_count_is_mended_and_nothing_else() {
        assert_eq!(PAGE.recounted(b"[1]"), Ok(Bounds { returned: 1, ..PAGE }));
        assert_eq!(PAGE.recounted(b"[]"), Err(BoundsError::EmptyWithCursor));
        assert_eq!(Bounds { truncated: false, ..PAGE }.recounted(b"[1,2]"), Err(BoundsError::CursorAtEnd));
    }

    #[test]
    fn the_next_page_keeps_the_rest_of_the_query() {
        let headers = Bounds { next_cursor: Some("a b/é"), ..PAGE }.headers("/a", "q=1&cursor=x&campos=id");
        assert_eq!(
            headers,
            [("x-total-count", "9".to_string()), ("link", "</a?q=1&campos=id&cursor=a%20b%2F%C3%A9>; rel=\"next\"".to_string())]
        );
        assert_eq!(Bounds::default().headers("/a", ""), []);
    }

    #[test]
    fn a_query_that_wants_a_page_is_told() {
        assert!(has_cursor("a=1&cursor=2") && has_cursor("c%75rsor"));
        assert!(!has_cursor("cursores=1&a=cursor") && !has_cursor(""));
    }
}
