//! Next pages: the request is retained under the execution that gave this one, and a chain never turns in a circle.

use std::sync::Arc;

use djo_contract::json;
use djo_contract::value::Value;
use sha2::{Digest, Sha256};

use super::plan::Asked;
use crate::execution::{BoundsError, Caller, ExecutionError, RunFailure, ShapeError};
use crate::sandbox::PageBounds;
use crate::store::{Retained, StoreError};
use crate::tenant::Site;

/// Bytes of a cursor's hash, and cursors of one chain.
const MARK: usize = 8;
const MAX_PAGES: usize = 4_096;

/// Why a next page cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PageError {
    /// The chain has been there before, or never ends.
    #[error("o próximo cursor é um que estas páginas já tiveram")]
    Circle,
    /// The request cannot be retained.
    #[error("{}", .0.detail())]
    Store(StoreError),
}

impl From<PageError> for ExecutionError {
    fn from(error: PageError) -> Self {
        match error {
            PageError::Circle => Self::Shape(ShapeError::Bounds(BoundsError::Circle)),
            PageError::Store(_) => Self::Run(RunFailure::Failed(None)),
        }
    }
}

/// What the next page of a result goes on from.
pub struct Chain {
    pub(super) site: Arc<Site>,
    pub(super) caller: Caller,
    /// The tool that gave the first page.
    pub(super) tool: String,
    /// What it was asked: the model input, decoded, as JSON.
    pub(super) arguments: Vec<u8>,
    /// Hashes of the cursors that led here.
    pub(super) seen: Vec<u8>,
}

impl Chain {
    /// Retains the request under the name of an execution, for the page at a cursor.
    pub(super) fn retain(self, execution: &str, cursor: &str) -> Result<(), PageError> {
        let Self { site, caller, tool, arguments, mut seen } = self;
        let mark = mark(cursor);
        if seen.chunks_exact(MARK).any(|known| known == mark) || seen.len() >= MAX_PAGES * MARK {
            return Err(PageError::Circle);
        }
        seen.extend(mark);
        let retained = Retained { tool, arguments, cursor: cursor.to_owned(), seen };
        site.tenant.store.retain(execution, caller.as_bytes(), &retained).map_err(PageError::Store)
    }
}

/// Retains the request of a page that has a next one; answers the step that asks for it.
pub(super) fn next(plan: &Asked, execution: &str, page: &PageBounds) -> Result<Option<Value>, PageError> {
    let Some(cursor) = &page.next_cursor else { return Ok(None) };
    let first = plan.tool().continues.as_deref().unwrap_or(&plan.tool().name);
    let mut arguments = String::new();
    json::write_exact(&plan.arguments, &mut arguments);
    let chain = Chain {
        site: Arc::clone(&plan.site),
        caller: plan.caller,
        tool: first.to_owned(),
        arguments: arguments.into_bytes(),
        seen: plan.retained.as_ref().map(|retained| retained.seen.clone()).unwrap_or_default(),
    };
    chain.retain(execution, cursor)?;
    // A continuation of its own name is what a caller finds in the catalogue; else the tool continues itself.
    let continuation = plan.site.tools.tools().iter().find(|tool| tool.continues.as_deref() == Some(first));
    let name = continuation.map_or(first, |tool| &tool.name);
    Ok(Some(Value::Map(vec![
        ("tool".into(), name.into()),
        ("arguments".into(), Value::Map(Vec::new())),
        ("continuation".into(), execution.into()),
        ("reason".into(), "há mais resultados: peça a próxima página".into()),
    ])))
}

fn mark(cursor: &str) -> [u8; MARK] {
    let digest = Sha256::digest(cursor);
    let mut mark = [0; MARK];
    mark.copy_from_slice(&digest[..MARK]);
    mark
}
