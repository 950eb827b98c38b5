//! What a site says of its tools: made when it is first asked for, once per revision, and named by the hash of its bytes.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use djo_contract::json;
use djo_contract::model::Contract;
use djo_contract::strict::strict_schema;
use djo_contract::tool::{Catalogue, Tool};
use djo_contract::value::Value;
use http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG};
use http::{HeaderMap, HeaderValue};
use sha2::{Digest, Sha256};

use super::EXECUTE_URL;
use crate::documents::Document;
use crate::protocols::mcp;
use crate::text::hex;
use crate::tools::TOOLS_URL;

/// The documents of this protocol.
pub struct Discovery {
    /// The site's name where it gives none itself.
    name: Arc<str>,
    contract: Arc<Contract>,
    catalogue: Arc<Catalogue>,
    agent: OnceLock<Box<Document>>,
    tools: OnceLock<Box<(Document, String)>>,
    strict_tools: OnceLock<Box<Document>>,
}

impl Discovery {
    /// The documents of a site; `None` when it has no tools.
    pub fn of(name: &Arc<str>, contract: &Arc<Contract>, catalogue: &Arc<Catalogue>) -> Option<Self> {
        (!catalogue.is_empty()).then(|| Self {
            name: Arc::clone(name),
            contract: Arc::clone(contract),
            catalogue: Arc::clone(catalogue),
            agent: OnceLock::new(),
            tools: OnceLock::new(),
            strict_tools: OnceLock::new(),
        })
    }

    /// Where everything is.
    pub fn agent(&self) -> &Document {
        self.agent.get_or_init(|| {
            let server = self.contract.site.as_ref().map_or(&*self.name, |site| &site.nome);
            let capabilities = ["tools", "streaming", "idempotency", "mcp"].map(Value::from).to_vec();
            let agent = document(&Value::Map(vec![
                ("protocol".into(), "carmy/1".into()),
                ("server".into(), server.into()),
                ("capabilities".into(), Value::Arr(capabilities)),
                ("tools_url".into(), TOOLS_URL.into()),
                ("tools_version".into(), self.versioned_tools().1.as_str().into()),
                ("execute_url".into(), EXECUTE_URL.into()),
                ("mcp_url".into(), mcp::URL.into()),
            ]));
            Box::new(agent.0)
        })
    }

    /// The catalogue.
    pub fn tools(&self) -> &Document {
        &self.versioned_tools().0
    }

    /// The catalogue with the schemas that strict modes of model providers take.
    pub fn strict_tools(&self) -> &Document {
        self.strict_tools.get_or_init(|| Box::new(self.list(|contract, tool| strict_schema(&contract.types, tool.input())).0))
    }

    fn versioned_tools(&self) -> &(Document, String) {
        self.tools.get_or_init(|| Box::new(self.list(|contract, tool| tool.input_schema(&contract.types))))
    }

    fn list(&self, schema: fn(&Contract, &Tool) -> Value) -> (Document, String) {
        let contract = &self.contract;
        let listed = self.catalogue.tools().iter().map(|tool| listed(contract, tool, schema(contract, tool))).collect();
        document(&Value::Map(vec![("tools".into(), Value::Arr(listed))]))
    }
}

/// A tool as the catalogue lists it.
fn listed(contract: &Contract, tool: &Tool, input_schema: Value) -> Value {
    let confirmation = if tool.confirmation { "required" } else { "none" };
    Value::Map(vec![
        ("name".into(), tool.name.as_str().into()),
        ("description".into(), tool.description.as_str().into()),
        ("input_schema".into(), input_schema),
        ("output_schema".into(), tool.output_schema(contract)),
        ("effect".into(), tool.effect.as_str().into()),
        ("idempotent".into(), Value::Bool(tool.idempotent)),
        ("parallel_safe".into(), Value::Bool(tool.parallel_safe)),
        ("confirmation".into(), confirmation.into()),
    ])
}

/// A document, and its version.
fn document(value: &Value) -> (Document, String) {
    let body = Bytes::from(json::to_string(value));
    let version = hex(&Sha256::digest(&body));
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("private, max-age=60"));
    if let Ok(tag) = HeaderValue::try_from(format!("\"{version}\"")) {
        headers.insert(ETAG, tag);
    }
    (Document { headers, body }, version)
}
