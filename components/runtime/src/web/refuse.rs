//! The answers to requests that no code of the site sees, in the words of the HTTP contract.

use alloc::{string::String, vec::Vec};

use djo_contract::{decode::InputError, json, value::Value};

use super::reply::Reply;

/// Who reads an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Audience {
    /// A person: a small page.
    Person,
    /// A program: JSON.
    Program,
}

/// A refusal: `{"erro": …}` and more members for a program, a page for a person.
fn refuse(audience: Audience, status: u16, title: &str, message: &str, more: Vec<(String, Value)>) -> Reply {
    match audience {
        Audience::Person => Reply::page(status, title, message),
        Audience::Program => {
            let mut members = Vec::from([("erro".into(), Value::from(message))]);
            members.extend(more);
            Reply::json(status, json::to_string(&Value::Map(members)))
        }
    }
}

/// 400: the path or the query.
pub(crate) fn bad_path(audience: Audience) -> Reply {
    refuse(audience, 400, "Pedido inválido", "endereço inválido", Vec::new())
}

/// 400: the body ended before its end.
pub(crate) fn broken_body(audience: Audience) -> Reply {
    refuse(audience, 400, "Pedido inválido", "o corpo não chegou inteiro", Vec::new())
}

/// 404.
pub(crate) fn not_found(audience: Audience) -> Reply {
    refuse(audience, 404, "Página não encontrada", "não encontrado", Vec::new())
}

/// 405; the caller adds `Allow`.
pub(crate) fn method(audience: Audience) -> Reply {
    refuse(audience, 405, "Método não permitido", "método não permitido", Vec::new())
}

/// 406: a program asks for a route that has only a screen.
pub(crate) fn no_agent_face() -> Reply {
    let hint = Vec::from([("dica".into(), Value::from("declare \"agent\" na rota"))]);
    refuse(Audience::Program, 406, "Formato não disponível", "esta rota não tem face de agente", hint)
}

/// 406: the request accepts nothing of what there is.
pub(crate) fn not_acceptable(audience: Audience) -> Reply {
    refuse(audience, 406, "Formato não disponível", "esta rota não tem o formato pedido", Vec::new())
}

/// 413.
pub(crate) fn too_large(audience: Audience) -> Reply {
    refuse(audience, 413, "Envio grande demais", "corpo grande demais", Vec::new())
}

/// 415: also the guard against forms of other sites.
pub(crate) fn not_json() -> Reply {
    refuse(Audience::Program, 415, "Formato não disponível", "o corpo precisa ser application/json", Vec::new())
}

/// 400 or 422: the input.
pub(crate) fn input(audience: Audience, error: &InputError) -> Reply {
    match error {
        InputError::Syntax(issue) => {
            let members = Vec::from([("detalhe".into(), Value::from(alloc::format!("{issue}").as_str())), ("problemas".into(), error.problemas())]);
            refuse(audience, 400, "Pedido inválido", "JSON inválido", members)
        }
        InputError::Issues(issues) => refuse(audience, 422, "Pedido recusado", "entrada inválida", issues.members()),
    }
}

/// 500: nothing of what went wrong reaches a client.
pub(crate) fn internal(audience: Audience) -> Reply {
    refuse(audience, 500, "Algo deu errado", "erro interno", Vec::new())
}
