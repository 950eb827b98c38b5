//! What the elements of HTML are to Markdown.

/// What an element is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    /// A heading of a level from 1 to 6.
    Heading(u8),
    /// Text of its own, apart from what is around it.
    Block,
    Quote,
    List {
        ordered: bool,
    },
    Item,
    Pre,
    Rule,
    Break,
    Image,
    Code,
    Mark(Mark),
    Link,
    Table,
    Row,
    Cell,
    /// It says nothing that Markdown could.
    Other,
}

/// What stands around a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mark {
    Strong,
    Emphasis,
    Struck,
    Link,
}

impl Element {
    /// Of an element's name, in lower case.
    pub(super) fn of(name: &str) -> Self {
        match name {
            "h1" => Self::Heading(1),
            "h2" => Self::Heading(2),
            "h3" => Self::Heading(3),
            "h4" => Self::Heading(4),
            "h5" => Self::Heading(5),
            "h6" => Self::Heading(6),
            "address" | "article" | "aside" | "body" | "caption" | "dd" | "details" | "dialog" | "div" | "dl" | "dt" | "fieldset"
            | "figcaption" | "figure" | "footer" | "form" | "header" | "hgroup" | "html" | "legend" | "main" | "nav" | "p" | "search"
            | "section" | "summary" => Self::Block,
            "blockquote" => Self::Quote,
            "ul" | "menu" => Self::List { ordered: false },
            "ol" => Self::List { ordered: true },
            "li" => Self::Item,
            "pre" => Self::Pre,
            "hr" => Self::Rule,
            "br" => Self::Break,
            "img" => Self::Image,
            "code" | "kbd" | "samp" | "tt" => Self::Code,
            "strong" | "b" => Self::Mark(Mark::Strong),
            "em" | "i" | "cite" | "dfn" => Self::Mark(Mark::Emphasis),
            "del" | "s" | "strike" => Self::Mark(Mark::Struck),
            "a" => Self::Link,
            "table" => Self::Table,
            "tr" => Self::Row,
            "td" | "th" => Self::Cell,
            _ => Self::Other,
        }
    }
}

/// Elements that are not read, with all that is in them: no text for people, or controls of a form.
pub(super) fn is_left_out(name: &str) -> bool {
    const NAMES: [&str; 18] = [
        "audio", "button", "canvas", "datalist", "embed", "head", "iframe", "math", "noscript", "object", "script", "select", "style",
        "svg", "template", "textarea", "title", "video",
    ];
    NAMES.contains(&name)
}

/// Elements that have no end tag.
pub(super) fn is_void(name: &str) -> bool {
    const NAMES: [&str; 13] = ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"];
    NAMES.contains(&name)
}
