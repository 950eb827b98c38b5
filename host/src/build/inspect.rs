//! What a WebAssembly file is and needs, read without running it: strictly and within limits, since files come from strangers.

use std::ops::ControlFlow;

use wasmparser::{ComponentExternalKind, Encoding, Parser, Payload};

use super::contract_section::read_contract;
use super::error::{BuildError, Part};
use super::public_section::read_files;
use super::recognise::recognise;
use super::{Reach, sections};

/// Imports and exports that are read of one file.
const MAX_NAMES: usize = 1000;
/// Components and modules that are entered in one file.
const MAX_NESTED: usize = 1000;
/// How deep components are entered.
const MAX_DEPTH: usize = 8;
const PAGE_BYTES: u64 = 65_536;

/// What a file is, by what our host can do with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A djo site on the runtime of this very host: it runs on the shared runtime.
    Site(Reach),
    /// A component with our typed door: a site of another version, or one written by hand.
    TypedDoor,
    /// A `wasi:http` 0.2 component.
    Http,
    /// A `wasi:http` 0.3 component.
    HttpP3,
    /// A component that answers no requests.
    OtherComponent,
    /// A core module: no host here runs it.
    CoreModule,
}

/// A file, inspected.
#[derive(Clone, Debug, PartialEq)]
pub struct Inspection<'a> {
    /// What it is.
    pub kind: Kind,
    /// Bytes of the whole file.
    pub size: usize,
    /// What it needs of its host, as named in the file.
    pub imports: Vec<String>,
    /// What it offers.
    pub exports: Vec<String>,
    /// Bytes of linear memory that its modules start with, as declared.
    pub initial_memory: u64,
    /// Static files that it carries: path and size.
    pub files: Vec<(&'a str, usize)>,
    /// Bytes of the program image, of our own sites.
    pub image: Option<usize>,
    /// The content of the contract section, whatever it holds.
    pub contract: Option<&'a [u8]>,
}

impl Inspection<'_> {
    /// It has the typed door, which only our host calls.
    #[must_use]
    pub fn has_typed_door(&self) -> bool {
        exports(&self.exports, "djo:site/handler@0.1.")
    }

    /// It has the `wasi:http` 0.2 door.
    #[must_use]
    pub fn has_http_door(&self) -> bool {
        exports(&self.exports, "wasi:http/incoming-handler@0.2.")
    }
}

fn exports(names: &[String], start: &str) -> bool {
    names.iter().any(|name| name.starts_with(start))
}

/// Reads a file.
///
/// # Errors
/// It is no WebAssembly, is malformed, or has more of something than is read.
pub fn inspect(file: &[u8]) -> Result<Inspection<'_>, BuildError> {
    let mut names = Names::default();
    let mut encoding = Encoding::Module;
    sections::walk(file, |payload| {
        if let Payload::Version { encoding: found, .. } = payload {
            encoding = *found;
        }
        names.read(payload)?;
        Ok(ControlFlow::<()>::Continue(()))
    })?;
    let mut memory = Memory::default();
    memory.read(file, 0)?;
    let recognised = recognise(file);
    let kind = match (&recognised, encoding) {
        (Some(site), _) => Kind::Site(site.reach),
        (None, Encoding::Component) => kind_of(&names.exports),
        (None, Encoding::Module) => Kind::CoreModule,
    };
    let files = match &recognised {
        Some(site) => site.parts.files.clone(),
        None => read_files(file)?.0,
    };
    Ok(Inspection {
        kind,
        size: file.len(),
        imports: names.imports,
        exports: names.exports,
        initial_memory: memory.bytes,
        image: recognised.as_ref().map(|site| site.parts.image.len()),
        files: files.into_iter().map(|(path, content)| (path, content.len())).collect(),
        contract: read_contract(file)?,
    })
}

fn kind_of(names: &[String]) -> Kind {
    let has = |start| exports(names, start);
    if has("djo:site/handler@0.1.") {
        Kind::TypedDoor
    } else if has("wasi:http/incoming-handler@0.2.") {
        Kind::Http
    } else if has("wasi:http/handler@0.3.") {
        Kind::HttpP3
    } else {
        Kind::OtherComponent
    }
}

#[derive(Default)]
struct Names {
    imports: Vec<String>,
    exports: Vec<String>,
}

impl Names {
    fn read(&mut self, payload: &Payload<'_>) -> Result<(), BuildError> {
        match payload {
            Payload::ComponentImportSection(reader) => {
                for import in reader.clone() {
                    push(&mut self.imports, Part::Imports, import?.name.name.to_owned())?;
                }
            }
            Payload::ComponentExportSection(reader) => {
                for export in reader.clone() {
                    let export = export?;
                    // Types that interfaces use are exported beside them: they offer nothing by themselves.
                    if export.kind != ComponentExternalKind::Type {
                        push(&mut self.exports, Part::Exports, export.name.name.to_owned())?;
                    }
                }
            }
            Payload::ImportSection(reader) => {
                for import in reader.clone().into_imports() {
                    let import = import?;
                    push(&mut self.imports, Part::Imports, format!("{}#{}", import.module, import.name))?;
                }
            }
            Payload::ExportSection(reader) => {
                for export in reader.clone() {
                    push(&mut self.exports, Part::Exports, export?.name.to_owned())?;
                }
            }
            _ => {}
        }
        Ok(())
    }
}

fn push(names: &mut Vec<String>, what: Part, name: String) -> Result<(), BuildError> {
    if names.len() == MAX_NAMES {
        return Err(BuildError::TooMany { what, found: MAX_NAMES + 1, most: MAX_NAMES });
    }
    names.push(name);
    Ok(())
}

/// Adds up the memories that modules define, nested ones included.
#[derive(Default)]
struct Memory {
    bytes: u64,
    entered: usize,
}

impl Memory {
    fn read(&mut self, file: &[u8], depth: usize) -> Result<(), BuildError> {
        self.entered += 1;
        if self.entered > MAX_NESTED {
            return Err(BuildError::TooMany { what: Part::NestedParts, found: self.entered, most: MAX_NESTED });
        }
        if depth > MAX_DEPTH {
            return Err(BuildError::TooMany { what: Part::Levels, found: depth, most: MAX_DEPTH });
        }
        sections::walk(file, |payload| {
            match payload {
                Payload::MemorySection(reader) => {
                    for memory in reader.clone() {
                        let page =
                            memory.as_ref().ok().and_then(|memory| memory.page_size_log2).map_or(PAGE_BYTES, |log2| 1 << log2.min(16));
                        self.bytes = self.bytes.saturating_add(memory?.initial.saturating_mul(page));
                    }
                }
                Payload::ModuleSection { unchecked_range, .. } | Payload::ComponentSection { unchecked_range, .. } => {
                    let nested =
                        file.get(unchecked_range.clone()).filter(|nested| Parser::is_component(nested) || Parser::is_core_wasm(nested));
                    self.read(nested.ok_or(BuildError::NotAComponent)?, depth + 1)?;
                }
                _ => {}
            }
            Ok(ControlFlow::<()>::Continue(()))
        })?;
        Ok(())
    }
}
