//! Functions and actions: their parameters, and how they are called.

use djo_contract::types::{Field, Kind, Presence, Source, Types};

use super::{
    shape::Shape,
    symbols::Declarations,
    types::{self, Owner},
    unit::Signature,
};
use crate::{
    ast::{FunctionDecl, Name},
    diagnostic::{Diagnostic, codes},
};

/// The signatures of all functions, in their order.
pub(super) fn signatures(declarations: &Declarations, types: &Types, diagnostics: &mut Vec<Diagnostic>) -> Vec<Signature> {
    declarations.functions.iter().map(|decl| signature(decl, declarations, types, diagnostics)).collect()
}

fn signature(decl: &FunctionDecl, declarations: &Declarations, types: &Types, diagnostics: &mut Vec<Diagnostic>) -> Signature {
    for param in &decl.params {
        if crate::syntax::token::Keyword::from_text(&param.name.text).is_some() {
            let message = format!("`{}` é uma palavra reservada, e o código não teria como ler o parâmetro", param.name.text);
            diagnostics.push(Diagnostic::error(codes::RESERVED_WORD, param.name.span, message).hint("escolha outro nome"));
        }
    }
    let owner = if decl.action { Owner::Action } else { Owner::Function };
    let mut params = types::fields(&decl.params, owner, declarations, diagnostics);
    types::fill_defaults(&decl.params, &mut params, types, diagnostics);
    if decl.action {
        for (param, written) in params.iter().zip(&decl.params) {
            input_problems(param, &written.name, types, diagnostics);
        }
    }
    let given: Vec<usize> =
        (0..params.len()).filter(|&index| !params[index].hidden && !matches!(params[index].source, Source::Inject(_))).collect();
    let least = given.iter().rposition(|&index| params[index].presence == Presence::Required).map_or(0, |last| last + 1);
    Signature { params, given, least }
}

/// What keeps a parameter from ever being filled.
fn input_problems(param: &Field, name: &Name, types: &Types, diagnostics: &mut Vec<Diagnostic>) {
    if param.hidden {
        if param.presence == Presence::Required && !matches!(param.source, Source::Inject(_)) {
            let message = format!("o parâmetro `{}` é `nocall` e nunca receberia um valor", name.text);
            let diagnostic = Diagnostic::error(codes::HIDDEN_REQUIRED, name.span, message);
            diagnostics.push(diagnostic.hint("dê um valor padrão com `=`"));
        }
        return;
    }
    if let Some((structure, field)) = hidden_required(&param.ty.kind, types) {
        let message = format!("`{structure}` não serve de entrada: o campo `{field}` é `nocall` e não tem valor padrão");
        let diagnostic = Diagnostic::error(codes::HIDDEN_REQUIRED, name.span, message);
        diagnostics.push(diagnostic.hint(format!("dê um valor padrão a `{field}`, ou declare-o com `?`")));
    }
}

/// A `nocall` field without a default in a struct that an input reaches.
fn hidden_required<'t>(kind: &'t Kind, types: &'t Types) -> Option<(&'t str, &'t str)> {
    let mut seen = vec![false; types.structs.len()];
    let mut open = vec![kind];
    while let Some(kind) = open.pop() {
        match kind {
            Kind::Arr(Some(item)) | Kind::Map(Some(item)) => open.push(&item.kind),
            Kind::Struct(index) => {
                if seen.get(*index).copied().unwrap_or(true) {
                    continue;
                }
                seen[*index] = true;
                let structure = types.get(*index);
                for field in &structure.fields {
                    if !field.hidden {
                        open.push(&field.ty.kind);
                    } else if field.presence == Presence::Required {
                        return Some((&structure.name, &field.name));
                    }
                }
            }
            _ => {}
        }
    }
    None
}

/// Parameters as locals, with what their types say.
pub(super) fn locals(decl: &FunctionDecl, signature: &Signature) -> Vec<(Name, Shape)> {
    decl.params.iter().zip(&signature.params).map(|(written, param)| (written.name.clone(), Shape::of_type(&param.ty))).collect()
}
