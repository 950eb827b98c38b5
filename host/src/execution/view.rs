//! What an agent asks to see of a result: `?campos=` and `?tabela`. Read before anything runs, applied to what the run answered.

use djo_contract::issue::Issues;
use djo_contract::json;
use djo_contract::model::{Contract, Route};
use djo_contract::select::{SelectError, Selection};
use djo_contract::table::{Mode, Table};
use djo_contract::types::Type;

/// The part and the form of a result that was asked for.
#[derive(Default)]
pub struct View {
    selection: Option<Selection>,
    table: Option<Table>,
    /// The screen as Markdown.
    pub markdown: bool,
    /// The query with its selection in canonical order: part of the cache's key.
    pub canonical_query: Option<String>,
}

/// Why a view cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum ViewError {
    /// The selection does not fit the type.
    #[error("{0}")]
    Selection(SelectError),
    /// The route has no table.
    #[error("{0}")]
    Table(&'static str),
}

/// Why a result cannot be shown as asked.
#[derive(Debug, thiserror::Error)]
pub enum ResultError {
    /// It is no JSON, or goes beyond the limits.
    #[error("a resposta não é JSON de que se mostre uma parte: {0}")]
    Unreadable(String),
    /// With `--dev`: it does not fit the declared type.
    #[error("a resposta não confere com \"returns\": {0}")]
    Mismatch(Issues),
}

/// A result in the form that was asked for.
pub(super) enum Shown {
    /// As the run answered it.
    AsIs,
    /// JSON, cut down to the selection.
    Json(String),
    /// CSV.
    Table(String),
}

impl View {
    /// A page in its own form, or as Markdown.
    pub fn of_page(markdown: bool) -> Self {
        Self { markdown, ..Self::default() }
    }

    /// What the query of an agent's read asks for.
    ///
    /// # Errors
    /// [`ViewError`]: the request is refused before it runs.
    pub fn of(contract: &Contract, route: &Route, raw_query: &str, pairs: &[(String, String)]) -> Result<Self, ViewError> {
        let (types, returns) = (&contract.types, route.returns.as_ref());
        let selection = Selection::from_query(types, returns, pairs).map_err(ViewError::Selection)?;
        let table = match Mode::from_query(pairs) {
            Some(mode) => Some(Table::new(types, returns, selection.as_ref(), mode).map_err(ViewError::Table)?),
            None => None,
        };
        let canonical_query = selection.as_ref().map(|selection| canonical(raw_query, &selection.canonical(types)));
        Ok(Self { selection, table, markdown: false, canonical_query })
    }

    /// Whether showing a result takes going through it.
    pub(super) fn looks_inside(&self) -> bool {
        self.table.is_some() || self.selection.is_some()
    }

    /// Shows a result. With `checked`, the declared type is compared first.
    ///
    /// # Errors
    /// [`ResultError`]
    pub(super) fn show(&self, contract: &Contract, checked: Option<&Type>, body: &[u8]) -> Result<Shown, ResultError> {
        let unreadable = |issue: json::SyntaxIssue| ResultError::Unreadable(issue.detail());
        if let Some(returns) = checked {
            let value = json::parse_with(body, json::RESULT).map_err(unreadable)?;
            djo_contract::decode::check_result(&contract.types, returns, &value).or(|| ()).map_err(ResultError::Mismatch)?;
        }
        Ok(match (&self.table, &self.selection) {
            (Some(table), _) => Shown::Table(table.write(body, json::RESULT).map_err(unreadable)?),
            (None, Some(selection)) => Shown::Json(selection.apply(&contract.types, body, json::RESULT).map_err(unreadable)?),
            (None, None) => Shown::AsIs,
        })
    }
}

/// The raw query with the value of `campos` replaced. Only one pair has that name: a second one was refused.
fn canonical(raw_query: &str, selection: &str) -> String {
    let is_selection = |pair: &&str| {
        let name = pair.split('=').next().unwrap_or("");
        djo_contract::route::parse_query(name).is_ok_and(|pairs| pairs.first().is_some_and(|(name, _)| name == "campos"))
    };
    let parts: Vec<String> =
        raw_query.split('&').map(|pair| if is_selection(&pair) { format!("campos={selection}") } else { pair.to_owned() }).collect();
    parts.join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_selection_is_put_in_order() {
        assert_eq!(canonical("b=2&campos=titulo,id&a=1", "id,titulo"), "b=2&campos=id,titulo&a=1");
        assert_eq!(canonical("c%61mpos=x", "id"), "campos=id");
        assert_eq!(canonical("camposs=x", "id"), "camposs=x");
    }
}
