//! The component that holds a site's program as data: what `djo:site/program` asks for, and nothing that runs of its own.

use wasm_encoder::{
    Alias, CanonicalFunctionSection, CanonicalOption, CodeSection, Component, ComponentAliasSection, ComponentExportKind, ComponentExportSection,
    ComponentInstanceSection, ComponentTypeSection, ComponentValType, ConstExpr, DataSection, ExportKind, ExportSection, Function, FunctionSection,
    InstanceSection, MemorySection, MemoryType, Module, ModuleArg, ModuleSection, PrimitiveValType, TypeSection, ValType,
};
use wasmparser::{DataKind, Operator, Payload};

use super::error::BuildError;
use super::sections;

/// Bytes of a program image: larger ones are no site.
pub const MAX_IMAGE_BYTES: usize = 16 * 1024 * 1024;
/// Bytes of a contract: larger ones are not read.
pub const MAX_CONTRACT_BYTES: usize = 4 * 1024 * 1024;

/// The interface that the component exports.
pub(super) const INTERFACE: &str = "djo:site/program@0.1.0";

/// The functions of the interface, in the order of the pointers at the start of the memory.
const FUNCTIONS: [&str; 2] = ["load", "contract"];
/// Pointer and length of each function's answer lie first in memory: 4 numbers of 4 bytes.
const ANSWER_BYTES: usize = 8;
const HEADER_BYTES: usize = ANSWER_BYTES * FUNCTIONS.len();
const PAGE_BYTES: usize = 65_536;

/// Writes the component. The same image and contract give the same bytes.
pub(super) fn encode(image: &[u8], contract: &[u8]) -> Result<Vec<u8>, BuildError> {
    let memory = memory_content(image, contract)?;
    let mut component = Component::new();
    component.section(&ModuleSection(&core_module(&memory)));

    let mut core_instances = InstanceSection::new();
    core_instances.instantiate(0, std::iter::empty::<(&str, ModuleArg)>());
    component.section(&core_instances);

    let mut aliases = ComponentAliasSection::new();
    aliases.alias(Alias::CoreInstanceExport { instance: 0, kind: ExportKind::Memory, name: "memory" });
    for name in FUNCTIONS {
        aliases.alias(Alias::CoreInstanceExport { instance: 0, kind: ExportKind::Func, name });
    }
    component.section(&aliases);

    let mut types = ComponentTypeSection::new();
    types.defined_type().list(PrimitiveValType::U8);
    types.function().params([] as [(&str, ComponentValType); 0]).result(Some(ComponentValType::Type(0)));
    component.section(&types);

    let mut functions = CanonicalFunctionSection::new();
    let mut instances = ComponentInstanceSection::new();
    for index in 0..FUNCTIONS.len() as u32 {
        functions.lift(index, 1, [CanonicalOption::Memory(0)]);
    }
    component.section(&functions);
    let [load, contract] = FUNCTIONS;
    instances.export_items([(load, ComponentExportKind::Func, 0), (contract, ComponentExportKind::Func, 1)]);
    component.section(&instances);

    let mut exports = ComponentExportSection::new();
    exports.export(INTERFACE, ComponentExportKind::Instance, 0, None);
    component.section(&exports);
    Ok(component.finish())
}

/// What the memory starts with: the answers, then what they point at.
fn memory_content(image: &[u8], contract: &[u8]) -> Result<Vec<u8>, BuildError> {
    if image.len() > MAX_IMAGE_BYTES {
        return Err(BuildError::ImageTooLarge(image.len()));
    }
    if contract.len() > MAX_CONTRACT_BYTES {
        return Err(BuildError::ContractTooLarge(contract.len()));
    }
    let mut content = Vec::with_capacity(HEADER_BYTES + image.len() + contract.len());
    let mut at = HEADER_BYTES;
    for part in [image, contract] {
        // Both fit 32 bits: see the limits above.
        content.extend_from_slice(&(at as u32).to_le_bytes());
        content.extend_from_slice(&(part.len() as u32).to_le_bytes());
        at += part.len();
    }
    content.extend_from_slice(image);
    content.extend_from_slice(contract);
    Ok(content)
}

fn core_module(memory: &[u8]) -> Module {
    let mut types = TypeSection::new();
    types.ty().function([], [ValType::I32]);
    let mut functions = FunctionSection::new();
    let mut exports = ExportSection::new();
    let mut code = CodeSection::new();
    for (index, name) in (0_u32..).zip(FUNCTIONS) {
        functions.function(0);
        exports.export(name, ExportKind::Func, index);
        let mut function = Function::new([]);
        function.instructions().i32_const(index as i32 * ANSWER_BYTES as i32).end();
        code.function(&function);
    }
    exports.export("memory", ExportKind::Memory, 0);
    let pages = memory.len().div_ceil(PAGE_BYTES) as u64;
    let mut memories = MemorySection::new();
    memories.memory(MemoryType { minimum: pages, maximum: Some(pages), memory64: false, shared: false, page_size_log2: None });
    let mut data = DataSection::new();
    data.active(0, &ConstExpr::i32_const(0), memory.iter().copied());
    let mut module = Module::new();
    module.section(&types).section(&functions).section(&memories).section(&exports).section(&code).section(&data);
    module
}

/// Image and contract of a component that looks like one of ours. Whether it is one, only encoding it again tells.
pub(super) fn extract(component: &[u8]) -> Option<(&[u8], &[u8])> {
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
    let part = |index: usize| {
        let (pointer, rest) = memory.get(index * ANSWER_BYTES..)?.split_first_chunk::<4>()?;
        let start = u32::from_le_bytes(*pointer) as usize;
        let length = u32::from_le_bytes(*rest.first_chunk::<4>()?) as usize;
        memory.get(start..start.checked_add(length)?)
    };
    Some((part(0)?, part(1)?))
}
