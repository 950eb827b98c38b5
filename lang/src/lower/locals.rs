//! The locals of a function: every name that its body assigns, in order of appearance.

use crate::ast::{Block, StmtKind};

/// Calls `add` with each assigned name, perhaps more than once. The parser bounds how deep blocks nest.
pub(super) fn each(block: &Block, add: &mut impl FnMut(&str)) {
    for stmt in block {
        match &stmt.kind {
            StmtKind::Assign(name, _) => add(&name.text),
            StmtKind::If(branches, otherwise) => {
                branches.iter().for_each(|(_, block)| each(block, add));
                if let Some(block) = otherwise {
                    each(block, add);
                }
            }
            StmtKind::For(first, second, _, block) => {
                add(&first.text);
                if let Some(second) = second {
                    add(&second.text);
                }
                each(block, add);
            }
            StmtKind::While(_, block) => each(block, add),
            StmtKind::Try(block, name, caught) => {
                each(block, add);
                add(&name.text);
                each(caught, add);
            }
            StmtKind::Capture(name, block) => {
                each(block, add);
                add(&name.text);
            }
            StmtKind::Unread(..)
            | StmtKind::AssignField(..)
            | StmtKind::AssignIndex(..)
            | StmtKind::Update(..)
            | StmtKind::Break
            | StmtKind::Continue
            | StmtKind::Return(_)
            | StmtKind::Expr(_)
            | StmtKind::Text(_)
            | StmtKind::Output(..) => {}
        }
    }
}
