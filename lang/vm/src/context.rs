//! What a run has at hand beside its registers: the heap, the request, what was put out so far, the session, the host.

use alloc::{boxed::Box, vec::Vec};

use djo_contract::types::Types;

use crate::{
    answer::Answer,
    error::{Fallible, too_large},
    heap::{Heap, MAX_TEXT},
    host::{Host, Request},
    session::Session,
    value::Value,
};

/// The state of one run.
pub(crate) struct Context<'r> {
    pub(crate) heap: Heap<'r>,
    pub(crate) request: &'r Request,
    pub(crate) host: &'r mut dyn Host,
    pub(crate) out: Output,
    pub(crate) answer: Answer,
    pub(crate) session: Session,
    /// The decoded arguments or declared query parameters, once code asks for one.
    pub(crate) arguments: Option<Value>,
    /// The fields of the submitted form, once code asks for one.
    pub(crate) form: Option<Value>,
    /// The structs of the program as the contract's decoder knows them, once an action is called as a function.
    pub(crate) types: Option<Box<Types>>,
    /// Jumps back and calls that are left.
    pub(crate) steps: u64,
}

/// What templates write.
#[derive(Debug, Default)]
pub(crate) struct Output {
    pub(crate) bytes: Vec<u8>,
    /// Where each open capture began.
    captures: Vec<usize>,
}

impl Output {
    /// From here on, what is written is kept apart.
    pub(crate) fn begin(&mut self) -> Fallible<()> {
        if self.captures.len() >= 64 {
            return Err(too_large("o modelo"));
        }
        self.captures.push(self.bytes.len());
        Ok(())
    }

    /// What was written since the innermost capture began.
    pub(crate) fn end(&mut self) -> Option<Vec<u8>> {
        let start = self.captures.pop()?;
        (start <= self.bytes.len()).then(|| self.bytes.split_off(start))
    }

    /// How many captures are open.
    pub(crate) fn depth(&self) -> usize {
        self.captures.len()
    }

    /// Gives up the captures beyond `depth` and what they hold.
    pub(crate) fn unwind(&mut self, depth: usize) {
        if let Some(&start) = self.captures.get(depth) {
            self.bytes.truncate(start);
            self.captures.truncate(depth);
        }
    }

    /// Raises when more was written than any answer may hold.
    #[inline]
    pub(crate) fn check(&self) -> Fallible<()> {
        if self.bytes.len() > MAX_TEXT { Err(too_large("a resposta")) } else { Ok(()) }
    }
}

impl<'r> Context<'r> {
    pub(crate) fn new(heap: Heap<'r>, request: &'r Request, host: &'r mut dyn Host, steps: u64) -> Self {
        Self {
            heap,
            request,
            host,
            out: Output::default(),
            answer: Answer::default(),
            session: Session::default(),
            arguments: None,
            form: None,
            types: None,
            steps,
        }
    }

    /// Values that are in use beside those in registers.
    pub(crate) fn roots(&self) -> impl Iterator<Item = &Value> {
        self.arguments.iter().chain(&self.form).chain(self.session.root())
    }

    /// Before Maps of a stranger's making: keys their hashes. Few and short members need none.
    pub(crate) fn guard(&mut self, bytes: usize) {
        if bytes > 256 && !self.heap.has_seed() {
            let mut seed = [0; 8];
            self.host.random(&mut seed);
            self.heap.set_seed(u64::from_le_bytes(seed));
        }
    }
}
