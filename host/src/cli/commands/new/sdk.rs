//! Where a new site in Rust has the SDK from.

use std::{env, fs, path::Path};

/// The SDK's folder in a checkout.
const FOLDER: &str = "guest-sdk";

/// What it is called as a crate.
const PACKAGE: &str = "djo-guest-sdk";

/// What stands in `Cargo.toml` for the SDK; `None` when it is not where it is said to be, or nobody says where it is.
pub(super) fn dependency(given: Option<&str>) -> Option<String> {
    match given {
        Some(url) if url.contains("://") => Some(entry("git", url)),
        Some(folder) => [Path::new(folder), &Path::new(folder).join(FOLDER)].into_iter().find_map(local),
        // A program that was built in a checkout lies in its target folder.
        None => env::current_exe().ok()?.ancestors().find_map(|folder| local(&folder.join(FOLDER))),
    }
}

fn local(folder: &Path) -> Option<String> {
    let folder = fs::canonicalize(folder).ok()?;
    let manifest: toml::Table = fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()?;
    let name = manifest.get("package")?.get("name")?.as_str()?;
    (name == PACKAGE).then(|| folder.to_str().map(|folder| entry("path", folder)))?
}

/// A path or URL as TOML, whatever characters it has.
fn entry(key: &str, value: &str) -> String {
    format!("{key} = {}", toml::Value::from(value))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_sdk_is_a_repository_or_a_folder_that_holds_a_crate() {
        assert_eq!(dependency(Some("https://example.com/djo.git")).unwrap(), r#"git = "https://example.com/djo.git""#);
        let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(FOLDER);
        let found = dependency(sdk.to_str()).unwrap();
        assert!(found.starts_with("path = \"") && found.ends_with("guest-sdk\""), "{found}");
        // The checkout as a whole will do; another crate of it will not.
        let checkout = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        assert_eq!(dependency(checkout.to_str()).unwrap(), found);
        assert_eq!(dependency(Some(env!("CARGO_MANIFEST_DIR"))), None);
        assert_eq!(dependency(Some("/nenhum/lugar")), None);
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(dependency(folder.path().to_str()), None);
    }
}
