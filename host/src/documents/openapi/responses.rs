//! The answers that the host gives by itself, as components: each is written once, in the forms that it takes.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::bounds;

/// Schemas of errors. No struct of a site has a dot in its name.
const ERROR: &str = "djo.Erro";
const REFUSED: &str = "djo.EntradaRecusada";

/// In which forms an operation's errors come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Forms {
    /// JSON alone.
    Data,
    /// JSON, and pages for those who ask for a page.
    DataAndPage,
}

/// The shared answers that operations refer to.
#[derive(Default)]
pub(super) struct Responses {
    used: BTreeMap<(u16, Forms), Value>,
}

/// Statuses, their names and what they mean. Sorted.
const KNOWN: [(u16, &str, &str); 13] = [
    (304, "NaoMudou", "O que o cliente tem, pelo `If-None-Match`, ainda vale"),
    (400, "PedidoInvalido", "O endereço, a query ou o JSON não se lê"),
    (401, "SemSessao", "É preciso entrar primeiro"),
    (406, "SemFormato", "Nada do que o `Accept` pede existe aqui"),
    (409, "EmAndamento", "O primeiro pedido com esta `Idempotency-Key` ainda não terminou, ou não se sabe como terminou"),
    (413, "CorpoGrande", "O corpo tem mais bytes do que o site aceita"),
    (414, "EnderecoLongo", "O endereço é longo demais"),
    (415, "TipoErrado", "O corpo não é application/json"),
    (422, "EntradaInvalida", "A entrada não confere com os tipos: tudo o que há de errado, de uma vez"),
    (429, "PedidosDemais", "Pedidos demais deste cliente, ou agentes demais ao mesmo tempo"),
    (500, "ErroInterno", "O site falhou; o detalhe está no seu registro, com o `X-Request-Id`"),
    (503, "Ocupado", "O site está com todos os seus lugares ocupados"),
    (504, "TempoEsgotado", "Passou do tempo"),
];

impl Responses {
    /// A reference to the answer of that status.
    pub(super) fn refer(&mut self, status: u16, forms: Forms) -> Value {
        let Some((_, name, text)) = KNOWN.iter().find(|(known, ..)| *known == status) else { return json!({ "description": "" }) };
        let forms = if status == 304 { Forms::Data } else { forms };
        self.used.entry((status, forms)).or_insert_with(|| response(status, text, forms));
        json!({ "$ref": format!("#/components/responses/{}", component(name, forms)) })
    }

    /// What was referred to.
    pub(super) fn into_components(self) -> Map<String, Value> {
        let name = |status| KNOWN.iter().find(|(known, ..)| *known == status).map_or("", |(_, name, _)| name);
        self.used.into_iter().map(|((status, forms), response)| (component(name(status), forms), response)).collect()
    }
}

fn component(name: &str, forms: Forms) -> String {
    match forms {
        Forms::Data => name.to_owned(),
        Forms::DataAndPage => format!("{name}.tela"),
    }
}

fn response(status: u16, text: &str, forms: Forms) -> Value {
    let retries = matches!(status, 409 | 429 | 503);
    let mut names = vec!["X-Request-Id", "Link", "RateLimit", "RateLimit-Policy"];
    names.extend(retries.then_some("Retry-After"));
    if status == 304 {
        names.extend(["ETag", "Cache-Control", "Vary"]);
        return json!({ "description": text, "headers": refer_headers(&names) });
    }
    let schema = if status == 422 { REFUSED } else { ERROR };
    let mut content = Map::new();
    content.insert("application/json".into(), json!({ "schema": { "$ref": format!("#/components/schemas/{schema}") } }));
    if forms == Forms::DataAndPage {
        pages(&mut content);
    }
    json!({ "description": text, "headers": refer_headers(&names), "content": content })
}

/// The forms of a page.
pub(super) fn pages(content: &mut Map<String, Value>) {
    for form in ["text/html", "text/markdown"] {
        content.insert(form.into(), json!({ "schema": { "type": "string" } }));
    }
}

/// References to headers by name.
pub(super) fn refer_headers(names: &[&str]) -> Value {
    let refer = |name: &&str| ((*name).to_owned(), json!({ "$ref": format!("#/components/headers/{name}") }));
    Value::Object(names.iter().map(refer).collect())
}

/// The headers of answers.
pub(super) fn headers() -> Value {
    let text = |description: &str| json!({ "description": description, "schema": { "type": "string" } });
    let number = |description: &str| json!({ "description": description, "schema": { "type": "integer", "minimum": 0 } });
    json!({
        "X-Request-Id": { "description": "O pedido, no registro do site", "required": true, "schema": { "type": "string" } },
        "Link": { "description": "Onde está o manifesto, e a página seguinte de um resultado que continua", "required": true, "schema": { "type": "string" } },
        "ETag": text("A versão destes bytes, para `If-None-Match`"),
        "Cache-Control": text("Por quanto tempo a resposta pode ser guardada, e por quem"),
        "Vary": text("De que cabeçalhos do pedido a resposta depende"),
        "Age": number("Há quantos segundos a resposta está guardada"),
        "X-Total-Count": number("Quantos itens há ao todo"),
        "Retry-After": number("Segundos até valer a pena pedir de novo"),
        "RateLimit": text("Quantos pedidos restam a este cliente, e até quando"),
        "RateLimit-Policy": text("Quantos pedidos um cliente pode fazer, e em quanto tempo"),
        "Idempotent-Replayed": text("`true` quando a resposta é a de um pedido anterior com a mesma chave"),
    })
}

/// What errors look like.
pub(super) fn schemas() -> Vec<(String, Value)> {
    let issue_codes = [
        "missing_field",
        "unknown_field",
        "invalid_field_type",
        "invalid_enum_value",
        "invalid_range",
        "invalid_length",
        "invalid_pattern",
        "invalid_format",
        "duplicate_item",
    ];
    let error = json!({
        "type": "object",
        "description": "Um erro",
        "required": ["erro"],
        "properties": {
            "erro": { "type": "string", "description": "O que houve, para gente" },
            "dica": { "type": "string", "description": "O que fazer" },
            "detalhe": { "description": "Onde e por quê" },
            "campos_validos": { "type": "array", "items": { "type": "string" }, "description": "O que `campos` aceita" },
        },
    });
    let problem = json!({
        "type": "object",
        "description": "Um problema da entrada",
        "required": ["code", "path", "pointer", "message"],
        "properties": {
            "code": { "type": "string", "enum": issue_codes },
            "path": { "type": "string", "description": "Onde: `itens[0].sku`" },
            "pointer": { "type": "string", "description": "Onde, como JSON Pointer" },
            "message": { "type": "string", "description": "O que há de errado, para gente" },
        },
    });
    let refused = json!({
        "type": "object",
        "description": "Uma entrada recusada. Os membros além de `erro` faltam quando o que se recusa é a `Idempotency-Key`",
        "required": ["erro"],
        "properties": {
            "erro": { "type": "string" },
            "campos": { "type": "object", "additionalProperties": { "type": "string" }, "description": "O primeiro problema de cada campo, para gente" },
            "problemas": { "type": "array", "items": { "$ref": "#/components/schemas/djo.Problema" }, "description": "Todos os problemas, para programas" },
            "mais": { "type": "integer", "minimum": 1, "description": "Quantos problemas não couberam na lista" },
        },
        "examples": [{
            "erro": "entrada inválida",
            "campos": { "titulo": "obrigatório" },
            "problemas": [{ "code": "missing_field", "path": "titulo", "pointer": "/titulo", "message": "obrigatório", "expected": "string" }],
        }],
    });
    vec![(ERROR.into(), error), ("djo.Problema".into(), problem), (REFUSED.into(), refused), (bounds::ANY.into(), bounds::any())]
}
