//! `new`: a site that builds and serves at once, from a template.

mod sdk;
mod template;

use std::{
    fs::{self, File},
    io::{self, ErrorKind, Write as _},
    path::Path,
};

use crate::{
    cli::{
        Failure,
        args::{NewArgs, Template},
        language::Language,
        messages, terminal,
    },
    site::SiteName,
};

pub(crate) fn run(args: &NewArgs, language: Language) -> Result<(), Failure> {
    let folder = &args.folder;
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let name = SiteName::new(&name).map_err(|_| Failure::new(messages::bad_site_name(language, folder)))?;
    let files = template::files(args.template);
    let is_rust = args.template == Template::Rust;
    let sdk = if is_rust {
        sdk::dependency(args.sdk.as_deref()).ok_or_else(|| match &args.sdk {
            Some(given) => Failure::new(messages::no_sdk_there(language, given)),
            None => Failure::new(messages::where_is_the_sdk(language)),
        })?
    } else {
        String::new()
    };
    create(folder).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::new(messages::already_there(language, folder)),
        _ => Failure::new(messages::cannot_write(language, folder, &error)),
    })?;
    for (path, text) in files {
        let path = folder.join(path);
        let text = text.replace(template::NAME, name.as_str()).replace(template::SDK, &sdk);
        write(&path, &text).map_err(|error| Failure::new(messages::cannot_write(language, &path, &error)))?;
    }
    terminal::line(&messages::created(language, folder, files.len(), is_rust));
    Ok(())
}

/// Makes the folder. One that is there is taken only when it is empty.
fn create(folder: &Path) -> io::Result<()> {
    match fs::read_dir(folder) {
        Ok(mut entries) => {
            if entries.next().is_none() {
                Ok(())
            } else {
                Err(ErrorKind::AlreadyExists.into())
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => fs::create_dir_all(folder),
        Err(error) if error.kind() == ErrorKind::NotADirectory && folder.symlink_metadata().is_ok() => Err(ErrorKind::AlreadyExists.into()),
        Err(error) => Err(error),
    }
}

/// Writes a file that must not be there.
fn write(path: &Path, text: &str) -> io::Result<()> {
    if let Some(parent) = path.parent() {
        fs::create_dir_all(parent)?;
    }
    File::create_new(path)?.write_all(text.as_bytes())
}
