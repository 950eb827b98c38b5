//! What the macro adds to a module: the type `Site`, its contract, its table of handlers.

use djo_contract::{manifest, section};
use proc_macro2::{Literal, TokenStream};
use quote::quote;
use syn::Result;

use crate::handler::Role;
use crate::site::Module;

pub(crate) fn site(module: &Module) -> Result<TokenStream> {
    let Module { contract, entries, handlers, arguments, implementations } = module;
    let json = section::encode(contract);
    let (length, bytes) = (json.len(), Literal::byte_string(json.as_bytes()));
    let (manifest, greeting) = (manifest::manifest(contract), manifest::greeting(contract));
    let wrappers = handlers.iter().zip(arguments).map(|(handler, fields)| handler.wrap(fields));
    let mut arms = Vec::new();
    for (number, entry) in (0_u32..).zip(entries) {
        let faces = [(quote!(Screen), entry.screen), (quote!(Agent), entry.agent), (quote!(Action), entry.action)];
        for (face, handler) in faces {
            let Some(handler) = handler.and_then(|handler| handlers.get(handler)) else { continue };
            let wrapper = handler.wrapper();
            arms.push(quote!(::djo::Entry::#face(#number) => ::core::option::Option::Some(#wrapper)));
        }
    }
    let pages = handlers.iter().filter(|handler| handler.role == Role::ErrorPage).map(|handler| {
        let (status, wrapper) = (handler.status, handler.wrapper());
        quote!(#status => ::core::option::Option::Some(#wrapper))
    });
    Ok(quote! {
        /// The site: `djo-host` and the tests run it.
        pub struct Site;

        // The section is what hosts read; the same bytes are in memory, for the door that other hosts use.
        #[cfg_attr(target_arch = "wasm32", unsafe(link_section = "djo:contract"))]
        #[allow(unsafe_code)]
        static CONTRACT: [u8; #length] = *#bytes;

        #[automatically_derived]
        impl ::djo::Site for Site {
            fn contract() -> ::djo::respond::Bytes {
                ::djo::respond::Bytes::Borrowed(&CONTRACT)
            }

            fn manifest(_contract: &::djo::respond::Contract) -> ::djo::respond::Text {
                ::djo::respond::Text::Borrowed(#manifest)
            }

            fn greeting(_contract: &::djo::respond::Contract) -> ::djo::respond::Text {
                ::djo::respond::Text::Borrowed(#greeting)
            }

            fn run(request: ::djo::Request, around: &dyn ::djo::Around) -> ::core::result::Result<::djo::Response, ::djo::prelude::Box<::djo::Failure>> {
                let handler: ::core::option::Option<::djo::respond::Handler> = match request.entry {
                    #(#arms,)*
                    ::djo::Entry::ErrorPage(status) => __djo_error_page(status),
                    _ => ::core::option::Option::None,
                };
                ::djo::respond::run(request, around, handler, __djo_error_page)
            }
        }

        fn __djo_error_page(status: u16) -> ::core::option::Option<::djo::respond::Handler> {
            match status {
                #(#pages,)*
                _ => ::core::option::Option::None,
            }
        }

        #(#wrappers)*
        #(#implementations)*

        ::djo::component!(super::Site);
    })
}
