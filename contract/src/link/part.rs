//! In which part of a URL a place is, as the text before it tells.

use alloc::{
    format,
    string::{String, ToString},
};

use super::{Place, Refused};

/// How far into a URL the text has come.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
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

impl Part {
    /// The place of a value here, and what part of the URL it ends in.
    ///
    /// # Errors
    /// None can stand here.
    pub fn output(&self) -> Result<(Place, Self), Refused> {
        match self {
            Self::Start => Ok((Place::Whole, Self::AfterValue)),
            Self::Scheme(_) | Self::AfterValue => Ok((Place::Path, Self::AfterValue)),
            Self::Root => Ok((Place::Root, Self::Path)),
            Self::Path | Self::Segment => Ok((Place::Path, Self::Path)),
            Self::Entity => Err(Refused {
                message: "um valor não pode vir depois de um `&` no começo de uma URL",
                hint: "escreva o próprio caractere em vez de `&…;`; um `&` que é texto se escreve `%26`",
            }),
            Self::Address => Ok((Place::Address, Self::Address)),
            Self::Descriptor => Ok((Place::Path, Self::Descriptor)),
            Self::Query => Ok((Place::Query, Self::Query)),
            Self::Active => Err(Refused {
                message: "um valor não pode fazer parte de uma URL que é código",
                hint: "ponha o valor num atributo `data-…` e leia-o num `<script>`",
            }),
            Self::Either => Err(Refused {
                message: "não dá para saber em que parte da URL este valor fica: os ramos terminam em partes diferentes",
                hint: "monte a URL inteira numa variável, ou repita o atributo em cada ramo",
            }),
        }
    }

    /// After one more character of the page's own text.
    pub fn advance(&self, c: char) -> Self {
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
    pub fn advance_list(&self, c: char) -> Self {
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
