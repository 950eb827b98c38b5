//! What the compiler's tests share: sites from folders, and from texts that hold several files.

#![allow(dead_code, clippy::unwrap_used, clippy::expect_used, unreachable_pub)]

use std::{fs, path::Path};

use djo_lang::Sources;

/// All files under a folder of the repository.
pub fn site(folder: &str) -> Sources {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder);
    let mut sources = Sources::default();
    let mut open = vec![root.clone()];
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(&folder).expect("the folder is there") {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(&root).unwrap().to_str().unwrap().replace('\\', "/");
            if name.ends_with(".djo") || name.ends_with(".djo.html") {
                sources.files.insert(name, fs::read(&path).unwrap());
            }
        }
    }
    sources
}

/// Files out of one text: each starts after a line `--- path`.
pub fn files(text: &str) -> Sources {
    let mut sources = Sources::default();
    for part in text.split("--- ").skip(1) {
        let (path, content) = part.split_once('\n').expect("a path has its line");
        sources.files.insert(path.trim().to_owned(), content.as_bytes().to_vec());
    }
    sources
}

/// Its diagnostics as a person sees them.
pub fn rendered(sources: &Sources) -> String {
    let checked = djo_lang::check(sources);
    djo_lang::diagnostic::render(&checked.files, &checked.diagnostics, false)
}
