//! `build`: a site becomes one component, or nothing is written. djo is compiled here, Rust by cargo.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use djo_contract::section;

use super::{cargo, compile::compile};
use crate::{
    build::{BuildError, MAX_FILES, MAX_FILES_BYTES, Parts, Reach, append_contract, append_files, compose, make_portable, read_contract},
    cli::{Failure, args::BuildArgs, language::Language, messages, terminal},
    site::{EntryError, SiteCode, SiteConfig, SiteEntry, SiteName, assets},
};

pub(crate) fn run(args: &BuildArgs, language: Language) -> Result<(), Failure> {
    let started = Instant::now();
    let (component, file) = if cargo::is_crate(&args.site) {
        crate_component(args, language)?
    } else {
        let component = terminal::with_progress(messages::compiling(language, &args.site), || component(args, language))?;
        (component, default_output(&args.site, language)?)
    };
    let file = args.output.clone().unwrap_or(file);
    write(&file, &component).map_err(|error| Failure::new(messages::cannot_write(language, &file, &error)))?;
    terminal::line(&messages::built(language, &file, component.len(), started.elapsed()));
    Ok(())
}

fn component(args: &BuildArgs, language: Language) -> Result<Vec<u8>, Failure> {
    let site = &args.site;
    let outcome = compile(site, language)?;
    outcome.show();
    let errors = outcome.errors();
    let Some(compiled) = outcome.compiled else {
        return Err(Failure::new(messages::problems(language, site, errors)));
    };
    let files = static_files(site, language)?;
    let contract = section::encode(&compiled.contract);
    let parts = Parts {
        image: &compiled.image,
        contract: contract.as_bytes(),
        files: files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect(),
    };
    compose(&parts, if args.portable { Reach::Portable } else { Reach::Hosted })
        .map_err(|error| Failure::new(format!("{}: {}", site.display(), messages::build_error(language, &error))))
}

/// A site written in Rust, and the file that its `site.toml` names. Cargo says itself what it does.
fn crate_component(args: &BuildArgs, language: Language) -> Result<(Vec<u8>, PathBuf), Failure> {
    let site = &args.site;
    let named = match SiteEntry::at(site) {
        Ok(SiteEntry { code: SiteCode::Component(named), .. }) => named,
        Ok(_) | Err(EntryError::NotASite(_)) => return Err(Failure::new(messages::crate_without_component(language, site))),
        Err(error) => return Err(Failure::new(messages::entry_error(language, &error))),
    };
    let mut component = cargo::build(site, language)?;
    let wrong = |reason: String| Failure::new(format!("{}: {reason}", site.display()));
    let broken = |error: BuildError| wrong(messages::build_error(language, &error));
    // What the component itself asks for is of an earlier build.
    let config = SiteConfig::load(site).map_err(|error| wrong(error.to_string()))?;
    if let Some(contract) = read_contract(&component).map_err(broken)? {
        let mut contract = section::decode(contract).map_err(|error| wrong(error.to_string()))?;
        contract.wanted = config.wanted();
        append_contract(&mut component, section::encode(&contract).as_bytes());
        let files = static_files(site, language)?;
        if !files.is_empty() {
            append_files(&mut component, &files);
        }
    }
    if args.portable {
        return Ok((make_portable(component).map_err(broken)?, default_output(site, language)?));
    }
    Ok((component, named))
}

/// The site's static files, as its component carries them.
fn static_files(site: &Path, language: Language) -> Result<Vec<(String, Vec<u8>)>, Failure> {
    let public = site.join(assets::FOLDER);
    assets::read_all(site, MAX_FILES, MAX_FILES_BYTES)
        .map_err(|error| Failure::new(messages::cannot_read(language, &public.display().to_string(), &error)))
}

/// `NAME.wasm` in the current folder.
fn default_output(site: &Path, language: Language) -> Result<PathBuf, Failure> {
    let name = SiteName::of_path(site).map_err(|source| {
        let error = EntryError::Name { path: site.to_path_buf(), source };
        Failure::new(messages::entry_error(language, &error))
    })?;
    Ok(PathBuf::from(format!("{name}.wasm")))
}

/// Writes beside the file and renames: whoever reads it sees the old one or the new one.
fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    let mut beside = file.as_os_str().to_owned();
    beside.push(format!(".{}.tmp", std::process::id()));
    let beside = PathBuf::from(beside);
    fs::write(&beside, content).and_then(|()| fs::rename(&beside, file)).inspect_err(|_| {
        // What is left of a write that failed is of no use; that it cannot be removed, either.
        let _ = fs::remove_file(&beside);
    })
}
