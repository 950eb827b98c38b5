//! What happens in an execution. It is put into words where somebody reads it: most of it nobody does.

use std::sync::Arc;
use std::time::Duration;

use djo_contract::json;
use djo_contract::value::Value;

use super::Answer;
use crate::sandbox::Progress;

/// Something that happened in an execution.
#[derive(Clone, Debug)]
pub enum Event {
    /// It is there.
    Started,
    /// Its tool is called.
    ToolStarted,
    /// Its run reports how far it has come. All numbers are finite.
    Progress(Arc<Progress>),
    /// Its tool has answered.
    ToolCompleted {
        /// How long it took.
        took: Duration,
        /// It was no failure.
        ok: bool,
    },
    /// It is over.
    Completed(Arc<Answer>),
}

impl Event {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Started => "execution.started",
            Self::ToolStarted => "tool.started",
            Self::Progress(_) => "tool.progress",
            Self::ToolCompleted { .. } => "tool.completed",
            Self::Completed(_) => "execution.completed",
        }
    }

    /// Its data, as JSON text, in an execution of a tool.
    pub fn data(&self, execution: &str, tool: &str) -> String {
        let mut members = vec![("execution_id", Value::from(execution)), ("tool", Value::from(tool))];
        match self {
            Self::Started | Self::ToolStarted => {}
            Self::Progress(progress) => {
                members.push(("progress", Value::Float(progress.done)));
                members.extend(progress.total.map(|total| ("total", Value::Float(total))));
                members.extend(progress.message.as_deref().map(|message| ("message", Value::from(message))));
            }
            Self::ToolCompleted { took, ok } => {
                members.push(("duration_ms", Value::Int(i64::try_from(took.as_millis()).unwrap_or(i64::MAX))));
                members.push(("ok", Value::Bool(*ok)));
            }
            Self::Completed(answer) => return answer.event(),
        }
        json::to_string(&Value::Map(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()))
    }

    /// What it takes up, about, in bytes; an answer counts for itself.
    pub(super) fn bytes(&self) -> usize {
        let reported = match self {
            Self::Progress(progress) => size_of::<Progress>() + progress.message.as_deref().map_or(0, str::len),
            Self::Started | Self::ToolStarted | Self::ToolCompleted { .. } | Self::Completed(_) => 0,
        };
        size_of::<Self>() + reported
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_data_says_whose_it_is() {
        let progress =
            |total, message: Option<&str>| Event::Progress(Arc::new(Progress { done: 1.5, total, message: message.map(str::to_owned) }));
        for (event, more) in [
            (Event::Started, ""),
            (Event::ToolStarted, ""),
            (progress(None, None), r#","progress":1.5"#),
            (progress(Some(3.0), Some("a\"b")), r#","progress":1.5,"total":3,"message":"a\"b""#),
            (Event::ToolCompleted { took: Duration::from_micros(7900), ok: true }, r#","duration_ms":7,"ok":true"#),
        ] {
            assert_eq!(event.data("exec_1", "t"), format!(r#"{{"execution_id":"exec_1","tool":"t"{more}}}"#), "{}", event.name());
        }
    }
}
