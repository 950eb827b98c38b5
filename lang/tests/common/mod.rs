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
    let mut open: Option<(String, String)> = None;
    for line in text.split_inclusive('\n') {
        if let Some(path) = line.strip_prefix("--- ") {
            sources.files.extend(open.replace((path.trim().to_owned(), String::new())).map(|(path, content)| (path, content.into_bytes())));
        } else if let Some((_, content)) = &mut open {
            content.push_str(line);
        }
    }
    sources.files.extend(open.map(|(path, content)| (path, content.into_bytes())));
    sources
}

/// Its diagnostics as a person sees them.
pub fn rendered(sources: &Sources) -> String {
    let checked = djo_lang::check(sources);
    djo_lang::diagnostic::render(&checked.files, &checked.diagnostics, false)
}
