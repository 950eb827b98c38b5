//! Follows HTML from one value to the next, far enough to know what a value there could do.

use djo_contract::link::{self, Part, Refused};

/// A place where a value is safe once it is escaped for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Text,
    Attribute,
    Url(link::Place),
}

#[derive(Clone, Debug, Default, PartialEq)]
enum State {
    #[default]
    Text,
    /// After `<`.
    Open,
    /// In `<!-- … -->`.
    Comment,
    /// In a tag's name, lower case.
    Tag(String),
    /// In a tag, between attributes.
    Between,
    /// In an attribute's name, lower case.
    Name(String),
    /// After `=`.
    Equals(String),
    /// In a quoted value: the attribute, the quote, how far into a URL it has come.
    Value(String, char, Part),
    /// In a value without quotes.
    Bare,
    /// In an element whose content is no HTML, until its end tag.
    Raw(String),
}

/// Follows a page.
#[derive(Default)]
pub(super) struct Scanner {
    state: State,
    /// The tag that is open.
    tag: String,
    /// What was read in a state that ends with a word.
    tail: String,
    /// The tag is a `<meta>` that refreshes.
    refreshes: bool,
}

const RAW: &[&str] = &["script", "style", "textarea", "title", "noscript", "iframe", "noembed", "noframes", "xmp"];

impl Scanner {
    /// Reads what stands in the text.
    pub(super) fn text(&mut self, text: &str) -> Result<(), String> {
        for letter in text.chars() {
            self.letter(letter);
        }
        Ok(())
    }

    fn letter(&mut self, letter: char) {
        let blank = letter.is_ascii_whitespace();
        self.state = match std::mem::take(&mut self.state) {
            State::Text if letter == '<' => State::Open,
            State::Text => State::Text,
            State::Open if letter.is_ascii_alphabetic() || letter == '/' => State::Tag(letter.to_ascii_lowercase().into()),
            State::Open if letter == '!' || letter == '?' => {
                self.tail.clear();
                State::Comment
            }
            State::Open if letter == '<' => State::Open,
            State::Open => State::Text,
            State::Comment => {
                self.tail.push(letter);
                let comment = self.tail.starts_with("--");
                let ended =
                    if comment { self.tail.len() >= 5 && self.tail.ends_with("-->") } else { letter == '>' && !self.tail.starts_with('-') };
                if ended { State::Text } else { State::Comment }
            }
            State::Tag(name) if letter == '>' => self.close(name),
            State::Tag(name) if blank || letter == '/' && name != "/" => {
                (self.tag, self.refreshes) = (name, false);
                State::Between
            }
            State::Tag(name) => State::Tag(name + letter.to_lowercase().to_string().as_str()),
            State::Between if letter == '>' => self.close_open(),
            State::Between if blank || letter == '/' => State::Between,
            State::Between => State::Name(letter.to_ascii_lowercase().into()),
            State::Name(name) if letter == '=' => State::Equals(name),
            State::Name(_) if letter == '>' => self.close_open(),
            // `name = "…"`: the name is kept until it is clear that no `=` follows.
            State::Name(name) if blank => State::Name(name.trim_end().to_owned() + " "),
            State::Name(_) if letter == '/' => State::Between,
            State::Name(name) if name.ends_with(' ') => State::Name(letter.to_ascii_lowercase().into()),
            State::Name(name) => State::Name(name + letter.to_lowercase().to_string().as_str()),
            State::Equals(name) if blank => State::Equals(name),
            State::Equals(name) if letter == '"' || letter == '\'' => {
                let name = name.trim_end().to_owned();
                self.refreshes |= self.tag == "meta" && name == "http-equiv";
                State::Value(name, letter, Part::Start)
            }
            State::Equals(_) if letter == '>' => self.close_open(),
            State::Equals(_) => State::Bare,
            State::Value(_, quote, _) if letter == quote => State::Between,
            State::Value(name, quote, part) => State::Value(name, quote, part.advance(letter)),
            State::Bare if letter == '>' => self.close_open(),
            State::Bare if blank => State::Between,
            State::Bare => State::Bare,
            State::Raw(element) => {
                self.tail.push(letter.to_ascii_lowercase());
                let ended = self.tail.ends_with('>') && self.tail.trim_end_matches('>').trim_end().ends_with(&format!("</{element}"));
                if ended { State::Text } else { State::Raw(element) }
            }
        };
    }

    fn close_open(&mut self) -> State {
        let tag = std::mem::take(&mut self.tag);
        self.close(tag)
    }

    /// After the `>` of a tag.
    fn close(&mut self, tag: String) -> State {
        self.tail.clear();
        if RAW.contains(&tag.as_str()) { State::Raw(tag) } else { State::Text }
    }

    /// A value stands here: its place, or why it can stand in none.
    pub(super) fn value(&mut self) -> Result<Place, String> {
        let (place, next) = match &self.state {
            State::Text => (Place::Text, State::Text),
            // Text alone, where `</` must not stand: escaped it does not.
            State::Raw(element) if matches!(element.as_str(), "title" | "textarea") => (Place::Text, self.state.clone()),
            State::Raw(element) => {
                return Err(format!(
                    "está dentro de <{element}>, onde nenhum escape serve: ponha o valor num atributo `data-…` e leia-o de lá"
                ));
            }
            State::Value(name, quote, part) => {
                let (place, part) = self.attribute(name, part)?;
                (place, State::Value(name.clone(), *quote, part))
            }
            State::Equals(_) | State::Bare => return Err("está num atributo sem aspas: ponha aspas em volta".into()),
            State::Comment => return Err("está dentro de um comentário".into()),
            State::Open | State::Tag(_) | State::Between | State::Name(_) => {
                return Err("está no nome de uma tag ou de um atributo: só o texto e os valores entre aspas podem variar".into());
            }
        };
        self.state = next;
        Ok(place)
    }

    fn attribute(&self, name: &str, part: &Part) -> Result<(Place, Part), String> {
        if name.starts_with("on") || name == "style" || name == "srcdoc" {
            return Err(format!("está no atributo `{name}`, onde nenhum escape serve: use uma classe, ou um atributo `data-…`"));
        }
        if name == "srcset" || name == "content" && self.refreshes || self.tag == "script" && name == "src" && *part == Part::Start {
            return Err(format!("está no atributo `{name}`, onde um valor de fora decidiria o que a página carrega"));
        }
        let local = name.rsplit(':').next().unwrap_or(name);
        if !link::is_url(local) {
            return Ok((Place::Attribute, part.clone()));
        }
        let (place, part) = part.output().map_err(|Refused { message, hint }| format!("está onde não pode: {message}; {hint}"))?;
        Ok((Place::Url(place), part))
    }

    /// The text ends here: in the middle of a tag, what follows would belong to it.
    pub(super) fn end(&self) -> Result<(), String> {
        match &self.state {
            State::Text | State::Comment | State::Raw(_) => Ok(()),
            _ => Err("o texto termina no meio de uma tag".into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The places of the `@`s in a page.
    fn places(page: &str) -> Result<Vec<Place>, String> {
        let mut scanner = Scanner::default();
        let mut pieces = page.split('@');
        scanner.text(pieces.next().unwrap_or_default())?;
        let mut places = Vec::new();
        for piece in pieces {
            places.push(scanner.value()?);
            scanner.text(piece)?;
        }
        scanner.end()?;
        Ok(places)
    }

    #[test]
    fn places_are_found() {
        use Place::{Attribute, Text};
        let [whole, path, root, address, query] =
            [link::Place::Whole, link::Place::Path, link::Place::Root, link::Place::Address, link::Place::Query].map(Place::Url);
        for (page, found) in [
            ("@<p class=\"a @\">@</p>", vec![Text, Attribute, Text]),
            ("<a href='@'>@</a>", vec![whole, Text]),
            ("<a href=\"/p/@?q=@\">", vec![path, query]),
            ("<a href=\"@/x/@\" title = \"@\" hidden>@", vec![whole, path, Attribute, Text]),
            ("<!-- a > b --><!doctype html>@", vec![Text]),
            ("<script>if (a < b) { x(\"</p>\") }</script>@<title>@</title>", vec![Text, Text]),
            ("<input value=\"@\"/><br/>@ a < b @", vec![Attribute, Text, Text]),
            ("<img alt='' src=\"@\">", vec![whole]),
            ("<a href=\"/@/@\">", vec![root, path]),
            ("<a href=\" @\"><a href='mailto:@'><use xlink:href='#@'>", vec![whole, address, query]),
        ] {
            assert_eq!(places(page), Ok(found), "{page}");
        }
    }

    #[test]
    fn places_where_no_value_is_safe_are_refused() {
        for page in [
            "<script>@</script>",
            "<style>@</style>",
            "<a onclick=\"@\">",
            "<a style=\"color: @\">",
            "<a href=@>",
            "<@>",
            "<a @=\"x\">",
            "<a @>",
            "<!-- @ -->",
            "<iframe srcdoc=\"@\">",
            "<img srcset=\"@\">",
            "<meta http-equiv=\"refresh\" content=\"0;url=@\">",
            "<script src=\"@\"></script>",
            "<a href=\"x\"@>",
            "<a href=\"javascript:@\">",
            "<a href=\"@:@\">",
            "<p class=\"a",
        ] {
            assert!(places(page).is_err(), "{page}");
        }
    }
}
