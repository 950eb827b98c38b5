//! `?campos=`: the part of a result that a client asks for. Source: the HTTP contract, §5.

use alloc::{format, string::String, vec::Vec};
use core::{fmt, ops::Range};

use crate::{
    json::{self, Cursor, Limits, Names, Read, SyntaxIssue, separate, write_str},
    path::echo,
    pattern::LIMIT,
    types::{Field, Kind, Type, Types},
};

/// Names that an error lists, and columns that a table may have: types can name more fields than anyone can read.
pub const FIELD_LIMIT: usize = 1000;

/// Why a selection cannot be applied. Always 400.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectError {
    /// The route does not declare what it returns.
    NoReturns,
    /// What it returns is no struct, and no list of one.
    NotStruct,
    /// No name at all.
    Empty,
    /// Nothing between two commas or dots.
    EmptyName,
    /// `campos` stands twice in the query.
    Repeated,
    /// The type has no such field.
    Unknown {
        /// As asked, at most 64 code points of it.
        name: String,
        /// The names that are valid, in the order of the type.
        valid: Vec<String>,
    },
}

impl fmt::Display for SelectError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Self::NoReturns => "esta rota não declara \"returns\", então não aceita campos",
            Self::NotStruct => "o tipo desta rota não tem campos para escolher",
            Self::Empty => "campos está vazio",
            Self::EmptyName => "campos tem um nome vazio",
            Self::Repeated => "campos aparece mais de uma vez",
            Self::Unknown { name, .. } => return write!(out, "campo desconhecido: {name}"),
        })
    }
}

impl core::error::Error for SelectError {}

/// A checked selection, in the order of its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection {
    of: usize,
    fields: Vec<Chosen>,
}

/// A chosen field of a struct: its index, and what of it; `None` takes it whole.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Chosen {
    field: usize,
    part: Option<Vec<Chosen>>,
}

/// The struct that a result is, or is a list of.
pub fn result_struct(ty: &Type) -> Option<usize> {
    match &ty.kind {
        Kind::Struct(index) => Some(*index),
        Kind::Arr(Some(element)) => match element.kind {
            Kind::Struct(index) => Some(index),
            _ => None,
        },
        _ => None,
    }
}

/// The struct that a field opens on the way down, unless it is open already.
pub(crate) fn opens(field: &Field, open: &[usize]) -> Option<usize> {
    match field.ty.kind {
        Kind::Struct(index) if !open.contains(&index) => Some(index),
        _ => None,
    }
}

impl Selection {
    /// The selection of a query, if it has one.
    ///
    /// # Errors
    /// Why it cannot be applied to what the route returns.
    pub fn from_query(types: &Types, returns: Option<&Type>, pairs: &[(String, String)]) -> Result<Option<Self>, SelectError> {
        let mut given = pairs.iter().filter(|(name, _)| name == "campos");
        let Some((_, text)) = given.next() else {
            return Ok(None);
        };
        let returns = returns.ok_or(SelectError::NoReturns)?;
        if given.next().is_some() {
            return Err(SelectError::Repeated);
        }
        Self::parse(types, returns, text).map(Some)
    }

    /// Reads `id,autor.nome` against what a route returns.
    ///
    /// # Errors
    /// Why it cannot be applied.
    pub fn parse(types: &Types, returns: &Type, text: &str) -> Result<Self, SelectError> {
        let of = result_struct(returns).ok_or(SelectError::NotStruct)?;
        if text.is_empty() {
            return Err(SelectError::Empty);
        }
        let mut selection = Self { of, fields: Vec::new() };
        for name in text.split(',') {
            if name.split('.').any(str::is_empty) {
                return Err(SelectError::EmptyName);
            }
            choose(types, of, &mut selection.fields, name, &mut Vec::from([of]))
                .ok_or_else(|| SelectError::Unknown { name: echo(name).into(), valid: valid_names(types, of) })?;
        }
        Ok(selection)
    }

    /// The selection as text, the same for all that ask for the same fields: part of a cache's key.
    pub fn canonical(&self, types: &Types) -> String {
        let mut out = String::new();
        canonical(types, self.of, &self.fields, "", &mut out);
        out
    }

    /// Copies of a result, or of each item of a list, what was chosen, in the order of the type, in one pass over its text.
    /// No defaults are added.
    ///
    /// # Errors
    /// What is no JSON within the limits.
    pub fn apply(&self, types: &Types, json: &[u8], limits: Limits) -> Result<String, SyntaxIssue> {
        let keep = Keep { types };
        let mut out = String::new();
        json::document(json, limits, |cursor| match cursor.peek() {
            Some(b'[') => keep.each(cursor, &mut out, |cursor, out| keep.fields(cursor, out, self.of, Some(&self.fields))),
            _ => keep.fields(cursor, &mut out, self.of, Some(&self.fields)),
        })?;
        Ok(out)
    }

    /// The names of the struct's fields that a table shows under this selection: whether the path of field indices is chosen.
    pub(crate) fn covers(&self, path: &[usize]) -> bool {
        let mut fields = Some(&self.fields);
        for step in path {
            let Some(chosen) = fields else { return true };
            match chosen.iter().find(|chosen| chosen.field == *step) {
                Some(found) => fields = found.part.as_ref(),
                None => return false,
            }
        }
        true
    }
}

/// Adds a dotted name to what is chosen; `None` when the type has no such field.
fn choose(types: &Types, of: usize, chosen: &mut Vec<Chosen>, name: &str, open: &mut Vec<usize>) -> Option<()> {
    let (first, rest) = name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)));
    let (index, field) = types.get(of).fields.iter().enumerate().find(|(_, field)| field.name == first && !field.hidden)?;
    let at = chosen.partition_point(|known| known.field < index);
    if chosen.get(at).is_none_or(|known| known.field != index) {
        chosen.insert(at, Chosen { field: index, part: Some(Vec::new()) });
    }
    let Some(rest) = rest else {
        // The whole takes in any part.
        chosen[at].part = None;
        return Some(());
    };
    let inner = opens(field, open)?;
    open.push(inner);
    match &mut chosen[at].part {
        Some(part) => choose(types, inner, part, rest, open),
        None => choose(types, inner, &mut Vec::new(), rest, open),
    }
}

fn canonical(types: &Types, of: usize, chosen: &[Chosen], prefix: &str, out: &mut String) {
    for one in chosen {
        let Some(field) = types.get(of).fields.get(one.field) else { continue };
        let name = format!("{prefix}{}", field.name);
        match (&one.part, &field.ty.kind) {
            (Some(part), Kind::Struct(inner)) => canonical(types, *inner, part, &format!("{name}."), out),
            _ => {
                if !out.is_empty() {
                    out.push(',');
                }
                out.push_str(&name);
            }
        }
    }
}

/// Copies what belongs to a type.
#[derive(Clone, Copy)]
struct Keep<'t> {
    types: &'t Types,
}

impl Keep<'_> {
    /// Copies the chosen fields of a struct's value; all that the type has where nothing was chosen.
    fn fields(self, cursor: &mut Cursor<'_>, out: &mut String, of: usize, chosen: Option<&[Chosen]>) -> Read<()> {
        if cursor.peek() != Some(b'{') {
            return cursor.copy(out, Names::Any);
        }
        let fields = &self.types.get(of).fields;
        out.push('{');
        let start = out.len();
        let mut kept: Vec<(usize, Range<usize>)> = Vec::new();
        cursor.members(|cursor, name| {
            let known = fields.iter().position(|field| *field.name == **name.text && !field.hidden);
            let chosen = known.and_then(|index| match chosen {
                None => Some((index, None)),
                Some(chosen) => chosen.iter().find(|one| one.field == index).map(|one| (index, one.part.as_deref())),
            });
            let Some((index, part)) = chosen else { return cursor.skip() };
            if kept.iter().any(|(known, _)| *known == index) {
                return Err(name.repeated());
            }
            separate(&mut kept.is_empty(), out);
            let from = out.len();
            write_str(name.text, out);
            out.push(':');
            self.typed(cursor, out, &fields[index].ty, part)?;
            kept.push((index, from..out.len()));
            Ok(())
        })?;
        if !kept.is_sorted_by_key(|(index, _)| *index) {
            kept.sort_unstable_by_key(|(index, _)| *index);
            let members: Vec<&str> = kept.iter().map(|(_, range)| &out[range.clone()]).collect();
            let ordered = members.join(",");
            out.truncate(start);
            out.push_str(&ordered);
        }
        out.push('}');
        Ok(())
    }

    /// Drops what is outside the type, at every depth.
    fn typed(self, cursor: &mut Cursor<'_>, out: &mut String, ty: &Type, part: Option<&[Chosen]>) -> Read<()> {
        match (&ty.kind, cursor.peek()) {
            (Kind::Struct(inner), _) => self.fields(cursor, out, *inner, part),
            (Kind::Arr(Some(element)), Some(b'[')) => self.each(cursor, out, |cursor, out| self.typed(cursor, out, element, None)),
            (Kind::Map(Some(element)), Some(b'{')) => {
                let mut first = true;
                out.push('{');
                cursor.members(|cursor, name| {
                    separate(&mut first, out);
                    write_str(name.text, out);
                    out.push(':');
                    self.typed(cursor, out, element, None)
                })?;
                out.push('}');
                Ok(())
            }
            _ => cursor.copy(out, Names::Any),
        }
    }

    fn each<'a>(self, cursor: &mut Cursor<'a>, out: &mut String, item: impl Fn(&mut Cursor<'a>, &mut String) -> Read<()>) -> Read<()> {
        let mut first = true;
        out.push('[');
        cursor.items(|cursor| {
            separate(&mut first, out);
            item(cursor, out)
        })?;
        out.push(']');
        Ok(())
    }
}

/// What a selection of a struct's fields looks like, as a regular expression, so that a schema says all that is accepted. `None` when the
/// names are more than a pattern holds.
pub fn pattern(types: &Types, of: usize) -> Option<String> {
    let names = valid_names(types, of);
    let one = names.iter().map(|name| literal(name)).collect::<Vec<_>>().join("|");
    Some(format!("^({one})(,({one}))*$")).filter(|pattern| !names.is_empty() && pattern.len() <= LIMIT)
}

/// A name as a regular expression that only it matches.
fn literal(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    for c in name.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

/// `campos_validos`: every name that can be asked for, in the order of the type.
pub fn valid_names(types: &Types, of: usize) -> Vec<String> {
    fn visit(types: &Types, of: usize, prefix: &str, open: &mut Vec<usize>, out: &mut Vec<String>) {
        for field in types.get(of).fields.iter().filter(|field| !field.hidden) {
            if out.len() >= FIELD_LIMIT {
                return;
            }
            let name = format!("{prefix}{}", field.name);
            out.push(name.clone());
            if let Some(inner) = opens(field, open) {
                open.push(inner);
                visit(types, inner, &format!("{name}."), open, out);
                open.pop();
            }
        }
    }
    let mut out = Vec::new();
    visit(types, of, "", &mut Vec::from([of]), &mut out);
    out
}

#[cfg(test)]
mod tests;
