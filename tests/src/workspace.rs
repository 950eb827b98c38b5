//! Where things are: the checkout, its sites, and the binary under test.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The root of the checkout.
pub fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.parent().unwrap_or(here).to_owned()
}

/// The folder with cargo's profiles, found from the test that runs: `TARGET/release/deps/test`.
pub fn target() -> PathBuf {
    let executable = env::current_exe().unwrap_or_default();
    let profile = executable.ancestors().find(|folder| folder.join(".fingerprint").is_dir());
    profile.and_then(Path::parent).map_or_else(|| root().join("target"), Path::to_owned)
}

/// The `djo-host` under test: what `DJO_HOST` names, else the one of the same build.
///
/// # Errors
/// When there is none: it has to be built first, as `just test` does.
pub fn djo_host() -> Result<PathBuf, String> {
    let binary = env::var_os("DJO_HOST").map_or_else(|| target().join("release/djo-host"), PathBuf::from);
    if binary.is_file() {
        return Ok(binary);
    }
    Err(format!("{} does not exist; build it first: cargo build --release -p djo-host", binary.display()))
}
