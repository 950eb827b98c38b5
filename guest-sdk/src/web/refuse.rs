//! The answers to requests that no code of the site answers, in the words of the HTTP contract.

use alloc::{format, string::String};

use djo_contract::refusal::Refusal;

use crate::html::{Place, Render};

use super::dispatch::Known;
use super::reply::Reply;
use super::shape::vary;

/// Who reads an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A person: a small page.
    Person,
    /// A program: JSON.
    Program,
}

/// What is known of a request before anything is.
pub(crate) const NOTHING: Known = Known { audience: Audience::Program, varies: false, caches: false };

/// The reply that says so.
pub(crate) fn refuse(known: Known, refusal: &Refusal) -> Reply {
    let status = refusal.status();
    let reply = match known.audience {
        Audience::Person => Reply::new(status, "text/html; charset=utf-8", page(status, &refusal.erro())),
        Audience::Program => Reply::json(status, refusal.body()),
    };
    let reply = refusal.headers().into_iter().fold(reply, |reply, (name, value)| reply.with(name, value));
    if known.caches { vary(reply.with("cache-control", "private, no-store"), "Cookie") } else { reply.with("cache-control", "no-store") }
}

/// A small page for people.
pub(crate) fn page(status: u16, erro: &str) -> String {
    let title = title(status);
    let mut message = String::new();
    erro.render(Place::Text, &mut message);
    format!(
        "<!doctype html>\n<html lang=\"pt-BR\">\n<head><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\">\
<title>{title}</title></head>\n<body><h1>{title}</h1>\n<p>{message}.</p>\n</body>\n</html>\n"
    )
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Pedido inválido",
        404 => "Página não encontrada",
        405 => "Método não permitido",
        406 => "Formato não disponível",
        413 => "Envio grande demais",
        414 => "Endereço longo demais",
        429 | 503 => "Ocupado: tente de novo em instantes",
        504 => "A página demorou demais",
        _ if status < 500 => "Pedido recusado",
        _ => "Algo deu errado",
    }
}
