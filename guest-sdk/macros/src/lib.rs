//! `#[djo::site]` and its like: the contract out of a Rust module, computed while compiling by the crate that hosts go by.
//!
//! A macro sees tokens, not types: what stands in the module is all it knows. It reads the module's structs and handlers into a
//! `djo_contract::model::Contract`, checks that as the djo compiler does, and writes what runs them.

mod data;
mod docs;
mod expand;
mod field;
mod handler;
mod html;
mod literal;
mod options;
mod returns;
mod routes;
mod site;
mod types;

use proc_macro::TokenStream;
use quote::quote;
use syn::parse_macro_input;

/// Makes a site of a module: `#[djo::site(nome = "Loja", about = "Uma loja de plantas")] mod loja { … }`.
///
/// In the module, `#[djo::data]` marks the contract's structs and enums, `#[djo::screen("/")]` pages, `#[djo::agent("/produtos")]` agent
/// faces, `#[djo::action("/pedidos")]` actions, and `#[djo::error_page(404)]` pages for errors. What the macro adds is the type `Site`.
#[proc_macro_attribute]
pub fn site(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let module = parse_macro_input!(item as syn::ItemMod);
    site::expand(attributes.into(), module).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// Makes a type of the contract out of a struct, or out of an enum without data (a String of few values).
///
/// Members take `#[djo(min, max, pattern, format, enum, unicos, default, nocall, name)]`. Outside of a `#[djo::site]` module the type
/// can be stored, but stands in no contract.
#[proc_macro_attribute]
pub fn data(attributes: TokenStream, item: TokenStream) -> TokenStream {
    let item = parse_macro_input!(item as syn::Item);
    data::expand_alone(&attributes.into(), item).unwrap_or_else(syn::Error::into_compile_error).into()
}

/// HTML out of a text with `{expressions}`, each escaped for the place where it stands: `html!("<a href=\"/p/{id}\">{nome}</a>")`.
///
/// `{{` and `}}` are braces. A place where no value is safe (a script, a style, an event, an attribute without quotes) does not compile.
#[proc_macro]
pub fn html(input: TokenStream) -> TokenStream {
    html::expand(input.into()).unwrap_or_else(syn::Error::into_compile_error).into()
}

macro_rules! misplaced {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[proc_macro_attribute]
        pub fn $name(_attributes: TokenStream, item: TokenStream) -> TokenStream {
            let message = concat!("`#[djo::", stringify!($name), "]` só vale dentro de um módulo com `#[djo::site]`");
            let item = proc_macro2::TokenStream::from(item);
            quote!(::core::compile_error!(#message); #item).into()
        }
    )*};
}

misplaced! {
    /// A page for people, in a `#[djo::site]` module: `#[djo::screen("/")]`, `#[djo::screen("/contato", method = "POST")]`.
    screen
    /// A face for programs, in a `#[djo::site]` module: `#[djo::agent("/produtos", cache = 60, tool = "listar_produtos")]`.
    agent
    /// A typed POST, in a `#[djo::site]` module: `#[djo::action("/pedidos", effect = "write", idempotent = true)]`.
    action
    /// The page for a status, in a `#[djo::site]` module: `#[djo::error_page(404)]`.
    error_page
}
