//! Defaults: checked and completed by the contract's own decoder, in an order in which every struct that a default
//! holds is complete before it.

use djo_contract::{
    decode,
    types::{Kind, Type, Types},
    value::Value,
};

use super::{literal::literal_value, symbols::Declarations};
use crate::diagnostic::{Diagnostic, codes};

/// Largest default, complete: defaults of structs that hold each other double at every step.
const MAX_VALUES: usize = 10_000;

/// Deepest default, complete: as deep as JSON may be.
const MAX_DEPTH: u32 = 64;

/// What is wrong with a default, and where in it.
pub(super) struct Problem {
    pub(super) path: String,
    pub(super) message: String,
}

/// The value as its type has it: Floats as Floats, nested structs with their own defaults.
pub(super) fn complete(value: Value, ty: &Type, types: &Types) -> Result<Value, Problem> {
    let value = decode::decode(types, ty, value).map_err(|issues| {
        let first = issues.list.into_iter().next();
        let (path, message) = first.map_or_else(Default::default, |issue| (issue.path, issue.message));
        Problem { path, message }
    })?;
    if value.size_within(MAX_DEPTH).is_none_or(|size| size > MAX_VALUES) {
        let message = format!("com os valores padrão do que contém, tem mais de {MAX_VALUES} valores ou {MAX_DEPTH} níveis");
        return Err(Problem { path: String::new(), message });
    }
    Ok(value)
}

/// Fields with a default, as indices of struct and field, each struct after those that its defaults hold.
/// Reports defaults that would hold themselves.
pub(super) fn order(declarations: &Declarations, types: &Types, diagnostics: &mut Vec<Diagnostic>) -> Vec<(usize, usize)> {
    let held: Vec<Vec<(usize, Vec<usize>)>> = declarations
        .structs
        .iter()
        .zip(&types.structs)
        .map(|(decl, structure)| {
            let mut fields = Vec::new();
            for (index, field) in decl.fields.iter().enumerate() {
                // Reported, if at all, when the default itself is read.
                let Some(value) = field.default.as_ref().and_then(|expr| literal_value(expr, &mut Vec::new())) else { continue };
                let mut structs = Vec::new();
                if let Some(typed) = structure.fields.get(index) {
                    collect(&value, &typed.ty, types, &mut structs);
                }
                fields.push((index, structs));
            }
            fields
        })
        .collect();
    let mut walk = Walk { held: &held, state: vec![State::Unseen; held.len()], order: Vec::new(), cycles: Vec::new() };
    for structure in 0..held.len() {
        walk.visit(structure);
    }
    for (structure, field) in &walk.cycles {
        let Some(decl) = declarations.structs.get(*structure).and_then(|decl| decl.fields.get(*field)) else { continue };
        let span = decl.default.as_ref().map_or(decl.span, |expr| expr.span);
        let message = format!("o valor padrão de `{}` contém a si mesmo", decl.name.text);
        diagnostics.push(Diagnostic::error(codes::BAD_DEFAULT, span, message).hint("use `nil` ou um Arr vazio como padrão"));
    }
    let Walk { order, cycles, .. } = walk;
    order
        .into_iter()
        .flat_map(|structure| held[structure].iter().map(move |(field, _)| (structure, *field)))
        .chain(undecoded(declarations, &held))
        .filter(|place| !cycles.contains(place))
        .collect()
}

/// Defaults that are no literals: in no order, since reading them only reports.
fn undecoded(declarations: &Declarations, held: &[Vec<(usize, Vec<usize>)>]) -> Vec<(usize, usize)> {
    let mut places = Vec::new();
    for (structure, decl) in declarations.structs.iter().enumerate() {
        for (index, field) in decl.fields.iter().enumerate() {
            if field.default.is_some() && !held[structure].iter().any(|(known, _)| *known == index) {
                places.push((structure, index));
            }
        }
    }
    places
}

/// The structs that a value of a type holds.
fn collect(value: &Value, ty: &Type, types: &Types, out: &mut Vec<usize>) {
    match (&ty.kind, value) {
        (Kind::Arr(Some(item)), Value::Arr(items)) => items.iter().for_each(|value| collect(value, item, types, out)),
        (Kind::Map(Some(item)), Value::Map(members)) => members.iter().for_each(|(_, value)| collect(value, item, types, out)),
        (Kind::Struct(index), Value::Map(members)) => {
            out.push(*index);
            for field in &types.get(*index).fields {
                if let Some((_, value)) = members.iter().find(|(name, _)| *name == field.name) {
                    collect(value, &field.ty, types, out);
                }
            }
        }
        _ => {}
    }
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Unseen,
    Open,
    Done,
}

struct Walk<'a> {
    held: &'a [Vec<(usize, Vec<usize>)>],
    state: Vec<State>,
    order: Vec<usize>,
    cycles: Vec<(usize, usize)>,
}

impl Walk<'_> {
    /// Post-order with an explicit stack, since chains of structs are as long as the site makes them.
    fn visit(&mut self, root: usize) {
        let mut stack = vec![(root, 0)];
        while let Some((structure, next)) = stack.pop() {
            if next == 0 {
                if self.state[structure] != State::Unseen {
                    continue;
                }
                self.state[structure] = State::Open;
            }
            let edges: Vec<(usize, usize)> =
                self.held[structure].iter().flat_map(|(field, to)| to.iter().map(move |to| (*field, *to))).collect();
            match edges.get(next) {
                None => {
                    self.state[structure] = State::Done;
                    self.order.push(structure);
                }
                Some((field, to)) => {
                    stack.push((structure, next + 1));
                    match self.state[*to] {
                        State::Unseen => stack.push((*to, 0)),
                        State::Open => self.cycles.push((structure, *field)),
                        State::Done => {}
                    }
                }
            }
        }
    }
}
