//! Pages: text that is escaped for the place where it stands.

use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};

use djo_contract::json;
use djo_contract::link;
pub use djo_contract::link::Place as UrlPlace;

/// HTML that is safe to send. `djo::html!` makes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Html(String);

impl Html {
    /// Takes text for HTML as it is: the way out for what is known to be safe.
    pub fn raw(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The HTML as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The HTML as text.
    #[must_use]
    pub fn into_string(self) -> String {
        self.0
    }
}

impl FromIterator<Self> for Html {
    fn from_iter<I: IntoIterator<Item = Self>>(pieces: I) -> Self {
        let mut all = String::new();
        pieces.into_iter().for_each(|piece| all.push_str(&piece.0));
        Self(all)
    }
}

/// Where in a page a value stands: `djo::html!` finds out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// Between tags.
    Text,
    /// In a quoted attribute.
    Attribute,
    /// In an attribute that is a URL.
    Url(UrlPlace),
}

/// A value that a page can show.
#[diagnostic::on_unimplemented(
    message = "`{Self}` não pode ser mostrado numa página",
    note = "texto, números, bool, Html e Option deles podem"
)]
pub trait Render {
    /// Appends it, escaped for its place.
    fn render(&self, place: Place, out: &mut String);
}

impl Render for str {
    fn render(&self, place: Place, out: &mut String) {
        match place {
            Place::Text | Place::Attribute => escape(self, out),
            Place::Url(place) => {
                let mut url = Vec::with_capacity(self.len());
                link::write(place, self.as_bytes(), &mut url);
                // Of a text only ASCII is written otherwise.
                escape(&String::from_utf8_lossy(&url), out);
            }
        }
    }
}

impl Render for Html {
    fn render(&self, place: Place, out: &mut String) {
        match place {
            Place::Text => out.push_str(&self.0),
            _ => self.0.render(place, out),
        }
    }
}

impl Render for String {
    fn render(&self, place: Place, out: &mut String) {
        self.as_str().render(place, out);
    }
}

impl Render for Cow<'_, str> {
    fn render(&self, place: Place, out: &mut String) {
        (**self).render(place, out);
    }
}

impl Render for char {
    fn render(&self, place: Place, out: &mut String) {
        self.encode_utf8(&mut [0; 4]).render(place, out);
    }
}

impl Render for bool {
    fn render(&self, _place: Place, out: &mut String) {
        out.push_str(if *self { "true" } else { "false" });
    }
}

impl Render for f64 {
    fn render(&self, _place: Place, out: &mut String) {
        json::write_float(*self, out);
    }
}

macro_rules! integers {
    ($($integer:ty)*) => {$(
        impl Render for $integer {
            fn render(&self, _place: Place, out: &mut String) {
                out.push_str(&format!("{self}"));
            }
        }
    )*};
}

integers! { i8 i16 i32 i64 isize u8 u16 u32 u64 usize }

impl<T: Render> Render for Option<T> {
    fn render(&self, place: Place, out: &mut String) {
        match self {
            Some(value) => value.render(place, out),
            // Nothing has its own way of being written, too: where a URL starts it may not leave two slashes.
            None => "".render(place, out),
        }
    }
}

impl<T: Render> Render for Vec<T> {
    fn render(&self, place: Place, out: &mut String) {
        let Some((first, others)) = self.split_first() else { return "".render(place, out) };
        first.render(place, out);
        // They stand behind the first, which has begun the URL: together they must not make what none of them may.
        let behind = if matches!(place, Place::Url(_)) { Place::Url(UrlPlace::Query) } else { place };
        others.iter().for_each(|value| value.render(behind, out));
    }
}

impl<T: Render + ?Sized> Render for &T {
    fn render(&self, place: Place, out: &mut String) {
        (**self).render(place, out);
    }
}

impl<T: Render + ?Sized> Render for Box<T> {
    fn render(&self, place: Place, out: &mut String) {
        (**self).render(place, out);
    }
}

fn escape(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['&', '<', '>', '"', '\'']) {
        let (plain, special) = rest.split_at(at);
        out.push_str(plain);
        out.push_str(match special.as_bytes().first() {
            Some(b'&') => "&amp;",
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            Some(b'"') => "&quot;",
            _ => "&#39;",
        });
        rest = special.get(1..).unwrap_or_default();
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;

    fn at(place: Place, value: impl Render) -> String {
        let mut out = String::new();
        value.render(place, &mut out);
        out
    }

    #[test]
    fn text_is_escaped_and_html_is_not() {
        assert_eq!(at(Place::Text, "<a href=\"x\">'&'</a>é"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;é");
        assert_eq!(at(Place::Text, Html::raw("<b>")), "<b>");
        assert_eq!(at(Place::Attribute, Html::raw("<b>")), "&lt;b&gt;");
        assert_eq!(at(Place::Text, (None::<i64>, 4.0, true).1), "4");
        assert_eq!(at(Place::Text, None::<&str>), "");
    }

    #[test]
    fn several_values_are_no_way_around() {
        assert_eq!(at(Place::Text, vec!["<", "a"]), "&lt;a");
        let none: Vec<String> = Vec::new();
        for place in [UrlPlace::Whole, UrlPlace::Root, UrlPlace::RootEnd, UrlPlace::Path, UrlPlace::Query] {
            assert_eq!(at(Place::Url(place), none.clone()), at(Place::Url(place), ""), "{place:?}");
        }
        assert_eq!(at(Place::Url(UrlPlace::Whole), vec!["javascript", ":alert(1)"]), "javascript%3Aalert%281%29");
        assert!(!at(Place::Url(UrlPlace::Root), vec!["", "/evil.com"]).contains("/evil"));
    }

    #[test]
    fn urls_only_point_somewhere() {
        let whole = |value: &str| at(Place::Url(UrlPlace::Whole), value);
        for harmless in ["/a?b=c&d", "https://x.com/", "mailto:a@b.c", "a b", "//x", "?a:b", "HTTP://x"] {
            assert_ne!(whole(harmless), "#", "{harmless}");
        }
        for active in ["javascript:alert(1)", " java\nscript:x", "data:text/html,x", "\u{1}vbscript:x", "jAvAsCrIpT:x"] {
            assert_eq!(whole(active), "#", "{active}");
        }
        assert_eq!(whole("/a b\"<>&x=%20é"), "/a%20b%22%3C%3E&amp;x=%20é");
    }

    #[test]
    fn values_in_a_url_are_written_for_their_place() {
        let (root, path) = (Place::Url(UrlPlace::Root), Place::Url(UrlPlace::Path));
        assert_eq!((at(root, ""), at(root, None::<i64>), at(root, "/x")), ("./".into(), "./".into(), ".//x".into()));
        assert_eq!((at(path, "x/é&#").as_str(), at(path, "../x").as_str()), ("x/%C3%A9%26%23", "..%2Fx"));
        assert_eq!(at(Place::Url(UrlPlace::Query), "/x?é&#"), "%2Fx%3F%C3%A9%26%23");
        assert_eq!(at(Place::Url(UrlPlace::Address), "ana+a@x.y"), "ana+a@x.y");
    }
}
