//! The API catalogue (RFC 9727): a set of links (RFC 9264) to what describes the site.

use djo_contract::manifest;
use serde_json::{Value, json};

use super::{AGENT_CARD, API_CATALOG, LLMS, OPENAPI, Subject};
use crate::protocols::mcp;

/// What it is sent as.
pub(super) const CONTENT_TYPE: &str = "application/linkset+json; profile=\"https://www.rfc-editor.org/info/rfc9727\"";
/// What its response says of itself.
pub(super) const LINK: &str = "</.well-known/api-catalog>; rel=\"api-catalog\"";

/// The catalogue of a site, which has two interfaces: the site itself, and the server of tools that it is.
pub(super) fn document(subject: &Subject<'_>) -> Value {
    json!({ "linkset": [
        { "anchor": API_CATALOG, "item": [{ "href": "/", "title": subject.name }, { "href": mcp::URL, "title": "MCP" }] },
        {
            "anchor": "/",
            "service-desc": [
                { "href": OPENAPI, "type": "application/json", "title": "OpenAPI 3.1" },
                { "href": manifest::PATH, "type": "application/json", "title": "djo-manifest/1" },
            ],
            "service-doc": [{ "href": LLMS, "type": "text/plain", "title": "llms.txt" }],
            "service-meta": [{ "href": AGENT_CARD, "type": "application/json", "title": "A2A" }],
        },
    ] })
}
