//! Reading what a command names: files within a bound, standard input.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use super::{Failure, language::Language, messages};

/// Reads a file of at most `max` bytes.
pub(super) fn read(path: &Path, max: u64, language: Language) -> Result<Vec<u8>, Failure> {
    let shown = path.display().to_string();
    let file = File::open(path).map_err(|error| Failure::new(messages::cannot_read(language, &shown, &error)))?;
    read_all(file, &shown, max, language)
}

/// Reads standard input, at most `max` bytes.
pub(super) fn read_stdin(max: u64, language: Language) -> Result<Vec<u8>, Failure> {
    read_all(io::stdin().lock(), "-", max, language)
}

fn read_all(source: impl Read, shown: &str, max: u64, language: Language) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    // One byte more than there may be tells that there is more.
    source.take(max + 1).read_to_end(&mut bytes).map_err(|error| Failure::new(messages::cannot_read(language, shown, &error)))?;
    if bytes.len() as u64 > max {
        return Err(Failure::new(messages::too_large(language, shown, max)));
    }
    Ok(bytes)
}
