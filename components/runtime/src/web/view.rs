//! What an agent wants to see of an answer: `campos` and `tabela`.

use alloc::{string::String, vec::Vec};

use djo_contract::{
    json,
    refusal::Refusal,
    select::Selection,
    table::{self, Column, Mode},
    types::{Type, Types},
};

/// Fields, and the form of a table. By default the answer as it is.
#[derive(Debug, Default)]
pub(crate) struct View {
    selection: Option<Selection>,
    table: Option<(Vec<Column>, Mode)>,
}

impl View {
    /// What a query asks for, checked against what the route returns.
    pub(crate) fn asked(types: &Types, returns: Option<&Type>, pairs: &[(String, String)]) -> Result<Self, Refusal> {
        let selection = Selection::from_query(types, returns, pairs).map_err(Refusal::Selection)?;
        let columns = |mode| table::columns(types, returns, selection.as_ref()).map(|columns| (columns, mode));
        let table = Mode::from_query(pairs).map(columns).transpose().map_err(Refusal::Table)?;
        Ok(Self { selection, table })
    }

    /// The answer so seen, with its content type; `None` where it stays as it is.
    pub(crate) fn apply(&self, types: &Types, body: &[u8]) -> Option<(&'static str, String)> {
        if self.selection.is_none() && self.table.is_none() {
            return None;
        }
        // What is no JSON, though declared to be, is left as the site sent it.
        let mut value = json::parse(body).ok()?;
        if let Some((columns, mode)) = &self.table {
            return Some(("text/csv; charset=utf-8", table::to_csv(columns, &value, *mode)));
        }
        self.selection.as_ref()?.apply(types, &mut value);
        Some(("application/json", json::to_string(&value)))
    }
}
