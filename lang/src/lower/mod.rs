//! Lowering: a checked program to the flat image that the machine runs.
//!
//! Registers are given out by name: parameters first, then every local of the function, then values in passing. The output
//! depends on the program alone, so the same source gives the same bytes.

mod assigned;
mod body;
mod call;
mod condition;
mod expr;
mod lambda;
mod literal;
mod locals;
mod prelude;
mod shared;
mod stmt;

#[cfg(test)]
mod tests;

use djo_vm::image::{BuildError, FieldSpec};

use crate::program::{Page, Program};
use body::Body;
use shared::Shared;

/// Why a checked program has no image: it passes a limit of the format.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LowerError {
    /// A function or page holds more values at once than it can name.
    #[error("`{0}` usa variáveis demais: o limite é de {limit} valores ao mesmo tempo", limit = body::MAX_REGISTERS)]
    Registers(String),
    /// A function or page is called with more arguments than can be counted.
    #[error("`{0}` tem uma chamada com argumentos demais")]
    Arguments(String),
    /// More distinct texts or constants than an instruction can name.
    #[error("o site tem textos ou constantes demais: o limite é de 65536")]
    Constants,
    /// The image as a whole.
    #[error("o site é grande demais: {0}")]
    Image(#[from] BuildError),
}

/// The image of a checked program.
///
/// # Errors
/// The program passes a limit of the format.
pub fn lower(program: &Program) -> Result<Vec<u8>, LowerError> {
    let mut shared = Shared::new(program);
    for structure in &program.contract.types.structs {
        let fields: Vec<FieldSpec> = structure.fields.iter().map(FieldSpec::from).collect();
        shared.builder.structure(&structure.name, &fields);
    }
    prelude::pagina(&mut shared);
    for function in &program.functions {
        let mut body = Body::new(&mut shared, &function.name.text, function.name.span.file, &function.params, &function.body);
        body.block(&function.body);
        let mut spec = body.finish()?;
        spec.action = function.action;
        spec.params = function.params.iter().map(FieldSpec::from).collect();
        shared.builder.function(&spec);
    }
    for page in &program.pages {
        let spec = lower_page(&mut shared, page)?;
        shared.builder.function(&spec);
    }
    prelude::write_added(&mut shared)?;
    let page_id = |page: usize| u32::try_from(program.functions.len() + page).ok();
    for entry in &program.entries {
        let action = entry.action.and_then(|action| u32::try_from(action).ok());
        shared.builder.entry([entry.screen.and_then(page_id), entry.agent.and_then(page_id), action]);
    }
    for &(status, page) in &program.error_pages {
        if let Some(id) = page_id(page) {
            shared.builder.error_page(status, id);
        }
    }
    Ok(shared.builder.finish()?)
}

fn lower_page(shared: &mut Shared<'_>, page: &Page) -> Result<djo_vm::image::FunctionSpec, LowerError> {
    let name = shared.path(page.file).to_owned();
    let mut body = Body::new(shared, &name, page.file, &[], &page.body);
    body.block(&page.body);
    let mut spec = body.finish()?;
    spec.template = page.template;
    Ok(spec)
}
