//! Contracts whose JSON Schema goes beyond the type model: sites in other languages, schemas of others.
//!
//! Such a schema cannot fill defaults or keep the order of a type; it says yes or no. What it says no to is told in the same issues
//! as everywhere (the tool boundary, §2).

mod convert;
mod issues;

#[cfg(test)]
mod tests;

use djo_contract::{issue::Issues, value::Value};
use jsonschema::{PatternOptions, Validator};

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct ForeignSchema {
    validator: Validator,
    schema: serde_json::Value,
}

/// A JSON document that is no usable schema.
#[derive(Debug, thiserror::Error)]
#[error("not a usable JSON Schema: {0}")]
pub struct SchemaError(String);

impl ForeignSchema {
    /// Compiles a schema: 2020-12 unless it names another draft, `format` asserted, patterns by an engine that takes linear time.
    /// References lead nowhere but into the schema itself.
    ///
    /// # Errors
    /// When it is no valid schema.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        let schema = convert::to_json(schema).map_err(|_| SchemaError("a number that no 64-bit number holds".into()))?;
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex())
            .build(&schema)
            .map_err(|error| SchemaError(error.to_string()))?;
        Ok(Self { validator, schema })
    }

    /// Everything that the schema says no to.
    pub fn check(&self, input: &Value) -> Issues {
        match convert::to_json(input) {
            Ok(json) => issues::collect(&self.validator, &self.schema, input, &json),
            Err(held_by_nothing) => held_by_nothing,
        }
    }
}
