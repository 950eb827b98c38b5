//! What all functions of a program share while they are lowered: the image, and what names mean.

use std::collections::HashMap;

use djo_contract::value::Value;
use djo_vm::image::Builder;

use super::prelude::Prelude;
use crate::{
    ast::{FileId, Span},
    program::Program,
};

/// What a name means that is no local.
#[derive(Clone, Copy, Debug)]
pub(super) enum Global<'p> {
    Function(u32),
    Struct(u32),
    Const(&'p Value),
}

/// The image in the making.
pub(super) struct Shared<'p> {
    pub(super) program: &'p Program,
    pub(super) builder: Builder,
    pub(super) prelude: Prelude,
    globals: HashMap<&'p str, Global<'p>>,
    /// For each file, where its lines start.
    lines: Vec<Vec<usize>>,
    /// For each name of a field, its index in the first struct that has it.
    guesses: HashMap<&'p str, u8>,
}

impl<'p> Shared<'p> {
    pub(super) fn new(program: &'p Program) -> Self {
        let mut globals = HashMap::new();
        let mut guesses = HashMap::new();
        for (name, value) in &program.consts {
            globals.insert(name.as_str(), Global::Const(value));
        }
        for (index, structure) in (0..).zip(&program.contract.types.structs) {
            if !structure.name.is_empty() {
                globals.insert(structure.name.as_str(), Global::Struct(index));
            }
            for (position, field) in (0..=u8::MAX).zip(&structure.fields) {
                guesses.entry(field.name.as_str()).or_insert(position);
            }
        }
        for (index, function) in (0..).zip(&program.functions) {
            globals.insert(function.name.text.as_str(), Global::Function(index));
        }
        let starts = |text: &str| std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let lines = program.files.iter().map(|file| starts(&file.text)).collect();
        let first_prelude = program.functions.len() + program.pages.len();
        Self { program, builder: Builder::new(), prelude: Prelude::new(first_prelude), globals, lines, guesses }
    }

    pub(super) fn global(&self, name: &str) -> Option<Global<'p>> {
        self.globals.get(name).copied()
    }

    pub(super) fn path(&self, file: FileId) -> &'p str {
        self.program.files.get(file.0 as usize).map_or("", |file| file.path.as_str())
    }

    /// The line of a span, from 1.
    pub(super) fn line(&self, span: Span) -> u32 {
        let starts = self.lines.get(span.file.0 as usize);
        starts.map_or(0, |starts| u32::try_from(starts.partition_point(|start| *start <= span.start as usize)).unwrap_or(0))
    }

    /// Where a field of that name probably is in its struct.
    pub(super) fn guess(&self, name: &str) -> u8 {
        self.guesses.get(name).copied().unwrap_or(u8::MAX)
    }
}
