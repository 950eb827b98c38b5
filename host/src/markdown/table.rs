//! A table, row by row. Markdown's first row is the heading, whatever it was in HTML.

/// Columns that a table may have; the text of those beyond is in its last.
const MAX_COLUMNS: usize = 64;

/// The table that is being read.
#[derive(Default)]
pub(super) struct Table {
    /// What stands in no cell.
    caption: Vec<String>,
    rows: Vec<Vec<String>>,
    row: Vec<String>,
    /// A cell is open.
    in_cell: bool,
    /// Tables that are open in one of its cells: their text is that cell's.
    pub(super) depth: usize,
}

impl Table {
    /// A cell begins; `text` is what was read before it.
    pub(super) fn start_cell(&mut self, text: String) {
        self.end_cell(text);
        self.in_cell = true;
    }

    /// A cell ends, if one is open; `text` is its.
    pub(super) fn end_cell(&mut self, text: String) {
        if !std::mem::take(&mut self.in_cell) {
            self.caption.extend((!text.is_empty()).then_some(text));
            return;
        }
        if self.row.len() < MAX_COLUMNS {
            self.row.push(text);
        } else if let Some(last) = self.row.last_mut() {
            last.push(' ');
            last.push_str(&text);
        }
    }

    /// A row ends, if one is open; `text` is its last cell's.
    pub(super) fn end_row(&mut self, text: String) {
        self.end_cell(text);
        if !self.row.is_empty() {
            self.rows.push(std::mem::take(&mut self.row));
        }
    }

    /// The blocks that it is: its caption, if it has one, and its rows, if it has any.
    pub(super) fn written(self) -> Vec<String> {
        let mut blocks = self.caption;
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let line = |cells: &[String]| format!("| {} |", cells.join(" | "));
        let mut rows = self.rows.into_iter();
        if let Some(mut head) = rows.next() {
            head.resize(columns, String::new());
            let mut lines = vec![line(&head), format!("|{}", " --- |".repeat(columns))];
            lines.extend(rows.map(|row| line(&row)));
            blocks.push(lines.join("\n"));
        }
        blocks
    }
}
