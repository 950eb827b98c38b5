//! A function in the making: its registers, its code, its lines.

use std::collections::HashMap;

use djo_contract::types::Field;
use djo_vm::{
    image::FunctionSpec,
    op::{Op, encode, encode_wide},
};

use super::{LowerError, assigned::Assigned, locals, shared::Shared};
use crate::ast::{Block, FileId, Span};

/// Registers of one function.
pub(super) const MAX_REGISTERS: u16 = 250;

/// A jump whose target is not known yet: where its offset stands.
#[must_use]
pub(super) struct Jump(usize);

/// A loop that is open.
pub(super) struct Loop {
    pub(super) breaks: Vec<Jump>,
    pub(super) continues: Vec<Jump>,
    /// How many `try`s were open around it.
    pub(super) tries: usize,
}

/// A function in the making.
pub(super) struct Body<'s, 'p> {
    pub(super) shared: &'s mut Shared<'p>,
    name: String,
    file: String,
    code: Vec<[u8; 4]>,
    lines: Vec<(u32, String, u32)>,
    locals: HashMap<String, u8>,
    /// Registers of parameters and of all named ones.
    params: u8,
    named: u16,
    /// The next register for a value in passing, and how many were used at most.
    next: u16,
    most: u16,
    pub(super) assigned: Assigned,
    pub(super) loops: Vec<Loop>,
    pub(super) tries: usize,
    /// Some local is read that may be unset.
    checked: bool,
    error: Option<LowerError>,
}

impl<'s, 'p> Body<'s, 'p> {
    pub(super) fn new(shared: &'s mut Shared<'p>, name: &str, file: FileId, params: &[Field], block: &Block) -> Self {
        let mut body = Self::bare(shared, name, params.len());
        body.file = body.shared.path(file).to_owned();
        let mut order: Vec<String> = params.iter().map(|param| param.name.clone()).collect();
        let mut known: std::collections::HashSet<String> = order.iter().cloned().collect();
        locals::each(block, &mut |name| {
            if known.insert(name.to_owned()) {
                order.push(name.to_owned());
            }
        });
        for (index, local) in (0_u16..).zip(order) {
            if index >= MAX_REGISTERS {
                body.error = Some(LowerError::Registers(body.name.clone()));
                break;
            }
            body.locals.insert(local, index as u8);
            body.named = index + 1;
        }
        (body.next, body.most) = (body.named, body.named);
        if body.named > u16::from(body.params) {
            // Filled in at the end: which registers start as unset.
            body.emit(encode(Op::Nop, 0, 0, 0));
        }
        body
    }

    /// A function whose parameters, and what is kept with it behind them, are all that it names.
    pub(super) fn closed<'n>(shared: &'s mut Shared<'p>, name: &str, file: FileId, names: impl Iterator<Item = &'n str> + Clone) -> Self {
        let count = names.clone().count();
        let mut body = Self::bare(shared, name, count);
        body.file = body.shared.path(file).to_owned();
        if count > MAX_REGISTERS.into() {
            body.error = Some(LowerError::Registers(name.to_owned()));
        }
        for (register, name) in (0..MAX_REGISTERS as u8).zip(names) {
            body.locals.insert(name.to_owned(), register);
        }
        body
    }

    /// A function without names: its parameters are the first registers.
    pub(super) fn bare(shared: &'s mut Shared<'p>, name: &str, params: usize) -> Self {
        let params = u8::try_from(params).unwrap_or(u8::MAX);
        let mut assigned = Assigned::default();
        (0..params).for_each(|param| assigned.insert(param));
        Self {
            shared,
            name: name.to_owned(),
            file: String::new(),
            code: Vec::new(),
            lines: Vec::new(),
            locals: HashMap::new(),
            params,
            named: params.into(),
            next: params.into(),
            most: params.into(),
            assigned,
            loops: Vec::new(),
            tries: 0,
            checked: false,
            error: None,
        }
    }

    /// The function, without what only its declaration knows.
    pub(super) fn finish(mut self) -> Result<FunctionSpec, LowerError> {
        self.emit(encode(Op::ReturnNothing, 0, 0, 0));
        if let Some(error) = self.error {
            return Err(error);
        }
        let locals = self.named - u16::from(self.params);
        if self.checked && locals > 0 {
            self.code[0] = encode(Op::Unset, self.params, locals as u8, 0);
        }
        Ok(FunctionSpec {
            name: self.name,
            file: self.file,
            registers: self.most as u8,
            code: self.code,
            lines: self.lines,
            ..FunctionSpec::default()
        })
    }

    pub(super) fn fail(&mut self, error: impl FnOnce(&str) -> LowerError) {
        if self.error.is_none() {
            self.error = Some(error(&self.name));
        }
    }

    pub(super) fn emit(&mut self, word: [u8; 4]) {
        self.code.push(word);
    }

    /// An instruction of two words.
    pub(super) fn emit_pair(&mut self, word: [u8; 4], wide: u32) {
        self.code.push(word);
        self.code.push(wide.to_le_bytes());
    }

    /// An instruction that names a string or constant.
    pub(super) fn emit_indexed(&mut self, op: Op, register: u8, index: u32) {
        let index = u16::try_from(index).unwrap_or_else(|_| {
            self.fail(|_| LowerError::Constants);
            0
        });
        self.emit(encode_wide(op, register, index));
    }

    /// Says where the next instructions come from.
    pub(super) fn mark(&mut self, span: Span) {
        let line = self.shared.line(span);
        let path = self.shared.path(span.file);
        if self.lines.last().is_some_and(|(_, file, last)| *last == line && file == path) {
            return;
        }
        let word = self.code.len() as u32;
        match self.lines.last_mut() {
            Some(last) if last.0 == word => *last = (word, path.to_owned(), line),
            _ => self.lines.push((word, path.to_owned(), line)),
        }
    }

    /// A jump to somewhere that is not known yet.
    pub(super) fn jump(&mut self, op: Op, a: u8, b: u8) -> Jump {
        self.emit_pair(encode(op, a, b, 0), 0);
        Jump(self.code.len() - 1)
    }

    /// The same with a third register, for loops over pairs.
    pub(super) fn jump_pair(&mut self, op: Op, a: u8, b: u8, c: u8) -> Jump {
        self.emit_pair(encode(op, a, b, c), 0);
        Jump(self.code.len() - 1)
    }

    /// Makes jumps lead here.
    pub(super) fn land(&mut self, jumps: impl IntoIterator<Item = Jump>) {
        let here = self.here();
        for jump in jumps {
            self.land_at(jump, here);
        }
    }

    /// Makes a jump lead to a place that is known.
    pub(super) fn land_at(&mut self, Jump(at): Jump, target: usize) {
        let offset = target as i64 - (at as i64 + 1);
        if let Some(word) = self.code.get_mut(at) {
            *word = (offset as i32).to_le_bytes();
        }
    }

    /// The place of the next instruction.
    pub(super) fn here(&self) -> usize {
        self.code.len()
    }

    /// The register of a local.
    pub(super) fn local(&self, name: &str) -> Option<u8> {
        self.locals.get(name).copied()
    }

    /// A register for a value in passing; given back by [`Body::release`].
    pub(super) fn reserve(&mut self) -> u8 {
        if self.next >= MAX_REGISTERS {
            self.fail(|name| LowerError::Registers(name.to_owned()));
            return 0;
        }
        let register = self.next as u8;
        self.next += 1;
        self.most = self.most.max(self.next);
        register
    }

    /// The first register not in use: pass it to [`Body::release`] to give back all that are reserved from here on.
    pub(super) fn watermark(&self) -> u16 {
        self.next
    }

    pub(super) fn release(&mut self, watermark: u16) {
        self.next = watermark;
    }

    /// Tells whether a register is the value in passing that was reserved last.
    pub(super) fn is_top(&self, register: u8) -> bool {
        u16::from(register) >= self.named && u16::from(register) + 1 == self.next
    }

    /// Tells whether a register belongs to a name.
    pub(super) fn is_named(&self, register: u8) -> bool {
        u16::from(register) < self.named
    }

    /// Makes sure that a local has a value where it is read.
    pub(super) fn check_set(&mut self, name: &str, register: u8) {
        if !self.assigned.contains(register) {
            self.checked = true;
            let name = self.shared.builder.string(name);
            self.emit_indexed(Op::CheckSet, register, name);
        }
    }
}
