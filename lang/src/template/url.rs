//! URL attributes: which they are, and in which part of the URL a place is.

use super::context::{Attribute, Refusal};
use crate::ast::Escape;

/// How far into a URL the text has come.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum UrlPart {
    /// Nothing yet.
    Start,
    /// Text that may still turn out to be a scheme, lower case.
    Scheme(String),
    /// After a value, before anything that rules out that it was part of a scheme.
    AfterValue,
    /// After the `/` that starts a path: another one would start a host.
    Root,
    /// Past scheme, in host or path.
    Path,
    /// The same, after a `/`.
    Segment,
    /// After an entity, which may stand for anything: no value may follow.
    Entity,
    /// After `mailto:` or `tel:`.
    Address,
    /// Past `?` or `#`.
    Query,
    /// Of an active scheme, written in the page itself.
    Active,
    /// `srcset`: the descriptor after a URL.
    Descriptor,
    /// Branches end in different parts.
    Either,
}

/// Attributes whose value is a URL. As in the field's template engines, whatever the element.
const URL_ATTRIBUTES: &[&str] = &[
    "action",
    "archive",
    "background",
    "cite",
    "classid",
    "codebase",
    "data",
    "formaction",
    "href",
    "icon",
    "longdesc",
    "manifest",
    "ping",
    "poster",
    "profile",
    "src",
    "usemap",
];

/// SVG elements that set an attribute of another element, which may be a URL or code.
const ANIMATIONS: &[&str] = &["animate", "animatecolor", "animatemotion", "animatetransform", "set"];

/// What an attribute of this (lower-case) name holds.
pub(super) fn attribute_kind(tag: &str, name: &str) -> Attribute {
    // `xlink:href` is `href`; the directives of client-side frameworks are code.
    let code_prefixes = ["@", "x-on:", "v-on:", "hx-on"];
    if code_prefixes.iter().any(|prefix| name.starts_with(prefix)) {
        return Attribute::Event(name.to_owned());
    }
    let local = name.rsplit(':').next().unwrap_or(name);
    match local {
        "style" => Attribute::Style,
        "srcdoc" => Attribute::Document,
        "srcset" | "imagesrcset" => Attribute::UrlList(UrlPart::Start),
        "http-equiv" if tag == "meta" => Attribute::HttpEquiv(String::new()),
        "content" if tag == "meta" => Attribute::MetaContent { valued: false },
        "to" | "from" | "by" | "values" if ANIMATIONS.contains(&tag) => Attribute::Animated(name.to_owned()),
        "type" if tag == "script" => Attribute::ScriptType(String::new()),
        _ if local.starts_with("on") => Attribute::Event(name.to_owned()),
        _ if URL_ATTRIBUTES.contains(&local) => Attribute::Url(UrlPart::Start),
        _ => Attribute::Plain,
    }
}

impl UrlPart {
    pub(super) fn output(&self) -> Result<(Escape, Self), Refusal> {
        match self {
            Self::Start => Ok((Escape::Url, Self::AfterValue)),
            Self::Scheme(_) | Self::AfterValue => Ok((Escape::UrlPath, Self::AfterValue)),
            Self::Root => Ok((Escape::UrlRoot, Self::Path)),
            Self::Path | Self::Segment => Ok((Escape::UrlPath, Self::Path)),
            Self::Entity => Err(Refusal {
                message: "um valor não pode vir depois de um `&` no começo de uma URL".into(),
                hint: "escreva o próprio caractere em vez de `&…;`; um `&` que é texto se escreve `%26`",
            }),
            Self::Address => Ok((Escape::UrlAddress, Self::Address)),
            Self::Descriptor => Ok((Escape::UrlPath, Self::Descriptor)),
            Self::Query => Ok((Escape::UrlQuery, Self::Query)),
            Self::Active => Err(Refusal {
                message: "um valor não pode fazer parte de uma URL que é código".into(),
                hint: "ponha o valor num atributo `data-…` e leia-o num `<script>`",
            }),
            Self::Either => Err(Refusal {
                message: "não dá para saber em que parte da URL este valor fica: os ramos terminam em partes diferentes".into(),
                hint: "monte a URL inteira numa variável, ou repita o atributo em cada ramo",
            }),
        }
    }

    /// After one more character of the page's own text.
    pub(super) fn advance(&self, c: char) -> Self {
        match (self, c) {
            (Self::Active, _) => Self::Active,
            (Self::Query, _) => Self::Query,
            (Self::Entity, _) | (_, '&') => Self::Entity,
            (_, '?' | '#') => Self::Query,
            // Browsers drop what these are before a URL, and tabs and newlines within it.
            (Self::Start, c) if c.is_whitespace() || c.is_control() => Self::Start,
            (Self::Root, '\t' | '\n' | '\r') => Self::Root,
            (Self::Start | Self::AfterValue, '/' | '\\') => Self::Root,
            (Self::Start, ':') => Self::Path,
            (Self::Start, c) if c.is_ascii_alphabetic() => Self::Scheme(c.to_ascii_lowercase().to_string()),
            (Self::Scheme(scheme), ':') => match scheme.as_str() {
                "javascript" | "vbscript" | "data" => Self::Active,
                "mailto" | "tel" => Self::Address,
                _ => Self::Path,
            },
            (Self::Address, _) => Self::Address,
            (Self::Scheme(_), '\t' | '\n' | '\r') => self.clone(),
            (Self::Scheme(scheme), c) if scheme.len() < 32 && (c.is_ascii_alphanumeric() || "+-.".contains(c)) => {
                Self::Scheme(format!("{scheme}{}", c.to_ascii_lowercase()))
            }
            // The value may have been the start of any scheme.
            (Self::AfterValue, ':') => Self::Active,
            (Self::AfterValue, _) => Self::AfterValue,
            (Self::Either, _) => Self::Either,
            (Self::Descriptor, _) => Self::Descriptor,
            (Self::Path | Self::Segment | Self::Scheme(_), '/') => Self::Segment,
            _ => Self::Path,
        }
    }

    /// The same in a list of URLs with descriptors.
    pub(super) fn advance_list(&self, c: char) -> Self {
        match (self, c) {
            (Self::Entity, _) => Self::Entity,
            (_, ',') => Self::Start,
            (Self::Start, c) if c.is_whitespace() => Self::Start,
            (_, c) if c.is_whitespace() => Self::Descriptor,
            (Self::Descriptor, _) => Self::Descriptor,
            _ => self.advance(c),
        }
    }
}
