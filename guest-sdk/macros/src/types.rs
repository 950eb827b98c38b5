//! Rust types as the contract's.

use std::collections::HashMap;

use djo_contract::issue::nearest;
use djo_contract::types::{Constraints, Kind, Type};
use djo_contract::value::Value;
use syn::spanned::Spanned as _;
use syn::{Error, GenericArgument, Ident, PathArguments, Result};

/// What a name of the module is.
#[derive(Clone, Debug)]
pub(crate) enum Named {
    /// An index of the contract's structs.
    Struct(usize),
    /// The names of an enum.
    Names(Vec<String>),
}

/// The types of the module, by their names in Rust.
pub(crate) type Names = HashMap<String, Named>;

const KNOWN: &[&str] = &["i64", "i32", "u32", "f64", "String", "bool", "Vec", "Option", "BTreeMap", "Box", "Value"];

/// The last name of a type's path and its type arguments: `std::vec::Vec<T>` is `Vec` of `T`.
pub(crate) fn path(ty: &syn::Type) -> Option<(&Ident, Vec<&syn::Type>)> {
    let path = match ty {
        syn::Type::Path(path) if path.qself.is_none() => &path.path,
        syn::Type::Paren(inner) => return path(&inner.elem),
        syn::Type::Group(inner) => return path(&inner.elem),
        _ => return None,
    };
    let last = path.segments.last()?;
    let arguments = match &last.arguments {
        PathArguments::AngleBracketed(arguments) => arguments
            .args
            .iter()
            .filter_map(|argument| match argument {
                GenericArgument::Type(ty) => Some(ty),
                _ => None,
            })
            .collect(),
        _ => Vec::new(),
    };
    Some((&last.ident, arguments))
}

/// The type as the contract's.
///
/// # Errors
/// It is none that the contract can name.
pub(crate) fn read(ty: &syn::Type, names: &Names) -> Result<Type> {
    let fail = |message: String| Err(Error::new(ty.span(), message));
    let Some((name, arguments)) = path(ty) else {
        return fail("este tipo não cabe no contrato: para texto use `String`, para listas `Vec<T>`".into());
    };
    let inner = |at: usize| match arguments.get(at) {
        Some(argument) => read(argument, names),
        None => Err(Error::new(ty.span(), format!("faltam os parâmetros de `{name}`"))),
    };
    // What holds anything is untyped: `Vec<Value>` is Arr.
    let element = |of: Type| (of.kind != Kind::Any).then(|| Box::new(of));
    let name = name.to_string();
    Ok(match name.as_str() {
        "i64" => Kind::Int.into(),
        "i8" => ranged(i8::MIN.into(), i8::MAX.into()),
        "i16" => ranged(i16::MIN.into(), i16::MAX.into()),
        "i32" => ranged(i32::MIN.into(), i32::MAX.into()),
        "u8" => ranged(0, u8::MAX.into()),
        "u16" => ranged(0, u16::MAX.into()),
        "u32" => ranged(0, u32::MAX.into()),
        "f64" => Kind::Float.into(),
        "bool" => Kind::Bool.into(),
        "String" => Kind::String.into(),
        "Value" => Kind::Any.into(),
        "Vec" => Kind::Arr(element(inner(0)?)).into(),
        "BTreeMap" => {
            if arguments.first().and_then(|key| path(key)).is_none_or(|(key, _)| key != "String") {
                return fail("as chaves de um Map são `String`: `BTreeMap<String, T>`".into());
            }
            Kind::Map(element(inner(1)?)).into()
        }
        "Option" => match inner(0)? {
            of if of.nullable => return fail("`Option` de `Option` não cabe no contrato".into()),
            of => Type { nullable: true, ..of },
        },
        "Box" => inner(0)?,
        "u64" | "usize" | "isize" | "i128" | "u128" => {
            return fail(format!("`{name}` não cabe no contrato: um Int tem 64 bits com sinal; use `i64` (ou `u32`)"));
        }
        "f32" => return fail("`f32` não cabe no contrato; use `f64`".into()),
        "str" | "char" => return fail(format!("`{name}` não cabe no contrato; use `String`")),
        "HashMap" => return fail("`HashMap` não tem ordem; use `BTreeMap<String, T>`".into()),
        _ => match names.get(&name) {
            Some(Named::Struct(index)) => Kind::Struct(*index).into(),
            Some(Named::Names(allowed)) => {
                let allowed = Some(allowed.iter().map(|name| Value::from(name.as_str())).collect());
                Type { constraints: Constraints { allowed, ..Constraints::default() }, ..Kind::String.into() }
            }
            None => {
                let candidates = names.keys().map(String::as_str).chain(KNOWN.iter().copied());
                let hint = nearest(&name, candidates).map(|near| format!(" Você quis dizer `{near}`?")).unwrap_or_default();
                return fail(format!(
                    "o contrato não conhece o tipo `{name}`: use i64, f64, String, bool, Vec<T>, BTreeMap<String, T>, Option<T>, Value, ou um struct ou enum deste módulo com #[djo::data].{hint}"
                ));
            }
        },
    })
}

fn ranged(least: i64, most: i64) -> Type {
    let constraints = Constraints { minimum: Some(Value::Int(least)), maximum: Some(Value::Int(most)), ..Constraints::default() };
    Type { constraints, ..Kind::Int.into() }
}
