//! One operation for each agent face and action.

use djo_contract::model::{Action, Method, NOTHING, Route};
use djo_contract::route::{SEGMENT_PATTERN, in_path};
use djo_contract::schema::Shared;
use djo_contract::select::{FIELD_LIMIT, result_struct, valid_names};
use djo_contract::tool::{CONTINUATION, Tool};
use djo_contract::types::{Kind, Presence, Source, Type};
use serde_json::{Map, Value, json};

use super::paths::Template;
use super::responses::{Forms, Responses, pages, refer_headers};
use super::{ACTIONS, READS, Subject, to_json};

/// Said of every action. The header is no parameter of the operations: one value for it in two requests that differ is refused,
/// and what makes requests from a document gives a parameter the same value again and again.
const REPEATS: &str = "Para repetir sem fazer duas vezes: o cabeçalho `Idempotency-Key`, em `#/components/parameters/Idempotency-Key`.";

/// The longest `Idempotency-Key`, in bytes.
const MAX_KEY: usize = 256;

/// The paths of a document, as they are written.
pub(super) struct Operations<'c> {
    pub(super) subject: &'c Subject<'c>,
    pub(super) schemas: Shared<'c>,
    pub(super) responses: Responses,
    pub(super) paths: Map<String, Value>,
}

impl<'c> Operations<'c> {
    /// Adds what a route offers to programs.
    pub(super) fn add(&mut self, index: usize, route: &'c Route) {
        let action = route.action.and_then(|action| self.subject.contract.actions.get(action));
        if action.is_none() && !(route.agent && route.method == Method::Get) {
            return;
        }
        let template = Template::of(&route.path);
        let names = self.names(&template);
        let mut operation = Map::new();
        let tool = self.subject.tools.of_route(index).filter(|tool| tool.route == index);
        if let Some(tool) = tool {
            operation.insert("operationId".into(), tool.name.as_str().into());
        }
        operation.insert("tags".into(), json!([if action.is_some() { ACTIONS } else { READS }]));
        if let Some(about) = tool.map(|tool| tool.description.as_str()).filter(|about| !about.is_empty()) {
            operation.insert("summary".into(), about.into());
        }
        match action {
            Some(action) => {
                self.action(&mut operation, (route, action, tool), &template, &names);
            }
            None => self.read(&mut operation, route, &names),
        }
        let path = template.text(|at, _| names[at].clone());
        let item = self.paths.entry(path).or_insert_with(|| json!({}));
        item[route.method.as_str().to_ascii_lowercase()] = Value::Object(operation);
    }

    /// The names that a path's places go by: those of the first path that has its shape.
    fn names(&self, template: &Template<'_>) -> Vec<String> {
        let shape = template.shape();
        let known = self.paths.keys().find(|path| Template::written(path).shape() == shape);
        match known {
            Some(path) => Template::written(path).names().map(str::to_owned).collect(),
            None => template.names().map(str::to_owned).collect(),
        }
    }

    fn read(&mut self, operation: &mut Map<String, Value>, route: &'c Route, names: &[String]) {
        let types = &self.subject.contract.types;
        // One segment: not empty, and none of the characters that no path can hold.
        let place = json!({ "type": "string", "pattern": SEGMENT_PATTERN });
        let mut parameters: Vec<Value> =
            names.iter().map(|name| json!({ "name": name, "in": "path", "required": true, "schema": place })).collect();
        for (name, ty) in &route.query {
            let schema = to_json(&self.schemas.given(ty));
            parameters.push(json!({ "name": name, "in": "query", "schema": schema }));
        }
        let mut content = Map::new();
        let schema = route.returns.as_ref().map_or(json!({}), |returns| to_json(&self.schemas.result(returns)));
        content.insert("application/json".into(), json!({ "schema": schema }));
        if let Some(of) = route.returns.as_ref().and_then(result_struct) {
            let valid = valid_names(types, of);
            // A screen takes no notice of it, and a list that is cut short would refuse what is right.
            parameters.push(if route.screen || valid.len() >= FIELD_LIMIT {
                let about = format!("Na face de agente, só estes campos, separados por vírgula: {}", valid.join(", "));
                json!({ "name": "campos", "in": "query", "description": about, "schema": { "type": "string" } })
            } else {
                json!({
                    "name": "campos", "in": "query", "style": "form", "explode": false,
                    "description": "Só estes campos, na ordem do tipo",
                    "schema": { "type": "array", "minItems": 1, "items": { "type": "string", "enum": valid } },
                })
            });
            if route.returns.as_ref().is_some_and(is_list) {
                parameters.push(json!({
                    "name": "tabela", "in": "query",
                    "description": "A lista como CSV; com `planilha`, sem texto que uma planilha tome por fórmula",
                    "schema": { "type": "string" },
                }));
                content.insert("text/csv".into(), json!({ "schema": { "type": "string" } }));
            }
        }
        let forms = if route.screen { Forms::DataAndPage } else { Forms::Data };
        if route.screen {
            pages(&mut content);
        }
        if !parameters.is_empty() {
            operation.insert("parameters".into(), parameters.into());
        }
        let mut headers = vec!["X-Request-Id", "Link", "ETag", "Vary", "Cache-Control", "X-Total-Count", "RateLimit", "RateLimit-Policy"];
        headers.extend(route.cache.map(|_| "Age"));
        let mut responses = Map::new();
        responses.insert("200".into(), json!({ "description": "O que se pediu", "headers": refer_headers(&headers), "content": content }));
        let statuses = [304, 400, 406, 414, 422, 429, 500, 503, 504];
        for status in statuses.into_iter().filter(|status| *status != 422 || !route.query.is_empty()) {
            responses.insert(status.to_string(), self.responses.refer(status, forms));
        }
        responses.insert("default".into(), own(forms));
        operation.insert("responses".into(), responses.into());
    }

    fn action(
        &mut self,
        operation: &mut Map<String, Value>,
        (route, action, tool): (&'c Route, &'c Action, Option<&'c Tool>),
        template: &Template<'_>,
        names: &[String],
    ) {
        let fields = &action.input.fields;
        let mut parameters = Vec::new();
        for (own, name) in template.names().zip(names) {
            let field = fields.iter().find(|field| field.source == Source::Path && field.name == own);
            let schema = field.map_or(json!({}), |field| to_json(&self.schemas.parameter(&in_path(field))));
            parameters.push(json!({ "name": name, "in": "path", "required": true, "schema": schema }));
        }
        let continues = route.options.continues.is_some();
        if continues {
            parameters.push(json!({
                "name": CONTINUATION, "in": "query", "required": true,
                "description": "De que pedido é a próxima página: como veio em `Link: …; rel=\"next\"`, ou a execução que respondeu a anterior",
                "schema": { "type": "string" },
            }));
        }
        if !parameters.is_empty() {
            operation.insert("parameters".into(), parameters.into());
        }
        operation.insert("description".into(), REPEATS.into());
        let schema = to_json(&self.schemas.input(match tool {
            Some(tool) => tool.model(),
            None if continues => &NOTHING,
            None => action,
        }));
        let mut body = Map::new();
        body.insert("schema".into(), schema);
        // An example of a whole call: what the path takes is no part of the body.
        let example = tool.and_then(|tool| tool.example.as_ref()).map(to_json).map(|mut example| {
            if let Value::Object(members) = &mut example {
                members.retain(|name, _| fields.iter().any(|field| field.name == *name && field.source == Source::Input));
            }
            example
        });
        body.extend(example.map(|example| ("example".to_owned(), example)));
        operation.insert("requestBody".into(), json!({ "required": true, "content": { "application/json": body } }));
        let schema = route.returns.as_ref().map_or(json!({}), |returns| to_json(&self.schemas.result(returns)));
        let headers = ["X-Request-Id", "Link", "Cache-Control", "Idempotent-Replayed", "RateLimit", "RateLimit-Policy"];
        let mut responses = Map::new();
        responses.insert(
            "2XX".into(),
            json!({
                "description": "O que a ação devolve", "headers": refer_headers(&headers),
                "content": { "application/json": { "schema": schema } },
            }),
        );
        let asks_session = fields.iter().any(|field| matches!(field.source, Source::Inject(_)) && field.presence == Presence::Required);
        let statuses = [400, 401, 409, 413, 414, 415, 422, 429, 500, 503, 504];
        for status in statuses.into_iter().filter(|status| *status != 401 || asks_session) {
            responses.insert(status.to_string(), self.responses.refer(status, Forms::Data));
        }
        responses.insert("default".into(), own(Forms::Data));
        operation.insert("responses".into(), responses.into());
    }
}

fn is_list(ty: &Type) -> bool {
    matches!(ty.kind, Kind::Arr(_))
}

/// What a site's code answers by itself: any status it sets.
fn own(forms: Forms) -> Value {
    let mut content = Map::new();
    content.insert("application/json".into(), json!({ "schema": {} }));
    if forms == Forms::DataAndPage {
        pages(&mut content);
    }
    json!({
        "description": "O que o site responder por conta própria: 401, 404, 409…",
        "headers": refer_headers(&["X-Request-Id", "Link"]),
        "content": content,
    })
}

/// The header by which an action that is asked for twice runs once.
pub(super) fn idempotency_key() -> Value {
    json!({
        "name": "Idempotency-Key", "in": "header",
        "description": "O mesmo pedido com a mesma chave roda uma vez só: quem repete recebe a resposta da primeira vez. Uma chave nova para cada pedido",
        "schema": { "type": "string", "minLength": 1, "maxLength": MAX_KEY, "pattern": "^[!-~]+$" },
    })
}
