//! Written types, fields and parameters to the contract's types.

use djo_contract::types::{Field, Kind, Presence, Source, Struct, Type, Types};

use super::{
    constraints, defaults,
    symbols::{Declarations, Symbol},
};
use crate::{
    ast::{FieldDecl, Name, Span, TypeExpr, TypeKind},
    diagnostic::{Diagnostic, codes, nearest},
    syntax::parser::foreign::foreign_type,
};

/// What the fields belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    Struct,
    Function,
    Action,
}

/// A type without constraints that takes anything, `nil` included.
pub(crate) fn any_type() -> Type {
    Type::new(Kind::Any)
}

/// Resolves written types.
pub(crate) fn resolve(ty: &TypeExpr, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Option<Type> {
    let kind = match &ty.kind {
        TypeKind::Unread => return None,
        TypeKind::Named(name) => named_kind(name, declarations, diagnostics)?,
        TypeKind::Arr(item) => Kind::Arr(Some(Box::new(resolve(item, declarations, diagnostics)?))),
        TypeKind::Map(item) => Kind::Map(Some(Box::new(resolve(item, declarations, diagnostics)?))),
    };
    Some(Type { nullable: ty.optional, ..Type::new(kind) })
}

fn named_kind(name: &Name, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Option<Kind> {
    let found = kind_of_name(&name.text, declarations);
    if found.is_none() && !declarations.is_broken(&name.text) {
        diagnostics.push(unknown_type(&name.text, name.span, declarations));
    }
    found
}

/// The kind that a name stands for: a type of the language, or a struct.
pub(crate) fn kind_of_name(name: &str, declarations: &Declarations) -> Option<Kind> {
    Some(match name {
        "Int" => Kind::Int,
        "Float" => Kind::Float,
        "String" => Kind::String,
        "Bool" => Kind::Bool,
        "Arr" => Kind::Arr(None),
        "Map" => Kind::Map(None),
        other => match declarations.find(other) {
            Some(Symbol::Struct(index)) => Kind::Struct(index),
            _ => return None,
        },
    })
}

/// "o tipo não existe", with the nearest that does.
pub(crate) fn unknown_type(name: &str, span: Span, declarations: &Declarations) -> Diagnostic {
    let foreign = foreign_type(name);
    let candidates = ["Int", "Float", "String", "Bool", "Arr", "Map"].into_iter().chain(declarations.struct_names());
    let hint = match foreign.or_else(|| nearest(name, candidates)) {
        Some(near) => format!("você quis dizer `{near}`?"),
        None => "os tipos são `Int`, `Float`, `String`, `Bool`, `Arr`, `Map` e as structs de `core/`".into(),
    };
    Diagnostic::error(codes::UNKNOWN_TYPE, span, format!("o tipo `{name}` não existe")).hint(hint)
}

/// How messages name a type.
pub(crate) fn type_name(ty: &Type, types: &Types) -> String {
    let mut name = match &ty.kind {
        Kind::Any => "qualquer valor".to_owned(),
        Kind::Int => "Int".into(),
        Kind::Float => "Float".into(),
        Kind::String => "String".into(),
        Kind::Bool => "Bool".into(),
        Kind::Arr(None) => "Arr".into(),
        Kind::Map(None) => "Map".into(),
        Kind::Arr(Some(item)) => format!("Arr[{}]", type_name(item, types)),
        Kind::Map(Some(item)) => format!("Map[{}]", type_name(item, types)),
        Kind::Struct(index) => types.structs.get(*index).map_or_else(String::new, |structure| structure.name.clone()),
    };
    if ty.nullable {
        name.push('?');
    }
    name
}

/// The fields of all structs, without their defaults, which need the finished table.
pub(crate) fn struct_table(declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Types {
    let structs = declarations.structs.iter().map(|decl| Struct {
        name: decl.name.text.clone(),
        description: decl.description.clone(),
        fields: fields(&decl.fields, Owner::Struct, declarations, diagnostics),
    });
    Types { structs: structs.collect() }
}

/// Fields or parameters, without defaults. As many as were declared, so that indices agree.
pub(crate) fn fields(decls: &[FieldDecl], owner: Owner, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Vec<Field> {
    for (index, decl) in decls.iter().enumerate() {
        if let Some(first) = decls[..index].iter().find(|first| first.name.text == decl.name.text) {
            let what = if owner == Owner::Struct { "o campo" } else { "o parâmetro" };
            let message = format!("{what} `{}` aparece duas vezes", decl.name.text);
            diagnostics.push(Diagnostic::error(codes::DUPLICATE_NAME, decl.name.span, message).related(first.name.span, "o primeiro"));
        }
    }
    decls.iter().map(|decl| field(decl, owner, declarations, diagnostics)).collect()
}

fn field(decl: &FieldDecl, owner: Owner, declarations: &Declarations, diagnostics: &mut Vec<Diagnostic>) -> Field {
    let mut ty = match &decl.ty {
        Some(written) => resolve(written, declarations, diagnostics),
        None => {
            if owner == Owner::Action {
                let message = format!("o parâmetro `{}` de uma action precisa de um tipo", decl.name.text);
                let hint = format!("escreva `{}[String]`", decl.name.text);
                diagnostics.push(Diagnostic::error(codes::MISSING_TYPE, decl.name.span, message).hint(hint));
            }
            None
        }
    }
    .unwrap_or_else(any_type);
    let inject = constraints::apply(&decl.constraints, &mut ty, owner, diagnostics);
    if decl.hidden && owner == Owner::Function {
        let diagnostic = Diagnostic::error(codes::BAD_CONSTRAINT, decl.name.span, "`nocall` não cabe num parâmetro de `f`");
        diagnostics.push(diagnostic.hint("só a entrada de uma action e os campos de uma struct aparecem para fora"));
    }
    // A default that turns out not to serve has been reported: nothing more is said of the field's absence.
    let absent = ty.nullable || decl.default.is_some() || ty.kind == Kind::Any && decl.ty.is_some();
    let presence = if absent { Presence::Optional } else { Presence::Required };
    Field {
        name: decl.name.text.clone(),
        ty,
        presence,
        description: decl.description.clone(),
        hidden: decl.hidden,
        source: inject.map_or(Source::Input, Source::Inject),
    }
}

/// Puts checked and completed defaults into the structs.
pub(crate) fn fill_struct_defaults(declarations: &Declarations, types: &mut Types, diagnostics: &mut Vec<Diagnostic>) {
    let order = defaults::order(declarations, types, diagnostics);
    for (structure, field) in order {
        let Some(decl) = declarations.structs.get(structure).and_then(|decl| decl.fields.get(field)) else { continue };
        let presence = default_of(decl, &types.structs[structure].fields[field].ty, types, diagnostics);
        if let Some(presence) = presence {
            types.structs[structure].fields[field].presence = presence;
        }
    }
}

/// Puts checked and completed defaults into parameters.
pub(crate) fn fill_defaults(decls: &[FieldDecl], fields: &mut [Field], types: &Types, diagnostics: &mut Vec<Diagnostic>) {
    for (decl, field) in decls.iter().zip(fields) {
        if let Some(presence) = default_of(decl, &field.ty, types, diagnostics) {
            field.presence = presence;
        }
    }
}

fn default_of(decl: &FieldDecl, ty: &Type, types: &Types, diagnostics: &mut Vec<Diagnostic>) -> Option<Presence> {
    let expr = decl.default.as_ref()?;
    let value = super::literal::literal_value(expr, diagnostics)?;
    match defaults::complete(value, ty, types) {
        Ok(value) => Some(Presence::Default(value)),
        Err(problem) => {
            let place = if problem.path.is_empty() { String::new() } else { format!(" em `{}`", problem.path) };
            let message = format!("o valor padrão de `{}` não serve{place}: {}", decl.name.text, problem.message);
            diagnostics.push(Diagnostic::error(codes::BAD_DEFAULT, expr.span, message));
            None
        }
    }
}
