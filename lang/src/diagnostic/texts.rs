//! The files that diagnostics point into, each cut into lines when it is first asked for.

use crate::{ast::FileId, program::SourceFile, source::Lines};

pub(super) struct Texts<'a> {
    files: &'a [SourceFile],
    lines: Vec<Option<Lines<'a>>>,
}

impl<'a> Texts<'a> {
    pub(super) fn of(files: &'a [SourceFile]) -> Self {
        Self { files, lines: files.iter().map(|_| None).collect() }
    }

    pub(super) fn get(&mut self, file: FileId) -> Option<(&'a SourceFile, &Lines<'a>)> {
        let index = file.0 as usize;
        let file = self.files.get(index)?;
        Some((file, self.lines.get_mut(index)?.get_or_insert_with(|| Lines::of(&file.text))))
    }
}
