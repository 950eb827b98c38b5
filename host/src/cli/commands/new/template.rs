//! The templates that `new` starts from, embedded in the program. They are folders of `host/templates`.

use crate::cli::args::Template;

/// What stands where the site's name belongs.
pub(super) const NAME: &str = "NOME_DO_SITE";

/// What stands where a site in Rust says where its SDK is.
pub(super) const SDK: &str = "SDK_DO_DJO";

/// A file: its path in the site, and its text.
type Embedded = (&'static str, &'static str);

macro_rules! embed {
    ($folder:literal: $($path:literal),+ $(,)?) => {
        &[$(($path, include_str!(concat!("../../../../templates/", $folder, "/", $path)))),+]
    };
}

const BLOG: &[Embedded] = embed!(
    "blog":
    ".gitignore",
    "agentes/comentarios.djo",
    "agentes/post.djo",
    "agentes/posts.djo",
    "core/comentarios.djo",
    "core/posts.djo",
    "paginas/comentar.djo",
    "paginas/inicio.djo.html",
    "paginas/layout.djo.html",
    "paginas/post.djo.html",
    "publico/estilo.css",
    "rotas.djo",
    "site.toml",
);

const API: &[Embedded] = embed!(
    "api":
    ".gitignore",
    "agentes/tarefa.djo",
    "agentes/tarefas.djo",
    "core/tarefas.djo",
    "rotas.djo",
    "site.toml",
);

const RUST: &[Embedded] = embed!(
    "rust":
    ".gitignore",
    "Cargo.toml",
    "publico/estilo.css",
    "site.toml",
    "src/lib.rs",
);

/// The files of a template.
pub(super) fn files(template: Template) -> &'static [Embedded] {
    match template {
        Template::Blog => BLOG,
        Template::Api => API,
        Template::Rust => RUST,
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::{fs, path::Path};

    use clap::ValueEnum as _;
    use djo_lang::{Sources, compile};

    use super::*;

    fn walk(folder: &Path, root: &Path, found: &mut Vec<String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(&path, root, found)
            } else {
                found.push(path.strip_prefix(root).unwrap().to_string_lossy().into_owned())
            }
        }
    }

    #[test]
    fn every_file_of_a_template_is_embedded() {
        for template in Template::value_variants() {
            let name = template.to_possible_value().unwrap().get_name().to_owned();
            let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("templates").join(name);
            let mut found = Vec::new();
            walk(&root, &root, &mut found);
            found.sort();
            let mut embedded: Vec<&str> = files(*template).iter().map(|(path, _)| *path).collect();
            embedded.sort_unstable();
            assert_eq!(embedded, found);
        }
    }

    #[test]
    fn every_template_compiles_without_a_diagnostic() {
        // Rust is compiled by a test that runs cargo.
        for template in Template::value_variants().iter().filter(|template| **template != Template::Rust) {
            let sources = files(*template).iter().filter(|(path, _)| path.contains(".djo"));
            let sources = sources.fold(Sources::default(), |all, (path, text)| all.with(*path, text.replace(NAME, "a-b.c")));
            let compiled = compile(&sources).unwrap_or_else(|failed| panic!("{template:?}: {:?}", failed.diagnostics));
            assert!(compiled.diagnostics.is_empty(), "{template:?}: {:?}", compiled.diagnostics);
        }
    }
}
