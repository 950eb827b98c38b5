//! Blocks one below the other, in the quotes and lists that they stand in.

/// Quotes, lists and items within each other; what is deeper stands in the deepest.
const MAX_DEPTH: usize = 32;

/// The blocks that are written.
#[derive(Default)]
pub(super) struct Blocks {
    out: String,
    open: Vec<Container>,
    /// The last block stood in an item.
    in_item: bool,
}

enum Container {
    Quote,
    /// With the number of its next item, where they are numbered.
    List(Option<u64>),
    /// With its mark, which stands before its first line, and whether that line is written.
    Item {
        mark: String,
        begun: bool,
    },
}

impl Container {
    /// Whether an end tag is its own.
    fn is_ended_by(&self, name: &str) -> bool {
        match self {
            Self::Quote => name == "blockquote",
            Self::List(number) => {
                if number.is_some() {
                    name == "ol"
                } else {
                    matches!(name, "ul" | "menu")
                }
            }
            Self::Item { .. } => name == "li",
        }
    }
}

impl Blocks {
    /// A quote begins.
    pub(super) fn open_quote(&mut self) {
        self.push(Container::Quote);
    }

    /// A list begins; a numbered one has its first number.
    pub(super) fn open_list(&mut self, first: Option<u64>) {
        self.push(Container::List(first));
    }

    /// An item begins, and ends the one before it.
    pub(super) fn open_item(&mut self) {
        let list = self.open.iter().rposition(|container| matches!(container, Container::List(_)));
        let item = self.open.iter().rposition(|container| matches!(container, Container::Item { .. }));
        if let Some(item) = item.filter(|item| list.is_none_or(|list| list < *item)) {
            self.open.truncate(item);
        }
        let mark = match self
            .open
            .iter_mut()
            .rev()
            .find_map(|container| if let Container::List(number) = container { Some(number) } else { None })
        {
            Some(Some(number)) => {
                *number = number.saturating_add(1);
                format!("{}. ", number.saturating_sub(1))
            }
            _ => "- ".to_owned(),
        };
        self.push(Container::Item { mark, begun: false });
    }

    fn push(&mut self, container: Container) {
        if self.open.len() < MAX_DEPTH {
            self.open.push(container);
        }
    }

    /// A quote, list or item ends, and what is still open in it.
    pub(super) fn close(&mut self, name: &str) {
        if let Some(at) = self.open.iter().rposition(|container| container.is_ended_by(name)) {
            self.open.truncate(at);
        }
    }

    /// Writes a block of one or more lines.
    pub(super) fn write(&mut self, text: &str) {
        let begins_item = self.open.iter().any(|container| matches!(container, Container::Item { begun: false, .. }));
        if !self.out.is_empty() {
            self.out.push('\n');
            // Items of a list stand close together.
            if !(begins_item && self.in_item) {
                let indent = self.indent();
                self.out.push_str(indent.trim_end());
                self.out.push('\n');
            }
        }
        for (number, line) in text.lines().enumerate() {
            if number > 0 {
                self.out.push('\n');
            }
            let indent = if number == 0 { self.first_indent() } else { self.indent() };
            self.out.push_str(if line.is_empty() { indent.trim_end() } else { &indent });
            self.out.push_str(line);
        }
        self.in_item = self.open.iter().any(|container| matches!(container, Container::Item { .. }));
    }

    /// What stands before a line.
    fn indent(&self) -> String {
        let part = |container: &Container| match container {
            Container::Quote => "> ".to_owned(),
            Container::List(_) => String::new(),
            Container::Item { mark, .. } => " ".repeat(mark.len()),
        };
        self.open.iter().map(part).collect()
    }

    /// What stands before the first line of a block: the marks of the items that begin with it, too.
    fn first_indent(&mut self) -> String {
        let part = |container: &mut Container| match container {
            Container::Quote => "> ".to_owned(),
            Container::List(_) => String::new(),
            Container::Item { mark, begun } => {
                if std::mem::replace(begun, true) {
                    " ".repeat(mark.len())
                } else {
                    mark.clone()
                }
            }
        };
        self.open.iter_mut().map(part).collect()
    }

    /// All of it, with a line break at its end.
    pub(super) fn into_text(mut self) -> String {
        if !self.out.is_empty() {
            self.out.push('\n');
        }
        self.out
    }
}
