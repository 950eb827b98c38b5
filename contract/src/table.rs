//! `?tabela`: a list as CSV. Source: the HTTP contract, §6.

use alloc::{string::String, vec::Vec};

use crate::{
    json::{self, Cursor, Limits, Names, Read, SyntaxIssue},
    select::{FIELD_LIMIT, Selection, opens, result_struct},
    types::{Kind, Type, Types},
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

/// The table of a list of structs: which columns, and how their cells are written.
#[derive(Clone, Debug)]
pub struct Table {
    mode: Mode,
    /// Headers: `autor.nome`.
    names: Vec<String>,
    fields: Vec<Column>,
}

/// A field that has a cell, or holds others that have.
#[derive(Clone, Debug)]
struct Column {
    name: String,
    of: Cells,
}

#[derive(Clone, Debug)]
enum Cells {
    /// The cell's place in its row.
    One(usize),
    /// Those of the struct's fields.
    Of(Vec<Column>),
}

impl Table {
    /// The table of what a route returns, its columns in the order of the type; under a selection the chosen ones alone.
    ///
    /// # Errors
    /// Why the route has no table, in Portuguese: 400.
    pub fn new(types: &Types, returns: Option<&Type>, selection: Option<&Selection>, mode: Mode) -> Result<Self, &'static str> {
        let returns = returns.ok_or("esta rota não declara \"returns\", então não tem tabela")?;
        let (Kind::Arr(_), Some(of)) = (&returns.kind, result_struct(returns)) else {
            return Err("esta rota não devolve uma lista de structs, então não tem tabela");
        };
        let mut walk = Walk { types, selection, open: Vec::from([of]), steps: Vec::new(), path: Vec::new(), names: Vec::new() };
        let fields = walk.fields(of);
        match walk.names {
            names if names.len() > FIELD_LIMIT => Err("o tipo desta rota tem campos demais para uma tabela"),
            names => Ok(Self { mode, names, fields }),
        }
    }

    /// The whole table of a list, in one pass over its text: header, then a row for each item; RFC 4180, CRLF. What is no list has
    /// no rows.
    ///
    /// # Errors
    /// What is no JSON within the limits.
    pub fn write(&self, json: &[u8], limits: Limits) -> Result<String, SyntaxIssue> {
        let mut rows = Rows::default();
        rows.push(&self.names);
        let mut cells = Vec::from_iter(self.names.iter().map(|_| String::new()));
        json::document(json, limits, |cursor| match cursor.peek() {
            Some(b'[') => cursor.items(|cursor| {
                cells.iter_mut().for_each(String::clear);
                self.cells(cursor, &self.fields, &mut cells)?;
                rows.push(&cells);
                Ok(())
            }),
            _ => cursor.skip(),
        })?;
        Ok(rows.into_text())
    }

    /// Reads the cells of an item, or of a struct in it. What is not there leaves them empty.
    fn cells(&self, cursor: &mut Cursor<'_>, columns: &[Column], cells: &mut [String]) -> Read<()> {
        if cursor.peek() != Some(b'{') {
            return cursor.skip();
        }
        cursor.members(|cursor, name| match columns.iter().find(|column| *column.name == **name.text) {
            None => cursor.skip(),
            Some(Column { of: Cells::Of(inner), .. }) => self.cells(cursor, inner, cells),
            Some(Column { of: Cells::One(at), .. }) => {
                let cell = &mut cells[*at];
                cell.clear();
                match cursor.peek() {
                    Some(b'n') => cursor.skip(),
                    Some(b'"') => {
                        let text = cursor.string()?;
                        if self.mode == Mode::Spreadsheet && text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
                            cell.push('\'');
                        }
                        cell.push_str(&text);
                        Ok(())
                    }
                    _ => cursor.copy(cell, Names::Any),
                }
            }
        })
    }
}

struct Walk<'t> {
    types: &'t Types,
    selection: Option<&'t Selection>,
    open: Vec<usize>,
    /// Indices and names of the fields on the way.
    steps: Vec<usize>,
    path: Vec<String>,
    names: Vec<String>,
}

impl Walk<'_> {
    fn fields(&mut self, of: usize) -> Vec<Column> {
        let mut columns = Vec::new();
        for (index, field) in self.types.get(of).fields.iter().enumerate().filter(|(_, field)| !field.hidden) {
            if self.names.len() > FIELD_LIMIT {
                break;
            }
            self.steps.push(index);
            self.path.push(field.name.clone());
            if self.selection.is_none_or(|selection| selection.covers(&self.steps)) {
                let of = match opens(field, &self.open) {
                    Some(inner) => {
                        self.open.push(inner);
                        let inner = self.fields(inner);
                        self.open.pop();
                        Cells::Of(inner)
                    }
                    None => {
                        self.names.push(self.path.join("."));
                        Cells::One(self.names.len() - 1)
                    }
                };
                columns.push(Column { name: field.name.clone(), of });
            }
            self.steps.pop();
            self.path.pop();
        }
        columns
    }
}

/// The text of a table.
struct Rows {
    writer: csv_core::Writer,
    out: Vec<u8>,
}

impl Default for Rows {
    fn default() -> Self {
        Self { writer: csv_core::WriterBuilder::new().terminator(csv_core::Terminator::CRLF).build(), out: Vec::new() }
    }
}

impl Rows {
    fn push(&mut self, cells: &[String]) {
        for (index, cell) in cells.iter().enumerate() {
            if index > 0 {
                self.put(2, |writer, room| writer.delimiter(room).1);
            }
            // At worst every byte is a quote, which is doubled, between two more.
            self.put(2 * cell.len() + 2, |writer, room| writer.field(cell.as_bytes(), room).2);
        }
        self.put(4, |writer, room| writer.terminator(room).1);
    }

    fn put(&mut self, room: usize, write: impl FnOnce(&mut csv_core::Writer, &mut [u8]) -> usize) {
        let start = self.out.len();
        self.out.resize(start + room, 0);
        let written = write(&mut self.writer, &mut self.out[start..]);
        self.out.truncate(start + written);
    }

    fn into_text(self) -> String {
        String::from_utf8(self.out).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
