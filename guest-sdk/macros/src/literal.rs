//! Values as attributes write them: `1`, `-2.5`, `"a"`, `true`, `nil`, `[1, 2]`, `{"a": 1}`.

use djo_contract::value::Value;
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::punctuated::Punctuated;
use syn::{Ident, Lit, LitStr, Result, Token, braced, bracketed};

/// A value, and where it starts.
#[derive(Clone)]
pub(crate) struct Literal {
    pub(crate) value: Value,
    pub(crate) span: Span,
}

impl Parse for Literal {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let span = input.span();
        Ok(Self { value: value(input)?, span })
    }
}

fn value(input: ParseStream<'_>) -> Result<Value> {
    if input.peek(syn::token::Bracket) {
        let content;
        bracketed!(content in input);
        let items: Punctuated<Literal, Token![,]> = Punctuated::parse_terminated(&content)?;
        return Ok(Value::Arr(items.into_iter().map(|item| item.value).collect()));
    }
    if input.peek(syn::token::Brace) {
        let content;
        braced!(content in input);
        let member = |input: ParseStream<'_>| {
            let name: LitStr = input.parse()?;
            input.parse::<Token![:]>()?;
            Ok((name.value(), value(input)?))
        };
        let members: Punctuated<_, Token![,]> = content.parse_terminated(member, Token![,])?;
        return Ok(Value::Map(members.into_iter().collect()));
    }
    if input.peek(Ident::peek_any) && !input.peek(syn::LitBool) {
        let word = Ident::parse_any(input)?;
        if word == "nil" || word == "None" {
            return Ok(Value::Nil);
        }
        return Err(syn::Error::new(word.span(), "espera-se um valor: um número, \"texto\", true, false, nil, [..] ou {\"chave\": valor}"));
    }
    let negative = input.parse::<Option<Token![-]>>()?.is_some();
    let literal: Lit = input.parse()?;
    match &literal {
        Lit::Int(number) => {
            let digits = number.base10_digits();
            let text = if negative { format!("-{digits}") } else { digits.to_owned() };
            text.parse().map(Value::Int).map_err(|_| syn::Error::new(number.span(), "fora do intervalo de Int"))
        }
        Lit::Float(number) => {
            let number: f64 = number.base10_parse()?;
            Ok(Value::Float(if negative { -number } else { number }))
        }
        _ if negative => Err(syn::Error::new(literal.span(), "depois de `-` vem um número")),
        Lit::Str(text) => Ok(Value::Str(text.value())),
        Lit::Bool(flag) => Ok(Value::Bool(flag.value)),
        other => Err(syn::Error::new(other.span(), "espera-se um número, \"texto\", true ou false")),
    }
}

/// The value as a Rust expression.
pub(crate) fn to_tokens(value: &Value) -> TokenStream {
    match value {
        Value::Nil => quote!(::djo::Value::Nil),
        Value::Bool(flag) => quote!(::djo::Value::Bool(#flag)),
        Value::Int(number) => quote!(::djo::Value::Int(#number)),
        Value::Float(number) => quote!(::djo::Value::Float(#number)),
        Value::Huge(text) => to_tokens(&Value::Str(text.to_string())),
        Value::Str(text) => quote!(::djo::Value::from(#text)),
        Value::Arr(items) => {
            let items = items.iter().map(to_tokens);
            quote!(::djo::Value::Arr(::djo::prelude::Vec::from([#(#items),*])))
        }
        Value::Map(members) => {
            let members = members.iter().map(|(name, value)| {
                let value = to_tokens(value);
                quote!((::djo::prelude::String::from(#name), #value))
            });
            quote!(::djo::Value::Map(::djo::prelude::Vec::from([#(#members),*])))
        }
    }
}
