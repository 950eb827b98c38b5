//! Whether Arrs stay as they are while a unit runs.

use super::{
    symbols::{Declarations, Symbol},
    unit::base_name,
};
use crate::{
    ast::{Block, Expr, ExprKind, StmtKind},
    walk::{self, Node},
};

/// Nothing in the body writes into an Arr or runs code that might: then what a parameter's type says of its items, and what an Arr is
/// made with, holds as long as the unit runs. An Arr takes items of any type later on, and whoever else has it sees them.
pub(super) fn is_settled(declarations: &Declarations, body: &Block) -> bool {
    let mut settled = true;
    walk::block(body, &mut |node| {
        settled &= match node {
            Node::Stmt(stmt) => match &stmt.kind {
                StmtKind::AssignIndex(..) | StmtKind::Unread(..) => false,
                StmtKind::Update(target, ..) => !matches!(target.kind, ExprKind::Index(..)),
                _ => true,
            },
            Node::Expr(expr) => !may_change(declarations, expr),
        }
    });
    settled
}

fn may_change(declarations: &Declarations, expr: &Expr) -> bool {
    match &expr.kind {
        // Called here, or given to something that calls it.
        ExprKind::Name(name) => matches!(declarations.find(name), Some(Symbol::Function(_))),
        ExprKind::Member(base, member) => is_arr(base) && member.text == "push",
        ExprKind::Call(callee, arguments) => match &callee.kind {
            ExprKind::Member(base, member)
                if is_arr(base) && matches!(member.text.as_str(), "map" | "filter" | "reduce" | "sort_by" | "find") =>
            {
                arguments.get(1).is_some_and(is_stored)
            }
            _ => base_name(callee).is_some_and(|base| declarations.find(base).is_none() && !super::symbols::is_language_name(base)),
        },
        _ => false,
    }
}

fn is_arr(base: &Expr) -> bool {
    matches!(&base.kind, ExprKind::Name(name) if name == "Arr")
}

/// Where a value may be a function of the site's that is not named here.
fn is_stored(expr: &Expr) -> bool {
    !matches!(
        expr.kind,
        ExprKind::Lambda(..) | ExprKind::Str(_) | ExprKind::Int(_) | ExprKind::Float(_) | ExprKind::Bool(_) | ExprKind::Nil
    )
}
