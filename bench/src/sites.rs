//! Folders of sites to serve: one, a thousand, ten thousand; from djo, from Rust.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The djo site that everything is measured on, from this crate's folder.
fn site() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("site")
}

/// Writes a copy of the djo site, with a `site.toml` of its own.
///
/// # Errors
/// When it cannot be written.
pub(crate) fn djo(folder: &Path, name: &str, config: &str) -> Result<()> {
    let target = folder.join(name);
    copy(&site(), &target)?;
    fs::write(target.join("site.toml"), config).context("site.toml")
}

/// Writes so many djo sites, `s0` and on. Each has a text of its own, so that no two are the same program.
///
/// # Errors
/// When they cannot be written.
pub(crate) fn many_djo(folder: &Path, count: usize, config: &str) -> Result<()> {
    for number in 0..count {
        let name = format!("s{number}");
        djo(folder, &name, config)?;
        fs::write(folder.join(&name).join("agentes/ola.djo"), format!("Http.json:{{\"ola\": \"mundo {number}\"}}\n"))?;
    }
    Ok(())
}

/// Writes so many components that differ in a custom section, `r0.wasm` and on: nothing of their code can be shared.
///
/// # Errors
/// When they cannot be read or written.
pub(crate) fn many_components(folder: &Path, component: &Path, count: usize) -> Result<()> {
    let bytes = fs::read(component).with_context(|| component.display().to_string())?;
    for number in 0..count {
        let payload = format!("{number:06}");
        let name = b"number";
        let mut bytes = bytes.clone();
        bytes.extend([0, (1 + name.len() + payload.len()) as u8, name.len() as u8]);
        bytes.extend(name);
        bytes.extend(payload.as_bytes());
        fs::write(folder.join(format!("r{number}.wasm")), bytes)?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        if entry.file_type()?.is_dir() {
            copy(&entry.path(), &target)?;
        } else {
            fs::copy(entry.path(), target)?;
        }
    }
    Ok(())
}
