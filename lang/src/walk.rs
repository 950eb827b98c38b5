//! Walks over the tree. The parser bounds how deep it is.

use crate::ast::{Block, Expr, ExprKind, Stmt, StmtKind};

/// What a walk comes by.
pub(crate) enum Node<'a> {
    Stmt(&'a Stmt),
    Expr(&'a Expr),
}

/// Calls `visit` with every statement and expression of a block, the outer before the inner.
pub(crate) fn block<'a>(statements: &'a Block, visit: &mut impl FnMut(Node<'a>)) {
    for stmt in statements {
        visit(Node::Stmt(stmt));
        match &stmt.kind {
            StmtKind::Assign(_, value) | StmtKind::Expr(value) | StmtKind::Output(value, _) => expr(value, visit),
            StmtKind::AssignField(base, _, value) | StmtKind::Update(base, _, value) => {
                [base, value].into_iter().for_each(|e| expr(e, visit))
            }
            StmtKind::AssignIndex(base, index, value) => [base, index, value].into_iter().for_each(|e| expr(e, visit)),
            StmtKind::If(branches, otherwise) => {
                for (condition, then) in branches {
                    expr(condition, visit);
                    block(then, visit);
                }
                otherwise.iter().for_each(|otherwise| block(otherwise, visit));
            }
            StmtKind::For(_, _, head, body) | StmtKind::While(head, body) => {
                expr(head, visit);
                block(body, visit);
            }
            StmtKind::Return(value) => value.iter().for_each(|value| expr(value, visit)),
            StmtKind::Try(body, _, handler) => {
                block(body, visit);
                block(handler, visit);
            }
            StmtKind::Capture(_, body) | StmtKind::Unread(_, body) => block(body, visit),
            StmtKind::Break | StmtKind::Continue | StmtKind::Text(_) => {}
        }
    }
}

/// The same of an expression, itself included.
fn expr<'a>(whole: &'a Expr, visit: &mut impl FnMut(Node<'a>)) {
    visit(Node::Expr(whole));
    match &whole.kind {
        ExprKind::Arr(items) | ExprKind::Text(items) => items.iter().for_each(|item| expr(item, visit)),
        ExprKind::Map(entries) => entries.iter().for_each(|(key, value)| {
            expr(key, visit);
            expr(value, visit);
        }),
        ExprKind::Member(inner, _) | ExprKind::Not(inner) | ExprKind::Negate(inner) | ExprKind::Lambda(_, inner) => expr(inner, visit),
        ExprKind::Index(a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) | ExprKind::Coalesce(a, b) | ExprKind::Binary(_, a, b) => {
            expr(a, visit);
            expr(b, visit);
        }
        ExprKind::Call(callee, arguments) => {
            expr(callee, visit);
            arguments.iter().for_each(|argument| expr(argument, visit));
        }
        ExprKind::Nil
        | ExprKind::Bool(_)
        | ExprKind::Int(_)
        | ExprKind::Float(_)
        | ExprKind::Str(_)
        | ExprKind::Name(_)
        | ExprKind::Error => {}
    }
}
