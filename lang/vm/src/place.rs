//! Where the machine is, for whoever sees it end without a word: a guest that is refused memory traps where it stands, and nothing of it
//! can be asked any more but what lies at a fixed address. It is written down with what may allocate, so that the rest costs nothing.

use core::sync::atomic::{AtomicU32, Ordering};

use crate::image::{NONE, Program};

static FUNCTION: AtomicU32 = AtomicU32::new(NONE);
static WORD: AtomicU32 = AtomicU32::new(0);

/// No function runs yet, or any more.
pub(crate) fn clear() {
    FUNCTION.store(NONE, Ordering::Relaxed);
}

/// A function begins, or goes on.
#[inline]
pub(crate) fn enter(function: u32, pc: usize) {
    FUNCTION.store(function, Ordering::Relaxed);
    reach(pc);
}

/// Its next word is this.
#[inline]
pub(crate) fn reach(pc: usize) {
    WORD.store(pc as u32, Ordering::Relaxed);
}

/// The file and line of the last run of a program in this process, as far as it has come. It allocates nothing. `None` before any code
/// ran, and for code that stands in no file.
pub fn place<'i>(program: &Program<'i>) -> Option<(&'i str, u32)> {
    let function = program.function(FUNCTION.load(Ordering::Relaxed))?;
    // The next word is beyond the one that was running.
    let word = (WORD.load(Ordering::Relaxed) as usize).saturating_sub(1);
    let (file, line) = program.line(&function, word)?;
    Some((program.str(file), line))
}
