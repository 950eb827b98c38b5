//! Schemas of many routes in one document: a struct is defined once and referred to by its name.

use alloc::{string::String, vec::Vec};

use super::write::Writer;
use crate::{
    model::Action,
    types::{Field, Source, Type, Types},
    value::Value,
};

/// A writer of schemas that share their definitions. A struct of an input, which has required members and defaults, and the same
/// struct of a result, which has neither, are two definitions: `Post.entrada` and `Post`.
pub struct Shared<'t> {
    inputs: Writer<'t>,
    results: Writer<'t>,
}

impl<'t> Shared<'t> {
    /// Nothing is written yet. `base` is where the document will hold the definitions: `#/components/schemas/`.
    pub fn new(types: &'t Types, base: &'static str) -> Self {
        Self { inputs: Writer::naming(types, true, base, ".entrada"), results: Writer::naming(types, false, base, "") }
    }

    /// The schema of an action's body: without the parameters of its path and of the context.
    pub fn input(&mut self, action: &Action) -> Value {
        Value::Map(self.inputs.object(&action.input, |field| field.source == Source::Input))
    }

    /// The schema of a result.
    pub fn result(&mut self, ty: &Type) -> Value {
        Value::Map(self.results.ty(ty))
    }

    /// The schema of a parameter of a path or query.
    pub fn parameter(&mut self, field: &Field) -> Value {
        Value::Map(self.inputs.field(field))
    }

    /// The schema of a value that comes from the outside.
    pub fn given(&mut self, ty: &Type) -> Value {
        Value::Map(self.inputs.ty(ty))
    }

    /// The definitions that were referred to.
    pub fn definitions(mut self) -> Vec<(String, Value)> {
        let mut definitions = self.results.definitions();
        definitions.extend(self.inputs.definitions());
        definitions
    }
}

#[cfg(test)]
mod tests {
    use alloc::vec;

    use super::*;
    use crate::{
        json,
        types::{Kind, Presence, Struct},
    };

    #[test]
    fn a_struct_is_written_once_for_each_direction() {
        let field = |name: &str, kind, presence| Field {
            name: name.into(),
            ty: Type::new(kind),
            presence,
            description: None,
            hidden: false,
            source: Source::Input,
        };
        let post = Struct {
            name: "Nó".into(),
            description: None,
            fields: vec![
                field("id", Kind::Int, Presence::Required),
                field("filhos", Kind::Arr(Some(Type::new(Kind::Struct(0)).into())), Presence::Required),
            ],
        };
        let types = Types { structs: vec![post] };
        let mut shared = Shared::new(&types, "#/components/schemas/");
        assert_eq!(json::to_string(&shared.result(&Type::new(Kind::Struct(0)))), r##"{"$ref":"#/components/schemas/N_"}"##);
        let input = Struct { name: String::new(), description: None, fields: vec![field("no", Kind::Struct(0), Presence::Required)] };
        let action = Action { name: "por".into(), description: None, input };
        assert_eq!(
            json::to_string(&shared.input(&action)),
            r##"{"type":"object","required":["no"],"additionalProperties":false,"properties":{"no":{"$ref":"#/components/schemas/N_.entrada"}}}"##
        );
        let definitions = shared.definitions();
        assert_eq!(definitions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["N_", "N_.entrada"]);
        assert!(definitions[0].1.get("required").is_none() && definitions[1].1.get("required").is_some());
    }
}
