//! `html!`: which place of a page each value stands in, and the code that writes it there.

use djo_contract::link::{self, Place as UrlPlace};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::{Error, Expr, LitStr, Result, Token};

use scan::{Place, Scanner};

mod scan;

/// One or more texts, as one.
struct Input {
    text: String,
    span: Span,
}

impl Parse for Input {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let first: LitStr = input.parse()?;
        let (mut text, span) = (first.value(), first.span());
        while !input.is_empty() {
            if input.peek(Token![,]) {
                input.parse::<Token![,]>()?;
                if !input.is_empty() {
                    return Err(input.error("os valores vêm dentro do texto, entre chaves: html!(\"<p>{nome}</p>\")"));
                }
                break;
            }
            text.push_str(&input.parse::<LitStr>()?.value());
        }
        Ok(Self { text, span })
    }
}

pub(crate) fn expand(tokens: TokenStream) -> Result<TokenStream> {
    let Input { text, span } = Input::parse.parse2(tokens)?;
    let mut scanner = Scanner::default();
    let mut writes = Vec::new();
    let (mut literal, mut capacity) = (String::new(), 0);
    let mut rest = text.as_str();
    while let Some(at) = rest.find(['{', '}']) {
        let (before, from) = rest.split_at(at);
        literal.push_str(before);
        if from.starts_with("{{") || from.starts_with("}}") {
            literal.push_str(from.get(..1).unwrap_or_default());
            rest = from.get(2..).unwrap_or_default();
            continue;
        }
        let inside = from.strip_prefix('{').ok_or_else(|| Error::new(span, "uma `}` sem a sua `{`: para a chave em si, escreva `}}`"))?;
        let (expression, after) =
            split(inside).ok_or_else(|| Error::new(span, "falta a `}` de um valor: para a chave em si, escreva `{{`"))?;
        scanner.text(&literal).map_err(|problem| Error::new(span, problem))?;
        capacity += literal.len() + 16;
        if !literal.is_empty() {
            writes.push(quote!(html.push_str(#literal);));
            literal.clear();
        }
        let value: Expr = syn::parse_str(expression).map_err(|error| Error::new(span, format!("`{{{expression}}}`: {error}")))?;
        let value = respan(quote!(#value), span);
        let place = scanner.value().map_err(|problem| Error::new(span, format!("`{{{expression}}}` {problem}")))?;
        let url = |name: &str| {
            let name = proc_macro2::Ident::new(name, Span::call_site());
            quote!(Url(::djo::UrlPlace::#name))
        };
        let place = match place {
            Place::Text => quote!(Text),
            Place::Attribute => quote!(Attribute),
            Place::Url(UrlPlace::Root) if link::starts_no_host(after) && !after.starts_with('{') => url("RootEnd"),
            Place::Url(place) => url(match place {
                UrlPlace::Whole => "Whole",
                UrlPlace::Path => "Path",
                UrlPlace::Root => "Root",
                UrlPlace::RootEnd => "RootEnd",
                UrlPlace::Address => "Address",
                UrlPlace::Query => "Query",
            }),
        };
        writes.push(quote_spanned!(span=> ::djo::Render::render(&(#value), ::djo::Place::#place, &mut html);));
        rest = after;
    }
    literal.push_str(rest);
    scanner.text(&literal).map_err(|problem| Error::new(span, problem))?;
    scanner.end().map_err(|problem| Error::new(span, problem))?;
    if !literal.is_empty() {
        writes.push(quote!(html.push_str(#literal);));
    }
    capacity += literal.len();
    Ok(quote!({
        let mut html = ::djo::prelude::String::with_capacity(#capacity);
        #(#writes)*
        ::djo::Html::raw(html)
    }))
}

/// Where the expression of a value ends: at the first `}` outside of brackets and strings.
fn split(inside: &str) -> Option<(&str, &str)> {
    let (mut depth, mut quote, mut escaped) = (0_usize, false, false);
    for (at, letter) in inside.char_indices() {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quote => escaped = true,
            '"' => quote = !quote,
            _ if quote => {}
            '{' | '(' | '[' => depth += 1,
            '}' if depth == 0 => return Some((inside.get(..at)?, inside.get(at + 1..)?)),
            '}' | ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// An expression out of a text sees what stands around the text, and errors point there.
fn respan(tokens: TokenStream, span: Span) -> TokenStream {
    let one = |mut token: proc_macro2::TokenTree| {
        if let proc_macro2::TokenTree::Group(group) = &token {
            token = proc_macro2::Group::new(group.delimiter(), respan(group.stream(), span)).into();
        }
        token.set_span(span);
        token
    };
    tokens.into_iter().map(one).collect()
}
