//! What reads JSON from front to back: one pass over the text, within limits, recursion no deeper than they say. The parser builds
//! values with it; those who want a part of a large result copy that part and skip the rest.

use alloc::{borrow::Cow, boxed::Box, collections::BTreeSet, format, string::String};

use super::{
    fault::{Fault, Step, SyntaxCode, SyntaxIssue},
    number,
    parse::Limits,
    text,
    write::{write, write_str},
};
use crate::value::Value;

/// The most that any limit lets the stack grow.
const DEEPEST: usize = 256;

/// What goes wrong on the way. Boxed: results stay as small as values.
pub(crate) type Read<T> = Result<T, Box<Fault>>;

/// A place in a JSON text.
pub(crate) struct Cursor<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: usize,
    values: usize,
    limits: Limits,
}

/// Reads a whole document: one value, and nothing after it.
///
/// # Errors
/// The first thing that is wrong.
pub(crate) fn document<'a, T>(bytes: &'a [u8], limits: Limits, read: impl FnOnce(&mut Cursor<'a>) -> Read<T>) -> Result<T, SyntaxIssue> {
    let whole = || {
        let mut cursor = Cursor::new(bytes, limits)?;
        let value = read(&mut cursor)?;
        cursor.finish()?;
        Ok(value)
    };
    whole().map_err(|fault: Box<Fault>| fault.locate(bytes))
}

impl<'a> Cursor<'a> {
    fn new(bytes: &'a [u8], limits: Limits) -> Read<Self> {
        if bytes.starts_with(b"\xEF\xBB\xBF") {
            return Err(Fault::syntax("o texto começa com um BOM", 0));
        }
        let text = core::str::from_utf8(bytes).map_err(|error| Fault::syntax("UTF-8 inválido", error.valid_up_to()))?;
        let limits = Limits { depth: limits.depth.min(DEEPEST), ..limits };
        let mut cursor = Self { text, bytes, at: 0, depth: 0, values: 0, limits };
        cursor.skip_space();
        Ok(cursor)
    }

    fn finish(mut self) -> Read<()> {
        self.skip_space();
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        match rest.first() {
            None => Ok(()),
            // What begins no value is no document either.
            Some(b'{' | b'[' | b'"' | b'-' | b'0'..=b'9') => Err(self.second()),
            Some(_) if ["true", "false", "null"].iter().any(|word| rest.starts_with(word.as_bytes())) => Err(self.second()),
            Some(_) => Err(Fault::new(SyntaxCode::InvalidJson, "há texto depois do documento", self.at)),
        }
    }

    fn second(&self) -> Box<Fault> {
        Fault::new(SyntaxCode::ExtraDocument, "há um segundo documento depois do primeiro", self.at)
    }

    /// The byte that stands here: of a value it tells the kind.
    #[inline]
    pub(crate) fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Reads a string, number, `true`, `false` or `null`.
    #[inline]
    pub(crate) fn scalar(&mut self) -> Read<Value> {
        match self.peek() {
            Some(b'"') => Ok(Value::Str(self.string()?.into_owned())),
            Some(b'-' | b'0'..=b'9') => {
                self.count()?;
                let (value, end) = number::read(self.text, self.at)?;
                self.at = end;
                Ok(value)
            }
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Nil),
            _ => Err(self.unexpected("um valor")),
        }
    }

    /// Reads a string.
    #[inline]
    pub(crate) fn string(&mut self) -> Read<Cow<'a, str>> {
        self.count()?;
        text::read(self.text, &mut self.at)
    }

    /// Reads an array: `item` reads each of its items.
    #[inline]
    pub(crate) fn items(&mut self, mut item: impl FnMut(&mut Self) -> Read<()>) -> Read<()> {
        self.open()?;
        let mut index = 0;
        if self.peek() != Some(b']') {
            loop {
                item(self).map_err(|fault| within(fault, || Step::Index(index)))?;
                index += 1;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break,
                    _ => return Err(self.unexpected("`,` ou `]`")),
                }
                self.skip_space();
            }
        }
        self.close();
        Ok(())
    }

    /// Reads an object: `member` is given each name, as the text holds it where it can be borrowed, and reads its value.
    #[inline]
    pub(crate) fn members(&mut self, mut member: impl FnMut(&mut Self, Name<'_, 'a>) -> Read<()>) -> Read<()> {
        self.open()?;
        if self.peek() != Some(b'}') {
            loop {
                let start = self.at;
                if self.peek() != Some(b'"') {
                    return Err(self.unexpected("um nome entre aspas"));
                }
                let text = text::read(self.text, &mut self.at)?;
                self.skip_space();
                if self.peek() != Some(b':') {
                    return Err(self.unexpected("`:`"));
                }
                self.at += 1;
                self.skip_space();
                member(self, Name { text: &text, start }).map_err(|fault| within(fault, || Step::Name(text.into_owned())))?;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break,
                    _ => return Err(self.unexpected("`,` ou `}`")),
                }
                self.skip_space();
            }
        }
        self.close();
        Ok(())
    }

    /// Reads a value and throws it away.
    pub(crate) fn skip(&mut self) -> Read<()> {
        match self.peek() {
            Some(b'{') => self.members(|cursor, _| cursor.skip()),
            Some(b'[') => self.items(Self::skip),
            Some(b'"') => self.string().map(drop),
            _ => self.scalar().map(drop),
        }
    }

    /// Reads a value and writes it as what is written here always is: compact, numbers in their usual form.
    pub(crate) fn copy(&mut self, out: &mut String, names: Names) -> Read<()> {
        let mut first = true;
        match self.peek() {
            Some(b'{') => {
                let mut seen = BTreeSet::new();
                out.push('{');
                self.members(|cursor, name| {
                    if names == Names::Unique && !seen.insert(name.text.clone()) {
                        return Err(name.repeated());
                    }
                    separate(&mut first, out);
                    write_str(name.text, out);
                    out.push(':');
                    cursor.copy(out, names)
                })?;
                out.push('}');
            }
            Some(b'[') => {
                out.push('[');
                self.items(|cursor| {
                    separate(&mut first, out);
                    cursor.copy(out, names)
                })?;
                out.push(']');
            }
            Some(b'"') => write_str(&self.string()?, out),
            _ => write(&self.scalar()?, out),
        }
        Ok(())
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn count(&mut self) -> Read<()> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(Fault::new(SyntaxCode::TooLarge, format!("mais de {} valores", self.limits.values), self.at));
        }
        Ok(())
    }

    #[inline]
    fn open(&mut self) -> Read<()> {
        self.count()?;
        if self.depth >= self.limits.depth {
            return Err(Fault::new(SyntaxCode::TooDeep, format!("mais de {} níveis de aninhamento", self.limits.depth), self.at));
        }
        self.depth += 1;
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    #[inline]
    fn close(&mut self) {
        self.depth -= 1;
        self.at += 1;
    }

    fn word(&mut self, word: &'static str, value: Value) -> Read<Value> {
        self.count()?;
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.unexpected("um valor"));
        }
        self.at += word.len();
        Ok(value)
    }

    #[cold]
    fn unexpected(&self, wanted: &'static str) -> Box<Fault> {
        let message = match self.text.get(self.at..).and_then(|rest| rest.chars().next()) {
            None => format!("o texto termina onde se espera {wanted}"),
            Some(found) if found.is_control() => format!("caractere U+{:04X} onde se espera {wanted}", found as u32),
            Some(found) => format!("`{found}` onde se espera {wanted}"),
        };
        Fault::syntax(message, self.at)
    }
}

/// Whether the names of an object's members are looked at.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// A repeated one is a fault.
    Unique,
    /// They are copied as they come.
    Any,
}

/// The name of a member, and where it stands.
#[derive(Clone, Copy)]
pub(crate) struct Name<'r, 'a> {
    pub(crate) text: &'r Cow<'a, str>,
    start: usize,
}

impl Name<'_, '_> {
    /// What is wrong with an object that has this name twice.
    #[cold]
    pub(crate) fn repeated(&self) -> Box<Fault> {
        let message = format!("membro repetido: \"{}\"", crate::path::echo(self.text));
        Fault::new(SyntaxCode::DuplicateMember, message, self.start)
    }
}

/// Writes the comma between two items.
pub(crate) fn separate(first: &mut bool, out: &mut String) {
    if !core::mem::take(first) {
        out.push(',');
    }
}

#[cold]
fn within(mut fault: Box<Fault>, step: impl FnOnce() -> Step) -> Box<Fault> {
    fault.steps.push(step());
    fault
}
