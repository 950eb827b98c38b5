//! Everything that the product refuses, with the status and the words that a client sees.

use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};

use crate::{
    decode::InputError,
    issue::Issues,
    json::{self, SyntaxIssue},
    select::SelectError,
    value::Value,
};

/// A refusal. Its body is JSON for agents and actions; a screen shows [`Refusal::erro`] on a page.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// No site has that name.
    SiteNotFound,
    /// No route, no file.
    NotFound,
    /// A path or query that cannot be decoded.
    BadPath,
    /// The path is there, the method is not.
    MethodNotAllowed {
        /// What `Allow` lists.
        allow: Vec<&'static str>,
    },
    /// An agent's request to a route for people only.
    NoAgentFace,
    /// Nothing that the route has is accepted.
    NotAcceptable,
    /// An action's body that does not say it is JSON.
    UnsupportedMediaType,
    /// More bytes than the site takes.
    BodyTooLarge,
    /// Bytes of a file that it does not have.
    NoSuchBytes {
        /// How many it has.
        size: u64,
    },
    /// A body that is not JSON.
    InvalidJson(SyntaxIssue),
    /// An input that does not fit its type.
    InvalidInput(Issues),
    /// `campos` that cannot be applied.
    Selection(SelectError),
    /// A request for a table that cannot be one.
    Table(&'static str),
    /// Nobody is logged in, and the action needs it.
    Unauthorized,
    /// The site's code failed.
    Internal {
        /// What happened, for `--dev` only.
        detail: Option<Value>,
    },
    /// With `--dev`: the site cannot be served as it is.
    Unserved {
        /// What is wrong with it.
        detail: Value,
    },
    /// With `--dev`: the answer does not fit the declared type.
    BrokenResult(Issues),
    /// The run's time or CPU budget is spent.
    Timeout,
    /// The client asked too often.
    RateLimited,
    /// No place in the agents' lane.
    LaneFull,
    /// No place at the site itself.
    Overloaded,
    /// The key was used with other arguments.
    IdempotencyMismatch,
    /// The first run of the key has not ended.
    IdempotencyRunning,
    /// What the site's own code refuses: its status and its whole body.
    Tool {
        /// The status.
        status: u16,
        /// The body, with `erro`.
        body: Value,
        /// Seconds after which to try again.
        retry_after: Option<u64>,
    },
    /// Anything else that a door refuses.
    Other {
        /// The status.
        status: u16,
        /// The text.
        erro: Cow<'static, str>,
    },
}

impl Refusal {
    /// The HTTP status.
    pub fn status(&self) -> u16 {
        match self {
            Self::BadPath | Self::InvalidJson(_) | Self::Selection(_) | Self::Table(_) => 400,
            Self::Unauthorized => 401,
            Self::SiteNotFound | Self::NotFound => 404,
            Self::MethodNotAllowed { .. } => 405,
            Self::NoAgentFace | Self::NotAcceptable => 406,
            Self::IdempotencyRunning => 409,
            Self::BodyTooLarge => 413,
            Self::UnsupportedMediaType => 415,
            Self::NoSuchBytes { .. } => 416,
            Self::InvalidInput(_) | Self::IdempotencyMismatch => 422,
            Self::RateLimited | Self::LaneFull => 429,
            Self::Internal { .. } | Self::Unserved { .. } | Self::BrokenResult(_) => 500,
            Self::Overloaded => 503,
            Self::Timeout => 504,
            Self::Other { status, .. } | Self::Tool { status, .. } => *status,
        }
    }

    /// What went wrong, in Portuguese.
    pub fn erro(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::SiteNotFound => "site não encontrado",
            Self::NotFound => "não encontrado",
            Self::BadPath => "endereço inválido",
            Self::MethodNotAllowed { .. } => "método não permitido",
            Self::NoAgentFace => "esta rota não tem face de agente",
            Self::NotAcceptable => "esta rota não tem nenhum dos formatos aceitos",
            Self::UnsupportedMediaType => "o corpo precisa ser application/json",
            Self::BodyTooLarge => "corpo grande demais",
            Self::NoSuchBytes { .. } => "o arquivo não tem os bytes pedidos",
            Self::InvalidJson(_) => "JSON inválido",
            Self::InvalidInput(_) => "entrada inválida",
            Self::Selection(error) => return Cow::Owned(format!("{error}")),
            Self::Table(reason) => reason,
            Self::Unauthorized => "entre primeiro",
            Self::Internal { .. } => "erro interno",
            Self::Unserved { .. } => "o site não pode ser servido como está",
            Self::BrokenResult(_) => "a resposta não confere com \"returns\"",
            Self::Timeout => "tempo esgotado",
            Self::RateLimited => "pedidos demais: tente de novo em instantes",
            Self::LaneFull => "agentes demais ao mesmo tempo: tente de novo em instantes",
            Self::Overloaded => "este site está ocupado: tente de novo em instantes",
            Self::IdempotencyMismatch => "Idempotency-Key reutilizada com outro corpo",
            Self::IdempotencyRunning => "este pedido ainda está em andamento",
            Self::Other { erro, .. } => return erro.clone(),
            Self::Tool { body, .. } => return Cow::Owned(body.get("erro").and_then(Value::as_str).unwrap_or("recusado").into()),
        })
    }

    /// The headers that belong to it, beside those of every response: names in lower case.
    pub fn headers(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::MethodNotAllowed { allow } => Vec::from([("allow", allow.join(", "))]),
            Self::NoSuchBytes { size } => Vec::from([("content-range", format!("bytes */{size}"))]),
            Self::RateLimited | Self::LaneFull | Self::Overloaded | Self::IdempotencyRunning => Vec::from([("retry-after", "1".into())]),
            Self::Tool { retry_after, .. } => retry_after.map(|seconds| ("retry-after", seconds.to_string())).into_iter().collect(),
            _ => Vec::new(),
        }
    }

    /// The JSON body as a value.
    pub fn to_json(&self) -> Value {
        if let Self::Tool { body, .. } = self {
            return body.clone();
        }
        let mut members = Vec::from([("erro".into(), Value::from(String::from(self.erro())))]);
        match self {
            Self::NoAgentFace => members.push(("dica".into(), "declare \"agent\" na rota".into())),
            Self::InvalidJson(issue) => members.push(("detalhe".into(), issue.detail().into())),
            Self::InvalidInput(issues) | Self::BrokenResult(issues) => members.extend(issues.members()),
            Self::Selection(SelectError::Unknown { valid, .. }) => {
                let valid = valid.iter().map(|name| name.as_str().into()).collect();
                members.push(("campos_validos".into(), Value::Arr(valid)));
            }
            Self::Internal { detail: Some(detail) } | Self::Unserved { detail } => members.push(("detalhe".into(), detail.clone())),
            _ => {}
        }
        Value::Map(members)
    }

    /// The JSON body.
    pub fn body(&self) -> String {
        json::to_string(&self.to_json())
    }
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Syntax(issue) => Self::InvalidJson(issue),
            InputError::Issues(issues) => Self::InvalidInput(issues),
        }
    }
}

impl From<SelectError> for Refusal {
    fn from(error: SelectError) -> Self {
        Self::Selection(error)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn bodies_are_as_the_contract_writes_them() {
        let syntax = json::parse(b"{\"titulo\":").unwrap_err();
        for (refusal, status, body) in [
            (Refusal::SiteNotFound, 404, r#"{"erro":"site não encontrado"}"#),
            (Refusal::NoAgentFace, 406, r#"{"erro":"esta rota não tem face de agente","dica":"declare \"agent\" na rota"}"#),
            (Refusal::UnsupportedMediaType, 415, r#"{"erro":"o corpo precisa ser application/json"}"#),
            (Refusal::BodyTooLarge, 413, r#"{"erro":"corpo grande demais"}"#),
            (
                Refusal::InvalidJson(syntax),
                400,
                r#"{"erro":"JSON inválido","detalhe":"o texto termina onde se espera um valor, linha 1, coluna 11"}"#,
            ),
            (Refusal::Internal { detail: None }, 500, r#"{"erro":"erro interno"}"#),
            (Refusal::Timeout, 504, r#"{"erro":"tempo esgotado"}"#),
            (Refusal::IdempotencyMismatch, 422, r#"{"erro":"Idempotency-Key reutilizada com outro corpo"}"#),
            (Refusal::InvalidInput(Issues::default()), 422, r#"{"erro":"entrada inválida","campos":{},"problemas":[]}"#),
            (
                Refusal::Selection(SelectError::Unknown { name: "x".into(), valid: ["id".into(), "autor.nome".into()].into() }),
                400,
                r#"{"erro":"campo desconhecido: x","campos_validos":["id","autor.nome"]}"#,
            ),
        ] {
            assert_eq!((refusal.status(), refusal.body().as_str()), (status, body));
        }
        let refusal = Refusal::MethodNotAllowed { allow: ["GET", "HEAD"].into() };
        assert_eq!(refusal.headers(), [("allow", "GET, HEAD".into())]);
    }
}
