//! `agent`: a site as an agent sees it. Without a path, what its manifest offers; with one, what that address answers.

mod address;
mod fetch;
mod field;
mod indent;
mod listing;

use std::io::{self, IsTerminal as _, Write as _};

pub(crate) use address::Address;
use djo_contract::refusal::Refusal;
use fetch::{Answer, Asked};
pub(crate) use fetch::{FetchError, Remote, open};
use http::header::{CONTENT_TYPE, LINK, LOCATION};

use crate::cli::{Failure, args::AgentArgs, language::Language, messages, terminal};

/// Where a site says what it has for agents.
const MANIFEST: &str = djo_contract::manifest::PATH;

pub(crate) fn run(args: &AgentArgs, language: Language) -> Result<(), Failure> {
    let address = &args.address;
    let failed = |error| Failure::new(messages::no_answer(language, address.authority(), &error));
    let site = Remote::new(address, args.ca.as_deref()).map_err(failed)?;
    let lists = address.is_root() && args.post.is_none();
    let target = if lists { MANIFEST } else { address.target() };
    let asked = Asked { site: &site, target, json: args.post.as_deref() };
    let doing = messages::waiting_for(language, address.authority());
    let answer = terminal::with_progress(doing, || fetch::fetch(&asked));
    let answer = answer.map_err(failed)?;
    if args.raw {
        write_raw(&answer.body);
    } else if lists && answer.status.is_success() {
        let url = format!("{}://{}{MANIFEST}", address.scheme(), address.authority());
        let text = listing::listing(&answer.body, &url, language).ok_or_else(|| Failure::new(messages::not_a_manifest(language, &url)))?;
        terminal::line(&printable(text.trim_end()));
    } else {
        show(&answer);
    }
    if answer.is_failure() {
        let reason = (lists && !args.raw && answer.status == http::StatusCode::NOT_FOUND).then(|| match is_of_no_site(&answer.body) {
            true => messages::no_such_site(language, address.authority()),
            false => messages::no_manifest(language).to_owned(),
        });
        return Err(Failure(reason));
    }
    Ok(())
}

/// Whether it is what a host answers that serves no site of the name that was asked for.
fn is_of_no_site(body: &[u8]) -> bool {
    let refusal = serde_json::from_slice::<serde_json::Value>(body).ok();
    refusal.is_some_and(|refusal| refusal["erro"] == Refusal::SiteNotFound.erro().as_ref())
}

/// Status, the headers that tell an agent what it got and where there is more, and the body, indented where it is JSON.
fn show(answer: &Answer) {
    terminal::line(format!("{} {}", answer.status.as_str(), answer.status.canonical_reason().unwrap_or_default()).trim_end());
    for (name, shown) in [(CONTENT_TYPE, "Content-Type"), (LOCATION, "Location"), (LINK, "Link")] {
        for value in answer.headers.get_all(name) {
            terminal::line(&printable(&format!("{shown}: {}", String::from_utf8_lossy(value.as_bytes()))));
        }
    }
    if answer.body.is_empty() {
        return;
    }
    let text = match std::str::from_utf8(&answer.body) {
        Ok(text) if serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok() => indent::indented(text),
        Ok(text) => text.to_owned(),
        Err(_) => format!("({} bytes)", answer.body.len()),
    };
    terminal::line("");
    terminal::line(&printable(text.trim_end()));
}

/// The body as it came, to the byte.
fn write_raw(body: &[u8]) {
    let mut output = io::stdout();
    terminal::wrote(output.write_all(body));
    if output.is_terminal() {
        terminal::wrote(output.write_all(b"\n"));
    }
}

/// A text without what a terminal would obey: it comes from another machine.
fn printable(text: &str) -> String {
    let text = text.replace("\r\n", "\n");
    text.chars().map(|c| if c.is_control() && c != '\n' && c != '\t' { char::REPLACEMENT_CHARACTER } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_that_a_terminal_obeys_is_printed() {
        assert_eq!(printable("a\r\nb\tç\u{1b}[2J\u{9b}1m\r"), "a\nb\tç\u{fffd}[2J\u{fffd}1m\u{fffd}");
    }
}
