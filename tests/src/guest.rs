//! Components for tests: guests of this workspace, built when they are asked for, and what is written into them.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::workspace;

/// What an outer build says about itself and a guest's must not hear.
const UNHEARD: [&str; 5] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "CARGO_TARGET_DIR", "RUSTC_WORKSPACE_WRAPPER"];

/// Builds a package of `components/` and gives its bytes.
///
/// # Errors
/// When it does not build, with what the compiler wrote.
pub fn build(package: &str) -> Result<Vec<u8>, String> {
    // Where the host's own guests are built: what they have in common is compiled once.
    let target = workspace::target().join("release/guests");
    let mut cargo = Command::new(option_env!("CARGO").unwrap_or("cargo"));
    cargo.current_dir(workspace::root()).args([
        "build",
        "--profile",
        "guest",
        "--target",
        "wasm32-wasip2",
        "--locked",
        "--package",
        package,
    ]);
    cargo.arg("--target-dir").arg(&target);
    for name in UNHEARD {
        cargo.env_remove(name);
    }
    let output = cargo.output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err(format!("{package} did not build:\n{}", String::from_utf8_lossy(&output.stderr)));
    }
    let file: PathBuf = target.join("wasm32-wasip2/guest").join(format!("{}.wasm", package.replace('-', "_")));
    fs::read(&file).map_err(|error| format!("{}: {error}", file.display()))
}

/// The same component with a custom section more.
pub fn with_section(component: &[u8], name: &str, content: &[u8]) -> Vec<u8> {
    let mut section = leb128(name.len());
    section.extend_from_slice(name.as_bytes());
    section.extend_from_slice(content);
    let mut whole = component.to_vec();
    whole.push(0);
    whole.extend_from_slice(&leb128(section.len()));
    whole.extend_from_slice(&section);
    whole
}

fn leb128(mut number: usize) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (number & 127) as u8;
        number >>= 7;
        if number == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 128);
    }
}

/// Writes a site that is a component: a folder with a `site.toml`.
///
/// # Errors
/// When a file cannot be written.
pub fn write_site(sites: &Path, name: &str, settings: &str, component: &[u8]) -> Result<(), String> {
    let folder = sites.join(name);
    let write = || {
        fs::create_dir_all(&folder)?;
        fs::write(folder.join("site.toml"), format!("component = \"{name}.wasm\"\n{settings}"))?;
        fs::write(folder.join(format!("{name}.wasm")), component)
    };
    write().map_err(|error| format!("{}: {error}", folder.display()))
}
