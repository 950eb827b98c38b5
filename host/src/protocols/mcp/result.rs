//! Answers of tools as the protocol gives them: the data as structured content and as the same JSON in a text, blocks of content as they
//! are; of what went wrong the error as JSON, for the model to mend its call. What is for the program that calls is in `_meta`.

use djo_contract::media::CONTENT_BLOCKS;
use djo_contract::model::Contract;
use djo_contract::tool::Tool;
use djo_contract::value::Value;
use http::StatusCode;
use rmcp::model::{CallToolResult, ContentBlock, JsonObject, MetaObject};

use super::tools::{RESULT, is_wrapped};
use crate::documents::json;
use crate::tools::Answer;

/// The key under which a call runs once, in the `_meta` of the request.
pub(super) const REQUEST_ID: &str = "djo/request_id";
/// A person's confirmation, in the `_meta` of the answer that asks for one and of the call that has it.
pub(super) const CONFIRM: &str = "djo/confirm";
/// The execution whose next page is asked for, in the `_meta` of that call.
pub(super) const CONTINUATION: &str = "djo/continuation";

/// The result of a call. One that is no object is wrapped for clients that take only objects.
pub(super) fn of(answer: &Answer, contract: &Contract, tool: &Tool, any: bool) -> CallToolResult {
    let Value::Map(mut members) = answer.value() else { return CallToolResult::error(Vec::new()) };
    let mut take = |name: &str| members.iter_mut().find(|(known, _)| known == name).map(|(_, value)| std::mem::replace(value, Value::Nil));
    let agent = take("_agent").unwrap_or(Value::Nil);
    let mut result = match take("data") {
        Some(data) if answer.status == StatusCode::OK => completed(data, &agent, contract, tool, any),
        _ => CallToolResult::error(vec![ContentBlock::text(text(&take("error").unwrap_or(Value::Nil)))]),
    };
    let mut meta = JsonObject::new();
    for (name, value) in [("djo/execution_id", take("execution_id")), ("djo/replayed", take("replayed"))] {
        meta.extend(value.map(|value| (name.to_owned(), json(&value))));
    }
    tell(agent, &mut meta);
    result.meta = Some(MetaObject(meta));
    result
}

fn completed(data: Value, agent: &Value, contract: &Contract, tool: &Tool, any: bool) -> CallToolResult {
    if agent.get("media_type").and_then(Value::as_str) == Some(CONTENT_BLOCKS)
        && let Ok(blocks) = serde_json::from_value::<Vec<ContentBlock>>(json(&data))
    {
        return CallToolResult::success(blocks);
    }
    let declared = contract.routes.get(tool.route).is_some_and(|route| route.returns.is_some());
    // A text of which no schema speaks is for reading.
    if let (Value::Str(text), false) = (&data, declared) {
        return CallToolResult::success(vec![ContentBlock::text(text.clone())]);
    }
    let is_wrapped = if declared { is_wrapped(contract, tool) } else { !matches!(data, Value::Map(_)) };
    let data = if is_wrapped && !any { Value::Map(vec![(RESULT.to_owned(), data)]) } else { data };
    let mut result = CallToolResult::success(vec![ContentBlock::text(text(&data))]);
    result.structured_content = Some(json(&data));
    result
}

/// How much of a result this is, and what can be done next.
fn tell(agent: Value, meta: &mut JsonObject) {
    let Value::Map(members) = agent else { return };
    for (name, value) in members {
        if name == "media_type" {
            continue;
        }
        if name == "next_actions" {
            let steps = value.as_arr().unwrap_or_default();
            let token = steps.iter().find_map(|step| step.get("confirm"));
            meta.extend(token.map(|token| (CONFIRM.to_owned(), json(token))));
            if steps.is_empty() {
                continue;
            }
        }
        meta.insert(format!("djo/{name}"), json(&value));
    }
}

fn text(value: &Value) -> String {
    djo_contract::json::to_string(value)
}
