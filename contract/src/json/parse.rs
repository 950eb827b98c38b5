//! The parser: one pass, recursion no deeper than its limit.

use alloc::{borrow::Cow, boxed::Box, collections::BTreeSet, format, string::String, vec::Vec};

use super::{
    fault::{Fault, Step, SyntaxCode, SyntaxIssue},
    number, text,
};
use crate::{path::echo, value::Value};

/// What a document may hold at most.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Arrays and objects within each other. The parser recurses this deep: more than 256 counts as 256.
    pub depth: usize,
    /// Values of all kinds, the root included.
    pub values: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { depth: 64, values: 100_000 }
    }
}

/// Reads one JSON document within the limits that hold for everything that is submitted.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse(bytes: &[u8]) -> Result<Value, SyntaxIssue> {
    parse_with(bytes, Limits::default())
}

/// Reads one JSON document within given limits.
///
/// A number without fraction and exponent is an `Int` when 64 bits hold it, others are `Float`s, and those that neither holds keep
/// their text as `Huge`. A whole number written with a fraction or exponent stays a `Float` unless the double would change it.
///
/// # Errors
/// The first thing that is wrong.
pub fn parse_with(bytes: &[u8], limits: Limits) -> Result<Value, SyntaxIssue> {
    document(bytes, limits).map_err(|fault| fault.locate(bytes))
}

/// An object with more members than this keeps an ordered set of its names, so that a repeated one is found in n log n.
const FEW: usize = 16;

fn document(bytes: &[u8], limits: Limits) -> Result<Value, Box<Fault>> {
    if bytes.starts_with(b"\xEF\xBB\xBF") {
        return Err(Fault::syntax("o texto começa com um BOM", 0));
    }
    let text = core::str::from_utf8(bytes).map_err(|error| Fault::syntax("UTF-8 inválido", error.valid_up_to()))?;
    let limits = Limits { depth: limits.depth.min(256), ..limits };
    let mut parser = Parser { text, bytes, at: 0, values: 0, limits };
    parser.skip_space();
    let value = parser.value(0)?;
    parser.skip_space();
    match parser.peek() {
        None => Ok(value),
        Some(byte) if starts_value(byte) => {
            Err(Fault::new(SyntaxCode::ExtraDocument, "há um segundo documento depois do primeiro", parser.at))
        }
        Some(_) => Err(Fault::new(SyntaxCode::ExtraDocument, "há texto depois do documento", parser.at)),
    }
}

fn starts_value(byte: u8) -> bool {
    matches!(byte, b'{' | b'[' | b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n')
}

struct Parser<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    values: usize,
    limits: Limits,
}

impl<'a> Parser<'a> {
    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    #[inline]
    fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    /// Reads the value that starts here; `depth` arrays and objects are open around it.
    fn value(&mut self, depth: usize) -> Result<Value, Box<Fault>> {
        self.values += 1;
        if self.values > self.limits.values {
            return Err(Fault::new(SyntaxCode::TooLarge, format!("mais de {} valores", self.limits.values), self.at));
        }
        match self.peek() {
            Some(b'"') => Ok(Value::Str(self.string()?.into_owned())),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'{') => self.enter(depth).and_then(|()| self.object(depth + 1)),
            Some(b'[') => self.enter(depth).and_then(|()| self.array(depth + 1)),
            Some(b't') => self.word("true", Value::Bool(true)),
            Some(b'f') => self.word("false", Value::Bool(false)),
            Some(b'n') => self.word("null", Value::Nil),
            _ => Err(self.unexpected("um valor")),
        }
    }

    fn enter(&mut self, depth: usize) -> Result<(), Box<Fault>> {
        if depth >= self.limits.depth {
            return Err(Fault::new(SyntaxCode::TooDeep, format!("mais de {} níveis de aninhamento", self.limits.depth), self.at));
        }
        self.at += 1;
        self.skip_space();
        Ok(())
    }

    fn array(&mut self, depth: usize) -> Result<Value, Box<Fault>> {
        let mut items = Vec::new();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::Arr(items));
        }
        loop {
            let item = self.value(depth).map_err(|fault| within(fault, || Step::Index(items.len())))?;
            items.push(item);
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(Value::Arr(items));
                }
                _ => return Err(self.unexpected("`,` ou `]`")),
            }
            self.skip_space();
        }
    }

    fn object(&mut self, depth: usize) -> Result<Value, Box<Fault>> {
        let mut members: Vec<(String, Value)> = Vec::new();
        let mut names: Option<BTreeSet<Cow<'a, str>>> = None;
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Map(members));
        }
        loop {
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("um nome entre aspas"));
            }
            let name = self.string()?;
            if is_repeated(&members, &mut names, &name) {
                let fault = Fault::new(SyntaxCode::DuplicateMember, format!("membro repetido: \"{}\"", echo(&name)), start);
                return Err(within(fault, || Step::Name(name.into_owned())));
            }
            self.skip_space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("`:`"));
            }
            self.at += 1;
            self.skip_space();
            match self.value(depth) {
                Ok(value) => members.push((name.into_owned(), value)),
                Err(fault) => return Err(within(fault, || Step::Name(name.into_owned()))),
            }
            self.skip_space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => {
                    self.at += 1;
                    return Ok(Value::Map(members));
                }
                _ => return Err(self.unexpected("`,` ou `}`")),
            }
            self.skip_space();
        }
    }

    #[inline]
    fn string(&mut self) -> Result<Cow<'a, str>, Box<Fault>> {
        text::read(self.text, &mut self.at)
    }

    fn number(&mut self) -> Result<Value, Box<Fault>> {
        let (value, end) = number::read(self.text, self.at)?;
        self.at = end;
        Ok(value)
    }

    fn word(&mut self, word: &'static str, value: Value) -> Result<Value, Box<Fault>> {
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

#[cold]
fn within(mut fault: Box<Fault>, step: impl FnOnce() -> Step) -> Box<Fault> {
    fault.steps.push(step());
    fault
}

/// Whether the object has a member of that name already; remembers it.
#[inline]
fn is_repeated<'a>(members: &[(String, Value)], names: &mut Option<BTreeSet<Cow<'a, str>>>, name: Name<'_, 'a>) -> bool {
    if members.len() < FEW {
        return members.iter().any(|(known, _)| *known == **name);
    }
    let names = names.get_or_insert_with(|| members.iter().map(|(known, _)| Cow::Owned(known.clone())).collect());
    !names.insert(name.clone())
}

/// A name that is borrowed again where the text holds it as it stands.
type Name<'r, 'a> = &'r Cow<'a, str>;
