//! The agent card (A2A 1.0): who the site is and what it can do, for agents that look for others.

use djo_contract::tool::Tool;
use serde_json::{Value, json};

use super::{LLMS, Subject};
use crate::protocols::mcp;

/// The card of a site. It claims no interface that is not there: the site speaks carmy/1 and MCP, by the names they have. No client
/// takes them for bindings of A2A itself.
pub(super) fn document(subject: &Subject<'_>) -> Value {
    let about = if subject.about.is_empty() { "Um site que atende agentes." } else { subject.about };
    let skills: Vec<Value> = subject.tools.tools().iter().map(skill).collect();
    let interface = |url: &str, binding: &str, version: &str| json!({ "url": url, "protocolBinding": binding, "protocolVersion": version });
    json!({
        "name": subject.name,
        "description": about,
        "supportedInterfaces": [interface("/agent/execute", "carmy", "1"), interface(mcp::URL, "MCP", mcp::REVISION)],
        "version": subject.version,
        "documentationUrl": LLMS,
        "capabilities": { "streaming": true, "pushNotifications": false, "extendedAgentCard": false },
        "defaultInputModes": ["application/json"],
        "defaultOutputModes": ["application/json"],
        "skills": skills,
    })
}

fn skill(tool: &Tool) -> Value {
    let description = if tool.description.is_empty() { &tool.name } else { &tool.description };
    json!({ "id": tool.name, "name": tool.name, "description": description, "tags": [tool.effect.as_str()] })
}
