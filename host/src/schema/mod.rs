//! Contracts whose JSON Schema goes beyond the type model: sites in other languages, schemas of others.
//!
//! Whether such a schema takes an input, a validator says. What an input lacks, in which order things are told, and what is said of
//! whatever the types of `djo_contract` have words for follows the tool boundary, §1 and §2, as everywhere: one keyword beyond the types
//! changes nothing else.

mod convert;
mod describe;
mod fill;
mod issues;
mod numbers;
mod part;
mod places;

#[cfg(test)]
mod tests;

use djo_contract::{decode, issue::Issues, types::Kind, types::Types, value::Value};
use jsonschema::{EmailOptions, PatternOptions, Validator};

use places::Places;

/// A compiled JSON Schema.
#[derive(Debug)]
pub struct ForeignSchema {
    validator: Validator,
    schema: Value,
}

/// A JSON document that is no usable schema.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(String);

impl ForeignSchema {
    /// Compiles a schema: 2020-12 unless it names another draft, `format` asserted, patterns by an engine that takes linear time.
    /// References lead nowhere but into the schema itself.
    ///
    /// # Errors
    /// When it is no valid schema.
    pub fn compile(schema: &Value) -> Result<Self, SchemaError> {
        if !decode::check(&Types::default(), &Kind::Any.into(), schema).is_empty() {
            return Err(SchemaError("a number that no 64-bit number holds".into()));
        }
        let validator = jsonschema::options()
            .should_validate_formats(true)
            .with_pattern_options(PatternOptions::regex())
            .with_email_options(EmailOptions::default().without_display_text())
            .build(&convert::to_json(schema))
            .map_err(|error| SchemaError(error.to_string()))?;
        Ok(Self { validator, schema: schema.clone() })
    }

    /// The input in its final form, with defaults wherever a schema that takes it has them for what is absent.
    ///
    /// # Errors
    /// Everything that the schema says no to, in its order.
    pub fn decode(&self, input: Value) -> Result<Value, Issues> {
        let json = convert::to_json(&input);
        let places = Places::of(&self.schema, &self.validator.evaluate(&json));
        issues::collect(&self.validator, &places, &input, &json).or(|| ())?;
        fill::fill(&places, input)
    }
}
