//! `validate`: an input against a JSON Schema, decoded as an action decodes its own.

use std::path::Path;

use djo_contract::{
    decode::decode,
    issue::Issues,
    json::{self, SyntaxIssue},
    schema::from_schema,
    types::{Type, Types},
    value::Value,
};

use crate::{
    cli::{Failure, args::ValidateArgs, files, language::Language, messages, terminal},
    schema::ForeignSchema,
};

/// A larger schema or input is not read.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

pub(crate) fn run(args: &ValidateArgs, language: Language) -> Result<(), Failure> {
    let schema = files::read(&args.schema, MAX_BYTES, language)?;
    let schema = json::parse(&schema).map_err(|issue| Failure::new(messages::bad_schema(language, &args.schema, &issue.to_string())))?;
    let contract = contract(&schema).map_err(|reason| Failure::new(messages::bad_schema(language, &args.schema, &reason)))?;
    let input = match args.input.as_deref() {
        Some(path) if path != Path::new("-") => files::read(path, MAX_BYTES, language)?,
        _ => files::read_stdin(MAX_BYTES, language)?,
    };
    match validate(&contract, &input) {
        Ok(value) => {
            terminal::line(&json::to_string(&Value::Map(vec![("ok".into(), value)])));
            Ok(())
        }
        Err(refusal) => {
            terminal::line(&json::to_string(&refusal));
            Err(Failure::said())
        }
    }
}

/// How an input is checked.
enum Contract {
    /// By the type model.
    Types(Box<(Types, Type)>),
    /// By the schema itself, which says more than the type model can.
    Schema(Box<ForeignSchema>),
}

fn contract(schema: &Value) -> Result<Contract, String> {
    // Also what the type model can say must be a sound schema first.
    let foreign = ForeignSchema::compile(schema).map_err(|error| error.to_string())?;
    Ok(match from_schema(schema) {
        Ok(types) => Contract::Types(Box::new(types)),
        Err(beyond) => {
            tracing::debug!(%beyond, "the schema goes beyond the type model");
            Contract::Schema(Box::new(foreign))
        }
    })
}

/// The decoded input, or `{"problemas":[…]}`.
fn validate(contract: &Contract, input: &[u8]) -> Result<Value, Value> {
    let input = json::parse(input).map_err(|issue| syntax_refusal(&issue))?;
    match contract {
        Contract::Types(types) => decode(&types.0, &types.1, input).map_err(|issues| refusal(&issues)),
        Contract::Schema(schema) => schema.decode(input).map_err(|issues| refusal(&issues)),
    }
}

fn syntax_refusal(issue: &SyntaxIssue) -> Value {
    Value::Map(vec![("problemas".into(), Value::Arr(vec![issue.to_json()]))])
}

fn refusal(issues: &Issues) -> Value {
    let mut members = vec![("problemas".to_owned(), issues.to_json())];
    if issues.more > 0 {
        members.push(("mais".into(), Value::Int(i64::try_from(issues.more).unwrap_or(i64::MAX))));
    }
    Value::Map(members)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn said(schema: &str, input: &str) -> String {
        let contract = contract(&json::parse(schema.as_bytes()).unwrap()).unwrap();
        json::to_string(&validate(&contract, input.as_bytes()).unwrap_or_else(|refusal| refusal))
    }

    #[test]
    fn the_type_model_fills_defaults() {
        let schema = r#"{"type":"object","properties":{"q":{"type":"string"},"n":{"type":"integer","default":5}},"required":["q"],"additionalProperties":false}"#;
        assert_eq!(said(schema, r#"{"q":"a"}"#), r#"{"q":"a","n":5}"#);
        assert!(said(schema, "{}").starts_with(r#"{"problemas":[{"code":"missing_field","path":"q","pointer":"/q""#));
        assert!(said(schema, "{").starts_with(r#"{"problemas":[{"code":"invalid_json""#));
    }

    #[test]
    fn what_is_beyond_it_is_checked_by_the_schema() {
        let schema = r#"{"oneOf":[{"type":"integer","multipleOf":3},{"type":"string"}]}"#;
        assert_eq!(said(schema, "9"), "9");
        assert!(said(schema, "8").contains("invalid_range"));
        assert_eq!(said(r#"{"properties":{"n":{"default":5}}}"#, r#"{"q":1}"#), r#"{"n":5,"q":1}"#);
    }

    #[test]
    fn many_problems_are_counted() {
        let input = format!("[{}]", vec!["true"; 130].join(","));
        for schema in [r#"{"type":"array","items":{"type":"string"}}"#, r#"{"items":{"type":"string","allOf":[{}]}}"#] {
            assert!(said(schema, &input).ends_with(r#"],"mais":30}"#));
        }
    }

    #[test]
    fn what_is_no_schema_is_refused() {
        for schema in [r#"{"type":"inteiro"}"#, "3", r#"{"pattern":"("}"#] {
            assert!(contract(&json::parse(schema.as_bytes()).unwrap()).is_err(), "{schema}");
        }
    }
}
