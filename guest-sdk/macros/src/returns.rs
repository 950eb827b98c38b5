//! What a handler's return type says: the type that the contract publishes, and how the result becomes a response.

use djo_contract::types::{Kind, Type};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::spanned::Spanned as _;
use syn::{Error, Result, ReturnType};

use crate::types::{self, Names};

/// A return type, taken apart.
pub(crate) struct Returned {
    /// What the contract publishes.
    pub(crate) declared: Option<Type>,
    /// `Result`
    fallible: bool,
    /// `Option`, for what may not be there.
    optional: bool,
    kind: Kinds,
    span: Span,
}

#[derive(PartialEq)]
enum Kinds {
    Data,
    Page,
    /// `Html`, `Redirect`, …: what says for itself how it is put out.
    Own,
}

/// Names of types that are no values of the contract.
const OWN: &[&str] = &["Html", "Redirect", "Response", "Content"];

/// Takes a return type apart.
///
/// # Errors
/// A value that the contract cannot name; one where a page is wanted.
pub(crate) fn read(output: &ReturnType, names: &Names, screen: bool) -> Result<Returned> {
    let mut returned = Returned { declared: None, fallible: false, optional: false, kind: Kinds::Own, span: output.span() };
    let ReturnType::Type(_, ty) = output else { return Ok(returned) };
    let mut ty: &syn::Type = ty;
    if let Some((name, arguments)) = types::path(ty)
        && name == "Result"
        && let Some(inner) = arguments.first()
    {
        (returned.fallible, ty) = (true, *inner);
    }
    if let Some((name, arguments)) = types::path(ty)
        && name == "Option"
        && let Some(inner) = arguments.first()
    {
        (returned.optional, ty) = (true, *inner);
    }
    returned.span = ty.span();
    let Some((name, arguments)) = types::path(ty) else { return Ok(returned) };
    let is = |ty: &syn::Type, of: &str| types::path(ty).is_some_and(|(name, _)| name == of);
    let own = OWN.iter().any(|own| name == own) || name == "Vec" && arguments.first().is_some_and(|item| is(item, "Content"));
    if own {
        return Ok(returned);
    }
    if screen {
        let message = "uma tela responde `Html`, `Redirect` ou `Response` (ou Option ou Result deles); para dados, use `#[djo::agent]`";
        return Err(Error::new(returned.span, message));
    }
    if let ("Page", Some(item)) = (name.to_string().as_str(), arguments.first()) {
        returned.kind = Kinds::Page;
        let item = types::read(item, names)?;
        returned.declared = Some(Kind::Arr((item.kind != Kind::Any).then(|| Box::new(item))).into());
        return Ok(returned);
    }
    let plain = arguments.is_empty() && !names.contains_key(&name.to_string());
    match types::read(ty, names) {
        Ok(ty) => {
            returned.kind = Kinds::Data;
            returned.declared = (ty.kind != Kind::Any).then_some(ty);
        }
        // A type of the author's own that says for itself how it is put out; if it does not, rustc says so at its place.
        Err(_) if plain && !is_primitive(&name.to_string()) => {}
        Err(error) => return Err(error),
    }
    Ok(returned)
}

fn is_primitive(name: &str) -> bool {
    ["u64", "usize", "isize", "i128", "u128", "f32", "str", "char"].contains(&name)
}

impl Returned {
    /// The call's result as a `Body`.
    pub(crate) fn body(&self, call: &TokenStream) -> TokenStream {
        let mut value = call.clone();
        if self.fallible {
            value = quote!(#value?);
        }
        if self.optional {
            value = quote!(match #value {
                ::core::option::Option::Some(value) => value,
                ::core::option::Option::None => return ::core::result::Result::Err(::djo::Error::not_found()),
            });
        }
        let span = self.span;
        match self.kind {
            Kinds::Data => quote_spanned!(span=> ::djo::respond::Body::json(&#value)),
            Kinds::Page => quote_spanned!(span=> ::djo::respond::Body::page(&#value)),
            Kinds::Own => quote_spanned!(span=> ::djo::Respond::respond(#value)),
        }
    }
}
