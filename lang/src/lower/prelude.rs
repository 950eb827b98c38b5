//! What lowering adds to a program: the struct behind `Pagina:`, the builtins that take a function, as bytecode, and the
//! functions of one expression that stand within others.

use std::iter::once;

use djo_contract::types::{Kind, Type};
use djo_vm::{
    builtins::{BUILTINS, Builtin},
    image::{FieldSpec, FunctionSpec},
    op::{Op, encode},
};

use super::{LowerError, body::Body, shared::Shared};

/// The fields of a `Pagina`, in the order that the machine knows.
pub(super) const PAGINA_FIELDS: [&str; 5] = ["itens", "truncated", "next_cursor", "total", "refinement_hint"];

/// Which of them a program uses.
pub(super) struct Prelude {
    /// The struct behind `Pagina:`.
    pub(super) pagina: u32,
    first: usize,
    /// In the order of their functions' ids, from `first` on.
    added: Vec<Added>,
}

/// A function that the program does not declare.
enum Added {
    Builtin(Builtin),
    Lambda(FunctionSpec),
}

impl Prelude {
    pub(super) fn new(first: usize) -> Self {
        Self { pagina: djo_vm::image::NONE, first, added: Vec::new() }
    }

    /// The function behind a builtin that takes one.
    pub(super) fn function(&mut self, builtin: Builtin) -> Option<u32> {
        if !matches!(builtin, Builtin::ArrMap | Builtin::ArrFilter | Builtin::ArrReduce | Builtin::ArrSortBy | Builtin::ArrFind) {
            return None;
        }
        let known = self.added.iter().position(|added| matches!(added, Added::Builtin(known) if *known == builtin));
        let position = known.unwrap_or_else(|| {
            self.added.push(Added::Builtin(builtin));
            self.added.len() - 1
        });
        u32::try_from(self.first + position).ok()
    }

    /// Adds a function of one expression.
    pub(super) fn lambda(&mut self, spec: FunctionSpec) -> u32 {
        self.added.push(Added::Lambda(spec));
        u32::try_from(self.first + self.added.len() - 1).unwrap_or(djo_vm::image::NONE)
    }
}

/// Adds the struct behind `Pagina:`.
pub(super) fn pagina(shared: &mut Shared<'_>) {
    let kinds = [(Kind::Arr(None), false), (Kind::Bool, false), (Kind::String, true), (Kind::Int, true), (Kind::String, true)];
    let fields: Vec<FieldSpec> = PAGINA_FIELDS
        .iter()
        .zip(kinds)
        .map(|(name, (kind, nullable))| {
            let ty = Type { nullable, ..Type::new(kind) };
            FieldSpec { name: (*name).to_owned(), ty, default: None, hidden: false, source: None }
        })
        .collect();
    shared.prelude.pagina = shared.builder.structure("Pagina", &fields);
    shared.builder.set_pagina(shared.prelude.pagina);
}

/// A parameter that takes anything.
pub(super) fn any(name: &str) -> FieldSpec {
    FieldSpec { name: name.to_owned(), ty: Type::new(Kind::Any), default: None, hidden: false, source: None }
}

/// Writes the functions that the program came to use.
pub(super) fn write_added(shared: &mut Shared<'_>) -> Result<(), LowerError> {
    for added in std::mem::take(&mut shared.prelude.added) {
        let builtin = match added {
            Added::Builtin(builtin) => builtin,
            Added::Lambda(spec) => {
                shared.builder.function(&spec);
                continue;
            }
        };
        let signature = BUILTINS.iter().find(|signature| signature.builtin == builtin);
        let (name, params) = signature.map_or(("", 0), |signature| (signature.name, signature.most));
        let mut body = Body::bare(shared, name, params.into());
        write(&mut body, builtin, name);
        let mut spec = body.finish()?;
        spec.params = ["xs", "f", "inicial"].into_iter().take(params.into()).map(any).collect();
        shared.builder.function(&spec);
    }
    Ok(())
}

/// The body of one: the Arr in register 0, the function in 1, a third argument or the result in 2.
fn write(body: &mut Body<'_, '_>, builtin: Builtin, name: &str) {
    const LIST: u8 = 0;
    const FUNCTION: u8 = 1;
    while body.watermark() < 3 {
        body.reserve();
    }
    let (result, state) = (2, body.reserve());
    let (_, _) = (body.reserve(), body.reserve());
    let (item, call, first, second) = (body.reserve(), body.reserve(), body.reserve(), body.reserve());
    let who = body.shared.builder.string(name);
    body.emit_indexed(Op::CheckArr, LIST, who);
    if builtin == Builtin::ArrFind {
        // What is no function is looked for as an item.
        let is_function = body.jump(Op::JumpIfFunction, FUNCTION, 0);
        body.emit(encode(Op::Move, call, LIST, 0));
        body.emit(encode(Op::Move, first, FUNCTION, 0));
        body.emit_pair(encode(Op::CallBuiltin, call, 2, 0), Builtin::ArrFind as u32);
        body.emit(encode(Op::Return, call, 0, 0));
        body.land(once(is_function));
    } else if builtin != Builtin::ArrReduce {
        body.emit(encode(Op::NewArr, result, 0, 0));
    }
    body.emit(encode(Op::Move, state, LIST, 0));
    body.emit(encode(Op::ForPrep, state, 0, 0));
    let top = body.here();
    let exit = body.jump_pair(Op::ForNext, state, item, 0);
    body.emit(encode(Op::Move, call, FUNCTION, 0));
    if builtin == Builtin::ArrReduce {
        body.emit(encode(Op::Move, first, result, 0));
        body.emit(encode(Op::Move, second, item, 0));
        body.emit(encode(Op::CallValue, call, 2, 0));
        body.emit(encode(Op::Move, result, call, 0));
    } else {
        body.emit(encode(Op::Move, first, item, 0));
        body.emit(encode(Op::CallValue, call, 1, 0));
    }
    match builtin {
        Builtin::ArrFilter => {
            let next = body.jump(Op::JumpIfNot, call, 0);
            body.land_at(next, top);
            body.emit(encode(Op::Append, result, item, 0));
        }
        Builtin::ArrFind => {
            let next = body.jump(Op::JumpIfNot, call, 0);
            body.land_at(next, top);
            body.emit(encode(Op::Return, item, 0, 0));
        }
        Builtin::ArrReduce => {}
        _ => body.emit(encode(Op::Append, result, call, 0)),
    }
    let again = body.jump(Op::Jump, 0, 0);
    body.land_at(again, top);
    body.land(once(exit));
    match builtin {
        // The keys are made: sort by them.
        Builtin::ArrSortBy => {
            body.emit(encode(Op::Move, call, LIST, 0));
            body.emit(encode(Op::Move, first, result, 0));
            body.emit_pair(encode(Op::CallBuiltin, call, 2, 0), Builtin::ArrSortBy as u32);
            body.emit(encode(Op::Return, call, 0, 0));
        }
        Builtin::ArrFind => {
            body.emit(encode(Op::LoadNil, result, 0, 0));
            body.emit(encode(Op::Return, result, 0, 0));
        }
        _ => body.emit(encode(Op::Return, result, 0, 0)),
    }
}
