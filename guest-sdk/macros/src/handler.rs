//! Functions that answer requests: their role, parameters and result.

use djo_contract::model::Method;
use djo_contract::types::{Field, Kind};
use proc_macro2::{Span, TokenStream};
use quote::quote;
use syn::ext::IdentExt as _;
use syn::parse::{Parse, ParseStream};
use syn::{Attribute, Error, FnArg, Ident, ItemFn, LitInt, LitStr, Meta, Pat, Result, Token};

use crate::data::usual;
use crate::docs;
use crate::field::{self, Owner, Read};
use crate::options::Options;
use crate::returns::{self, Returned};
use crate::types::{self, Names};

/// What a function answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Screen,
    Agent,
    Action,
    ErrorPage,
}

/// A function that answers requests.
pub(crate) struct Handler {
    pub(crate) role: Role,
    pub(crate) ident: Ident,
    /// The route's path, and where it stands. Empty for an error page.
    pub(crate) path: LitStr,
    /// The status of an error page, the method of a route.
    pub(crate) status: u16,
    pub(crate) options: Options,
    pub(crate) description: Option<String>,
    pub(crate) returned: Returned,
    pub(crate) parameters: Vec<Parameter>,
    context: Option<bool>,
}

/// A parameter that is not the context.
pub(crate) struct Parameter {
    ty: syn::Type,
    pub(crate) read: Read,
    pub(crate) span: Span,
    /// A `{name}` of the path.
    pub(crate) in_path: bool,
}

/// The role that an attribute gives, if it gives one: `#[djo::agent(…)]`, or `#[agent(…)]` after an import.
pub(crate) fn role(attribute: &Attribute) -> Option<Role> {
    let path = attribute.path();
    let of_djo = path.segments.len() == 1 || path.segments.len() == 2 && path.segments.first()?.ident == "djo";
    match path.segments.last()?.ident.to_string().as_str() {
        _ if !of_djo => None,
        "screen" => Some(Role::Screen),
        "agent" => Some(Role::Agent),
        "action" => Some(Role::Action),
        "error_page" => Some(Role::ErrorPage),
        _ => None,
    }
}

/// `"/path"` or a status, then options.
struct Arguments {
    path: LitStr,
    status: u16,
    options: Options,
}

impl Parse for Arguments {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let (path, status) = if input.peek(LitInt) {
            let status: LitInt = input.parse()?;
            let number = status.base10_parse().ok().filter(|number| (400..600).contains(number));
            let number = number.ok_or_else(|| Error::new(status.span(), "o status de uma página de erro vai de 400 a 599"))?;
            (LitStr::new("", status.span()), number)
        } else {
            (input.parse()?, 0)
        };
        let options = if input.parse::<Option<Token![,]>>()?.is_some() { input.parse()? } else { Options::default() };
        Ok(Self { path, status, options })
    }
}

/// Reads a handler, and takes away what Rust would not understand of it.
///
/// # Errors
/// All that is wrong with it.
pub(crate) fn read(function: &mut ItemFn, role: Role, attribute: &Attribute, names: &Names) -> Result<Handler> {
    let Meta::List(list) = &attribute.meta else {
        return Err(Error::new_spanned(attribute, "falta o caminho: `#[djo::screen(\"/\")]`"));
    };
    let Arguments { path, status, options } = list.parse_args()?;
    let signature = &mut function.sig;
    if (role == Role::ErrorPage) != (status != 0) {
        let message =
            if status == 0 { "uma página de erro tem um status: `#[djo::error_page(404)]`" } else { "aqui vem um caminho: `\"/\"`" };
        return Err(Error::new(path.span(), message));
    }
    if let Some(asynchronous) = &signature.asyncness {
        return Err(Error::new(asynchronous.span, "um handler não é `async`: cada pedido tem a sua instância"));
    }
    if let Some(parameter) = signature.generics.params.first() {
        return Err(Error::new_spanned(parameter, "um handler não tem parâmetros de tipo"));
    }
    let in_path: Vec<String> = djo_contract::route::path_params(&path.value()).map(str::to_owned).collect();
    let (mut context, mut parameters, mut problems) = (None, Vec::new(), None::<Error>);
    for (index, argument) in signature.inputs.iter_mut().enumerate() {
        if let FnArg::Typed(typed) = argument
            && let syn::Type::Reference(reference) = &*typed.ty
            && index == 0
        {
            context = Some(reference.mutability.is_some());
            continue;
        }
        match parameter(argument, role, &in_path, names) {
            Ok(parameter) => parameters.push(parameter),
            Err(error) => match &mut problems {
                Some(all) => all.combine(error),
                none => *none = Some(error),
            },
        }
    }
    let returned = returns::read(&signature.output, names, matches!(role, Role::Screen | Role::ErrorPage));
    if let Some(mut problems) = problems {
        returned.err().into_iter().for_each(|error| problems.combine(error));
        return Err(problems);
    }
    for name in &in_path {
        if !parameters.iter().any(|parameter| parameter.read.field.name == *name) && (role == Role::Action || context.is_none()) {
            let message = format!("`{}` não tem o parâmetro `{name}` do caminho", signature.ident);
            return Err(Error::new(path.span(), message));
        }
    }
    Ok(Handler {
        role,
        ident: signature.ident.clone(),
        path,
        status,
        options,
        description: docs::description(&function.attrs),
        returned: returned?,
        parameters,
        context,
    })
}

fn parameter(argument: &mut FnArg, role: Role, in_path: &[String], names: &Names) -> Result<Parameter> {
    let FnArg::Typed(typed) = argument else {
        return Err(Error::new_spanned(argument, "um handler é uma função livre, sem `self`"));
    };
    if matches!(&*typed.ty, syn::Type::Reference(_)) {
        return Err(Error::new_spanned(
            &typed.ty,
            "só o primeiro parâmetro é uma referência: `ctx: &mut Context`; para texto use `String`",
        ));
    }
    let Pat::Ident(pattern) = &*typed.pat else {
        return Err(Error::new_spanned(&typed.pat, "um parâmetro de handler tem um nome"));
    };
    let (name, span) = (pattern.ident.unraw().to_string(), pattern.ident.span());
    let options = Options::take_from(&mut typed.attrs)?;
    let description = docs::description(&typed.attrs);
    docs::strip(&mut typed.attrs);
    let ty = types::read(&typed.ty, names)?;
    let in_path = in_path.contains(&name);
    let scalar = matches!(ty.kind, Kind::Int | Kind::Float | Kind::String | Kind::Bool);
    if in_path && (!scalar || ty.nullable) {
        return Err(Error::new_spanned(&typed.ty, "do caminho só vêm números, `String` e `bool`"));
    }
    let owner = match role {
        Role::Action => Owner::Action,
        Role::Screen | Role::Agent => Owner::Query,
        Role::ErrorPage => return Err(Error::new(span, "uma página de erro só recebe `ctx: &mut Context`")),
    };
    let read = field::read(name, ty, options, description, owner)?;
    if owner == Owner::Query && !in_path {
        if !scalar {
            return Err(Error::new_spanned(&typed.ty, "da query só vêm números, `String` e `bool`, ou `Option` deles"));
        }
        if read.field.presence == djo_contract::types::Presence::Required {
            return Err(Error::new_spanned(
                &typed.ty,
                "um parâmetro da query pode faltar: faça dele um `Option`, ou dê `#[djo(default = …)]`",
            ));
        }
    }
    Ok(Parameter { ty: (*typed.ty).clone(), read, span, in_path })
}

impl Handler {
    /// The name of the function that the site's table calls.
    pub(crate) fn wrapper(&self) -> Ident {
        Ident::new(&format!("__djo_{}", self.ident.unraw()), self.ident.span())
    }

    /// The HTTP method of its route.
    pub(crate) fn method(&mut self) -> Result<Method> {
        if self.role == Role::Action {
            return Ok(Method::Post);
        }
        let Some(given) = self.options.take("method").filter(|_| self.role == Role::Screen) else { return Ok(Method::Get) };
        let name = given.text()?;
        Method::from_name(&name.to_ascii_uppercase())
            .ok_or_else(|| Error::new(given.span, format!("o método `{name}` não existe: são GET, POST, PUT, PATCH e DELETE")))
    }

    /// What takes the arguments, calls the function and puts out its result.
    pub(crate) fn wrap(&self, fields: &[Field]) -> TokenStream {
        let (ident, wrapper) = (&self.ident, self.wrapper());
        let locals: Vec<Ident> = (0..self.parameters.len()).map(|at| Ident::new(&format!("argument_{at}"), Span::mixed_site())).collect();
        let takes = self.parameters.iter().zip(fields).zip(&locals).map(|((parameter, field), local)| {
            let (name, ty) = (&field.name, &parameter.ty);
            if parameter.in_path && self.role != Role::Action {
                return quote!(let #local: #ty = ctx.path_value(#name)?;);
            }
            let usual = usual(field);
            quote!(let #local: #ty = arguments.take(#name, #usual)?;)
        });
        let needs_arguments = self.parameters.iter().any(|parameter| !parameter.in_path || self.role == Role::Action);
        let arguments = needs_arguments.then(|| quote!(let mut arguments = ctx.arguments()?;));
        let context = self.context.map(|mutable| if mutable { quote!(ctx,) } else { quote!(&*ctx,) });
        let body = self.returned.body(&quote!(#ident(#context #(#locals),*)));
        quote! {
            #[allow(clippy::unit_arg)]
            fn #wrapper(ctx: &mut ::djo::Context<'_>) -> ::djo::Result<::djo::respond::Body> {
                #arguments
                #(#takes)*
                ::core::result::Result::Ok(#body)
            }
        }
    }
}
