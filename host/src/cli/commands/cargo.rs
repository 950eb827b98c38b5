//! A site written in Rust becomes a component: cargo, run as its author would, with the memory layout that makes an instance quick.

use std::{
    env,
    ffi::OsStr,
    fs, io,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use djo_contract::{
    json::{self, Limits},
    value::Value,
};

use crate::{
    build::{Kind, inspect},
    cli::{Failure, language::Language, messages},
};

/// The file that makes a folder a crate.
pub(super) const MANIFEST: &str = "Cargo.toml";
const TARGET: &str = "wasm32-wasip2";
/// Flags for the guest's own target.
const FLAGS: &str = "CARGO_TARGET_WASM32_WASIP2_RUSTFLAGS";
/// What lies in an instance's memory is cleared each time: a small stack, what the program brings, and a heap that few requests outgrow.
const LAYOUT: &str = "-Clink-arg=-zstack-size=65536 -Clink-arg=--initial-heap=131072";
/// Flags for the machine's target, which would take the place of the guest's.
const UNHEARD: [&str; 4] = ["RUSTFLAGS", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_RUSTFLAGS", "CARGO_BUILD_TARGET"];
/// A message of cargo's holds what a compiler says, rendered.
const MESSAGE: Limits = Limits { depth: 64, values: 100_000 };

/// Whether a folder is a crate.
pub(super) fn is_crate(folder: &Path) -> bool {
    folder.join(MANIFEST).is_file()
}

/// Builds the crate; what cargo has to say goes to standard error.
pub(super) fn build(folder: &Path, language: Language) -> Result<Vec<u8>, Failure> {
    let failed = |error: &io::Error| Failure::new(messages::cargo_missing(language, error));
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let flags = match env::var(FLAGS) {
        Ok(flags) if !flags.is_empty() => format!("{LAYOUT} {flags}"),
        _ => LAYOUT.to_owned(),
    };
    let mut command = Command::new(cargo);
    command.current_dir(folder).args(["build", "--release", "--lib", "--target", TARGET, "--message-format=json-render-diagnostics"]);
    UNHEARD.iter().for_each(|name| {
        command.env_remove(name);
    });
    let output = command.env(FLAGS, flags).stderr(Stdio::inherit()).output().map_err(|error| failed(&error))?;
    if !output.status.success() {
        return Err(Failure::new(messages::cargo_failed(language, folder)));
    }
    let artifact = artifact(&output.stdout, folder).ok_or_else(|| Failure::new(messages::no_component(language, folder)))?;
    let shown = artifact.display().to_string();
    let component = fs::read(&artifact).map_err(|error| Failure::new(messages::cannot_read(language, &shown, &error)))?;
    match inspect(&component) {
        Ok(inspection) if matches!(inspection.kind, Kind::OtherComponent | Kind::CoreModule) => {
            Err(Failure::new(messages::no_component(language, folder)))
        }
        Ok(_) => Ok(component),
        Err(error) => Err(Failure::new(format!("{shown}: {}", messages::build_error(language, &error)))),
    }
}

/// The component of the folder's own crate, by cargo's messages.
fn artifact(messages: &[u8], folder: &Path) -> Option<PathBuf> {
    let manifest = fs::canonicalize(folder.join(MANIFEST)).ok()?;
    messages.split(|byte| *byte == b'\n').filter_map(|line| json::parse_with(line, MESSAGE).ok()).find_map(|message| {
        let text = |name: &str| message.get(name).and_then(Value::as_str);
        let ours = text("reason") == Some("compiler-artifact")
            && text("manifest_path").and_then(|path| fs::canonicalize(path).ok()).as_ref() == Some(&manifest);
        let files = message.get("filenames").filter(|_| ours)?.as_arr()?.iter().filter_map(Value::as_str).map(PathBuf::from);
        files.into_iter().find(|file| file.extension() == Some(OsStr::new("wasm")))
    })
}
