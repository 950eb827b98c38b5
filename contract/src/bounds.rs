//! Bounded results: what code says of a page is checked against the page, and told to who asked. Source: the tool boundary, §4.

use alloc::{
    format,
    string::{String, ToString},
    vec::Vec,
};
use core::fmt;

use crate::{
    form, json,
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
    /// A page that leads to itself leads on for ever.
    Circle,
    /// Fewer in all than in this page.
    Total,
    /// The cursor or the hint is too long.
    TooLong,
}

impl fmt::Display for BoundsError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotList => out.write_str("uma resposta em páginas precisa ser uma lista"),
            Self::Returned { said, counted } => write!(out, "`returned` é {said}, mas a página tem {counted} itens"),
            Self::NoWayOn => out.write_str("uma página com `truncated` precisa de `next_cursor` ou `refinement_hint`"),
            Self::CursorAtEnd => out.write_str("`next_cursor` precisa de `truncated: true`"),
            Self::EmptyWithCursor => out.write_str("uma página vazia não pode ter `next_cursor`"),
            Self::Circle => out.write_str("`next_cursor` é o de uma página que já foi pedida: ela não avança"),
            Self::Total => out.write_str("`total` é menor do que os itens da página"),
            Self::TooLong => write!(out, "`next_cursor` e `refinement_hint` têm no máximo {MAX_TEXT} bytes"),
        }
    }
}

impl core::error::Error for BoundsError {}

impl Bounds<'_> {
    /// The bounds of a page, checked against each other, the query that asked for it and its body. How many items it has whoever checks knows
    /// better, so that code that counts otherwise is believed in the rest, unless that is to be told (`exact`). Of all else that cannot be
    /// nothing can be kept: without its bounds a part would pass for the whole.
    ///
    /// # Errors
    /// What cannot be.
    pub fn checked(self, query: &str, body: &[u8], exact: bool) -> Result<Self, BoundsError> {
        let counted = json::count_items(body, json::RESULT).ok().flatten().ok_or(BoundsError::NotList)?;
        let long = |text: Option<&str>| text.is_some_and(|text| text.len() > MAX_TEXT);
        let Self { returned, truncated, total, refinement_hint, next_cursor } = self;
        let broken = if exact && returned != counted {
            Some(BoundsError::Returned { said: returned, counted })
        } else if truncated && next_cursor.is_none() && refinement_hint.is_none() {
            Some(BoundsError::NoWayOn)
        } else if next_cursor.is_some() && !truncated {
            Some(BoundsError::CursorAtEnd)
        } else if next_cursor.is_some() && counted == 0 {
            Some(BoundsError::EmptyWithCursor)
        } else if next_cursor.is_some() && next_cursor == form::cursor(query).as_deref() {
            Some(BoundsError::Circle)
        } else if total.is_some_and(|total| total < counted) {
            Some(BoundsError::Total)
        } else if long(next_cursor) || long(refinement_hint) {
            Some(BoundsError::TooLong)
        } else {
            None
        };
        broken.map_or(Ok(Self { returned: counted, ..self }), Err)
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
        assert_eq!(PAGE.checked("cursor=b", b"[1,2]", true), Ok(PAGE));
        assert_eq!(Bounds { returned: 7, ..PAGE }.checked("", b"[1,2]", false), Ok(PAGE), "the count is mended");
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
            assert_eq!(page.checked("", body.as_bytes(), true), Err(error));
            if !matches!(error, BoundsError::Returned { .. }) {
                assert_eq!(page.checked("", body.as_bytes(), false), Err(error));
            }
        }
    }

    #[test]
    fn a_page_does_not_lead_to_itself() {
        for query in ["cursor=c", "q=1&cursor=%63", "%63ursor=c&cursor=d"] {
            assert_eq!(PAGE.checked(query, b"[1,2]", false), Err(BoundsError::Circle), "{query}");
        }
        for query in ["", "cursor=", "cursor=d", "q=c"] {
            assert!(PAGE.checked(query, b"[1,2]", false).is_ok(), "{query}");
        }
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
