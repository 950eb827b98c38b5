//! Writing an image: the same calls in the same order give the same bytes.

use alloc::{collections::BTreeMap, string::String, vec::Vec};
use core::fmt;

use djo_contract::{
    types::{self, Kind, Presence, Source},
    value::Value,
};

use super::{HEADER, MAGIC, NONE, RECORD, SECTIONS, Section, VERSION, flag, tag};

/// Why a program does not fit into an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BuildError {
    /// More files than the line table can name.
    Files,
    /// A table or the whole outgrew what an index can hold.
    TooLarge,
    /// A constant that no value of the machine holds.
    Constant,
}

impl fmt::Display for BuildError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Files => "too many source files",
            Self::TooLarge => "the program is too large",
            Self::Constant => "a constant is out of range",
        })
    }
}

impl core::error::Error for BuildError {}

/// A function, for [`Builder::function`].
#[derive(Clone, Debug, Default)]
pub struct FunctionSpec {
    /// Its name, for traces and messages.
    pub name: String,
    /// Its file, for traces.
    pub file: String,
    /// Declared with `action`.
    pub action: bool,
    /// Written as a template.
    pub template: bool,
    /// How many registers it uses.
    pub registers: u8,
    /// Its parameters.
    pub params: Vec<FieldSpec>,
    /// Its instructions.
    pub code: Vec<[u8; 4]>,
    /// Where words come from: the first word of each stretch, its file and its line (from 1; 0 is unknown). Ascending.
    pub lines: Vec<(u32, String, u32)>,
}

/// A field or parameter, for [`Builder`].
#[derive(Clone, Debug)]
pub struct FieldSpec {
    /// Its name.
    pub name: String,
    /// Its type.
    pub ty: types::Type,
    /// Its default.
    pub default: Option<Value>,
    /// `nocall`.
    pub hidden: bool,
    /// What `inject:` says.
    pub source: Option<String>,
}

impl From<&types::Field> for FieldSpec {
    fn from(field: &types::Field) -> Self {
        let default = match &field.presence {
            Presence::Default(value) => Some(value.clone()),
            Presence::Required | Presence::Optional => None,
        };
        let source = match &field.source {
            Source::Inject(source) => Some(source.clone()),
            Source::Input | Source::Path => None,
        };
        Self { name: field.name.clone(), ty: field.ty.clone(), default, hidden: field.hidden, source }
    }
}

/// Collects a program and writes its image.
#[derive(Debug)]
pub struct Builder {
    tables: [Vec<u8>; SECTIONS],
    strings: BTreeMap<String, u32>,
    constants: BTreeMap<[u32; 3], u32>,
    types: BTreeMap<[u32; 3], u32>,
    files: BTreeMap<String, u32>,
    shapes: BTreeMap<(u32, Vec<u32>), u32>,
    pagina: u32,
    error: Option<BuildError>,
}

impl Default for Builder {
    fn default() -> Self {
        Self {
            tables: Default::default(),
            strings: BTreeMap::new(),
            constants: BTreeMap::new(),
            types: BTreeMap::new(),
            files: BTreeMap::new(),
            shapes: BTreeMap::new(),
            pagina: NONE,
            error: None,
        }
    }
}

impl Builder {
    /// An empty program.
    pub fn new() -> Self {
        Self::default()
    }

    fn push<const N: usize>(&mut self, section: Section, record: [u32; N]) -> u32 {
        let table = &mut self.tables[section as usize];
        let index = table.len() / RECORD[section as usize];
        for word in record {
            table.extend_from_slice(&word.to_le_bytes());
        }
        self.index(index)
    }

    fn count(&mut self, section: Section) -> u32 {
        let count = self.tables[section as usize].len() / RECORD[section as usize];
        self.index(count)
    }

    fn index(&mut self, number: usize) -> u32 {
        u32::try_from(number).unwrap_or_else(|_| {
            self.error.get_or_insert(BuildError::TooLarge);
            0
        })
    }

    /// A string, each distinct one once.
    pub fn string(&mut self, text: &str) -> u32 {
        if let Some(&id) = self.strings.get(text) {
            return id;
        }
        let start = self.count(Section::Blob);
        let len = self.index(text.len());
        self.tables[Section::Blob as usize].extend_from_slice(text.as_bytes());
        let id = self.push(Section::Strings, [start, len]);
        self.strings.insert(text.into(), id);
        id
    }

    /// A constant, each distinct one once.
    pub fn constant(&mut self, value: &Value) -> u32 {
        let wide = |bits: u64| [(bits & 0xffff_ffff) as u32, (bits >> 32) as u32];
        let float = |number: f64| {
            let [low, high] = wide(number.to_bits());
            [tag::FLOAT, low, high]
        };
        let record = match value {
            Value::Nil => [tag::NIL, 0, 0],
            Value::Bool(false) => [tag::FALSE, 0, 0],
            Value::Bool(true) => [tag::TRUE, 0, 0],
            Value::Int(number) => {
                let [low, high] = wide(number.cast_unsigned());
                [tag::INT, low, high]
            }
            Value::Float(number) => float(*number),
            Value::Huge(text) => match Value::rounded(text) {
                Some(number) => float(number),
                None => {
                    self.error.get_or_insert(BuildError::Constant);
                    [tag::NIL, 0, 0]
                }
            },
            Value::Str(text) => [tag::STRING, self.string(text), 0],
            Value::Arr(items) => {
                let ids: Vec<u32> = items.iter().map(|item| self.constant(item)).collect();
                self.listed(tag::ARR, &ids, items.len())
            }
            Value::Map(members) => {
                let mut ids = Vec::with_capacity(members.len() * 2);
                for (name, value) in members {
                    ids.push(self.constant(&Value::Str(name.clone())));
                    ids.push(self.constant(value));
                }
                self.listed(tag::MAP, &ids, members.len())
            }
        };
        if let Some(&id) = self.constants.get(&record) {
            return id;
        }
        let id = self.push(Section::Constants, record);
        self.constants.insert(record, id);
        id
    }

    fn listed(&mut self, tag: u32, ids: &[u32], count: usize) -> [u32; 3] {
        let first = if ids.is_empty() { 0 } else { self.list(ids) };
        [tag, first, self.index(count)]
    }

    fn list(&mut self, items: &[u32]) -> u32 {
        let first = self.count(Section::Lists);
        for &item in items {
            self.push(Section::Lists, [item]);
        }
        first
    }

    /// A type, each distinct one once. Structs are meant by their index, whether they are there yet or not.
    pub fn ty(&mut self, ty: &types::Type) -> u32 {
        let mut element = |inner: &Option<alloc::boxed::Box<types::Type>>| inner.as_ref().map_or(NONE, |inner| self.ty(inner));
        let (kind, argument) = match &ty.kind {
            Kind::Any => (0, 0),
            Kind::Int => (1, 0),
            Kind::Float => (2, 0),
            Kind::String => (3, 0),
            Kind::Bool => (4, 0),
            Kind::Arr(inner) => (5, element(inner)),
            Kind::Map(inner) => (6, element(inner)),
            Kind::Struct(index) => (7, self.index(*index)),
        };
        let constraints = self.constraints(&ty.constraints);
        let mut head = kind;
        if ty.nullable {
            head |= flag::NULLABLE;
        }
        if constraints != NONE {
            head |= flag::CONSTRAINED;
        }
        let record = [head, argument, constraints];
        if let Some(&id) = self.types.get(&record) {
            return id;
        }
        let id = self.push(Section::Types, record);
        self.types.insert(record, id);
        id
    }

    fn constraints(&mut self, constraints: &types::Constraints) -> u32 {
        if *constraints == types::Constraints::default() {
            return NONE;
        }
        let length = |bound: Option<u64>| bound.map_or(NONE, |bound| u32::try_from(bound).unwrap_or(NONE - 1));
        let allowed = constraints.allowed.clone().map(Value::Arr);
        let program = constraints.pattern.as_ref().and_then(|pattern| constraints.compiled.program(pattern));
        let record = [
            constraints.minimum.as_ref().map_or(NONE, |bound| self.constant(bound)),
            constraints.maximum.as_ref().map_or(NONE, |bound| self.constant(bound)),
            length(constraints.min_length),
            length(constraints.max_length),
            constraints.pattern.as_ref().map_or(NONE, |pattern| self.string(pattern)),
            program.map_or(NONE, |program| self.string(&program.to_text())),
            constraints.format.as_ref().map_or(NONE, |format| self.string(format)),
            allowed.map_or(NONE, |allowed| self.constant(&allowed)),
            u32::from(constraints.unique),
        ];
        self.push(Section::Constraints, record)
    }

    fn fields(&mut self, fields: &[FieldSpec]) -> u32 {
        let records: Vec<[u32; 6]> = fields
            .iter()
            .map(|field| {
                let key = alloc::format!("\"{}\":", field.name);
                let mut flags = if field.hidden { flag::HIDDEN } else { 0 };
                let source = field.source.as_ref().map_or(NONE, |source| {
                    flags |= flag::INJECTED;
                    self.string(source)
                });
                let default = field.default.as_ref().map_or(NONE, |value| self.constant(value));
                [self.string(&field.name), self.string(&key), self.ty(&field.ty), default, flags, source]
            })
            .collect();
        let first = self.count(Section::Fields);
        for record in records {
            self.push(Section::Fields, record);
        }
        first
    }

    /// The next struct.
    pub fn structure(&mut self, name: &str, fields: &[FieldSpec]) -> u32 {
        let name = self.string(name);
        let first = self.fields(fields);
        let count = self.index(fields.len());
        self.push(Section::Structs, [name, first, count])
    }

    /// Names the struct that `Pagina:` builds.
    pub fn set_pagina(&mut self, structure: u32) {
        self.pagina = structure;
    }

    /// Which fields of a struct a literal gives, in its order.
    pub fn shape(&mut self, structure: u32, fields: &[u32]) -> u32 {
        let key = (structure, Vec::from(fields));
        if let Some(&id) = self.shapes.get(&key) {
            return id;
        }
        let first = self.list(fields);
        let count = self.index(fields.len());
        let id = self.push(Section::Shapes, [structure, first, count]);
        self.shapes.insert(key, id);
        id
    }

    /// The next function.
    pub fn function(&mut self, spec: &FunctionSpec) -> u32 {
        let name = self.string(&spec.name);
        let file = self.string(&spec.file);
        let first_param = self.fields(&spec.params);
        let given = spec.params.iter().filter(|param| param.source.is_none() && !param.hidden);
        let trailing = given.clone().rev().take_while(|param| param.default.is_some() || param.ty.nullable).count();
        let required = given.count() - trailing;
        let mut flags = 0;
        for (set, bit) in [
            (spec.action, flag::ACTION),
            (spec.template, flag::TEMPLATE),
            (spec.params.iter().any(|param| param.ty.kind != Kind::Any || param.source.is_some() || param.hidden), flag::TYPED),
        ] {
            if set {
                flags |= bit;
            }
        }
        let byte = |builder: &mut Self, number: usize| {
            u8::try_from(number).unwrap_or_else(|_| {
                builder.error.get_or_insert(BuildError::TooLarge);
                0
            })
        };
        let sizes = [byte(self, spec.params.len()), byte(self, required), spec.registers, flags];
        let start = self.count(Section::Code);
        self.tables[Section::Code as usize].extend(spec.code.iter().flatten());
        let words = self.index(spec.code.len());
        let first_line = self.count(Section::Lines);
        for (word, file, line) in &spec.lines {
            let file = self.file(file);
            self.push(Section::Lines, [*word, file << 20 | (*line).min(0xf_ffff)]);
        }
        let lines = self.index(spec.lines.len());
        self.push(Section::Functions, [name, file, u32::from_le_bytes(sizes), first_param, start, words, first_line, lines])
    }

    fn file(&mut self, path: &str) -> u32 {
        if let Some(&index) = self.files.get(path) {
            return index;
        }
        let name = self.string(path);
        let index = self.push(Section::Files, [name]);
        if index > 0xfff {
            self.error.get_or_insert(BuildError::Files);
        }
        self.files.insert(path.into(), index);
        index
    }

    /// The functions of the next route: screen, agent, action.
    pub fn entry(&mut self, functions: [Option<u32>; 3]) {
        self.push(Section::Entries, functions.map(|function| function.unwrap_or(NONE)));
    }

    /// The function of the site's own page for a status.
    pub fn error_page(&mut self, status: u16, function: u32) {
        self.push(Section::ErrorPages, [u32::from(status), function]);
    }

    /// The image.
    ///
    /// # Errors
    /// Something did not fit.
    pub fn finish(self) -> Result<Vec<u8>, BuildError> {
        if let Some(error) = self.error {
            return Err(error);
        }
        let mut offset = HEADER + SECTIONS * 8;
        let mut table = Vec::with_capacity(SECTIONS * 8);
        for (bytes, record) in self.tables.iter().zip(RECORD) {
            offset = offset.next_multiple_of(4);
            let start = u32::try_from(offset).map_err(|_| BuildError::TooLarge)?;
            let count = u32::try_from(bytes.len() / record).map_err(|_| BuildError::TooLarge)?;
            table.extend_from_slice(&start.to_le_bytes());
            table.extend_from_slice(&count.to_le_bytes());
            offset += bytes.len();
        }
        let length = u32::try_from(offset).map_err(|_| BuildError::TooLarge)?;
        let mut image = Vec::with_capacity(offset);
        image.extend_from_slice(&MAGIC);
        for word in [VERSION, length, self.pagina] {
            image.extend_from_slice(&word.to_le_bytes());
        }
        image.extend_from_slice(&table);
        for bytes in &self.tables {
            image.resize(image.len().next_multiple_of(4), 0);
            image.extend_from_slice(bytes);
        }
        Ok(image)
    }
}
