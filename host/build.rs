//! Builds the guests that the host carries inside its binary, so that `cargo build -p djo-host` alone gives all of it.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};
use std::{env, fs, io};

const TARGET: &str = "wasm32-wasip2";
const PROFILE: &str = "guest";

/// Package and file name of each guest.
const GUESTS: [(&str, &str); 2] = [("djo-runtime", "djo_runtime.wasm"), ("djo-shim", "djo_shim.wasm")];

/// What the guests are made of, from the root of the workspace.
const SOURCES: [&str; 8] = ["Cargo.toml", "Cargo.lock", "contract", "lang/vm", "guest-sdk", "components/runtime", "components/shim", "wit"];

/// What an outer build says about itself and a guest's must not hear: flags and wrappers are for the machine's own target.
const UNHEARD: [&str; 8] = [
    "RUSTFLAGS",
    "CARGO_ENCODED_RUSTFLAGS",
    "CARGO_BUILD_RUSTFLAGS",
    "CARGO_BUILD_TARGET",
    "CARGO_TARGET_DIR",
    "RUSTC_WRAPPER",
    "RUSTC_WORKSPACE_WRAPPER",
    "CLIPPY_ARGS",
];

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            println!("cargo::error={error}");
            ExitCode::FAILURE
        }
    }
}

fn build() -> io::Result<()> {
    let out = PathBuf::from(variable("OUT_DIR")?);
    let manifest = PathBuf::from(variable("CARGO_MANIFEST_DIR")?);
    let root = manifest.parent().ok_or_else(|| io::Error::other("the host lies outside its workspace"))?;
    println!("cargo::rerun-if-changed=build.rs");
    for source in SOURCES {
        // Relative to the package, so that checkouts which share a target folder are not taken for each other.
        println!("cargo::rerun-if-changed=../{source}");
    }
    require_target()?;

    // OUT_DIR is <target>[/<triple>]/<profile>/build/<package>/out.
    let target_dir = out.ancestors().nth(4).ok_or_else(|| io::Error::other("OUT_DIR is not where cargo puts it"))?.join("guests");
    let mut cargo = Command::new(variable("CARGO")?);
    cargo.current_dir(root).args(["build", "--profile", PROFILE, "--target", TARGET, "--target-dir"]).arg(&target_dir);
    for (package, _) in GUESTS {
        cargo.args(["--package", package]);
    }
    if root.join("Cargo.lock").exists() {
        cargo.arg("--locked");
    }
    for name in UNHEARD {
        cargo.env_remove(name);
    }
    // Cargo shows a build script's stderr when it fails.
    if !cargo.status()?.success() {
        return Err(io::Error::other("the guests did not build: see above"));
    }
    for (_, file) in GUESTS {
        copy(&target_dir.join(TARGET).join(PROFILE).join(file), &out.join(file))?;
    }
    Ok(())
}

/// Says what to do when the toolchain cannot build guests, before cargo says it less clearly.
fn require_target() -> io::Result<()> {
    let output = Command::new(variable("RUSTC")?).args(["--print", "target-libdir", "--target", TARGET]).output()?;
    let folder = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim().to_owned());
    let installed =
        fs::read_dir(folder).is_ok_and(|files| files.flatten().any(|file| file.file_name().to_string_lossy().starts_with("libcore-")));
    if installed {
        return Ok(());
    }
    Err(io::Error::other(format!("this toolchain has no {TARGET} target: run `./just setup` once (or `rustup target add {TARGET}`)")))
}

fn variable(name: &str) -> io::Result<std::ffi::OsString> {
    env::var_os(name).ok_or_else(|| io::Error::other(format!("{name} is not set: build with cargo")))
}

fn copy(from: &Path, to: &Path) -> io::Result<()> {
    fs::copy(from, to).map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", from.display())))?;
    Ok(())
}
