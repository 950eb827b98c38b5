//! A compiled site becomes one component: the runtime with the site's program plugged in.

use wac_graph::{CompositionGraph, EncodeOptions, PackageId, plug, types::Package};

use super::contract_section::append_contract;
use super::error::BuildError;
use super::program::{self, Parts};
use super::runtime::{RUNTIME, SHIM};

/// What a built site needs of the host that runs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// The `djo:site` interfaces of our host: its store, its log.
    Hosted,
    /// Nothing beyond the wasi:http/proxy world: data in memory and the log on stderr are composed in.
    Portable,
}

impl Reach {
    pub(super) const ALL: [Self; 2] = [Self::Hosted, Self::Portable];
}

/// Composes a site with the runtime and writes its contract beside it. The same parts give the same bytes.
///
/// # Errors
/// A part beyond its limit, two files of one path.
pub fn compose(parts: &Parts<'_>, reach: Reach) -> Result<Vec<u8>, BuildError> {
    let program = program::encode(parts)?;
    let mut component = plugged(program, reach).map_err(BuildError::Compose)?;
    append_contract(&mut component, parts.contract);
    Ok(component)
}

/// Composes data in memory and the log on stderr into a site that was written by hand, so that it needs nothing beyond wasi.
///
/// # Errors
/// It is no component, or uses none of what is composed in.
pub fn make_portable(component: Vec<u8>) -> Result<Vec<u8>, BuildError> {
    let plugged = || -> anyhow::Result<Vec<u8>> {
        let mut graph = CompositionGraph::new();
        let site = register(&mut graph, "djo:site-component", component)?;
        let shim = register(&mut graph, "djo:shim", SHIM)?;
        plug(&mut graph, vec![shim], site)?;
        Ok(graph.encode(EncodeOptions { validate: false, ..EncodeOptions::default() })?)
    };
    plugged().map_err(BuildError::Compose)
}

fn plugged(program: Vec<u8>, reach: Reach) -> anyhow::Result<Vec<u8>> {
    let mut graph = CompositionGraph::new();
    let runtime = register(&mut graph, "djo:runtime", RUNTIME)?;
    let mut plugs = vec![register(&mut graph, "djo:program", program)?];
    if reach == Reach::Portable {
        plugs.push(register(&mut graph, "djo:shim", SHIM)?);
    }
    plug(&mut graph, plugs, runtime)?;
    // The parts are ours, so what is made of them is not validated again: tests and whoever runs it do.
    Ok(graph.encode(EncodeOptions { validate: false, ..EncodeOptions::default() })?)
}

fn register(graph: &mut CompositionGraph, name: &str, bytes: impl Into<Vec<u8>>) -> anyhow::Result<PackageId> {
    let package = Package::from_bytes(name, None, bytes, graph.types_mut())?;
    Ok(graph.register_package(package)?)
}
