//! Static files of a site whose component is its own code: the `djo:public` custom section that `build` writes beside it. A djo site's
//! files are in its program instead, where a foreign host finds them too.

use std::borrow::Cow;
use std::collections::HashSet;
use std::ops::ControlFlow;

use wasm_encoder::{ComponentSection, CustomSection};
use wasmparser::{Encoding, Payload};

use super::error::{BuildError, Part};
use super::program::{MAX_FILES, MAX_FILES_BYTES};
use super::sections;

/// The custom section's name.
const SECTION: &str = "djo:public";

/// A file: its path relative to `publico/`, with `/`, and its content.
pub(super) type File<'a> = (&'a str, &'a [u8]);

/// Writes files into a component that has none yet: of each its path and its content, both after their length in 4 bytes.
pub fn append_files(component: &mut Vec<u8>, files: &[(String, Vec<u8>)]) {
    let mut data = Vec::new();
    for part in files.iter().flat_map(|(path, content)| [path.as_bytes(), content]) {
        // Whoever reads files for a component keeps to far less than 32 bits hold.
        data.extend_from_slice(&(part.len() as u32).to_le_bytes());
        data.extend_from_slice(part);
    }
    CustomSection { name: Cow::Borrowed(SECTION), data: Cow::Owned(data) }.append_to_component(component);
}

/// The files that a component carries in its section, and how many bytes of it that takes.
///
/// # Errors
/// The section is malformed, there are two of them, or more in it than a site may have.
pub fn read_files(component: &[u8]) -> Result<(Vec<File<'_>>, usize), BuildError> {
    let mut section = None;
    let mut is_component = false;
    sections::walk(component, |payload| {
        match payload {
            Payload::Version { encoding, .. } => is_component = *encoding == Encoding::Component,
            Payload::CustomSection(found) if found.name() == SECTION && section.replace(found.data()).is_some() => {
                return Err(BuildError::TooMany { what: Part::FileSections, found: 2, most: 1 });
            }
            _ => {}
        }
        Ok(ControlFlow::<()>::Continue(()))
    })?;
    let data = section.filter(|_| is_component).unwrap_or_default();
    if data.len() > MAX_FILES_BYTES {
        return Err(BuildError::TooLarge { what: Part::StaticFiles, found: data.len(), most: MAX_FILES_BYTES });
    }
    let (mut rest, mut files, mut paths) = (data, Vec::new(), HashSet::new());
    while !rest.is_empty() {
        if files.len() == MAX_FILES {
            return Err(BuildError::TooMany { what: Part::StaticFiles, found: MAX_FILES + 1, most: MAX_FILES });
        }
        let file = part(&mut rest).zip(part(&mut rest)).and_then(|(path, content)| Some((std::str::from_utf8(path).ok()?, content)));
        let (path, content) = file.filter(|(path, _)| is_path(path)).ok_or(BuildError::Files)?;
        if !paths.insert(path) {
            return Err(BuildError::SameFile(path.to_owned()));
        }
        files.push((path, content));
    }
    Ok((files, data.len()))
}

/// The next bytes, after their length.
fn part<'a>(rest: &mut &'a [u8]) -> Option<&'a [u8]> {
    let (length, after) = rest.split_first_chunk::<4>()?;
    let (part, after) = after.split_at_checked(u32::from_le_bytes(*length) as usize)?;
    *rest = after;
    Some(part)
}

/// As `build` writes them: no part of a path that leads elsewhere, or that a site's folder would not give.
fn is_path(path: &str) -> bool {
    path.split('/').all(|name| !name.is_empty() && !name.starts_with('.'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const EMPTY: &[u8] = b"\0asm\x0d\0\x01\0";

    fn with(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut component = EMPTY.to_vec();
        let files: Vec<_> = files.iter().map(|(path, content)| ((*path).to_owned(), content.to_vec())).collect();
        append_files(&mut component, &files);
        component
    }

    #[test]
    fn files_come_back() {
        let files: [File<'_>; 3] = [("a.css", b"x"), ("b/c.svg", b""), ("ç.txt", b"yz")];
        let component = with(&files);
        let (read, bytes) = read_files(&component).unwrap();
        assert_eq!((read.as_slice(), bytes), (&files[..], 3 * 8 + 5 + 7 + 6 + 3));
        assert_eq!(read_files(EMPTY).unwrap(), (Vec::new(), 0));
    }

    #[test]
    fn what_build_does_not_write_is_refused() {
        for path in ["", "/a", "a/", "a//b", "..", "a/../b", ".env", "a/.b"] {
            assert!(matches!(read_files(&with(&[(path, b"x")])), Err(BuildError::Files)), "{path:?}");
        }
        assert!(matches!(read_files(&with(&[("a", b"x"), ("a", b"y")])), Err(BuildError::SameFile(_))));
        let twice = [with(&[("a", b"x")]), with(&[("b", b"y")])[EMPTY.len()..].to_vec()].concat();
        assert!(matches!(read_files(&twice), Err(BuildError::TooMany { .. })));
        let whole = with(&[("a", b"xyz")]);
        for length in 1..whole.len() - EMPTY.len() {
            // The section's own length is one byte here: cutting its content short by hand.
            let mut cut = whole[..EMPTY.len() + length].to_vec();
            if length > 2 {
                cut[EMPTY.len() + 1] = (length - 2) as u8;
            }
            let read = read_files(&cut);
            assert!(read.is_err() || read.is_ok_and(|(files, _)| files.is_empty()), "{length} bytes");
        }
    }

    #[test]
    fn a_site_has_so_many_files_and_no_more() {
        let named: Vec<String> = (0..=MAX_FILES).map(|number| number.to_string()).collect();
        let files: Vec<File<'_>> = named.iter().map(|name| (name.as_str(), &b""[..])).collect();
        assert_eq!(read_files(&with(&files[1..])).unwrap().0.len(), MAX_FILES);
        assert!(matches!(read_files(&with(&files)), Err(BuildError::TooMany { .. })));
    }
}
