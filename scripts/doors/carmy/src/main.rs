//! Reads what a site answers as carmy itself would: by carmy's own types. The first argument says what is on standard input.

use std::{env, error::Error, io};

use carmy_core::{AgentError, ExecutionStatus, ToolMetadata};
use serde::Deserialize;
use serde_json::{Value, to_value};

#[derive(Deserialize)]
struct Tools {
    tools: Vec<ToolMetadata>,
}

#[derive(Deserialize)]
struct Answer {
    execution_id: String,
    status: ExecutionStatus,
    data: Option<Value>,
    error: Option<AgentError>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let value: Value = serde_json::from_reader(io::stdin())?;
    match env::args().nth(1).as_deref() {
        // Nothing is there that carmy's catalogue has not, and nothing is missing.
        Some("tools") => {
            let read: Tools = serde_json::from_value(value.clone())?;
            if read.tools.is_empty() || to_value(&read.tools)? != value["tools"] {
                return Err("the catalogue is not one of carmy's".into());
            }
        }
        Some(kind @ ("completed" | "failed")) => {
            let answer: Answer = serde_json::from_value(value)?;
            let fits = match &answer.error {
                None => kind == "completed" && answer.data.is_some(),
                Some(error) => kind == "failed" && answer.data.is_none() && !error.code.is_empty(),
            };
            if !fits || answer.status.as_str() != kind || answer.execution_id.is_empty() {
                return Err(format!("not an answer that has {kind}").into());
            }
        }
        other => return Err(format!("what is {other:?}?").into()),
    }
    Ok(())
}
