//! `#[djo::site]`: reads a module, computes its contract, writes what runs it.

use djo_contract::model::{Contract, Site};
use djo_contract::section;
use djo_contract::types::{Field, Presence, Struct, Types};
use proc_macro2::{Span, TokenStream};
use syn::parse::Parser as _;
use syn::{Attribute, Error, Item, ItemMod, Result};

use crate::data::{self, ReadStruct};
use crate::expand;
use crate::field::complete;
use crate::handler::{self, Handler, Role};
use crate::options::Options;
use crate::routes::{self, Entry};
use crate::types::{Named, Names};

/// Rounds in which defaults become complete: one for each struct that a default holds within another.
const ROUNDS: usize = 32;

/// Everything that is wrong, told at once.
#[derive(Default)]
struct Problems(Option<Error>);

impl Problems {
    fn add(&mut self, error: Error) {
        match &mut self.0 {
            Some(all) => all.combine(error),
            none => *none = Some(error),
        }
    }

    fn keep<T>(&mut self, result: Result<T>) -> Option<T> {
        result.map_err(|error| self.add(error)).ok()
    }

    fn check(self) -> Result<()> {
        self.0.map_or(Ok(()), Err)
    }
}

/// A module, read.
pub(crate) struct Module {
    pub(crate) contract: Contract,
    pub(crate) entries: Vec<Entry>,
    pub(crate) handlers: Vec<Handler>,
    /// For each handler the fields of its parameters, defaults complete.
    pub(crate) arguments: Vec<Vec<Field>>,
    pub(crate) implementations: Vec<TokenStream>,
}

pub(crate) fn expand(attributes: TokenStream, mut module: ItemMod) -> Result<TokenStream> {
    let site = presentation(attributes)?;
    let Some((_, items)) = &mut module.content else {
        let message =
            "`#[djo::site]` precisa ver o módulo: escreva `mod nome { … }`, com as rotas e os tipos; o resto pode ficar em outros arquivos";
        return Err(Error::new_spanned(&module, message));
    };
    let read = read(items, site)?;
    let added = expand::site(&read)?;
    let added: syn::File = syn::parse2(added)?;
    items.extend(added.items);
    Ok(quote::quote!(#module))
}

fn presentation(attributes: TokenStream) -> Result<Option<Site>> {
    let mut options: Options = syn::parse::Parse::parse.parse2(attributes)?;
    let mut text = |name: &str| {
        let Some(given) = options.take(name) else { return Ok(None) };
        let text = given.text()?;
        if text.chars().count() > 300 {
            Err(Error::new(given.span, format!("`{name}` tem no máximo 300 caracteres")))
        } else {
            Ok(Some(text))
        }
    };
    let (nome, about) = (text("nome")?, text("about")?);
    options.finish(&["nome", "about"])?;
    match (nome, about) {
        (None, None) => Ok(None),
        (Some(nome), Some(about)) => Ok(Some(Site { nome, about })),
        _ => Err(Error::new(Span::call_site(), "`nome` e `about` vêm juntos, ou nenhum dos dois")),
    }
}

fn read(items: &mut [Item], site: Option<Site>) -> Result<Module> {
    let mut problems = Problems::default();
    let mut contract = Contract { site, ..Contract::default() };
    let (names, types, implementations) = types(items, &mut problems);
    contract.types = types;

    let mut handlers = Vec::new();
    for item in items.iter_mut() {
        let Item::Fn(function) = item else { continue };
        let marks: Vec<(Role, Attribute)> = function
            .attrs
            .extract_if(.., |attribute| handler::role(attribute).is_some())
            .filter_map(|mark| Some((handler::role(&mark)?, mark)))
            .collect();
        match marks.as_slice() {
            [] => {}
            [(role, mark)] => handlers.extend(problems.keep(handler::read(function, *role, mark, &names))),
            [_, (_, second), ..] => problems.add(Error::new_spanned(second, "uma função atende uma só rota: chame a mesma função de duas")),
        }
    }
    for handler in &mut handlers {
        for parameter in &mut handler.parameters {
            let Presence::Default(value) = &parameter.read.field.presence else { continue };
            match complete(&contract.types, &parameter.read.field.ty, value.clone()) {
                Ok(value) => parameter.read.field.presence = Presence::Default(value),
                Err(problem) => {
                    let span = parameter.read.default.unwrap_or(parameter.span);
                    problems.add(Error::new(span, format!("o valor padrão de `{}` não serve: {problem}", parameter.read.field.name)));
                }
            }
        }
    }
    let mut entries: Vec<Entry> = Vec::new();
    for (index, handler) in handlers.iter_mut().enumerate() {
        problems.keep(routes::add(&mut contract, &mut entries, index, handler));
    }
    problems.keep(routes::check(&contract, &entries));
    problems.check()?;
    // The last word is the host's: what it would refuse does not compile.
    section::decode(section::encode(&contract).as_bytes()).map_err(|error| Error::new(Span::call_site(), error.to_string()))?;
    let arguments = handlers.iter().map(|handler| handler.parameters.iter().map(|one| one.read.field.clone()).collect()).collect();
    Ok(Module { contract, entries, handlers, arguments, implementations })
}

/// Whether an attribute is `#[djo::data]`, and what it says.
fn data_mark(attributes: &mut Vec<Attribute>) -> Option<Result<TokenStream>> {
    let is_mark = |attribute: &Attribute| {
        let segments = &attribute.path().segments;
        segments.last().is_some_and(|last| last.ident == "data")
            && (segments.len() == 1 || segments.first().is_some_and(|first| first.ident == "djo"))
    };
    let at = attributes.iter().position(is_mark)?;
    let mark = attributes.remove(at);
    Some(match mark.meta {
        syn::Meta::Path(_) => Ok(TokenStream::new()),
        syn::Meta::List(list) => Ok(list.tokens),
        syn::Meta::NameValue(_) => Err(Error::new_spanned(mark, "escreva `#[djo::data]` ou `#[djo::data(name = \"…\")]`")),
    })
}

/// The module's types: their names, the contract's structs, the implementations of `Data`.
fn types(items: &mut [Item], problems: &mut Problems) -> (Names, Types, Vec<TokenStream>) {
    let (mut names, mut structs, mut implementations) = (Names::new(), Vec::new(), Vec::new());
    for (index, item) in items.iter_mut().enumerate() {
        match item {
            Item::Struct(item) => {
                let Some(mark) = data_mark(&mut item.attrs) else { continue };
                let Some(name) = problems.keep(mark.and_then(|mark| data::name_of(&mark, &item.ident))) else { continue };
                if structs.iter().any(|(_, other)| *other == name) {
                    problems.add(Error::new(item.ident.span(), format!("dois structs do contrato se chamam `{name}`")));
                }
                names.insert(item.ident.to_string(), Named::Struct(structs.len()));
                structs.push((index, name));
            }
            Item::Enum(item) => {
                let Some(mark) = data_mark(&mut item.attrs) else { continue };
                problems.keep(mark.and_then(|mark| data::name_of(&mark, &item.ident)));
                let Some(variants) = problems.keep(data::names(item)) else { continue };
                implementations.push(data::implement_names(item, &variants));
                names.insert(item.ident.to_string(), Named::Names(variants));
            }
            _ => {}
        }
    }
    let mut types = Types::default();
    let mut defaults = Vec::new();
    for (index, name) in &structs {
        let Some(Item::Struct(item)) = items.get_mut(*index) else { continue };
        // One that could not be read keeps its index.
        let read = problems.keep(data::read(item, name.clone(), Some(&names)));
        let ReadStruct { of, defaults: places } =
            read.unwrap_or_else(|| ReadStruct { of: Struct { name: name.clone(), ..Struct::default() }, defaults: Vec::new() });
        types.structs.push(of);
        defaults.push(places);
    }
    complete_defaults(&mut types, &defaults, problems);
    for ((index, _), of) in structs.iter().zip(&types.structs) {
        if let Some(Item::Struct(item)) = items.get(*index) {
            implementations.push(data::implement(item, of));
        }
    }
    (names, types, implementations)
}

/// Completes the defaults of all structs by each other until nothing changes.
fn complete_defaults(types: &mut Types, places: &[Vec<Option<Span>>], problems: &mut Problems) {
    for round in 0..=ROUNDS {
        let mut next = types.clone();
        let mut failed = false;
        for (of, places) in next.structs.iter_mut().zip(places) {
            for (field, place) in of.fields.iter_mut().zip(places) {
                let Presence::Default(value) = &field.presence else { continue };
                let completed =
                    if round == ROUNDS { Err("contém a si mesmo".to_owned()) } else { complete(types, &field.ty, value.clone()) };
                match completed {
                    Ok(value) => field.presence = Presence::Default(value),
                    Err(problem) => {
                        failed = true;
                        let span = place.unwrap_or_else(Span::call_site);
                        problems.add(Error::new(span, format!("o valor padrão de `{}` não serve: {problem}", field.name)));
                    }
                }
            }
        }
        let done = failed || next == *types;
        *types = next;
        if done {
            return;
        }
    }
}

#[cfg(test)]
mod tests;
