//! `build`: a site becomes one component, or nothing is written.

use std::{
    fs, io,
    path::{Path, PathBuf},
    time::Instant,
};

use djo_contract::section;

use super::compile::compile;
use crate::{
    build::{MAX_FILES, MAX_FILES_BYTES, Parts, Reach, compose},
    cli::{Failure, args::BuildArgs, language::Language, messages, terminal},
    site::{SiteName, assets},
};

pub(crate) fn run(args: &BuildArgs, language: Language) -> Result<(), Failure> {
    let started = Instant::now();
    let component = terminal::with_progress(messages::compiling(language, &args.site), || component(args, language))?;
    let file = match &args.output {
        Some(file) => file.clone(),
        None => default_output(&args.site, language)?,
    };
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
    let public = site.join(assets::FOLDER);
    let files = assets::read_all(site, MAX_FILES, MAX_FILES_BYTES)
        .map_err(|error| Failure::new(messages::cannot_read(language, &public.display().to_string(), &error)))?;
    let contract = section::encode(&compiled.contract);
    let parts = Parts {
        image: &compiled.image,
        contract: contract.as_bytes(),
        files: files.iter().map(|(path, content)| (path.as_str(), content.as_slice())).collect(),
    };
    compose(&parts, if args.portable { Reach::Portable } else { Reach::Hosted })
        .map_err(|error| Failure::new(format!("{}: {error}", site.display())))
}

/// `NAME.wasm` in the current folder.
fn default_output(site: &Path, language: Language) -> Result<PathBuf, Failure> {
    let name = SiteName::of_path(site).map_err(|source| {
        let error = crate::site::EntryError::Name { path: site.to_path_buf(), source };
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
