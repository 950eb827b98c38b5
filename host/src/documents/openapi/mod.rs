//! The site as OpenAPI 3.1: its agent faces and actions, with every answer that the host can give for them.

mod bounds;
mod operation;
mod paths;
mod responses;

use djo_contract::schema::Shared;
use serde_json::{Map, Value, json};

use super::{Subject, json as to_json};
use operation::Operations;
use responses::Responses;

/// Where definitions of schemas are.
const SCHEMAS: &str = "#/components/schemas/";
/// The groups of operations.
const READS: &str = "leitura";
const ACTIONS: &str = "ações";

/// The document.
pub(super) fn document(subject: &Subject<'_>) -> Value {
    let contract = subject.contract;
    let mut operations =
        Operations { subject, schemas: Shared::new(&contract.types, SCHEMAS), responses: Responses::default(), paths: Map::new() };
    for (index, route) in contract.routes.iter().enumerate() {
        operations.add(index, route);
    }
    let Operations { schemas, responses, paths, .. } = operations;
    let definitions = schemas.definitions().into_iter().map(|(name, schema)| (name, to_json(&schema)));
    let mut info = Map::new();
    info.insert("title".into(), subject.name.into());
    if !subject.about.is_empty() {
        info.insert("description".into(), subject.about.into());
    }
    info.insert("version".into(), subject.version.as_str().into());
    let mut document = json!({
        "openapi": "3.1.0",
        "info": info,
        "servers": [{ "url": "/" }],
        "tags": [
            { "name": READS, "description": "O que se lê: as faces de agente das rotas" },
            { "name": ACTIONS, "description": "O que se faz: cada ação é um POST com entrada conferida" },
        ],
        "paths": paths,
        "components": {
            "schemas": responses::schemas().into_iter().chain(definitions).collect::<Map<_, _>>(),
            "responses": responses.into_components(),
            "parameters": { "Idempotency-Key": operation::idempotency_key() },
            "headers": responses::headers(),
        },
    });
    bounds::write(&mut document);
    document
}
