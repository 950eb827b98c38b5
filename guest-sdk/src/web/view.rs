//! What an agent wants to see of an answer: `campos` and `tabela`.

use alloc::{format, string::String};

use djo_contract::{
    json,
    refusal::Refusal,
    select::Selection,
    table::{Mode, Table},
    types::{Type, Types},
};

/// Fields, and the form of a table. By default the answer as it is.
#[derive(Debug, Default)]
pub(crate) struct View {
    selection: Option<Selection>,
    table: Option<Table>,
}

impl View {
    /// What a query asks for, checked against what the route returns.
    pub(crate) fn asked(types: &Types, returns: Option<&Type>, pairs: &[(String, String)]) -> Result<Self, Refusal> {
        let selection = Selection::from_query(types, returns, pairs).map_err(Refusal::Selection)?;
        let table = Mode::from_query(pairs).map(|mode| Table::new(types, returns, selection.as_ref(), mode));
        let table = table.transpose().map_err(Refusal::Table)?;
        Ok(Self { selection, table })
    }

    /// The answer so seen, with its content type; `None` where it stays as it is.
    ///
    /// # Errors
    /// It is no JSON that can be looked into, for the log.
    pub(crate) fn apply(&self, types: &Types, body: &[u8]) -> Result<Option<(&'static str, String)>, String> {
        let unreadable = |issue: json::SyntaxIssue| format!("a resposta não é JSON de que se mostre uma parte: {}", issue.detail());
        Ok(match (&self.table, &self.selection) {
            (Some(table), _) => Some(("text/csv; charset=utf-8", table.write(body, json::RESULT).map_err(unreadable)?)),
            (None, Some(selection)) => Some(("application/json", selection.apply(types, body, json::RESULT).map_err(unreadable)?)),
            (None, None) => None,
        })
    }
}
