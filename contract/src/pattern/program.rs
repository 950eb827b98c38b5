//! What a pattern is compiled to: steps for a machine that follows all ways at once.

use alloc::vec::Vec;

/// Steps that a program may have.
pub(super) const STEP_LIMIT: usize = 8192;
/// Ranges that its sets may have in all.
pub(super) const RANGE_LIMIT: usize = 32_768;

/// A compiled pattern. Every target is a step of the program, every set is there, and the last step does not go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    pub(super) sets: Vec<Set>,
    pub(super) steps: Vec<Step>,
}

/// Characters, as ranges in ascending order.
pub(super) type Set = Vec<(char, char)>;

/// One step. Those that do not say where to go on go on with the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Takes this character.
    Char(char),
    /// Takes a character of this set.
    Set(usize),
    /// Takes nothing, where this holds.
    Look(Look),
    /// Goes both ways.
    Split(usize, usize),
    /// Goes there.
    Jump(usize),
    /// The text matches.
    Match,
}

/// What can hold between two characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    Start,
    End,
    StartLine,
    EndLine,
    Word,
    NotWord,
}

impl Look {
    pub(super) const ALL: [Self; 6] = [Self::Start, Self::End, Self::StartLine, Self::EndLine, Self::Word, Self::NotWord];

    /// Whether it holds between two characters, where there are such.
    pub(super) fn holds(self, before: Option<char>, after: Option<char>) -> bool {
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric() || c == '_');
        match self {
            Self::Start => before.is_none(),
            Self::End => after.is_none(),
            Self::StartLine => before.is_none_or(|c| c == '\n'),
            Self::EndLine => after.is_none_or(|c| c == '\n'),
            Self::Word => is_word(before) != is_word(after),
            Self::NotWord => is_word(before) == is_word(after),
        }
    }
}

impl Program {
    /// The program of these parts, when they keep what [`Program`] promises.
    pub(super) fn new(sets: Vec<Set>, steps: Vec<Step>) -> Option<Self> {
        let count = steps.len();
        let is_sound = |(at, step): (usize, &Step)| match *step {
            Step::Char(_) | Step::Look(_) => at + 1 < count,
            Step::Set(set) => at + 1 < count && set < sets.len(),
            Step::Split(a, b) => a < count && b < count,
            Step::Jump(to) => to < count,
            Step::Match => true,
        };
        let ascending = |set: &Set| set.iter().all(|(first, last)| first <= last) && set.windows(2).all(|pair| pair[0].1 < pair[1].0);
        let ranges: usize = sets.iter().map(Vec::len).sum();
        let within = (1..=STEP_LIMIT).contains(&count) && ranges <= RANGE_LIMIT;
        (within && steps.iter().enumerate().all(is_sound) && sets.iter().all(ascending)).then_some(Self { sets, steps })
    }
}
