//! What a site publishes about itself. All of it follows from the contract, so that each document is made when it is first asked for,
//! once per revision: of thousands of sites, most are idle.
//!
//! Addresses in these documents are references relative to the site: it may answer to many hosts, over TLS that ends elsewhere,
//! and what is resolved against the address a document was read from is right for each of them.

mod card;
mod catalog;
mod llms;
mod openapi;

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use djo_contract::manifest::{self, greeting, is_offered, manifest};
use djo_contract::model::Contract;
use djo_contract::tool::Catalogue;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, LINK};
use http::{HeaderMap, HeaderValue};
use serde_json::Value;

use crate::execution::entity_tag;
use crate::respond::copied;

/// Where the OpenAPI document is.
const OPENAPI: &str = "/.well-known/openapi.json";
/// Where the catalogue of the site's interfaces is (RFC 9727).
const API_CATALOG: &str = "/.well-known/api-catalog";
/// Where the agent card is (A2A 1.0).
const AGENT_CARD: &str = "/.well-known/agent-card.json";
/// Where the page for language models is (llmstxt.org).
const LLMS: &str = "/llms.txt";
/// Where crawlers look (RFC 9309).
const ROBOTS: &str = "/robots.txt";

/// A document, ready to be sent.
pub struct Document {
    /// Its content type, tag and how long it may be kept.
    pub headers: HeaderMap,
    /// Its bytes.
    pub body: Bytes,
}

/// The documents of a site that serves agents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DocumentName {
    /// The manifest.
    Manifest,
    /// What an agent gets at `/` where the site has no face for it.
    Greeting,
    /// OpenAPI 3.1.
    OpenApi,
    /// Which of these documents there are.
    ApiCatalog,
    /// For agents that discover others by A2A.
    AgentCard,
    /// For language models.
    Llms,
    /// For crawlers.
    Robots,
}

impl DocumentName {
    const COUNT: usize = Self::Robots as usize + 1;

    /// The document at a path that is not the product's own: the site's route or file of that path comes first.
    pub fn at(path: &str) -> Option<Self> {
        Some(match path {
            OPENAPI => Self::OpenApi,
            API_CATALOG => Self::ApiCatalog,
            AGENT_CARD => Self::AgentCard,
            LLMS => Self::Llms,
            ROBOTS => Self::Robots,
            _ => return None,
        })
    }
}

/// The documents of a site that serves agents.
pub struct Documents {
    /// The site's name where it gives none itself.
    name: Arc<str>,
    contract: Arc<Contract>,
    tools: Arc<Catalogue>,
    /// What was asked for so far, by name.
    made: [OnceLock<Box<Document>>; DocumentName::COUNT],
}

/// What the documents are made of.
struct Subject<'c> {
    /// The site's name: as it presents itself, or its folder's.
    name: &'c str,
    /// What it is; empty when nobody said.
    about: &'c str,
    /// Changes when what is offered does, and only then.
    version: String,
    contract: &'c Contract,
    tools: &'c Catalogue,
}

impl Documents {
    /// The documents of a site; `None` when it offers nothing to agents. `name` is the site's where it gives none itself.
    pub fn of(name: &Arc<str>, contract: &Arc<Contract>, tools: &Arc<Catalogue>) -> Option<Self> {
        is_offered(contract).then(|| Self {
            name: Arc::clone(name),
            contract: Arc::clone(contract),
            tools: Arc::clone(tools),
            made: Default::default(),
        })
    }

    /// The document of that name.
    pub fn get(&self, name: DocumentName) -> &Document {
        self.made[name as usize].get_or_init(|| Box::new(self.make(name)))
    }

    fn make(&self, name: DocumentName) -> Document {
        match name {
            DocumentName::Manifest => Document::json(manifest(&self.contract)),
            DocumentName::Greeting => Document::json(greeting(&self.contract)),
            DocumentName::OpenApi => Document::json(openapi::document(&self.subject()).to_string()),
            DocumentName::ApiCatalog => Document::catalog(&catalog::document(&self.subject())),
            DocumentName::AgentCard => Document::json(card::document(&self.subject()).to_string()),
            DocumentName::Llms => Document::new(llms::document(&self.subject()), "text/plain; charset=utf-8"),
            DocumentName::Robots => Document::new(robots(), "text/plain; charset=utf-8"),
        }
    }

    fn subject(&self) -> Subject<'_> {
        let site = self.contract.site.as_ref();
        Subject {
            name: site.map_or(&self.name, |site| &site.nome),
            about: site.map_or("", |site| &site.about),
            version: self.get(DocumentName::Manifest).tag().chars().take(12).collect(),
            contract: &self.contract,
            tools: &self.tools,
        }
    }
}

impl Document {
    fn new(text: String, content_type: &'static str) -> Self {
        let body = Bytes::from(text);
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
        headers.insert(CACHE_CONTROL, HeaderValue::from_static("max-age=60"));
        headers.insert(ETAG, entity_tag(&body));
        Self { headers, body }
    }

    fn json(text: String) -> Self {
        Self::new(text, "application/json")
    }

    /// RFC 9727 wants the relation said in a header too, so that a `HEAD` learns it.
    fn catalog(value: &Value) -> Self {
        let mut document = Self::new(value.to_string(), catalog::CONTENT_TYPE);
        document.headers.insert(LINK, HeaderValue::from_static(catalog::LINK));
        document
    }

    /// The document as a response.
    pub fn response(&self) -> http::Response<Bytes> {
        let mut response = http::Response::new(self.body.clone());
        *response.headers_mut() = copied(&self.headers);
        response
    }

    /// Its tag, without the quotes.
    fn tag(&self) -> &str {
        self.headers.get(ETAG).and_then(|tag| tag.to_str().ok()).unwrap_or_default().trim_matches('"')
    }
}

/// Everything may be read; agents are told where to begin.
fn robots() -> String {
    format!("# Para agentes e modelos: {LLMS} e {}\nUser-agent: *\nAllow: /\n", manifest::PATH)
}

/// A value of the contract as one of `serde_json`.
pub(crate) fn json(value: &djo_contract::value::Value) -> Value {
    // What the contract's writer writes is JSON.
    serde_json::from_str(&djo_contract::json::to_string(value)).unwrap_or(Value::Null)
}

#[cfg(test)]
mod tests;
