//! The paths that routes declare.

use alloc::{format, string::String, vec::Vec};

use crate::types::{Field, Kind, Presence};

/// Segments that a path may have.
const SEGMENT_LIMIT: usize = 32;
/// What a value that stands in a path matches, beside its own type.
pub const SEGMENT_PATTERN: &str = "^[^/\\x00]+$";
/// Said of a value that does not match it.
pub const SEGMENT_MESSAGE: &str = "não pode ser vazio nem conter / ou NUL: vai no caminho";

/// Whether a value can stand in a path: what [`SEGMENT_PATTERN`] says.
pub fn is_segment(value: &str) -> bool {
    !value.is_empty() && !value.contains(['/', '\0'])
}

/// A parameter as a path can hold it: there is always a value, and a String is one segment. A pattern of its own is left as it is, since
/// a type has one.
pub fn in_path(field: &Field) -> Field {
    let mut field = Field { presence: Presence::Required, ..field.clone() };
    field.ty.nullable = false;
    let constraints = &mut field.ty.constraints;
    if let Some(allowed) = &mut constraints.allowed {
        allowed.retain(|value| value.as_str().is_none_or(is_segment));
    } else if field.ty.kind == Kind::String && constraints.pattern.is_none() {
        constraints.pattern = Some(SEGMENT_PATTERN.into());
    }
    field
}

/// Bytes that a path may have.
const LENGTH_LIMIT: usize = 1024;

/// One segment of a declared path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Segment<'p> {
    /// Matches itself, after decoding. Empty only at the end: the path ends in `/`.
    Literal(&'p str),
    /// `{nome}`: matches one segment that is not empty.
    Param(&'p str),
}

/// The segments of a declared path.
///
/// # Errors
/// What is wrong with it, in Portuguese.
pub fn parse_path(path: &str) -> Result<Vec<Segment<'_>>, String> {
    let Some(rest) = path.strip_prefix('/') else {
        return Err("o caminho deve começar com /".into());
    };
    if path.len() > LENGTH_LIMIT {
        return Err(format!("o caminho tem mais de {LENGTH_LIMIT} bytes"));
    }
    if let Some(found) = path.chars().find(|&c| matches!(c, '?' | '#' | '%' | '\\') || c.is_whitespace() || c.is_control()) {
        return Err(format!("o caminho não pode conter {found:?}"));
    }
    let mut segments = Vec::new();
    let mut names: Vec<&str> = Vec::new();
    let mut parts = rest.split('/').peekable();
    while let Some(part) = parts.next() {
        let name = part.strip_prefix('{').and_then(|part| part.strip_suffix('}'));
        match name {
            Some(name) if !is_name(name) => return Err(format!("`{{{name}}}` não é um parâmetro: o nome deve ter só letras, dígitos e _")),
            Some(name) if names.contains(&name) => return Err(format!("o parâmetro `{name}` aparece duas vezes no caminho")),
            Some(name) => {
                names.push(name);
                segments.push(Segment::Param(name));
            }
            None if part.contains(['{', '}']) => return Err(format!("em `{part}`, um parâmetro deve ser o segmento inteiro")),
            None if part.is_empty() && parts.peek().is_some() => return Err("o caminho tem um segmento vazio".into()),
            None if part == "." || part == ".." => return Err(format!("o caminho não pode conter o segmento `{part}`")),
            None => segments.push(Segment::Literal(part)),
        }
    }
    if segments.len() > SEGMENT_LIMIT {
        return Err(format!("o caminho tem mais de {SEGMENT_LIMIT} segmentos"));
    }
    Ok(segments)
}

fn is_name(name: &str) -> bool {
    name.starts_with(|first: char| first.is_alphabetic() || first == '_') && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

/// The names of a declared path's parameters, in order.
pub fn path_params(path: &str) -> impl Iterator<Item = &str> {
    path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}

/// Whether a declared path is the product's own (HTTP contract, 7.5).
pub fn is_reserved(path: &str) -> bool {
    matches!(path, "/.well-known/ai-manifest.json" | "/.well-known/agent" | "/mcp") || path.starts_with("/agent/")
}
