//! Structs that would have to contain themselves: reachable from each other without an `Arr`, `Map` or `?` between.

use djo_contract::types::{Kind, Types};

use super::symbols::Declarations;
use crate::diagnostic::{Diagnostic, codes};

/// Most structs of a site: what follows types goes as deep as they refer to each other.
const MAX_STRUCTS: usize = 1_000;

/// Reports each cycle once, at the field that closes it.
pub(super) fn check(declarations: &Declarations, types: &Types, diagnostics: &mut Vec<Diagnostic>) {
    if let Some(decl) = declarations.structs.get(MAX_STRUCTS) {
        let message = format!("o site tem mais de {MAX_STRUCTS} structs");
        diagnostics.push(Diagnostic::error(codes::TOO_DEEP, decl.name.span, message));
        return;
    }
    let mut done = vec![false; types.structs.len()];
    for root in 0..types.structs.len() {
        // The path from the root, as struct and next field to look at.
        let mut path = vec![(root, 0)];
        while let Some((structure, field)) = path.pop() {
            let Some(found) = types.get(structure).fields.get(field) else {
                done[structure] = true;
                continue;
            };
            path.push((structure, field + 1));
            let Kind::Struct(next) = found.ty.kind else { continue };
            if found.ty.nullable || done[next] {
                continue;
            }
            let Some(start) = path.iter().position(|(open, _)| *open == next) else {
                path.push((next, 0));
                continue;
            };
            let decl = declarations.structs.get(structure).and_then(|decl| decl.fields.get(field));
            let Some(ty) = decl.and_then(|decl| decl.ty.as_ref()) else { continue };
            let names: Vec<String> = path[start..].iter().map(|(index, _)| format!("`{}`", types.get(*index).name)).collect();
            let message = match names.as_slice() {
                [only] => format!("{only} não pode conter a si mesma"),
                _ => format!("{} não podem conter umas às outras sem fim", names.join(" → ")),
            };
            let name = &types.get(next).name;
            let hint = format!("use `{name}?`, `Arr[{name}]` ou `Map[{name}]`");
            diagnostics.push(Diagnostic::error(codes::ENDLESS_STRUCT, ty.span, message).hint(hint));
        }
    }
}
