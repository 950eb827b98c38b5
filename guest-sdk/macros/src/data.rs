//! `#[djo::data]`: structs and enums of names, and what turns them into values and back.

use djo_contract::types::{Field, Presence, Struct};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::Parser as _;
use syn::{Error, Fields, Ident, Item, ItemEnum, ItemStruct, Result};

use crate::docs;
use crate::field::{self, Owner, Read};
use crate::literal::to_tokens;
use crate::options::Options;
use crate::types::{self, Names};

/// The options of `#[djo::data(…)]`.
pub(crate) fn name_of(attributes: &TokenStream, ident: &Ident) -> Result<String> {
    let mut options: Options = syn::parse::Parse::parse.parse2(attributes.clone())?;
    let name = options.take("name").map(|given| given.text()).transpose()?;
    options.finish(&["name"])?;
    Ok(name.unwrap_or_else(|| ident.unraw().to_string()))
}

/// The names of an enum's variants: their own in snake_case, unless `#[djo(name = "…")]` says otherwise.
pub(crate) fn names(item: &mut ItemEnum) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::new();
    for variant in &mut item.variants {
        if !matches!(variant.fields, Fields::Unit) {
            return Err(Error::new_spanned(
                &variant.fields,
                "no contrato, um enum é uma String de poucos valores: as variantes não têm dados",
            ));
        }
        let mut options = Options::take_from(&mut variant.attrs)?;
        let given = options.take("name").map(|given| given.text()).transpose()?;
        options.finish(&["name"])?;
        let name = given.unwrap_or_else(|| snake_case(&variant.ident.unraw().to_string()));
        if names.contains(&name) {
            return Err(Error::new(variant.ident.span(), format!("duas variantes se chamam `{name}`")));
        }
        names.push(name);
    }
    if names.is_empty() {
        return Err(Error::new(item.ident.span(), "um enum sem variantes não tem valores"));
    }
    Ok(names)
}

fn snake_case(name: &str) -> String {
    let mut out = String::new();
    for (index, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

/// A struct as read: the contract's, and where its defaults stand.
pub(crate) struct ReadStruct {
    pub(crate) of: Struct,
    pub(crate) defaults: Vec<Option<Span>>,
}

/// Reads a struct's members, and takes their options away. Without names the types are not looked at.
pub(crate) fn read(item: &mut ItemStruct, name: String, names: Option<&Names>) -> Result<ReadStruct> {
    let Fields::Named(members) = &mut item.fields else {
        return Err(Error::new_spanned(&item.fields, "no contrato, um struct tem campos com nome"));
    };
    if let Some(parameter) = item.generics.params.first() {
        return Err(Error::new_spanned(parameter, "um struct do contrato não tem parâmetros de tipo"));
    }
    let mut problems: Option<Error> = None;
    let mut of = Struct { name, description: docs::description(&item.attrs), fields: Vec::new() };
    let mut defaults = Vec::new();
    for member in &mut members.named {
        let mut one = || {
            let mut options = Options::take_from(&mut member.attrs)?;
            let given = options.take("name").map(|given| given.text()).transpose()?;
            let name = given.or_else(|| Some(member.ident.as_ref()?.unraw().to_string())).unwrap_or_default();
            let ty = match names {
                Some(names) => types::read(&member.ty, names)?,
                None => untyped(&member.ty),
            };
            if names.is_none() {
                // Of a type that stands in no contract, only what becomes of absent members counts.
                options.retain_default();
            }
            let Read { field, default } = field::read(name, ty, options, docs::description(&member.attrs), Owner::Struct)?;
            if of.fields.iter().any(|held| held.name == field.name) {
                return Err(Error::new_spanned(&member.ident, format!("dois campos se chamam `{}`", field.name)));
            }
            of.fields.push(field);
            defaults.push(default);
            Ok(())
        };
        if let Err(error) = one() {
            match &mut problems {
                Some(all) => all.combine(error),
                none => *none = Some(error),
            }
        }
    }
    problems.map_or(Ok(ReadStruct { of, defaults }), Err)
}

fn untyped(ty: &syn::Type) -> djo_contract::types::Type {
    let nullable = types::path(ty).is_some_and(|(name, _)| name == "Option");
    djo_contract::types::Type { nullable, ..djo_contract::types::Kind::Any.into() }
}

/// `impl Data` of a struct, whose fields stand in the order of the item's.
pub(crate) fn implement(item: &ItemStruct, of: &Struct) -> TokenStream {
    let (ident, name) = (&item.ident, &of.name);
    let members: Vec<_> = item.fields.iter().filter_map(|member| member.ident.as_ref()).zip(&of.fields).collect();
    let takes = members.iter().map(|(member, field)| {
        let (name, usual) = (&field.name, usual(field));
        quote!(#member: members.take(#name, #usual)?)
    });
    let writes = members.iter().map(|(member, field)| {
        let name = &field.name;
        let write = quote!(out.key(#name); ::djo::Data::write(&self.#member, out););
        if field.hidden { quote!(if out.keeps_hidden() { #write }) } else { write }
    });
    let (all, shown) = (members.len(), of.fields.iter().filter(|field| !field.hidden).count());
    quote! {
        #[automatically_derived]
        impl ::djo::Data for #ident {
            fn from_value(value: ::djo::Value) -> ::core::result::Result<Self, ::djo::data::Mismatch> {
                let mut members = ::djo::data::Members::of(value, #name)?;
                ::core::result::Result::Ok(Self { #(#takes),* })
            }

            fn write(&self, out: &mut dyn ::djo::data::Sink) {
                let count = if out.keeps_hidden() { #all } else { #shown };
                out.record(#name, count);
                #(#writes)*
                out.end('}');
            }
        }
    }
}

/// What an absent member is: its default, as a function.
pub(crate) fn usual(field: &Field) -> TokenStream {
    match &field.presence {
        Presence::Default(value) => {
            let value = to_tokens(value);
            quote!(::core::option::Option::Some(|| #value))
        }
        Presence::Required | Presence::Optional => quote!(::core::option::Option::None),
    }
}

/// `impl Data` of an enum of names, and its name as text.
pub(crate) fn implement_names(item: &ItemEnum, names: &[String]) -> TokenStream {
    let (ident, visibility) = (&item.ident, &item.vis);
    let variants: Vec<_> = item.variants.iter().map(|variant| &variant.ident).collect();
    let wanted = format!("um de {}", names.join(", "));
    quote! {
        #[automatically_derived]
        impl ::djo::Data for #ident {
            fn from_value(value: ::djo::Value) -> ::core::result::Result<Self, ::djo::data::Mismatch> {
                match value.as_str() {
                    #(::core::option::Option::Some(#names) => ::core::result::Result::Ok(Self::#variants),)*
                    _ => ::core::result::Result::Err(::djo::data::Mismatch::new(#wanted, &value)),
                }
            }

            fn write(&self, out: &mut dyn ::djo::data::Sink) {
                out.str(self.name());
            }
        }

        #[automatically_derived]
        impl #ident {
            /// The value as the contract names it.
            #[allow(dead_code)]
            #visibility fn name(&self) -> &'static str {
                match self {
                    #(Self::#variants => #names,)*
                }
            }
        }

        #[automatically_derived]
        impl ::djo::Render for #ident {
            fn render(&self, place: ::djo::Place, out: &mut ::djo::prelude::String) {
                ::djo::Render::render(self.name(), place, out);
            }
        }
    }
}

/// A type outside of a site's module.
pub(crate) fn expand_alone(attributes: &TokenStream, item: Item) -> Result<TokenStream> {
    match item {
        Item::Struct(mut item) => {
            let name = name_of(attributes, &item.ident)?;
            let ReadStruct { of, .. } = read(&mut item, name, None)?;
            let implementation = implement(&item, &of);
            Ok(quote!(#item #implementation))
        }
        Item::Enum(mut item) => {
            name_of(attributes, &item.ident)?;
            let names = names(&mut item)?;
            let implementation = implement_names(&item, &names);
            Ok(quote!(#item #implementation))
        }
        other => Err(Error::new_spanned(other, "`#[djo::data]` vale para um struct ou um enum")),
    }
}
