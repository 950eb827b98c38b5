//! From a pattern's text to its program.

use alloc::{format, string::String, vec::Vec};

use regex_syntax::{
    ParserBuilder,
    hir::{Class, Hir, HirKind, Look as Assertion},
};

use super::{
    LIMIT,
    problem::problem,
    program::{Look, Program, RANGE_LIMIT, STEP_LIMIT, Set, Step},
    translate::translate,
};

/// Groups and repetitions within each other.
const NEST_LIMIT: u32 = 50;

const TOO_LARGE: &str = "o padrão é grande demais";

/// Compiles a pattern.
///
/// # Errors
/// Why it cannot be used, in one line.
pub(super) fn compile(pattern: &str) -> Result<Program, String> {
    if pattern.len() > LIMIT {
        return Err(format!("o padrão tem mais de {LIMIT} bytes"));
    }
    let hir = ParserBuilder::new()
        .nest_limit(NEST_LIMIT)
        .build()
        .parse(&translate(pattern))
        .map_err(|error| format!("padrão inválido: {}", problem(&error)))?;
    let mut emitter = Emitter { sets: Vec::new(), steps: Vec::new(), ranges: 0 };
    emitter.emit(&hir)?;
    emitter.push(Step::Match)?;
    Program::new(emitter.sets, emitter.steps).ok_or_else(|| TOO_LARGE.into())
}

struct Emitter {
    sets: Vec<Set>,
    steps: Vec<Step>,
    ranges: usize,
}

impl Emitter {
    fn push(&mut self, step: Step) -> Result<usize, String> {
        if self.steps.len() >= STEP_LIMIT {
            return Err(TOO_LARGE.into());
        }
        self.steps.push(step);
        Ok(self.steps.len() - 1)
    }

    /// Writes the steps of an expression. It recurses as deep as groups nest, which the parser has bounded.
    fn emit(&mut self, hir: &Hir) -> Result<(), String> {
        match hir.kind() {
            HirKind::Empty => Ok(()),
            HirKind::Literal(literal) => {
                let text = core::str::from_utf8(&literal.0).map_err(|_| "padrão inválido: bytes que não são texto")?;
                text.chars().try_for_each(|character| self.push(Step::Char(character)).map(|_| ()))
            }
            HirKind::Class(class) => {
                let set = match class {
                    Class::Unicode(class) => class.iter().map(|range| (range.start(), range.end())).collect(),
                    Class::Bytes(class) => class.iter().map(|range| (range.start().into(), range.end().into())).collect(),
                };
                self.set(set)
            }
            HirKind::Look(look) => {
                let look = match look {
                    Assertion::Start => Look::Start,
                    Assertion::End => Look::End,
                    Assertion::StartLF => Look::StartLine,
                    Assertion::EndLF => Look::EndLine,
                    Assertion::WordAscii => Look::Word,
                    Assertion::WordAsciiNegate => Look::NotWord,
                    _ => return Err("padrão inválido: uma asserção que não existe em RE2".into()),
                };
                self.push(Step::Look(look)).map(|_| ())
            }
            HirKind::Capture(capture) => self.emit(&capture.sub),
            HirKind::Concat(parts) => parts.iter().try_for_each(|part| self.emit(part)),
            HirKind::Alternation(branches) => self.alternation(branches),
            HirKind::Repetition(repetition) => {
                // What takes no character is not worth more than one turn.
                let takes_none = repetition.sub.properties().maximum_len() == Some(0);
                let least = if takes_none { repetition.min.min(1) } else { repetition.min };
                let most = if takes_none { Some(1) } else { repetition.max };
                self.repetition(&repetition.sub, least, most)
            }
        }
    }

    fn set(&mut self, set: Set) -> Result<(), String> {
        if let [(first, last)] = set.as_slice()
            && first == last
        {
            return self.push(Step::Char(*first)).map(|_| ());
        }
        let known = self.sets.iter().position(|known| *known == set);
        let index = known.unwrap_or(self.sets.len());
        if known.is_none() {
            self.ranges += set.len();
            if self.ranges > RANGE_LIMIT {
                return Err(TOO_LARGE.into());
            }
            self.sets.push(set);
        }
        self.push(Step::Set(index)).map(|_| ())
    }

    fn alternation(&mut self, branches: &[Hir]) -> Result<(), String> {
        let mut ends = Vec::new();
        for (index, branch) in branches.iter().enumerate() {
            if index + 1 == branches.len() {
                self.emit(branch)?;
                break;
            }
            let split = self.push(Step::Match)?;
            self.emit(branch)?;
            ends.push(self.push(Step::Match)?);
            self.steps[split] = Step::Split(split + 1, self.steps.len());
        }
        let end = self.steps.len();
        ends.into_iter().for_each(|at| self.steps[at] = Step::Jump(end));
        Ok(())
    }

    fn repetition(&mut self, of: &Hir, least: u32, most: Option<u32>) -> Result<(), String> {
        for _ in 1..least {
            self.emit(of)?;
        }
        let Some(most) = most else {
            if least > 0 {
                let start = self.steps.len();
                self.emit(of)?;
                let next = self.steps.len() + 1;
                return self.push(Step::Split(start, next)).map(|_| ());
            }
            let split = self.push(Step::Match)?;
            self.emit(of)?;
            self.push(Step::Jump(split))?;
            self.steps[split] = Step::Split(split + 1, self.steps.len());
            return Ok(());
        };
        if least > 0 {
            self.emit(of)?;
        }
        let mut splits = Vec::new();
        for _ in least..most {
            splits.push(self.push(Step::Match)?);
            self.emit(of)?;
        }
        let end = self.steps.len();
        splits.into_iter().for_each(|at| self.steps[at] = Step::Split(at + 1, end));
        Ok(())
    }
}
