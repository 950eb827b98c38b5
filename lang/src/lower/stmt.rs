//! Statements.

use djo_vm::op::{self, Op, encode};

use super::{
    assigned::Assigned,
    body::{Body, Loop},
};
use crate::ast::{BinaryOp, Block, Escape, Expr, ExprKind, Name, Span, Stmt, StmtKind};

fn escape_code(escape: Escape) -> u8 {
    let code = match escape {
        Escape::Raw => op::Escape::Raw,
        Escape::Text => op::Escape::Text,
        Escape::Attribute => op::Escape::Attribute,
        Escape::Url => op::Escape::Url,
        Escape::UrlPath => op::Escape::UrlPath,
        Escape::UrlQuery => op::Escape::UrlQuery,
        Escape::Script => op::Escape::Script,
        Escape::ScriptString => op::Escape::ScriptString,
        Escape::UrlRoot => op::Escape::UrlRoot,
        Escape::UrlRootEnd => op::Escape::UrlRootEnd,
        Escape::UrlAddress => op::Escape::UrlAddress,
    };
    code as u8
}

impl Body<'_, '_> {
    pub(super) fn block(&mut self, block: &Block) {
        for stmt in block {
            self.stmt(stmt);
        }
    }

    fn stmt(&mut self, stmt: &Stmt) {
        let watermark = self.watermark();
        self.mark(stmt.span);
        match &stmt.kind {
            StmtKind::Assign(name, value) => {
                let register = self.named_register(name);
                self.expr(value, register);
                self.assigned.insert(register);
            }
            StmtKind::AssignField(base, name, value) => {
                let (base, value) = (self.operand(base), self.operand(value));
                self.mark(stmt.span);
                let guess = self.shared.guess(&name.text);
                let name = self.shared.builder.string(&name.text);
                self.emit_pair(encode(Op::SetField, base, value, guess), name);
            }
            StmtKind::AssignIndex(base, index, value) => {
                let (base, index, value) = (self.operand(base), self.operand(index), self.operand(value));
                self.mark(stmt.span);
                self.emit(encode(Op::SetIndex, base, index, value));
            }
            StmtKind::Update(target, op, value) => self.update(target, *op, value, stmt.span),
            StmtKind::If(branches, otherwise) => self.branches(branches, otherwise.as_ref()),
            StmtKind::For(first, second, list, block) => self.each(first, second.as_ref(), list, block),
            StmtKind::While(condition, block) => self.repeat(condition, block),
            StmtKind::Break | StmtKind::Continue => self.leave(matches!(stmt.kind, StmtKind::Break)),
            StmtKind::Return(value) => {
                match value {
                    Some(value) => {
                        let value = self.operand(value);
                        self.emit(encode(Op::Return, value, 0, 0));
                    }
                    None => self.emit(encode(Op::ReturnNothing, 0, 0, 0)),
                }
                self.assigned = Assigned::UNREACHABLE;
            }
            StmtKind::Try(block, name, caught) => self.attempt(block, name, caught),
            StmtKind::Expr(expr) => {
                let register = self.reserve();
                self.expr(expr, register);
            }
            StmtKind::Text(text) => {
                if !text.is_empty() {
                    let text = self.shared.builder.string(text);
                    self.emit_pair(encode(Op::Text, 0, 0, 0), text);
                }
            }
            // A program has none.
            StmtKind::Unread(..) => {}
            StmtKind::Output(value, escape) => {
                let register = self.operand(value);
                self.mark(value.span);
                self.emit(encode(Op::Output, register, escape_code(*escape), 0));
            }
            StmtKind::Capture(name, block) => {
                self.emit(encode(Op::CaptureBegin, 0, 0, 0));
                self.block(block);
                let register = self.named_register(name);
                self.emit(encode(Op::CaptureEnd, register, 0, 0));
                self.assigned.insert(register);
            }
        }
        self.release(watermark);
    }

    /// `a.b += e`, `a[i] -= e`
    fn update(&mut self, target: &Expr, op: BinaryOp, value: &Expr, span: Span) {
        match &target.kind {
            ExprKind::Member(base, name) => {
                let base = self.operand(base);
                let result = self.reserve();
                self.mark(target.span);
                self.member(base, name, result);
                self.operate(op, result, value, span, result);
                let guess = self.shared.guess(&name.text);
                let name = self.shared.builder.string(&name.text);
                self.emit_pair(encode(Op::SetField, base, result, guess), name);
            }
            ExprKind::Index(base, index) => {
                let (base, index) = (self.operand(base), self.operand(index));
                let result = self.reserve();
                self.mark(target.span);
                self.emit(encode(Op::GetIndex, result, base, index));
                self.operate(op, result, value, span, result);
                self.emit(encode(Op::SetIndex, base, index, result));
            }
            _ => {}
        }
    }

    fn named_register(&self, name: &Name) -> u8 {
        self.local(&name.text).unwrap_or_default()
    }

    fn branches(&mut self, branches: &[(Expr, Block)], otherwise: Option<&Block>) {
        let mut ends = Vec::new();
        let mut after = Assigned::UNREACHABLE;
        for (index, (condition, block)) in branches.iter().enumerate() {
            self.mark(condition.span);
            let past = self.condition(condition, false);
            let before = self.assigned;
            self.block(block);
            after = after.meet(self.assigned);
            if (index + 1 < branches.len() || otherwise.is_some()) && self.assigned != Assigned::UNREACHABLE {
                ends.push(self.jump(Op::Jump, 0, 0));
            }
            self.assigned = before;
            self.land(past);
        }
        if let Some(block) = otherwise {
            self.block(block);
        }
        self.assigned = after.meet(self.assigned);
        self.land(ends);
    }

    fn repeat(&mut self, condition: &Expr, block: &Block) {
        let before = self.assigned;
        // The condition stands behind the body, so that each turn takes one jump.
        let start = self.jump(Op::Jump, 0, 0);
        let top = self.here();
        self.loops.push(Loop { breaks: Vec::new(), continues: Vec::new(), tries: self.tries });
        self.block(block);
        self.land([start]);
        let Some(open) = self.loops.pop() else { return };
        self.land(open.continues);
        self.assigned = before;
        self.mark(condition.span);
        for jump in self.condition(condition, true) {
            self.land_at(jump, top);
        }
        self.land(open.breaks);
    }

    fn each(&mut self, first: &Name, second: Option<&Name>, list: &Expr, block: &Block) {
        let state = self.reserve();
        let (_, _) = (self.reserve(), self.reserve());
        self.expr(list, state);
        self.mark(list.span);
        self.emit(encode(Op::ForPrep, state, 0, 0));
        let before = self.assigned;
        let top = self.here();
        let first = self.named_register(first);
        let exit = match second {
            Some(second) => {
                let second = self.named_register(second);
                self.assigned.insert(second);
                self.jump_pair(Op::ForPair, state, first, second)
            }
            None => self.jump(Op::ForNext, state, first),
        };
        self.assigned.insert(first);
        self.loops.push(Loop { breaks: Vec::new(), continues: Vec::new(), tries: self.tries });
        self.block(block);
        let Some(open) = self.loops.pop() else { return };
        let again = self.jump(Op::Jump, 0, 0);
        self.land_at(again, top);
        for jump in open.continues {
            self.land_at(jump, top);
        }
        self.assigned = before;
        self.land([exit]);
        self.land(open.breaks);
    }

    fn leave(&mut self, broken: bool) {
        let Some(open) = self.loops.last() else { return };
        for _ in open.tries..self.tries {
            self.emit(encode(Op::TryEnd, 0, 0, 0));
        }
        let jump = self.jump(Op::Jump, 0, 0);
        if let Some(open) = self.loops.last_mut() {
            if broken { open.breaks.push(jump) } else { open.continues.push(jump) }
        }
        self.assigned = Assigned::UNREACHABLE;
    }

    fn attempt(&mut self, block: &Block, name: &Name, caught: &Block) {
        let before = self.assigned;
        let register = self.named_register(name);
        let failed = self.jump(Op::TryBegin, register, 0);
        self.tries += 1;
        self.block(block);
        self.tries -= 1;
        let after = self.assigned;
        self.emit(encode(Op::TryEnd, 0, 0, 0));
        let end = self.jump(Op::Jump, 0, 0);
        self.land([failed]);
        self.assigned = before;
        self.assigned.insert(register);
        self.block(caught);
        self.assigned = after.meet(self.assigned);
        self.land([end]);
    }
}
