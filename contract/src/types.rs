//! The type model: what a field of an input or a result may hold.

use alloc::{boxed::Box, string::String, vec::Vec};

use crate::{pattern::Compiled, value::Value};

/// A type with its constraints. Source: the language reference, declarations.
#[derive(Clone, Debug, PartialEq)]
pub struct Type {
    /// What kind of value.
    pub kind: Kind,
    /// `T?`: `null` is accepted.
    pub nullable: bool,
    /// Bounds on the value.
    pub constraints: Constraints,
}

impl Type {
    /// A type of this kind: not nullable, without constraints.
    pub fn new(kind: Kind) -> Self {
        Self { kind, nullable: false, constraints: Constraints::default() }
    }
}

impl From<Kind> for Type {
    fn from(kind: Kind) -> Self {
        Self::new(kind)
    }
}

/// The kinds of value a type can name.
#[derive(Clone, Debug, PartialEq)]
pub enum Kind {
    /// Anything, `null` included (an untyped schema).
    Any,
    /// A 64-bit signed integer.
    Int,
    /// A finite double; accepts integers.
    Float,
    /// Unicode text.
    String,
    /// `true` or `false`.
    Bool,
    /// An array; `None` leaves its elements unchecked.
    Arr(Option<Box<Type>>),
    /// An open object; `None` leaves its values unchecked.
    Map(Option<Box<Type>>),
    /// A closed object: an index into [`Types`].
    Struct(usize),
}

/// Bounds, all inclusive. Absent members do not constrain.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Constraints {
    /// Int, Float: least value.
    pub minimum: Option<Value>,
    /// Int, Float: greatest value.
    pub maximum: Option<Value>,
    /// String (code points), Arr (elements): least length.
    pub min_length: Option<u64>,
    /// String (code points), Arr (elements): greatest length.
    pub max_length: Option<u64>,
    /// String: a regular expression in RE2 syntax, searched for anywhere unless anchored.
    pub pattern: Option<String>,
    /// `pattern`, compiled when it is first matched.
    pub compiled: Compiled,
    /// String: `email`, `uri`, `date`, `date-time` or `uuid`.
    pub format: Option<String>,
    /// String, Int: the values allowed.
    pub allowed: Option<Vec<Value>>,
    /// Arr: no two equal elements.
    pub unique: bool,
}

/// What an absent member means.
#[derive(Clone, Debug, PartialEq)]
pub enum Presence {
    /// It is an issue (`missing_field`).
    Required,
    /// It takes this value as it stands: complete and already checked.
    Default(Value),
    /// `T?`: it is nil. Not nullable (schemas of others): it stays absent.
    Optional,
}

/// Where the value of a parameter comes from.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Source {
    /// The JSON body.
    #[default]
    Input,
    /// A `{name}` segment of the route's path.
    Path,
    /// The host, from the request's context: `session.usuario`, `header.X-Cliente`, …
    Inject(String),
}

/// A member of a struct, or a parameter of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// The member's name in JSON.
    pub name: String,
    /// Its type.
    pub ty: Type,
    /// What its absence means.
    pub presence: Presence,
    /// Shown in schemas.
    pub description: Option<String>,
    /// `nocall`: in no input, no output and no schema.
    pub hidden: bool,
    /// Where a parameter comes from; always `Input` in a struct.
    pub source: Source,
}

/// A closed object type. An unnamed one (from a schema, or the parameters of an action) has an empty name.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Struct {
    /// As declared; what `deve ser T` shows.
    pub name: String,
    /// Shown in schemas.
    pub description: Option<String>,
    /// In declaration order, which is the order of JSON output.
    pub fields: Vec<Field>,
}

/// The struct table of a site; [`Kind::Struct`] indexes it. Structs may refer to each other and to themselves.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Types {
    /// All structs.
    pub structs: Vec<Struct>,
}

impl Types {
    /// The struct of that index. One that is not there (which no checked contract has) is a closed object without members.
    pub fn get(&self, index: usize) -> &Struct {
        static EMPTY: Struct = Struct { name: String::new(), description: None, fields: Vec::new() };
        self.structs.get(index).unwrap_or(&EMPTY)
    }

    /// What `deve ser T` shows for a type: Int, Float, String, Bool, Arr, Map or the struct's name.
    pub fn djo_name(&self, ty: &Type) -> &str {
        match &ty.kind {
            Kind::Any => "qualquer valor",
            Kind::Int => "Int",
            Kind::Float => "Float",
            Kind::String => "String",
            Kind::Bool => "Bool",
            Kind::Arr(_) => "Arr",
            Kind::Map(_) => "Map",
            Kind::Struct(index) => match self.get(*index).name.as_str() {
                "" => "Map",
                name => name,
            },
        }
    }
}

impl Kind {
    /// The type in JSON Schema's words; `None` for [`Kind::Any`].
    pub fn json_name(&self) -> Option<&'static str> {
        Some(match self {
            Self::Any => return None,
            Self::Int => "integer",
            Self::Float => "number",
            Self::String => "string",
            Self::Bool => "boolean",
            Self::Arr(_) => "array",
            Self::Map(_) | Self::Struct(_) => "object",
        })
    }
}
