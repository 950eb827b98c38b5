//! Bounded results: what a guest says of a page, as the contract checks and tells it. Source: the tool boundary, §4.

pub use djo_contract::bounds::BoundsError;

use djo_contract::bounds::Bounds;
use http::header::LINK;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::sandbox::PageBounds;

/// The bounds of a page, as [`Bounds::checked`] has them.
pub(super) fn checked(claimed: PageBounds, query: &str, body: &[u8], exact: bool) -> Result<PageBounds, BoundsError> {
    let returned = of(&claimed).checked(query, body, exact)?.returned;
    Ok(PageBounds { returned, ..claimed })
}

/// Says in the headers of a GET how much there is and where the next page is.
pub(super) fn tell(path: &str, query: &str, headers: &mut HeaderMap, page: &PageBounds) {
    for (name, value) in of(page).headers(path, query) {
        let Ok(value) = HeaderValue::try_from(value) else { continue };
        let name = HeaderName::from_static(name);
        // Of links there may be others.
        if name == LINK {
            headers.append(name, value);
        } else {
            headers.insert(name, value);
        }
    }
}

fn of(page: &PageBounds) -> Bounds<'_> {
    Bounds {
        returned: page.returned,
        truncated: page.truncated,
        total: page.total,
        refinement_hint: page.refinement_hint.as_deref(),
        next_cursor: page.next_cursor.as_deref(),
    }
}
