//! Which face a request gets. Source: the HTTP contract, 1.4 and 1.5; RFC 9110, 12.5.1.

use crate::field::is_token_byte;

/// The faces that a route has for `GET`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// HTML, for people.
    pub screen: bool,
    /// JSON, for programs.
    pub agent: bool,
}

/// The face that a request gets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// HTML.
    Screen,
    /// JSON.
    Agent,
    /// 406.
    NotAcceptable {
        /// It prefers JSON: the refusal says that the route has no face for agents.
        agent_request: bool,
    },
}

/// How much a media type is wanted. The derived order is the rule: quality, then how specific the range is, then who is listed first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Wanted {
    /// Thousandths; 0 is not accepted.
    q: u16,
    /// 1 `*/*`, 2 `application/*`, 3 `application/json`.
    specific: u8,
    /// Counts down from the first range.
    early: core::cmp::Reverse<usize>,
}

/// What a request's `Accept` field wants of the forms that there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Preference {
    html: Wanted,
    json: Wanted,
    markdown: Wanted,
}

/// What programs send as a rule, known without being read.
const JSON_ALONE: &str = "application/json";

const UNWANTED: Wanted = Wanted { q: 0, specific: 0, early: core::cmp::Reverse(usize::MAX) };
const ANYTHING: Wanted = Wanted { q: 1000, specific: 1, early: core::cmp::Reverse(0) };

impl Preference {
    /// Of the field's text, several of them joined by commas. Ranges that are none are passed over.
    pub fn of(accept: Option<&str>) -> Self {
        let mut found = Self { html: UNWANTED, json: UNWANTED, markdown: UNWANTED };
        if accept == Some(JSON_ALONE) {
            return Self { json: Wanted { specific: 3, ..ANYTHING }, ..found };
        }
        let mut valid = false;
        for (index, range) in split_outside_quotes(accept.unwrap_or_default(), b',').enumerate() {
            let Some((kind, subtype, q)) = parse_range(range) else {
                continue;
            };
            valid = true;
            let wanted = |specific| Wanted { q, specific, early: core::cmp::Reverse(index) };
            let is = |text: &str, other: &str| text.eq_ignore_ascii_case(other);
            if is(kind, "text") && is(subtype, "html") {
                narrow(&mut found.html, wanted(3));
            } else if is(kind, "text") && is(subtype, "markdown") {
                narrow(&mut found.markdown, wanted(3));
            } else if is(kind, "application") && is(subtype, "json") || ends_with_json(subtype) {
                narrow(&mut found.json, wanted(3));
            } else if subtype == "*" && is(kind, "text") {
                narrow(&mut found.html, wanted(2));
            } else if subtype == "*" && is(kind, "application") {
                narrow(&mut found.json, wanted(2));
            } else if subtype == "*" && kind == "*" {
                narrow(&mut found.html, wanted(1));
                narrow(&mut found.json, wanted(1));
            }
        }
        if valid { found } else { Self { html: ANYTHING, json: ANYTHING, markdown: UNWANTED } }
    }

    /// Of a request that [asks for a table](asks_table): CSV counts as the agent face's own type, and so does any text where there is no
    /// screen.
    pub fn of_table(accept: Option<&str>, screen: bool) -> Self {
        let as_json = |accept: &str| {
            let accept = accept.to_ascii_lowercase().replace("text/csv", JSON_ALONE);
            if screen { accept } else { accept.replace("text/*", JSON_ALONE) }
        };
        Self::of(accept.map(as_json).as_deref())
    }

    /// Chooses a face.
    pub fn choose(&self, offer: Offer) -> Choice {
        let agent_request = self.is_json();
        match (offer.screen, offer.agent) {
            (true, true) if agent_request => Choice::Agent,
            (true, _) if !agent_request && self.html.q > 0 => Choice::Screen,
            (false, true) if self.json.q > 0 => Choice::Agent,
            // Both are there and neither is accepted, or the one that is there is not.
            _ => Choice::NotAcceptable { agent_request: agent_request && !offer.agent },
        }
    }

    /// Whether it asks for pages by their name, as browsers do; to accept anything is not to ask for them.
    pub fn names_pages(&self) -> bool {
        [self.html, self.markdown].iter().any(|wanted| wanted.q > 0 && wanted.specific > 1)
    }

    /// Whether a program sent the request: what its errors look like. Who sends JSON and says nothing of what it accepts is one; of what is
    /// only read `Accept` decides, where it says anything, since a body means nothing there.
    pub fn is_program(&self, sends_json: bool, reads: bool) -> bool {
        self.is_json() || sends_json && !(reads && self.names_pages())
    }

    /// Whether the request is an agent's: what its errors look like.
    pub fn is_json(&self) -> bool {
        self.json.q > 0 && self.json > self.html
    }

    /// Whether a request to a page wants it as Markdown: it names `text/markdown` and likes it better than HTML and, where there is an
    /// agent face, than JSON. A range with a star in it never means Markdown: browsers send those.
    pub fn is_markdown(&self, agent: bool) -> bool {
        self.markdown.q > 0 && self.markdown > self.html && !(agent && self.json > self.markdown)
    }
}

/// Whether a raw query asks for the agent face as CSV.
pub fn asks_table(query: &str) -> bool {
    query.split('&').any(|pair| pair.split('=').next() == Some("tabela"))
}

/// The most specific range decides about a type, even where it refuses it; of equally specific ones the best does.
fn narrow(known: &mut Wanted, new: Wanted) {
    if new.specific > known.specific || new.specific == known.specific && new > *known {
        *known = new;
    }
}

/// `application/problem+json` and its like.
fn ends_with_json(subtype: &str) -> bool {
    subtype.len() > 5 && subtype.as_bytes()[subtype.len() - 5..].eq_ignore_ascii_case(b"+json")
}

/// Type, subtype and quality in thousandths.
fn parse_range(range: &str) -> Option<(&str, &str, u16)> {
    let mut parts = split_outside_quotes(range, b';').map(str::trim);
    let name = parts.next()?;
    // A lone star is an old spelling of `*/*`.
    let (kind, subtype) = if name == "*" { ("*", "*") } else { name.split_once('/')? };
    let is_token = |text: &str| !text.is_empty() && text.bytes().all(is_token_byte);
    if !is_token(kind) || !is_token(subtype) || kind == "*" && subtype != "*" {
        return None;
    }
    let mut q = 1000;
    for parameter in parts {
        if let Some((name, value)) = parameter.split_once('=')
            && name.trim().eq_ignore_ascii_case("q")
        {
            q = parse_quality(value.trim())?;
            break;
        }
    }
    Some((kind, subtype, q))
}

fn parse_quality(text: &str) -> Option<u16> {
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let is_number = !text.is_empty() && whole.len() <= 1 && !(whole.is_empty() && fraction.is_empty());
    if !is_number || !whole.bytes().chain(fraction.bytes()).all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let mut thousandths = whole.parse().unwrap_or(0_u16) * 1000;
    for (digit, unit) in fraction.bytes().zip([100, 10, 1]) {
        thousandths += u16::from(digit - b'0') * unit;
    }
    Some(thousandths.min(1000))
}

/// The parts of a field value between separators that stand in no quoted string.
pub fn split_outside_quotes(text: &str, separator: u8) -> impl Iterator<Item = &str> {
    let quotes = text.as_bytes().contains(&b'"');
    let mut rest = Some(text);
    core::iter::from_fn(move || {
        let text = rest?;
        let end = if quotes { end_outside_quotes(text, separator) } else { text.bytes().position(|byte| byte == separator) };
        rest = end.map(|end| &text[end + 1..]);
        Some(&text[..end.unwrap_or(text.len())])
    })
}

fn end_outside_quotes(text: &str, separator: u8) -> Option<usize> {
    let (mut quoted, mut escaped) = (false, false);
    text.bytes().position(|byte| {
        let at_separator = byte == separator && !quoted;
        match byte {
            _ if escaped => escaped = false,
            b'\\' if quoted => escaped = true,
            b'"' => quoted = !quoted,
            _ => {}
        }
        at_separator
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOTH: Offer = Offer { screen: true, agent: true };
    const SCREEN: Offer = Offer { screen: true, agent: false };
    const AGENT: Offer = Offer { screen: false, agent: true };
    const BROWSER: &str = "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8";

    #[test]
    fn chooses_between_two_faces() {
        for (accept, choice) in [
            (BROWSER, Choice::Screen),
            ("application/json", Choice::Agent),
            ("text/html;q=0.5, application/json;q=0.9", Choice::Agent),
            ("application/json;q=0.1, text/html", Choice::Screen),
            ("*/*", Choice::Screen),
            ("", Choice::Screen),
            ("application/*", Choice::Agent),
            ("application/vnd.api+json", Choice::Agent),
            ("Application/JSON ; charset=utf-8", Choice::Agent),
            // Equal quality: the more specific range, then the one listed first, then the screen.
            ("application/json, */*", Choice::Agent),
            ("*/*, application/json", Choice::Agent),
            ("text/*, application/json", Choice::Agent),
            ("application/*, text/html", Choice::Screen),
            ("application/json, text/html", Choice::Agent),
            ("text/html, application/json", Choice::Screen),
            ("application/*, text/*", Choice::Agent),
            // The most specific range decides, also when it says no.
            ("*/*, text/html;q=0", Choice::Agent),
            ("*/*;q=0.1, application/json;q=0", Choice::Screen),
            ("text/html;q=0.4, */*;q=0.5", Choice::Agent),
            ("image/png", Choice::NotAcceptable { agent_request: false }),
            ("text/html;q=0, application/json;q=0", Choice::NotAcceptable { agent_request: false }),
        ] {
            assert_eq!(Preference::of(Some(accept)).choose(BOTH), choice, "{accept}");
        }
        assert_eq!(Preference::of(None).choose(BOTH), Choice::Screen);
        assert!(
            Preference::of(Some("application/problem+json")).is_json()
                && !Preference::of(Some("application/json;q=0")).is_json()
                && !Preference::of(None).is_json()
        );
    }

    #[test]
    fn what_is_known_by_heart_is_as_it_would_be_read() {
        assert_eq!(Preference::of(Some(JSON_ALONE)), Preference::of(Some(&alloc::format!(" {JSON_ALONE}"))));
    }

    #[test]
    fn a_lone_screen_is_not_for_agents() {
        for (accept, choice) in [
            (Some("application/json"), Choice::NotAcceptable { agent_request: true }),
            (Some("application/json, text/plain, */*"), Choice::NotAcceptable { agent_request: true }),
            (Some("image/png"), Choice::NotAcceptable { agent_request: false }),
            (Some(BROWSER), Choice::Screen),
            (Some("*/*"), Choice::Screen),
            (None, Choice::Screen),
        ] {
            assert_eq!(Preference::of(accept).choose(SCREEN), choice, "{accept:?}");
        }
    }

    #[test]
    fn a_lone_agent_face_serves_all_who_accept_json() {
        for (accept, choice) in [
            (None, Choice::Agent),
            (Some("*/*"), Choice::Agent),
            (Some(BROWSER), Choice::Agent),
            (Some("application/json;q=0.1"), Choice::Agent),
            (Some("text/html"), Choice::NotAcceptable { agent_request: false }),
            (Some("*/*, application/json;q=0"), Choice::NotAcceptable { agent_request: false }),
        ] {
            assert_eq!(Preference::of(accept).choose(AGENT), choice, "{accept:?}");
        }
    }

    #[test]
    fn markdown_is_asked_for_by_name() {
        for (accept, with_agent, alone) in [
            ("text/markdown", true, true),
            ("text/markdown, text/html;q=0.9, */*;q=0.1", true, true),
            ("text/markdown, */*", true, true),
            ("text/html, text/markdown", false, false),
            ("text/markdown;q=0.9, text/html", false, false),
            ("application/json, text/markdown;q=0.5", false, true),
            ("text/markdown, application/json", true, true),
            ("text/*, */*", false, false),
            ("text/html;q=0, text/*", false, false),
            ("text/markdown;q=0, text/*", false, false),
            (BROWSER, false, false),
        ] {
            assert_eq!(
                (Preference::of(Some(accept)).is_markdown(true), Preference::of(Some(accept)).is_markdown(false)),
                (with_agent, alone),
                "{accept}"
            );
        }
        assert!(!Preference::of(None).is_markdown(false));
    }

    #[test]
    fn csv_is_the_agent_face_of_a_table() {
        assert!(asks_table("tabela&campos=id") && asks_table("a=1&tabela=planilha"));
        assert!(!asks_table("tabelas") && !asks_table(""));
        for (accept, choice) in [
            ("text/csv", Choice::Agent),
            ("Text/CSV, */*;q=0.1", Choice::Agent),
            ("text/html, text/csv;q=0.5", Choice::Screen),
            (BROWSER, Choice::Screen),
        ] {
            assert_eq!(Preference::of_table(Some(accept), true).choose(BOTH), choice, "{accept}");
        }
        assert_eq!(Preference::of_table(Some("text/*"), false).choose(AGENT), Choice::Agent);
    }

    #[test]
    fn who_sends_json_is_a_program_unless_it_asks_for_pages_to_read() {
        for (accept, sends_json, reads, program) in [
            (Some("application/json"), false, true, true),
            (None, true, true, true),
            (Some("*/*"), true, true, true),
            (Some("*/*"), false, false, false),
            (Some(BROWSER), true, true, false),
            (Some(BROWSER), true, false, true),
        ] {
            assert_eq!(Preference::of(accept).is_program(sends_json, reads), program, "{accept:?} {sends_json} {reads}");
        }
    }

    #[test]
    fn junk_is_passed_over() {
        for (accept, choice) in [
            (",;,=,q=1, /,a/,*/json", Choice::Screen),
            ("application/json;q=x, text/html;q=0.1", Choice::Screen),
            ("x;\"application/json, a/b\", application/json", Choice::Agent),
            ("application/json;q=.9, text/html;q=0.5", Choice::Agent),
            ("text/html;q=1.5, application/json", Choice::Screen),
            ("*;q=0.2", Choice::Screen),
            ("application/json;v=\"a\\\",text/html;q=0\"", Choice::Agent),
        ] {
            assert_eq!(Preference::of(Some(accept)).choose(BOTH), choice, "{accept}");
        }
    }

    proptest! {
        #[test]
        fn any_field_has_an_answer(accept in "[a-z*/;,q=.0-9\"\\\\+ é]{0,40}") {
            for offer in [BOTH, SCREEN, AGENT] {
                let choice = Preference::of(Some(&accept)).choose(offer);
                prop_assert!(offer.agent || choice != Choice::Agent);
                prop_assert!(offer.screen || choice != Choice::Screen);
            }
        }
    }
}
