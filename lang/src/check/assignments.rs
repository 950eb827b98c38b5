//! Where the locals of a body get their values.

use crate::ast::{Block, Expr, Name, StmtKind};

/// Where a local's value comes from.
pub(super) enum Source<'a> {
    Value(&'a Expr),
    /// An item of it.
    Item(&'a Expr),
    /// `catch`
    Error,
    Other,
}

/// Calls `visit` with each name that a block gives a value to, in order.
pub(super) fn each_assignment<'a>(block: &'a Block, visit: &mut impl FnMut(&'a Name, Source<'a>)) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Assign(name, value) => visit(name, Source::Value(value)),
            StmtKind::If(branches, otherwise) => {
                branches.iter().for_each(|(_, block)| each_assignment(block, visit));
                if let Some(block) = otherwise {
                    each_assignment(block, visit);
                }
            }
            StmtKind::For(first, second, items, block) => {
                match second {
                    None => visit(first, Source::Item(items)),
                    Some(second) => {
                        visit(first, Source::Other);
                        visit(second, Source::Item(items));
                    }
                }
                each_assignment(block, visit);
            }
            StmtKind::While(_, block) => each_assignment(block, visit),
            StmtKind::Try(body, name, handler) => {
                each_assignment(body, visit);
                visit(name, Source::Error);
                each_assignment(handler, visit);
            }
            StmtKind::Capture(name, block) => {
                each_assignment(block, visit);
                visit(name, Source::Other);
            }
            StmtKind::Unread(_, block) => each_assignment(block, visit),
            _ => {}
        }
    }
}

/// Every name that a block gives a value to, in order.
pub(super) fn assigned_names(block: &Block) -> Vec<&Name> {
    let mut names = Vec::new();
    each_assignment(block, &mut |name, _| names.push(name));
    names
}
