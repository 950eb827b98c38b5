//! The machine: it follows all ways through a program at once, so that a text takes at most its length times the program's.

use alloc::{vec, vec::Vec};

use super::program::{Program, Set, Step};

/// Beyond this product of steps and bytes a text counts as no match: a pattern that its author made costly must not hold up a host.
const WORK_LIMIT: usize = 50_000_000;

impl Program {
    /// Whether the text matches somewhere.
    pub fn is_match(&self, text: &str) -> bool {
        if self.steps.len().saturating_mul(text.len()) > WORK_LIMIT {
            return false;
        }
        let anchored = self.steps.first() == Some(&Step::Look(super::program::Look::Start));
        let mut here = Threads::new(self.steps.len());
        let mut there = Threads::new(self.steps.len());
        let mut characters = text.chars();
        let (mut before, mut next) = (None, characters.next());
        loop {
            if anchored && before.is_some() {
                if here.waiting.is_empty() {
                    return false;
                }
            } else if here.follow(self, 0, before, next) {
                return true;
            }
            let Some(character) = next else { return false };
            next = characters.next();
            for &at in &here.waiting {
                let takes = match self.steps[at] {
                    Step::Char(wanted) => wanted == character,
                    Step::Set(set) => contains(&self.sets[set], character),
                    _ => false,
                };
                if takes && there.follow(self, at + 1, Some(character), next) {
                    return true;
                }
            }
            core::mem::swap(&mut here, &mut there);
            there.clear();
            before = Some(character);
        }
    }
}

fn contains(set: &Set, character: char) -> bool {
    let at = set.partition_point(|(_, last)| *last < character);
    set.get(at).is_some_and(|(first, _)| *first <= character)
}

/// The ways that reached one place of the text.
struct Threads {
    /// Steps that wait for a character.
    waiting: Vec<usize>,
    /// Steps that were reached here, each with the generation in which it was.
    reached: Vec<u32>,
    generation: u32,
    open: Vec<usize>,
}

impl Threads {
    fn new(steps: usize) -> Self {
        Self { waiting: Vec::new(), reached: vec![0; steps], generation: 1, open: Vec::new() }
    }

    fn clear(&mut self) {
        self.waiting.clear();
        // A text has fewer than 2^32 characters: within `WORK_LIMIT` no generation comes twice.
        self.generation += 1;
    }

    /// Follows a way up to where it waits; whether it reached the end.
    fn follow(&mut self, program: &Program, start: usize, before: Option<char>, after: Option<char>) -> bool {
        self.open.push(start);
        while let Some(at) = self.open.pop() {
            if core::mem::replace(&mut self.reached[at], self.generation) == self.generation {
                continue;
            }
            match program.steps[at] {
                Step::Char(_) | Step::Set(_) => self.waiting.push(at),
                Step::Look(look) if look.holds(before, after) => self.open.push(at + 1),
                Step::Look(_) => {}
                Step::Split(a, b) => self.open.extend([b, a]),
                Step::Jump(to) => self.open.push(to),
                Step::Match => {
                    self.open.clear();
                    return true;
                }
            }
        }
        false
    }
}
