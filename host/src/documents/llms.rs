//! `/llms.txt`: the site for a language model, in the form that llmstxt.org describes.

use djo_contract::manifest;
use djo_contract::model::{Contract, Method, Route};

use super::{AGENT_CARD, OPENAPI, Subject};
use crate::protocols::mcp;

/// Title, what it is, how to ask, what there is to read and to do, where the rest is told.
pub(super) fn document(subject: &Subject<'_>) -> String {
    let mut out = format!("# {}\n", line(subject.name));
    if !subject.about.is_empty() {
        out.push_str(&format!("\n> {}\n", line(subject.about)));
    }
    out.push_str(
        "\nPeça com `Accept: application/json` para receber dados, ou com `Accept: text/markdown` para receber uma página em Markdown. \
         Ações são pedidos `POST` com corpo `application/json`; o que há de errado na entrada volta todo de uma vez, em `problemas`.\n",
    );
    // No link: who reads this page would fetch it, and it is no page.
    out.push_str(&format!("O mesmo, como ferramentas de um servidor MCP (Streamable HTTP): `{}`.\n", mcp::URL));
    let contract = subject.contract;
    section(&mut out, "Leitura", contract.routes.iter().filter(|route| route.agent && route.method == Method::Get).map(read));
    section(&mut out, "Ações", contract.routes.iter().filter_map(|route| action(contract, route)));
    let more = [
        (manifest::PATH, "Manifesto", "rotas e ações, com JSON Schema do que entra e do que sai"),
        (OPENAPI, "OpenAPI", "o mesmo, em OpenAPI 3.1"),
    ];
    section(&mut out, "Descrição", more.into_iter().map(|(path, name, about)| format!("[{name}]({path}): {about}")));
    section(&mut out, "Optional", [(AGENT_CARD, "Cartão A2A")].into_iter().map(|(path, name)| format!("[{name}]({path})")));
    out
}

fn section(out: &mut String, title: &str, items: impl Iterator<Item = String>) {
    let items: Vec<String> = items.collect();
    if !items.is_empty() {
        out.push_str(&format!("\n## {title}\n\n"));
        items.iter().for_each(|item| out.push_str(&format!("- {item}\n")));
    }
}

/// A link where the address is whole; where it has places to fill, the address as code.
fn read(route: &Route) -> String {
    let about = route.about.as_deref().map(|about| format!(": {}", line(about))).unwrap_or_default();
    let query = manifest::query_names(route);
    let query = if query.is_empty() { String::new() } else { format!(" (aceita `?{}`)", query.join("`, `?")) };
    let place = if route.path.contains('{') { format!("`GET {}`", route.path) } else { format!("[{0}]({0})", route.path) };
    format!("{place}{about}{query}")
}

fn action(contract: &Contract, route: &Route) -> Option<String> {
    let action = contract.actions.get(route.action?)?;
    let about = action.description.as_deref().or(route.about.as_deref());
    let about = about.map(|about| format!(": {}", line(about))).unwrap_or_default();
    Some(format!("`{} {}`{about}", route.method.as_str(), route.path))
}

/// A text that stays on one line.
fn line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
