//! Where in an HTML page a piece of text ends, and how a value that stands there is escaped.

use super::{
    recover::Refused,
    script::{Js, ScriptKind},
    url::{self, UrlPart},
};
use crate::ast::Escape;

/// The place between two characters of a page.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) enum Context {
    /// Element content.
    #[default]
    Text,
    /// After `<`.
    TagStart,
    /// After `</`.
    EndTagStart,
    /// After `<!`, with what followed, until it is clear what it is.
    MarkupStart(String),
    /// In `<!-- … -->`; how much of its end has been read.
    Comment(CommentEnd),
    /// In `<!doctype …>`, or anything else that `>` ends.
    Declaration,
    /// In the name of a tag, lower case.
    TagName {
        name: String,
        closing: bool,
    },
    /// In a tag, between attributes.
    InTag(Tag),
    /// After branches that end in different parts of a tag: only a blank, `/` or `>` may follow.
    InTagEither(Tag),
    AttributeName {
        tag: Tag,
        name: String,
    },
    AfterAttributeName {
        tag: Tag,
        name: String,
    },
    /// After `=`.
    BeforeValue {
        tag: Tag,
        attribute: Attribute,
    },
    Value {
        tag: Tag,
        attribute: Attribute,
        quote: char,
    },
    UnquotedValue {
        tag: Tag,
        attribute: Attribute,
    },
    /// In an element that holds text only (`<title>`, `<textarea>`, …); how much of its end tag has been read.
    RawText {
        element: String,
        end: String,
    },
    /// In `<style>`.
    Style {
        end: String,
    },
    /// In `<script>`.
    Script {
        kind: ScriptKind,
        js: Js,
        end: String,
    },
    /// After an error: one of these.
    Any(Vec<Self>),
}

/// The tag a place is in.
#[derive(Clone, Debug, PartialEq, Default)]
pub(super) struct Tag {
    /// Lower case.
    pub(super) name: String,
    pub(super) closing: bool,
    /// The static value of `type`, which says what a `<script>` holds.
    pub(super) script_type: Option<String>,
    /// Of a `<meta>`: the static value of `http-equiv`.
    pub(super) http_equiv: Option<String>,
    /// Of a `<meta>`: a value stands in its `content`.
    pub(super) content_valued: bool,
}

impl Tag {
    pub(super) fn new(name: String, closing: bool) -> Self {
        Self { name, closing, ..Self::default() }
    }

    /// Whether a `<meta>` goes to another page; entities may spell anything.
    pub(super) fn refreshes(&self) -> bool {
        self.http_equiv.as_deref().is_some_and(|value| value == "refresh" || value.contains('&'))
    }
}

/// What an attribute's value is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Attribute {
    Plain,
    Url(UrlPart),
    /// `srcset`: URLs with descriptors, between commas.
    UrlList(UrlPart),
    /// `on…`: JavaScript.
    Event(String),
    Style,
    /// `srcdoc`: a page within an attribute.
    Document,
    /// `http-equiv` of a `<meta>`, as far as it has been read.
    HttpEquiv(String),
    /// `content` of a `<meta>`, and whether a value stands in it.
    MetaContent {
        valued: bool,
    },
    /// Of an SVG animation: what another attribute becomes.
    Animated(String),
    /// `type` of a `<script>`, as far as it has been read.
    ScriptType(String),
    /// Of a value in it an error has been told, which says it of all.
    Reported,
}

/// How much of `-->` has been read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CommentEnd {
    None,
    Dash,
    Dashes,
    /// `--!`, which ends a comment before `>` too.
    Bang,
}

/// Why a value cannot stand where it stands.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Refusal {
    pub(super) message: String,
    pub(super) hint: &'static str,
}

/// A value in the `content` of a `<meta http-equiv="refresh">`.
pub(super) fn refresh() -> Refusal {
    Refusal { message: "`<meta http-equiv=\"refresh\">` não aceita valores".into(), hint: "mande para o endereço com `Http.redirect:`" }
}

fn refuse<T>(message: impl Into<String>, hint: &'static str) -> Result<T, Refusal> {
    Err(Refusal { message: message.into(), hint })
}

impl Context {
    /// How a value is escaped here, and where the page is after it.
    pub(super) fn output(&self) -> Result<(Escape, Self), Box<Refused>> {
        if let Self::Any(places) = self {
            let (escape, after) = Self::each(places.iter().map(Self::output))?;
            return Ok((escape.unwrap_or(Escape::Text), after));
        }
        self.escaped().map_err(|refusal| Refused::new(refusal, self.after_refused()))
    }

    fn escaped(&self) -> Result<(Escape, Self), Refusal> {
        match self {
            Self::Any(_) | Self::UnquotedValue { attribute: Attribute::Reported, .. } => Ok((Escape::Text, self.clone())),
            Self::Text | Self::Comment(_) | Self::RawText { .. } => Ok((Escape::Text, self.after_text())),
            Self::TagStart | Self::EndTagStart | Self::TagName { .. } => refuse(
                "um valor não pode dar o nome de uma tag",
                "escolha entre tags inteiras com `{% if %}`; um `<` de texto se escreve `&lt;`",
            ),
            Self::MarkupStart(_) | Self::Declaration => {
                refuse("um valor não pode ficar numa declaração `<!…>`", "escreva a declaração inteira na página")
            }
            Self::InTag(_) | Self::InTagEither(_) | Self::AttributeName { .. } | Self::AfterAttributeName { .. } => refuse(
                "um valor não pode dar o nome de um atributo",
                "escolha entre atributos inteiros com `{% if %}`; para o valor de um, use aspas: `nome=\"{{ … }}\"`",
            ),
            Self::BeforeValue { .. } | Self::UnquotedValue { .. } => {
                refuse("o valor deste atributo precisa de aspas", "escreva `nome=\"{{ … }}\"`")
            }
            Self::Value { tag, attribute: Attribute::MetaContent { .. }, .. } if tag.refreshes() => Err(refresh()),
            Self::Value { tag, attribute, quote } => {
                let (escape, attribute) = attribute.output()?;
                Ok((escape, Self::Value { tag: tag.clone(), attribute, quote: *quote }))
            }
            Self::Style { .. } => {
                refuse("`<style>` não aceita valores", "use uma classe, escolhida com `{% if %}`, ou um atributo `data-…`")
            }
            Self::Script { kind, js, end: _ } => {
                let (escape, js) = js.output(*kind)?;
                Ok((escape, Self::Script { kind: *kind, js, end: String::new() }))
            }
        }
    }

    /// After an escaped value in text: a half-read end is none.
    fn after_text(&self) -> Self {
        match self {
            Self::Comment(_) => Self::Comment(CommentEnd::None),
            Self::RawText { element, .. } => Self::RawText { element: element.clone(), end: String::new() },
            other => other.clone(),
        }
    }

    /// Where this place is, for a message: "dentro de …".
    pub(super) fn describe(&self) -> String {
        match self {
            Self::Text => "no texto".into(),
            Self::TagStart | Self::EndTagStart => "depois de `<`".into(),
            Self::MarkupStart(_) | Self::Declaration => "dentro de `<!…>`".into(),
            Self::Comment(_) => "dentro de um comentário `<!-- -->`".into(),
            Self::TagName { name, .. } => format!("dentro da tag `<{name}`"),
            Self::InTag(tag) | Self::InTagEither(tag) => format!("dentro da tag `<{}`", tag.name),
            Self::AttributeName { tag, name } | Self::AfterAttributeName { tag, name } => {
                format!("no atributo `{name}` da tag `<{}`", tag.name)
            }
            Self::BeforeValue { tag, .. } | Self::UnquotedValue { tag, .. } => {
                format!("num valor sem aspas da tag `<{}`", tag.name)
            }
            Self::Value { tag, quote, .. } => format!("num valor entre `{quote}` da tag `<{}`", tag.name),
            Self::RawText { element, .. } => format!("dentro de `<{element}>`"),
            Self::Style { .. } => "dentro de `<style>`".into(),
            Self::Script { .. } => "dentro de `<script>`".into(),
            Self::Any(places) => places.first().map_or_else(String::new, Self::describe),
        }
    }
}

impl Attribute {
    fn output(&self) -> Result<(Escape, Self), Refusal> {
        match self {
            Self::Plain | Self::Reported => Ok((Escape::Attribute, self.clone())),
            Self::Url(part) => url::output(part).map(|(escape, part)| (escape, Self::Url(part))),
            Self::UrlList(part) => url::output(part).map(|(escape, part)| (escape, Self::UrlList(part))),
            Self::Event(name) => refuse(
                format!("`{name}` não aceita valores: é código JavaScript"),
                "ponha o valor num atributo `data-…` e leia-o num `<script>`",
            ),
            Self::Style => refuse("`style` não aceita valores", "use uma classe, escolhida com `{% if %}`"),
            Self::Document => refuse("`srcdoc` não aceita valores: é outra página", "use `src` com o endereço de uma rota"),
            Self::MetaContent { .. } => Ok((Escape::Attribute, Self::MetaContent { valued: true })),
            Self::HttpEquiv(_) => refuse("o `http-equiv` de um `<meta>` não pode vir de um valor", "escreva-o na página"),
            Self::Animated(name) => refuse(
                format!("`{name}` de uma animação não aceita valores: ele pode virar um endereço"),
                "escreva a animação inteira na página, ou mude o elemento num `<script>`",
            ),
            Self::ScriptType(_) => refuse("o `type` de um `<script>` não pode vir de um valor", "escreva-o na página"),
        }
    }
}
