//! Where a page is after branches: they must agree, since what follows is escaped the same way for all of them.

use super::{
    context::{Attribute, Context, Tag},
    script::{Before, Js, JsState},
    url::UrlPart,
};

/// The place that is both, or `None` when what follows would mean different things.
pub(super) fn join(a: &Context, b: &Context) -> Option<Context> {
    if a == b {
        return Some(a.clone());
    }
    if let (Context::Any(_), _) | (_, Context::Any(_)) = (a, b) {
        return Some(Context::any([a.clone(), b.clone()]));
    }
    if let (Some(first), Some(second)) = (open_tag(a), open_tag(b)) {
        let valued = first.content_valued || second.content_valued;
        let (first, second) = (Tag { content_valued: valued, ..first }, Tag { content_valued: valued, ..second });
        return (first == second).then_some(Context::InTagEither(first));
    }
    match (a, b) {
        (Context::Value { tag, attribute, quote }, Context::Value { tag: other_tag, attribute: other, quote: other_quote })
            if tag == other_tag && quote == other_quote =>
        {
            let attribute = join_attributes(attribute, other)?;
            Some(Context::Value { tag: tag.clone(), attribute, quote: *quote })
        }
        (Context::Script { kind, js, .. }, Context::Script { kind: other_kind, js: other, .. }) if kind == other_kind => {
            if js.templates != other.templates {
                return None;
            }
            let unsure = matches!(js.state, JsState::Unsure(_)) || matches!(other.state, JsState::Unsure(_));
            if js.state != other.state && !unsure {
                return None;
            }
            let state = if unsure { JsState::Unsure(None) } else { js.state.clone() };
            let before = match (js.before.regex(), other.before.regex()) {
                (Some(true), Some(true)) => Before::Start,
                (Some(false), Some(false)) => Before::Value,
                _ => Before::Either,
            };
            let js = Js { state, before, templates: js.templates.clone(), opener: 0 };
            Some(Context::Script { kind: *kind, js, end: String::new() })
        }
        // Half an end tag is none, unless all branches have the same half.
        (Context::RawText { element, .. }, Context::RawText { element: other, .. }) if element == other => {
            Some(Context::RawText { element: element.clone(), end: String::new() })
        }
        (Context::Style { .. }, Context::Style { .. }) => Some(Context::Style { end: String::new() }),
        (Context::Comment(_), Context::Comment(_)) => Some(Context::Comment(super::context::CommentEnd::None)),
        _ => None,
    }
}

/// The tag of a place outside attribute values.
fn open_tag(context: &Context) -> Option<Tag> {
    match context {
        Context::TagName { name, closing } => Some(Tag::new(name.clone(), *closing)),
        Context::InTag(tag) | Context::InTagEither(tag) => Some(tag.clone()),
        Context::AttributeName { tag, .. } | Context::AfterAttributeName { tag, .. } => Some(tag.clone()),
        _ => None,
    }
}

fn join_attributes(a: &Attribute, b: &Attribute) -> Option<Attribute> {
    match (a, b) {
        _ if a == b => Some(a.clone()),
        (Attribute::Reported, _) | (_, Attribute::Reported) => Some(Attribute::Reported),
        (Attribute::Url(a), Attribute::Url(b)) => Some(Attribute::Url(join_urls(a, b))),
        (Attribute::MetaContent { .. }, Attribute::MetaContent { .. }) => Some(Attribute::MetaContent { valued: true }),
        (Attribute::UrlList(a), Attribute::UrlList(b)) => Some(Attribute::UrlList(join_urls(a, b))),
        _ => None,
    }
}

fn join_urls(a: &UrlPart, b: &UrlPart) -> UrlPart {
    match (a, b) {
        _ if a == b => a.clone(),
        (UrlPart::Active, _) | (_, UrlPart::Active) => UrlPart::Active,
        // Whichever it was, it is past the start, and what follows is encoded alike.
        (UrlPart::Scheme(_) | UrlPart::AfterValue, UrlPart::Scheme(_) | UrlPart::AfterValue) => UrlPart::AfterValue,
        // After a slash in any case.
        (UrlPart::Root, UrlPart::Segment) | (UrlPart::Segment, UrlPart::Root) => UrlPart::Root,
        (UrlPart::Path | UrlPart::Address, UrlPart::Segment | UrlPart::Path) | (UrlPart::Segment | UrlPart::Path, UrlPart::Address) => {
            UrlPart::Path
        }
        (UrlPart::Segment, UrlPart::Path) => UrlPart::Path,
        (UrlPart::Entity, _) | (_, UrlPart::Entity) => UrlPart::Entity,
        _ => UrlPart::Either,
    }
}
