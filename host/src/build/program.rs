//! The component that holds a site as data: what `djo:site/program` and `djo:site/files` ask for, and nothing that runs of its own.
//!
//! Its memory starts with the answers of the functions, in the layout of the canonical ABI, so that each function only says where its
//! answer lies: pointer and length of the image, of the contract and of the list of files, room for the answer of `read`, the records of
//! the files, then what all of these point at.

use http::HeaderValue;
use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, CodeSection, Component, ComponentAliasSection, ComponentExportKind,
    ComponentExportSection, ComponentInstanceSection, ComponentTypeSection, ComponentValType, ConstExpr, DataSection, ExportKind,
    ExportSection, Function, FunctionSection, InstanceSection, MemArg, MemorySection, MemoryType, Module, ModuleArg, ModuleSection,
    PrimitiveValType, TypeSection, ValType,
};
use wasmparser::{DataKind, Operator, Payload};

use super::error::{BuildError, Part};
use super::sections;
use crate::{site::assets::content_type, text::entity_tag};

/// Bytes of a program image: larger ones are no site.
pub const MAX_IMAGE_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a contract: larger ones are not read.
pub const MAX_CONTRACT_BYTES: usize = 4 * 1024 * 1024;
/// Static files of a site.
pub const MAX_FILES: usize = 10_000;
/// Bytes of all static files of a site, their paths included.
pub const MAX_FILES_BYTES: usize = 64 * 1024 * 1024;

/// The exported interfaces with their functions, in the order of their answers in memory.
const INTERFACES: [(&str, [&str; 2]); 2] = [("djo:site/program@0.1.0", ["load", "contract"]), ("djo:site/files@0.1.0", ["index", "read"])];

/// Pointer and length, 4 bytes each.
const ANSWER: usize = 8;
/// Answers of `load`, `contract`, `index`, `read`.
const HEADER: usize = 4 * ANSWER;
/// A file's record: pointer and length of its path, of its content type, of its entity tag, of its bytes.
const RECORD: usize = 4 * ANSWER;
const PAGE: usize = 65_536;

/// A site as it goes into a component, and as it comes out of one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts<'a> {
    /// The flat program image.
    pub image: &'a [u8],
    /// The contract as JSON (`djo_contract::section`).
    pub contract: &'a [u8],
    /// The static files: path relative to `publico/`, with `/`, and content. In any order, no path twice.
    pub files: Vec<(&'a str, &'a [u8])>,
}

/// Writes the component. The same parts give the same bytes.
pub(super) fn encode(parts: &Parts<'_>) -> Result<Vec<u8>, BuildError> {
    let module = core_module(&memory(parts)?);
    let mut component = Component::new();
    component.section(&ModuleSection(&module));

    let mut core_instances = InstanceSection::new();
    core_instances.instantiate(0, std::iter::empty::<(&str, ModuleArg)>());
    component.section(&core_instances);

    let mut aliases = ComponentAliasSection::new();
    aliases.alias(Alias::CoreInstanceExport { instance: 0, kind: ExportKind::Memory, name: "memory" });
    for name in INTERFACES.iter().flat_map(|(_, functions)| functions) {
        aliases.alias(Alias::CoreInstanceExport { instance: 0, kind: ExportKind::Func, name });
    }
    component.section(&aliases);

    let mut functions = CanonicalFunctionSection::new();
    let types = function_types();
    for (core, ty) in (0..).zip([BYTES, BYTES, INDEX, READ]) {
        functions.lift(core, ty, [CanonicalOption::Memory(0)]);
    }
    component.section(&types).section(&functions);

    let mut instances = ComponentInstanceSection::new();
    let mut exports = ComponentExportSection::new();
    for (number, (interface, [first, second])) in (0..).zip(INTERFACES) {
        instances.export_items([(first, ComponentExportKind::Func, number * 2), (second, ComponentExportKind::Func, number * 2 + 1)]);
        exports.export(interface, ComponentExportKind::Instance, number, None);
    }
    component.section(&instances).section(&exports);
    Ok(component.finish())
}

/// Places in the type section that [`function_types`] writes.
const BYTES: u32 = 3;
const INDEX: u32 = 4;
const READ: u32 = 5;

fn function_types() -> ComponentTypeSection {
    let mut types = ComponentTypeSection::new();
    let number = ComponentValType::Primitive(PrimitiveValType::U32);
    let text = ComponentValType::Primitive(PrimitiveValType::String);
    types.defined_type().list(PrimitiveValType::U8);
    types.defined_type().tuple([text, text, text, number, number]);
    types.defined_type().list(ComponentValType::Type(1));
    types.function().params([] as [(&str, ComponentValType); 0]).result(Some(ComponentValType::Type(0)));
    types.function().params([] as [(&str, ComponentValType); 0]).result(Some(ComponentValType::Type(2)));
    types.function().params([("start", number), ("length", number)]).result(Some(ComponentValType::Type(0)));
    types
}

/// What the memory starts with.
fn memory(parts: &Parts<'_>) -> Result<Vec<u8>, BuildError> {
    let mut files = parts.files.clone();
    files.sort_unstable();
    let said: Vec<(HeaderValue, String)> = files.iter().map(|(path, content)| (content_type(path), entity_tag(content))).collect();
    let names = || files.iter().zip(&said).flat_map(|((path, _), (ty, tag))| [path.as_bytes(), ty.as_bytes(), tag.as_bytes()]);
    let contents = || files.iter().map(|(_, content)| *content);
    check(Part::Image, parts.image.len(), MAX_IMAGE_BYTES)?;
    check(Part::Contract, parts.contract.len(), MAX_CONTRACT_BYTES)?;
    check(Part::StaticFiles, names().chain(contents()).map(<[u8]>::len).sum(), MAX_FILES_BYTES)?;
    if files.len() > MAX_FILES {
        return Err(BuildError::TooMany { what: Part::StaticFiles, found: files.len(), most: MAX_FILES });
    }
    if let Some(twice) = files.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(BuildError::SameFile(twice[0].0.to_owned()));
    }

    let mut memory = Memory { answers: Vec::new(), content: Vec::new(), content_at: HEADER + files.len() * RECORD };
    memory.add(parts.image);
    memory.add(parts.contract);
    memory.point(HEADER, files.len());
    memory.point(0, 0);
    for ((path, content), (ty, tag)) in files.iter().zip(&said) {
        memory.add(path.as_bytes());
        memory.add(ty.as_bytes());
        memory.add(tag.as_bytes());
        memory.add(content);
    }
    memory.answers.append(&mut memory.content);
    Ok(memory.answers)
}

/// Answers and records that are filled in, and what they point at.
struct Memory {
    answers: Vec<u8>,
    content: Vec<u8>,
    content_at: usize,
}

impl Memory {
    fn add(&mut self, content: &[u8]) {
        self.point(self.content_at + self.content.len(), content.len());
        self.content.extend_from_slice(content);
    }

    /// Both fit 32 bits: the limits of all parts together do.
    fn point(&mut self, pointer: usize, length: usize) {
        self.answers.extend_from_slice(&(pointer as u32).to_le_bytes());
        self.answers.extend_from_slice(&(length as u32).to_le_bytes());
    }
}

fn check(what: Part, found: usize, most: usize) -> Result<(), BuildError> {
    if found > most { Err(BuildError::TooLarge { what, found, most }) } else { Ok(()) }
}

fn core_module(memory: &[u8]) -> Module {
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I32]);
    types.ty().function([ValType::I32, ValType::I32], [ValType::I32]);
    let mut functions = FunctionSection::new();
    let mut exports = ExportSection::new();
    let mut code = CodeSection::new();
    for (index, name) in (0_u32..).zip(INTERFACES.iter().flat_map(|(_, functions)| functions)) {
        let answer = index as i32 * ANSWER as i32;
        let mut function = Function::new([]);
        let mut body = function.instructions();
        if *name == "read" {
            // What is asked for is what is answered; the canonical ABI traps on what lies outside the memory.
            let at = |offset| MemArg { offset, align: 2, memory_index: 0 };
            body.i32_const(answer).local_get(0).i32_store(at(0)).i32_const(answer).local_get(1).i32_store(at(4));
        }
        body.i32_const(answer).end();
        functions.function(u32::from(*name == "read"));
        exports.export(name, ExportKind::Func, index);
        code.function(&function);
    }
    exports.export("memory", ExportKind::Memory, 0);
    let pages = memory.len().div_ceil(PAGE) as u64;
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: pages, maximum: Some(pages), memory64: false, shared: false, page_size_log2: None });
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(0), memory.iter().copied());
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports).section(&code).section(&data);
    module
}

/// The parts of a component that looks like one of ours. Whether it is one, only encoding it again tells.
pub(super) fn extract(component: &[u8]) -> Option<Parts<'_>> {
    let module = sections::find(component, |payload| match payload {
        Payload::ModuleSection { unchecked_range, .. } => component.get(unchecked_range.clone()),
        _ => None,
    })?;
    let memory = sections::find(module, |payload| match payload {
        Payload::DataSection(reader) => {
            let data = reader.clone().into_iter().next()?.ok()?;
            let DataKind::Active { memory_index: 0, offset_expr } = data.kind else { return None };
            let first = offset_expr.get_operators_reader().read().ok()?;
            matches!(first, Operator::I32Const { value: 0 }).then_some(data.data)
        }
        _ => None,
    })?;
    let (records, count) = pair(memory, 2 * ANSWER)?;
    if count > MAX_FILES {
        return None;
    }
    let files = (0..count).map(|index| {
        let record = records.checked_add(index * RECORD)?;
        let path = std::str::from_utf8(slice(memory, record)?).ok()?;
        Some((path, slice(memory, record.checked_add(3 * ANSWER)?)?))
    });
    Some(Parts { image: slice(memory, 0)?, contract: slice(memory, ANSWER)?, files: files.collect::<Option<_>>()? })
}

/// The two numbers at a place.
fn pair(memory: &[u8], at: usize) -> Option<(usize, usize)> {
    let (pointer, rest) = memory.get(at..)?.split_first_chunk::<4>()?;
    Some((u32::from_le_bytes(*pointer) as usize, u32::from_le_bytes(*rest.first_chunk::<4>()?) as usize))
}

/// What the pointer and length at a place point at.
fn slice(memory: &[u8], at: usize) -> Option<&[u8]> {
    let (start, length) = pair(memory, at)?;
    memory.get(start..start.checked_add(length)?)
}
