//! `?tabela`: a list as CSV. Source: the HTTP contract, §6.

use alloc::{borrow::Cow, format, string::String, vec::Vec};

use crate::{
    json,
    select::{FIELD_LIMIT, Selection, opens, result_struct},
    types::{Kind, Type, Types},
    value::Value,
};

/// How text cells are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// As they are.
    Plain,
    /// `?tabela=planilha`: a text that a spreadsheet would take for a formula gets a `'` before it.
    Spreadsheet,
}

impl Mode {
    /// What a query asks for; `None` without `tabela`.
    pub fn from_query(pairs: &[(String, String)]) -> Option<Self> {
        let (_, value) = pairs.iter().find(|(name, _)| name == "tabela")?;
        Some(if value == "planilha" { Self::Spreadsheet } else { Self::Plain })
    }
}

/// A column: a field of the items, or of a struct in them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Column {
    /// Its header: `autor.nome`.
    pub name: String,
    path: Vec<String>,
}

/// The columns of a list's table, in the order of the type, of a selection only the chosen ones.
///
/// # Errors
/// Why the route has no table, in Portuguese: 400.
pub fn columns(types: &Types, returns: Option<&Type>, selection: Option<&Selection>) -> Result<Vec<Column>, &'static str> {
    let returns = returns.ok_or("esta rota não declara \"returns\", então não tem tabela")?;
    let (Kind::Arr(_), Some(of)) = (&returns.kind, result_struct(returns)) else {
        return Err("esta rota não devolve uma lista de structs, então não tem tabela");
    };
    let mut walk = Walk { types, selection, open: Vec::from([of]), steps: Vec::new(), path: Vec::new(), columns: Vec::new() };
    walk.fields(of);
    if walk.columns.len() > FIELD_LIMIT { Err("o tipo desta rota tem campos demais para uma tabela") } else { Ok(walk.columns) }
}

struct Walk<'t> {
    types: &'t Types,
    selection: Option<&'t Selection>,
    open: Vec<usize>,
    /// Indices and names of the fields on the way.
    steps: Vec<usize>,
    path: Vec<String>,
    columns: Vec<Column>,
}

impl Walk<'_> {
    fn fields(&mut self, of: usize) {
        for (index, field) in self.types.get(of).fields.iter().enumerate().filter(|(_, field)| !field.hidden) {
            if self.columns.len() > FIELD_LIMIT {
                return;
            }
            self.steps.push(index);
            self.path.push(field.name.clone());
            if self.selection.is_none_or(|selection| selection.covers(&self.steps)) {
                match opens(field, &self.open) {
                    Some(inner) => {
                        self.open.push(inner);
                        self.fields(inner);
                        self.open.pop();
                    }
                    None => self.columns.push(Column { name: self.path.join("."), path: self.path.clone() }),
                }
            }
            self.steps.pop();
            self.path.pop();
        }
    }
}

/// The text of a column's cell for an item, before quoting.
pub fn cell<'v>(column: &Column, item: &'v Value, mode: Mode) -> Cow<'v, str> {
    let value = column.path.iter().try_fold(item, |value, name| value.get(name));
    match value {
        None | Some(Value::Nil) => "".into(),
        Some(Value::Str(text)) if mode == Mode::Spreadsheet && text.starts_with(['=', '+', '-', '@', '\t', '\r']) => {
            format!("'{text}").into()
        }
        Some(Value::Str(text)) => text.as_str().into(),
        Some(other) => json::to_string(other).into(),
    }
}

/// The whole table: header, then a row for each item; RFC 4180, CRLF. What is no list has no rows.
pub fn to_csv(columns: &[Column], list: &Value, mode: Mode) -> String {
    let mut out = String::new();
    row(columns.iter().map(|column| column.name.as_str().into()), &mut out);
    for item in list.as_arr().unwrap_or_default() {
        row(columns.iter().map(|column| cell(column, item, mode)), &mut out);
    }
    out
}

fn row<'c>(cells: impl ExactSizeIterator<Item = Cow<'c, str>>, out: &mut String) {
    let alone = cells.len() == 1;
    for (index, cell) in cells.enumerate() {
        if index > 0 {
            out.push(',');
        }
        // An empty cell alone would make an empty line, which readers skip.
        if cell.contains(['"', ',', '\r', '\n']) || alone && cell.is_empty() {
            out.push('"');
            out.push_str(&cell.replace('"', "\"\""));
            out.push('"');
        } else {
            out.push_str(&cell);
        }
    }
    out.push_str("\r\n");
}

#[cfg(test)]
mod tests;
