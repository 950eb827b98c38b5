//! Long lists in pages. A cursor is the place of the next item, and means nothing to clients.

use rmcp::model::{ErrorData, PaginatedRequestParams};

/// Items of a page.
const SIZE: usize = 100;

/// The page that is asked for, and the cursor of the next.
///
/// # Errors
/// A cursor that none of these lists gave.
pub(super) fn of<T>(items: &[T], request: Option<PaginatedRequestParams>) -> Result<(&[T], Option<String>), ErrorData> {
    let start = match request.and_then(|request| request.cursor) {
        None => 0,
        Some(cursor) => {
            let place = cursor.strip_prefix('p').and_then(|digits| digits.parse().ok());
            let place = place.filter(|place: &usize| *place > 0 && *place < items.len());
            place.ok_or_else(|| ErrorData::invalid_params("o cursor não é desta lista", None))?
        }
    };
    let end = items.len().min(start + SIZE);
    Ok((&items[start..end], (end < items.len()).then(|| format!("p{end}"))))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn pages_cover_a_list_once() {
        let items: Vec<usize> = (0..250).collect();
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let (page, next) = of(&items, Some(PaginatedRequestParams::default().with_cursor(cursor))).unwrap();
            seen.extend_from_slice(page);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(seen, items);
        for bad in ["", "p0", "p250", "p999", "x1", "p-1"] {
            assert!(of(&items, Some(PaginatedRequestParams::default().with_cursor(Some(bad.into())))).is_err(), "{bad}");
        }
    }
}
