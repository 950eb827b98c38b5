//! Follows the page's own text through HTML, by the tokenizer rules of the HTML standard as far as they decide
//! where a value may stand.

use super::{
    context::{Attribute, CommentEnd, Context, Refusal, Tag},
    recover::Refused,
    script::{Js, ScriptKind},
    url::attribute_kind,
};

/// Longest tag or attribute name kept.
const MAX_NAME: usize = 64;

impl Context {
    /// The place after `text`; what is refused in it is told with its byte offset.
    pub(super) fn advance(self, text: &str, refused: &mut impl FnMut(usize, Refusal)) -> Self {
        let mut context = self;
        let mut characters = text.char_indices().peekable();
        while let Some((offset, c)) = characters.next() {
            // Browsers read each end of line as one `\n`.
            let c = match (c, characters.peek()) {
                ('\r', Some((_, '\n'))) => continue,
                ('\r', _) => '\n',
                _ => c,
            };
            context = context.step(c).unwrap_or_else(|error| {
                refused(offset, error.refusal);
                error.after
            });
        }
        context
    }

    fn step(self, c: char) -> Result<Self, Box<Refused>> {
        Ok(match self {
            Self::Any(places) => Self::each(places.into_iter().map(|place| Ok(((), place.step(c)?))))?.1,
            Self::Text => {
                if c == '<' {
                    Self::TagStart
                } else {
                    Self::Text
                }
            }
            Self::TagStart => match c {
                '/' => Self::EndTagStart,
                '!' => Self::MarkupStart(String::new()),
                '?' => Self::Declaration,
                '<' => Self::TagStart,
                c if c.is_ascii_alphabetic() => Self::TagName { name: lower(c), closing: false },
                _ => Self::Text,
            },
            Self::EndTagStart => match c {
                '>' => Self::Text,
                c if c.is_ascii_alphabetic() => Self::TagName { name: lower(c), closing: true },
                _ => Self::Declaration,
            },
            Self::MarkupStart(start) => match (start.as_str(), c) {
                ("", '-') => Self::MarkupStart("-".into()),
                // `<!-->` is a whole comment.
                ("-", '-') => Self::Comment(CommentEnd::Dashes),
                (_, '>') => Self::Text,
                _ => Self::Declaration,
            },
            Self::Comment(end) => match (end, c) {
                (CommentEnd::Dashes | CommentEnd::Bang, '>') => Self::Text,
                (CommentEnd::Dashes, '!') => Self::Comment(CommentEnd::Bang),
                (CommentEnd::Dash | CommentEnd::Dashes, '-') => Self::Comment(CommentEnd::Dashes),
                (_, '-') => Self::Comment(CommentEnd::Dash),
                _ => Self::Comment(CommentEnd::None),
            },
            Self::Declaration => {
                if c == '>' {
                    Self::Text
                } else {
                    Self::Declaration
                }
            }
            Self::TagName { mut name, closing } => match c {
                '>' | '/' => Self::InTag(Tag::new(name, closing)).in_tag(c),
                c if c.is_ascii_whitespace() => Self::InTag(Tag::new(name, closing)),
                _ => {
                    push_name(&mut name, c);
                    Self::TagName { name, closing }
                }
            },
            Self::InTag(tag) => Self::InTag(tag).in_tag(c),
            Self::InTagEither(tag) => {
                if c == '>' || c == '/' || c.is_ascii_whitespace() {
                    Self::InTag(tag).in_tag(c)
                } else {
                    let refusal = Refusal {
                        message: "o que vem aqui pode continuar um nome ou começar outro, conforme o ramo".into(),
                        hint: "ponha um espaço depois de `{% end %}`",
                    };
                    return Err(Refused::new(refusal, Self::InTag(tag).in_tag(c)));
                }
            }
            Self::AttributeName { tag, mut name } => match c {
                '=' => {
                    let attribute = attribute_kind(&tag.name, &name);
                    Self::BeforeValue { tag, attribute }
                }
                '>' | '/' => Self::InTag(tag).in_tag(c),
                c if c.is_ascii_whitespace() => Self::AfterAttributeName { tag, name },
                _ => {
                    push_name(&mut name, c);
                    Self::AttributeName { tag, name }
                }
            },
            Self::AfterAttributeName { tag, name } => match c {
                '=' => {
                    let attribute = attribute_kind(&tag.name, &name);
                    Self::BeforeValue { tag, attribute }
                }
                c if c.is_ascii_whitespace() => Self::AfterAttributeName { tag, name },
                _ => Self::InTag(tag).in_tag(c),
            },
            Self::BeforeValue { tag, attribute } => match c {
                '"' | '\'' => Self::Value { tag, attribute, quote: c },
                '>' => Self::InTag(tag).in_tag(c),
                c if c.is_ascii_whitespace() => Self::BeforeValue { tag, attribute },
                _ => {
                    let attribute = attribute.advance(c);
                    Self::UnquotedValue { tag, attribute }
                }
            },
            Self::Value { tag, attribute, quote } => {
                if c == quote {
                    tag.with(attribute)?
                } else {
                    let attribute = attribute.advance(c);
                    Self::Value { tag, attribute, quote }
                }
            }
            Self::UnquotedValue { tag, attribute } => {
                if c == '>' || c.is_ascii_whitespace() {
                    let ended = tag.with(attribute);
                    return ended.map(|tag| tag.in_tag(c)).map_err(|error| Refused::new(error.refusal, error.after.in_tag(c)));
                } else {
                    let attribute = attribute.advance(c);
                    Self::UnquotedValue { tag, attribute }
                }
            }
            Self::RawText { element, end } => match end_tag(&element, end, c) {
                Ok(end) => Self::RawText { element, end },
                Err(ended) => ended,
            },
            Self::Style { end } => match end_tag("style", end, c) {
                Ok(end) => Self::Style { end },
                Err(ended) => ended,
            },
            Self::Script { kind, js, end } => match end_tag("script", end, c) {
                Ok(end) => {
                    let js = js.step(kind, c).map_err(|refusal| Refused::new(refusal, Self::unread_script()))?;
                    Self::Script { kind, js, end }
                }
                Err(ended) => ended,
            },
        })
    }

    /// One character between attributes.
    fn in_tag(self, c: char) -> Self {
        let Self::InTag(tag) = self else { return self };
        match c {
            '>' => content_of(tag),
            '/' => Self::InTag(tag),
            c if c.is_ascii_whitespace() => Self::InTag(tag),
            _ => Self::AttributeName { tag, name: lower(c) },
        }
    }
}

impl Tag {
    /// After an attribute's value. Of attributes of one name the first counts.
    fn with(mut self, attribute: Attribute) -> Result<Context, Box<Refused>> {
        let normal = |value: String| value.trim().to_ascii_lowercase();
        match attribute {
            Attribute::ScriptType(value) => self.script_type = self.script_type.or(Some(normal(value))),
            Attribute::HttpEquiv(value) => self.http_equiv = self.http_equiv.or(Some(normal(value))),
            Attribute::MetaContent { valued: true } => self.content_valued = true,
            _ => {}
        }
        if self.content_valued && self.refreshes() {
            let after = Context::InTag(Self { content_valued: false, ..self });
            return Err(Refused::new(super::context::refresh(), after));
        }
        Ok(Context::InTag(self))
    }
}

impl Attribute {
    /// After one more character of the page's own text.
    fn advance(self, c: char) -> Self {
        match self {
            Self::Url(part) => Self::Url(part.advance(c)),
            Self::UrlList(part) => Self::UrlList(part.advance_list(c)),
            Self::HttpEquiv(mut value) => {
                push_name(&mut value, c);
                Self::HttpEquiv(value)
            }
            Self::ScriptType(mut value) => {
                push_name(&mut value, c);
                Self::ScriptType(value)
            }
            other => other,
        }
    }
}

/// What follows a tag's `>`.
fn content_of(tag: Tag) -> Context {
    if tag.closing {
        return Context::Text;
    }
    match tag.name.as_str() {
        "script" => {
            let kind = ScriptKind::of(tag.script_type.as_deref().unwrap_or(""));
            if kind == ScriptKind::Other {
                return Context::RawText { element: "script".into(), end: String::new() };
            }
            Context::Script { kind, js: Js::default(), end: String::new() }
        }
        "style" => Context::Style { end: String::new() },
        "title" | "textarea" | "xmp" | "iframe" | "noembed" | "noframes" => Context::RawText { element: tag.name, end: String::new() },
        _ => Context::Text,
    }
}

/// Follows the end tag of an element that holds text only: how much of it has been read, or what comes after it.
fn end_tag(element: &str, mut end: String, c: char) -> Result<String, Context> {
    let complete = end.len() == element.len() + 2;
    if complete && (c == '>' || c == '/' || c.is_ascii_whitespace()) {
        let tag = Tag::new(element.to_owned(), true);
        return Err(Context::InTag(tag).in_tag(c));
    }
    let expected = if end.is_empty() {
        Some('<')
    } else if end.len() == 1 {
        Some('/')
    } else {
        element.chars().nth(end.len() - 2)
    };
    if expected == Some(c.to_ascii_lowercase()) {
        end.push(c.to_ascii_lowercase());
        return Ok(end);
    }
    Ok(if c == '<' { "<".into() } else { String::new() })
}

fn lower(c: char) -> String {
    c.to_ascii_lowercase().to_string()
}

fn push_name(name: &mut String, c: char) {
    if name.len() < MAX_NAME {
        name.push(c.to_ascii_lowercase());
    }
}
