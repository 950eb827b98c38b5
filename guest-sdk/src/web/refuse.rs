//! The answers to requests that no code of the site sees, in the words of the HTTP contract.

use djo_contract::refusal::Refusal;

use super::reply::Reply;

/// Who reads an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A person: a small page.
    Person,
    /// A program: JSON.
    Program,
}

/// The reply that says so.
pub(crate) fn refuse(audience: Audience, refusal: &Refusal) -> Reply {
    let status = refusal.status();
    let reply = match audience {
        Audience::Person => Reply::page(status, title(status), &refusal.erro()),
        Audience::Program => Reply::json(status, refusal.body()),
    };
    refusal.headers().into_iter().fold(reply, |reply, (name, value)| reply.with(name, value))
}

/// 500: nothing of what went wrong reaches a client.
pub(crate) fn internal(audience: Audience) -> Reply {
    refuse(audience, &Refusal::Internal { detail: None })
}

fn title(status: u16) -> &'static str {
    match status {
        400 => "Pedido inválido",
        404 => "Página não encontrada",
        405 => "Método não permitido",
        406 => "Formato não disponível",
        413 => "Envio grande demais",
        _ if status < 500 => "Pedido recusado",
        _ => "Algo deu errado",
    }
}
