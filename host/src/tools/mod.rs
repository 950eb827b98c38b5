//! Calls of tools by name, for every door whose callers are agents: what may be sent, keys, confirmations, next pages, and one answer.
//!
//! A door turns what it is sent into an [`Invocation`]; [`plan`] refuses what could never run; [`run`] and [`start`] run the rest, watched
//! by an [`Execution`] that can be asked about and ended. Below it all doors are alike: [`crate::execution::execute`].

pub mod answer;
mod call;
mod confirm;
pub mod error;
mod event;
mod failure;
pub mod live;
mod pages;
mod perform;
mod plain;
mod plan;

use std::sync::Arc;
use std::time::Duration;

use djo_contract::value::Value;

pub use answer::Answer;
pub use confirm::Confirmations;
pub use error::ToolError;
pub use error::{Category, Directive};
pub use event::Event;
pub use live::{CancelOnDrop, Execution, Executions};
pub use pages::Chain;
pub use perform::{lost, new_execution_id, read, recorded, run, running, start};
pub use plain::go_on;
pub use plan::{Plan, plan};

use crate::sandbox::Context;
use crate::tenant::Site;

/// A call as a door was sent it.
pub struct Invocation {
    /// The site.
    pub site: Arc<Site>,
    /// The tool's name.
    pub tool: String,
    /// The arguments.
    pub arguments: Value,
    /// On whose behalf.
    pub context: Context,
    /// What else was asked.
    pub options: Options,
}

/// What can be asked of a call beside its arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Options {
    /// The key under which it runs once.
    pub request_id: Option<String>,
    /// Only check it.
    pub dry_run: bool,
    /// Lowers the time-out.
    pub timeout: Option<Duration>,
    /// A person's confirmation.
    pub confirm: Option<String>,
    /// The arguments are by the strict schema, in which `null` may stand for absence.
    pub strict: bool,
    /// The execution whose next page is asked for.
    pub continuation: Option<String>,
}

/// Where the tools are told.
pub const TOOLS_URL: &str = "/agent/tools";
/// Where executions can be asked about, by id.
pub const EXECUTIONS_URL: &str = "/agent/executions/";
