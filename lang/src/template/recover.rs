//! Where a page goes on after an error of place, so that what follows gets its own errors and none of this one's.

use super::{
    context::{Attribute, Context, Refusal},
    script::{Before, Js, JsState},
    url::UrlPart,
};

/// Most places that are kept where one of several is meant.
const MAX_PLACES: usize = 8;

/// A refusal, and where the page is after it.
#[derive(Debug)]
pub(super) struct Refused {
    pub(super) refusal: Refusal,
    pub(super) after: Context,
}

impl Refused {
    pub(super) fn new(refusal: Refusal, after: Context) -> Box<Self> {
        Box::new(Self { refusal, after })
    }
}

impl Context {
    /// One of these places: what follows is an error only where it is one in all of them.
    pub(super) fn any(places: impl IntoIterator<Item = Self>) -> Self {
        let mut kept: Vec<Self> = Vec::new();
        let flat = places.into_iter().flat_map(|place| match place {
            Self::Any(places) => places,
            place => vec![place],
        });
        for place in flat {
            if kept.len() < MAX_PLACES && !kept.contains(&place) {
                kept.push(place);
            }
        }
        if kept.len() == 1 { kept.remove(0) } else { Self::Any(kept) }
    }

    /// What becomes of several places: those that go on; all of them, with the first refusal, where none does.
    pub(super) fn each<T>(places: impl IntoIterator<Item = Result<(T, Self), Box<Refused>>>) -> Result<(Option<T>, Self), Box<Refused>> {
        let (mut first, mut going, mut stuck): (Option<T>, Vec<Self>, Vec<Box<Refused>>) = (None, Vec::new(), Vec::new());
        for place in places {
            match place {
                Ok((value, after)) => {
                    first.get_or_insert(value);
                    going.push(after);
                }
                Err(refused) => stuck.push(refused),
            }
        }
        if !going.is_empty() || stuck.is_empty() {
            return Ok((first, Self::any(going)));
        }
        let refusal = stuck[0].refusal.clone();
        Err(Refused::new(refusal, Self::any(stuck.into_iter().map(|refused| refused.after))))
    }

    /// After a value that cannot stand here.
    pub(super) fn after_refused(&self) -> Self {
        // A name that nothing is known of.
        let name = || "x".to_owned();
        match self {
            // `a<{{ b }}` may be no tag at all.
            Self::TagStart => Self::any([Self::Text, Self::TagName { name: name(), closing: false }]),
            Self::EndTagStart => Self::TagName { name: name(), closing: true },
            Self::TagName { closing, .. } => Self::TagName { name: name(), closing: *closing },
            Self::MarkupStart(_) => Self::Declaration,
            Self::InTag(tag) | Self::InTagEither(tag) | Self::AttributeName { tag, .. } | Self::AfterAttributeName { tag, .. } => {
                Self::AttributeName { tag: tag.clone(), name: name() }
            }
            Self::BeforeValue { tag, .. } | Self::UnquotedValue { tag, .. } => {
                Self::UnquotedValue { tag: tag.clone(), attribute: Attribute::Reported }
            }
            // Each value in what is code needs a place of its own.
            Self::Value { attribute, .. } if attribute.is_code() => self.clone(),
            Self::Value { tag, attribute, quote } => {
                let mut tag = tag.clone();
                if matches!(attribute, Attribute::ScriptType(_)) {
                    tag.script_type = Some(name());
                }
                Self::Value { tag, attribute: Attribute::Reported, quote: *quote }
            }
            Self::Script { kind, js, .. } => match js.after_refused() {
                Some(js) => Self::Script { kind: *kind, js, end: String::new() },
                None => Self::unread_script(),
            },
            other => other.clone(),
        }
    }

    /// The rest of a script of which nothing more can be told.
    pub(super) fn unread_script() -> Self {
        Self::RawText { element: "script".into(), end: String::new() }
    }
}

impl Attribute {
    fn is_code(&self) -> bool {
        matches!(
            self,
            Self::Event(_) | Self::Style | Self::Document | Self::Animated(_) | Self::Url(UrlPart::Active) | Self::UrlList(UrlPart::Active)
        )
    }
}

impl Js {
    fn after_refused(&self) -> Option<Self> {
        let (state, before) = match &self.state {
            JsState::String { quote, .. } => (JsState::String { quote: *quote, escaped: false }, Before::Value),
            JsState::Slash if self.before.regex() == Some(true) => (JsState::Regex { class: false, escaped: false }, Before::Value),
            JsState::Slash | JsState::Unsure(_) => return None,
            state => (state.clone(), self.before.clone()),
        };
        Some(Self { state, before, templates: self.templates.clone(), opener: 0 })
    }
}
