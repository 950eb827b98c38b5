//! The text of one block: words with single spaces, and what is marked in them.

use super::element::Mark;
use super::escape;

/// Marks that are open at once; more say nothing.
const MAX_OPEN: usize = 32;

/// The text of the block that is being read.
#[derive(Default)]
pub(super) struct Inline {
    text: String,
    /// There was space, which counts if more text comes.
    space: bool,
    open: Vec<Open>,
}

/// An element whose text is marked.
struct Open {
    name: String,
    /// `None` where the mark says nothing: one like it is open already, or a link leads nowhere.
    mark: Option<Mark>,
    address: String,
    /// Its mark is written: it has text.
    written: bool,
}

impl Inline {
    /// Adds text as it stands in HTML.
    pub(super) fn text(&mut self, text: &str) {
        let mut letters = text.chars().peekable();
        while let Some(letter) = letters.next() {
            // A no-break space is no space of HTML's.
            if letter.is_ascii_whitespace() {
                self.space = true;
            } else {
                self.begin();
                escape::push(&mut self.text, letter, letters.peek().copied());
            }
        }
    }

    /// Adds text that is Markdown already.
    pub(super) fn verbatim(&mut self, text: &str, space_before: bool) {
        self.space |= space_before;
        self.begin();
        self.text.push_str(text);
    }

    /// An image. One without a text says nothing to who reads.
    pub(super) fn image(&mut self, alternative: &str, source: &str) {
        let alternative = alternative.split_whitespace().collect::<Vec<_>>().join(" ");
        if alternative.is_empty() || source.trim_start().starts_with("data:") {
            return;
        }
        let mut label = String::new();
        let mut letters = alternative.chars().peekable();
        while let Some(letter) = letters.next() {
            escape::push(&mut label, letter, letters.peek().copied());
        }
        self.verbatim(&format!("![{label}]({})", escape::address(source)), false);
    }

    /// Space that matters only between words.
    pub(super) fn space(&mut self) {
        self.space = true;
    }

    /// A break within the block.
    pub(super) fn line_break(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push_str("\\\n");
        }
        self.space = false;
    }

    /// An element begins whose text is marked.
    pub(super) fn open(&mut self, name: &str, mark: Mark, address: Option<String>) {
        if self.open.len() >= MAX_OPEN {
            return;
        }
        let leads = address.as_deref().map(str::trim).is_some_and(leads_somewhere);
        let is_open = self.open.iter().any(|open| open.mark == Some(mark));
        let says = !is_open && (mark != Mark::Link || leads);
        let address = address.filter(|_| says).map(|address| escape::address(&address)).unwrap_or_default();
        self.open.push(Open { name: name.to_owned(), mark: says.then_some(mark), address, written: false });
    }

    /// An element ends. Those that began in it and are still open go on behind it.
    pub(super) fn close(&mut self, name: &str) {
        let Some(at) = self.open.iter().rposition(|open| open.name == name) else { return };
        self.end_marks(at);
        self.open.remove(at);
    }

    /// The text of the block, which is over. Elements that are still open go on in the next.
    pub(super) fn take(&mut self) -> String {
        self.end_marks(0);
        self.space = false;
        let mut text = std::mem::take(&mut self.text);
        while text.ends_with("\\\n") {
            text.truncate(text.len() - 2);
        }
        text
    }

    /// Before text: the space and the marks that wait for it.
    fn begin(&mut self) {
        if std::mem::take(&mut self.space) && !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push(' ');
        }
        for open in self.open.iter_mut().filter(|open| !open.written) {
            open.written = true;
            self.text.push_str(match open.mark {
                Some(Mark::Strong) => "**",
                Some(Mark::Emphasis) => "*",
                Some(Mark::Struck) => "~~",
                Some(Mark::Link) => "[",
                None => "",
            });
        }
    }

    /// Ends the marks of the elements from `at` on, the innermost first.
    fn end_marks(&mut self, at: usize) {
        for open in self.open[at..].iter_mut().rev().filter(|open| open.written) {
            open.written = false;
            match open.mark {
                Some(Mark::Strong) => self.text.push_str("**"),
                Some(Mark::Emphasis) => self.text.push('*'),
                Some(Mark::Struck) => self.text.push_str("~~"),
                Some(Mark::Link) => self.text.push_str(&format!("]({})", open.address)),
                None => {}
            }
        }
    }
}

/// An address that who reads could go to.
fn leads_somewhere(address: &str) -> bool {
    let scheme = address.split(':').next().unwrap_or_default();
    !address.is_empty() && !["javascript", "data", "vbscript"].iter().any(|bad| scheme.eq_ignore_ascii_case(bad))
}
