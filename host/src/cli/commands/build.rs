//! `build`: a site becomes one component, or nothing is written. djo is compiled here, Rust by cargo.

use std::{
    fs::{self, File},
    io::{self, Write as _},
    path::{Path, PathBuf},
    time::Instant,
};

use djo_contract::section;

use super::{
    cargo,
    compile::{compile, show},
};
use crate::{
    build::{BuildError, MAX_FILES, MAX_FILES_BYTES, Parts, Reach, append_contract, append_files, compose, make_portable, read_contract},
    cli::{Failure, args::BuildArgs, language::Language, messages, terminal},
    replace::replace,
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
    if args.portable {
        terminal::line(messages::portable(language));
    }
    Ok(())
}

fn component(args: &BuildArgs, language: Language) -> Result<Vec<u8>, Failure> {
    let site = &args.site;
    let outcome = compile(site, language)?;
    show(&outcome);
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

/// Replaces a file whole. A link is followed to its file; what is no file,
/// like `/dev/stdout` or a pipe, is written into.
fn write(file: &Path, content: &[u8]) -> io::Result<()> {
    let file = match fs::metadata(file) {
        Ok(found) if found.is_dir() => return Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => return File::options().write(true).open(file)?.write_all(content),
        Ok(_) => fs::canonicalize(file)?,
        Err(_) => file.to_path_buf(),
    };
    replace(&file, |aside| File::create(aside), |made| made.write_all(content))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_is_there_is_replaced_and_nothing_else_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("site.wasm");
        write(&file, b"um").unwrap();
        write(&file, b"dois").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"dois");
        assert_eq!(write(folder.path(), b"x").unwrap_err().kind(), io::ErrorKind::IsADirectory);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_devices_stay_what_they_are() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link, null) = (folder.path().join("site.wasm"), folder.path().join("link"), folder.path().join("nulo"));
        write(&file, b"um").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        std::os::unix::fs::symlink("/dev/null", &null).unwrap();
        write(&link, b"dois").unwrap();
        write(&null, b"tres").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"dois");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink() && fs::symlink_metadata(&null).unwrap().is_symlink());
    }
}
