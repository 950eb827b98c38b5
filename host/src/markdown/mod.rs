//! A page as Markdown, for programs that read pages: CommonMark with the tables and the strikethrough of GitHub.
//!
//! The page is what a stranger's site answered, so that nothing is built from it but text: it is read as a stream of tags, in time and
//! memory that follow its length alone. A tree of the document, as converters commonly make, has neither bound: elements that are
//! left open are copied into every later paragraph, and nesting has no end.

mod block;
mod element;
mod escape;
mod inline;
mod table;

use html5gum::{DefaultEmitter, HtmlString, StartTag, Token, Tokenizer};

use block::Blocks;
use element::{Element, Mark, is_left_out, is_void};
use inline::Inline;
use table::Table;

/// What it is sent as.
pub const MEDIA_TYPE: &str = "text/markdown; charset=utf-8";
/// The longest page that is converted, in bytes.
pub const LIMIT: usize = 2 << 20;

/// The Markdown of a page. Where the HTML is broken it is read as far as it makes sense; there is no page that fails.
pub fn from_html(html: &str) -> String {
    let mut emitter = DefaultEmitter::default();
    // What is inside `<script>` and its like is no markup.
    emitter.naively_switch_states(true);
    let mut page = Page::default();
    // Reading from memory cannot fail.
    for Ok(token) in Tokenizer::new_with_emitter(html, emitter) {
        match token {
            Token::StartTag(tag) => page.start(&tag),
            Token::EndTag(tag) => page.end(&text(&tag.name)),
            Token::String(string) => page.text(&text(&string)),
            Token::Comment(_) | Token::Doctype(_) | Token::Error(_) => {}
        }
    }
    page.finish()
}

fn text(string: &HtmlString) -> String {
    String::from_utf8_lossy(string).into_owned()
}

fn attribute(tag: &StartTag<()>, name: &str) -> Option<String> {
    tag.attributes.get(name.as_bytes()).map(|value| text(value))
}

/// What has been read of a page.
#[derive(Default)]
struct Page {
    blocks: Blocks,
    inline: Inline,
    /// The level of the heading that is open.
    heading: Option<u8>,
    /// The text of the `<pre>` that is open, and the language it is in.
    code_block: Option<(String, String)>,
    /// The text of the `<code>` that is open.
    code: Option<String>,
    table: Option<Table>,
    /// An element that is left out with all that is in it, and how many of its name are open.
    left_out: Option<(String, usize)>,
}

impl Page {
    fn start(&mut self, tag: &StartTag<()>) {
        let name = text(&tag.name);
        if let Some((left_out, depth)) = &mut self.left_out {
            *depth += usize::from(*left_out == name);
            return;
        }
        let closed = is_void(&name) || tag.self_closing;
        if !closed && (is_left_out(&name) || tag.attributes.contains_key(b"hidden".as_slice())) {
            self.left_out = Some((name, 1));
            return;
        }
        if let Some((code, language)) = &mut self.code_block {
            match name.as_str() {
                "br" => code.push('\n'),
                "code" if language.is_empty() => *language = declared_language(tag),
                _ => {}
            }
            return;
        }
        match Element::of(&name) {
            Element::Heading(level) => {
                self.end_block();
                self.heading = Some(level);
            }
            Element::Block => self.end_block(),
            Element::Quote if self.table.is_none() => {
                self.end_block();
                self.blocks.open_quote();
            }
            Element::List { ordered } if self.table.is_none() => {
                self.end_block();
                let first = attribute(tag, "start").and_then(|start| start.trim().parse().ok()).unwrap_or(1);
                self.blocks.open_list(ordered.then_some(first));
            }
            Element::Item if self.table.is_none() => {
                self.end_block();
                self.blocks.open_item();
            }
            Element::Pre if self.table.is_none() => {
                self.end_block();
                self.code_block = Some((String::new(), declared_language(tag)));
            }
            Element::Quote | Element::List { .. } | Element::Item | Element::Pre => self.inline.space(),
            Element::Rule => {
                self.end_block();
                if self.table.is_none() {
                    self.blocks.write("---");
                }
            }
            Element::Break if self.heading.is_some() || self.table.is_some() => self.inline.space(),
            Element::Break => self.inline.line_break(),
            Element::Image => {
                if let Some(source) = attribute(tag, "src") {
                    self.inline.image(&attribute(tag, "alt").unwrap_or_default(), &source);
                }
            }
            Element::Code => {
                self.code.get_or_insert_default();
            }
            Element::Mark(mark) => self.inline.open(&name, mark, None),
            Element::Link => self.inline.open(&name, Mark::Link, attribute(tag, "href")),
            Element::Table => {
                self.end_block();
                match &mut self.table {
                    Some(table) => table.depth += 1,
                    None => self.table = Some(Table::default()),
                }
            }
            Element::Row => self.in_table(Table::end_row),
            Element::Cell => self.in_table(Table::start_cell),
            Element::Other => {}
        }
    }

    fn end(&mut self, name: &str) {
        if let Some((left_out, depth)) = &mut self.left_out {
            if left_out == name {
                *depth -= 1;
                if *depth == 0 {
                    self.left_out = None;
                }
            }
            return;
        }
        if name == "pre"
            && let Some((code, language)) = self.code_block.take()
        {
            self.blocks.write(&escape::fenced(&code, &language));
        }
        if self.code_block.is_some() {
            return;
        }
        match Element::of(name) {
            Element::Heading(_) | Element::Block => self.end_block(),
            Element::Quote | Element::List { .. } | Element::Item if self.table.is_none() => {
                self.end_block();
                self.blocks.close(name);
            }
            Element::Code => self.end_code(),
            Element::Mark(_) | Element::Link => self.inline.close(name),
            Element::Row => self.in_table(Table::end_row),
            Element::Cell => self.in_table(Table::end_cell),
            Element::Table => {
                self.end_block();
                match &mut self.table {
                    Some(table) if table.depth > 0 => table.depth -= 1,
                    _ => self.end_table(),
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        if self.left_out.is_some() {
            return;
        }
        match (&mut self.code_block, &mut self.code) {
            (Some((code, _)), _) => code.push_str(text),
            (None, Some(code)) => code.push_str(text),
            (None, None) => self.inline.text(text),
        }
    }

    fn end_code(&mut self) {
        if let Some(code) = self.code.take() {
            let words = code.split_whitespace().collect::<Vec<_>>().join(" ");
            if !words.is_empty() {
                self.inline.verbatim(&escape::code_span(&words), code.starts_with(char::is_whitespace));
                if code.ends_with(char::is_whitespace) {
                    self.inline.space();
                }
            }
        }
    }

    /// Writes what the open block holds. In a cell of a table there are no blocks, only spaces.
    fn end_block(&mut self) {
        self.end_code();
        let heading = self.heading.take();
        if self.table.is_some() {
            self.inline.space();
            return;
        }
        let text = self.inline.take();
        if text.is_empty() {
            return;
        }
        match heading {
            Some(level) => self.blocks.write(&format!("{} {text}", "#".repeat(usize::from(level)))),
            None => self.blocks.write(&escape::line_starts(&text)),
        }
    }

    /// A boundary of a cell or row. Those of a table in a cell are spaces, those in no table end blocks.
    fn in_table(&mut self, boundary: fn(&mut Table, String)) {
        self.end_code();
        match &mut self.table {
            None => self.end_block(),
            Some(table) if table.depth > 0 => self.inline.space(),
            Some(table) => boundary(table, self.inline.take()),
        }
    }

    fn end_table(&mut self) {
        self.in_table(Table::end_row);
        for block in self.table.take().into_iter().flat_map(Table::written) {
            self.blocks.write(&block);
        }
    }

    fn finish(mut self) -> String {
        if let Some((code, language)) = self.code_block.take() {
            self.blocks.write(&escape::fenced(&code, &language));
        }
        if self.table.is_some() {
            self.end_table();
        }
        self.end_block();
        self.blocks.into_text()
    }
}

/// The language that a `<pre>` or the `<code>` in it says it is in.
fn declared_language(tag: &StartTag<()>) -> String {
    let class = attribute(tag, "class").unwrap_or_default();
    let named = class.split_whitespace().find_map(|class| class.strip_prefix("language-").or_else(|| class.strip_prefix("lang-")));
    named
        .filter(|name| name.chars().all(|letter| letter.is_ascii_alphanumeric() || "+-_.#".contains(letter)))
        .unwrap_or_default()
        .to_owned()
}

#[cfg(test)]
mod tests;
