//! URL attributes: which they are, and what their places are called here.

pub(super) use djo_contract::link::Part as UrlPart;
use djo_contract::link::{self, Place, Refused};

use super::context::{Attribute, Refusal};
use crate::ast::Escape;

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
        _ if link::is_url(local) => Attribute::Url(UrlPart::Start),
        _ => Attribute::Plain,
    }
}

/// What becomes of a value in this part of a URL.
pub(super) fn output(part: &UrlPart) -> Result<(Escape, UrlPart), Refusal> {
    let (place, part) = part.output().map_err(|Refused { message, hint }| Refusal { message: message.into(), hint })?;
    let escape = match place {
        Place::Whole => Escape::Url,
        Place::Path => Escape::UrlPath,
        Place::Root => Escape::UrlRoot,
        Place::RootEnd => Escape::UrlRootEnd,
        Place::Address => Escape::UrlAddress,
        Place::Query => Escape::UrlQuery,
    };
    Ok((escape, part))
}
