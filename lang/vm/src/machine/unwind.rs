//! Errors: to the innermost `catch`, or out as a failure with its trace.

use alloc::{borrow::Cow, boxed::Box, format, string::String, vec::Vec};

use super::{Frame, Machine};
use crate::{
    error::{Fallible, Raise},
    host::Failure,
    value::Value,
};

impl Machine<'_> {
    /// Goes on at the innermost `catch`, or gives the error back.
    pub(super) fn catch(&mut self, error: Box<Raise>) -> Result<(), Box<Raise>> {
        if !error.catchable {
            return Err(error);
        }
        let Some(handler) = self.handlers.pop() else { return Err(error) };
        // A stranger's `catch` may lead back to its `try`.
        self.ctx.steps = self.ctx.steps.saturating_sub(1);
        let (file, line) = self.place();
        while self.frames.len() > handler.depth {
            match self.frames.pop() {
                Some(frame) => self.frame = frame,
                None => return Err(error),
            }
        }
        self.ctx.out.unwind(handler.captures);
        let described = self.describe(*error, &file, line)?;
        let register = self.frame.base + usize::from(handler.register);
        match self.stack.get_mut(register) {
            Some(place) => *place = described,
            None => return Err(crate::error::invalid_image()),
        }
        self.frame.pc = handler.pc;
        Ok(())
    }

    /// The Map that `catch e` binds.
    fn describe(&mut self, error: Raise, file: &str, line: u32) -> Fallible<Value> {
        let heap = &mut self.ctx.heap;
        let (handle, map) = heap.map(4);
        let members = [
            ("mensagem", heap.text(error.message)),
            ("tipo", heap.text(error.kind.as_ref())),
            ("arquivo", heap.text(file)),
            ("linha", Value::Int(line.into())),
        ];
        for (name, value) in members {
            let key = heap.text(name);
            heap.put_new(handle, key, value)?;
        }
        Ok(map)
    }

    /// The innermost place that is known.
    fn place(&self) -> (String, u32) {
        let frames = core::iter::once(&self.frame).chain(self.frames.iter().rev());
        let place = frames.map(|frame| self.place_of(frame)).find(|(_, line)| *line > 0);
        place.unwrap_or_default()
    }

    fn place_of(&self, frame: &Frame<'_>) -> (String, u32) {
        let program = self.ctx.heap.program;
        let Some(function) = program.function(frame.function) else { return Default::default() };
        // `pc` is beyond the word that was running.
        match program.line(&function, frame.pc.saturating_sub(1)) {
            Some((file, line)) => (program.str(file).into(), line),
            None => (program.str(function.file).into(), 0),
        }
    }

    /// An uncaught error as what the host is told.
    pub(crate) fn failure(&self, error: Raise) -> Failure {
        let program = self.ctx.heap.program;
        let frames = core::iter::once(&self.frame).chain(self.frames.iter().rev());
        let frames = frames.map(|frame| {
            let (file, line) = self.place_of(frame);
            (program.function(frame.function).map_or_else(String::new, |found| program.str(found.name).into()), file, line)
        });
        let trace = collapse(frames);
        let (file, line) = self.place();
        let kind = match error.kind {
            Cow::Borrowed(kind) => kind.into(),
            Cow::Owned(kind) => kind,
        };
        Failure { message: error.message, kind, file, line, trace, refusal: error.refusal }
    }
}

/// A trace in which a function that calls itself at one place stands once, with how often.
fn collapse(frames: impl Iterator<Item = (String, String, u32)>) -> Vec<(String, String, u32)> {
    let mut trace: Vec<((String, String, u32), usize)> = Vec::new();
    for frame in frames {
        match trace.last_mut() {
            Some((last, count)) if *last == frame => *count += 1,
            _ => trace.push((frame, 1)),
        }
    }
    let told = trace.into_iter().map(|((function, file, line), count)| match count {
        1 => (function, file, line),
        _ => (format!("{function} ({count} vezes seguidas)"), file, line),
    });
    told.collect()
}
