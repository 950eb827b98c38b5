//! Bounded results: what a guest says of a page is checked against the page, and told to who asked. Source: the tool boundary, §4.

use djo_contract::json;
use djo_contract::route::parse_query;
use djo_contract::tool::CURSOR;
use http::header::LINK;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::sandbox::PageBounds;

/// The longest cursor or hint, in bytes.
const MAX_TEXT: usize = 4 << 10;

/// What a guest said of a page that cannot be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BoundsError {
    /// A bounded result is a list.
    #[error("a bounded result must be a list")]
    NotList,
    /// The guest counts otherwise than the host.
    #[error("`returned` is {said}, but the page has {counted} items")]
    Returned {
        /// What the guest said.
        said: u64,
        /// What the host counted.
        counted: u64,
    },
    /// Who is told that there is more must be able to do something about it.
    #[error("a truncated page needs `next_cursor` or `refinement_hint`")]
    NoWayOn,
    /// A cursor leads to more.
    #[error("`next_cursor` needs `truncated: true`")]
    CursorAtEnd,
    /// A page that leads on without having brought anything may lead on for ever.
    #[error("an empty page cannot have `next_cursor`")]
    EmptyWithCursor,
    /// A page that leads to itself leads on for ever.
    #[error("`next_cursor` is one that this page, or one before it, was asked for by")]
    Circle,
    /// Fewer in all than in this page.
    #[error("`total` is less than the items of the page")]
    Total,
    /// The cursor or the hint is too long.
    #[error("`next_cursor` and `refinement_hint` have at most {MAX_TEXT} bytes")]
    TooLong,
}

/// The bounds of a page, checked against each other, the query that asked for it and its body. How many items it has the host knows better, so that a guest that counts
/// otherwise is believed in the rest, where `exact` does not want it told. Of all else that cannot be nothing can be kept: without its
/// bounds a part would pass for the whole.
pub(super) fn of(claimed: PageBounds, query: &str, body: &[u8], exact: bool) -> Result<PageBounds, BoundsError> {
    let counted = json::count_items(body, json::RESULT).ok().flatten().ok_or(BoundsError::NotList)?;
    let page = if exact { claimed } else { PageBounds { returned: counted, ..claimed } };
    let long = |text: &Option<String>| text.as_ref().is_some_and(|text| text.len() > MAX_TEXT);
    let broken = if page.returned != counted {
        Some(BoundsError::Returned { said: page.returned, counted })
    } else if page.truncated && page.next_cursor.is_none() && page.refinement_hint.is_none() {
        Some(BoundsError::NoWayOn)
    } else if page.next_cursor.is_some() && !page.truncated {
        Some(BoundsError::CursorAtEnd)
    } else if page.next_cursor.is_some() && counted == 0 {
        Some(BoundsError::EmptyWithCursor)
    } else if page.next_cursor.is_some() && page.next_cursor == cursor(query) {
        Some(BoundsError::Circle)
    } else if page.total.is_some_and(|total| total < counted) {
        Some(BoundsError::Total)
    } else if long(&page.next_cursor) || long(&page.refinement_hint) {
        Some(BoundsError::TooLong)
    } else {
        None
    };
    broken.map_or(Ok(page), Err)
}

/// The page that a query asks for.
fn cursor(query: &str) -> Option<String> {
    parse_query(query).ok()?.into_iter().find(|(name, _)| name == CURSOR).map(|(_, value)| value)
}

/// Says in the headers of a GET how much there is and where the next page is.
pub(super) fn tell(path: &str, query: &str, headers: &mut HeaderMap, page: &PageBounds) {
    if let Some(total) = page.total {
        headers.insert(HeaderName::from_static("x-total-count"), total.into());
    }
    let Some(cursor) = &page.next_cursor else { return };
    if let Ok(link) = HeaderValue::try_from(format!("<{path}?{}>; rel=\"next\"", with_cursor(query, cursor))) {
        headers.append(LINK, link);
    }
}

/// A query that asks for the page at a cursor.
pub(super) fn with_cursor(query: &str, cursor: &str) -> String {
    let encoded = percent_encoding::utf8_percent_encode(cursor, percent_encoding::NON_ALPHANUMERIC);
    let others = query.split('&').filter(|pair| !pair.is_empty() && pair.split('=').next() != Some(CURSOR));
    others.map(str::to_owned).chain([format!("cursor={encoded}")]).collect::<Vec<_>>().join("&")
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn page() -> PageBounds {
        PageBounds { returned: 2, truncated: true, total: Some(9), refinement_hint: None, next_cursor: Some("c".into()) }
    }

    #[test]
    fn what_a_guest_says_of_a_page_is_checked() {
        assert!(of(page(), "cursor=b", b"[1,2]", true).is_ok());
        assert_eq!(of(PageBounds { returned: 7, ..page() }, "", b"[1,2]", false).unwrap().returned, 2);
        for (page, body, error) in [
            (page(), "{}", BoundsError::NotList),
            (page(), "[1]", BoundsError::Returned { said: 2, counted: 1 }),
            (PageBounds { next_cursor: None, ..page() }, "[1,2]", BoundsError::NoWayOn),
            (PageBounds { truncated: false, ..page() }, "[1,2]", BoundsError::CursorAtEnd),
            (PageBounds { returned: 0, ..page() }, "[]", BoundsError::EmptyWithCursor),
            (PageBounds { total: Some(1), ..page() }, "[1,2]", BoundsError::Total),
            (PageBounds { refinement_hint: Some("x".repeat(MAX_TEXT + 1)), ..page() }, "[1,2]", BoundsError::TooLong),
        ] {
            assert_eq!(of(page.clone(), "", body.as_bytes(), true).unwrap_err(), error);
            if !matches!(error, BoundsError::Returned { .. }) {
                assert_eq!(of(page, "", body.as_bytes(), false).unwrap_err(), error, "without --dev too");
            }
        }
    }

    #[test]
    fn a_page_does_not_lead_to_itself() {
        for query in ["cursor=c", "q=1&cursor=%63", "%63ursor=c&cursor=d"] {
            assert_eq!(of(page(), query, b"[1,2]", false).unwrap_err(), BoundsError::Circle, "{query}");
        }
        for query in ["", "cursor=", "cursor=d", "q=c"] {
            assert!(of(page(), query, b"[1,2]", false).is_ok(), "{query}");
        }
    }

    #[test]
    fn the_next_page_keeps_the_rest_of_the_query() {
        let mut headers = HeaderMap::new();
        tell("/a", "q=1&cursor=x&campos=id", &mut headers, &PageBounds { next_cursor: Some("a b/é".into()), ..page() });
        assert_eq!(headers["x-total-count"], "9");
        assert_eq!(headers[LINK], "</a?q=1&campos=id&cursor=a%20b%2F%C3%A9>; rel=\"next\"");
    }
}
