//! Programs and what they put out: `programas/*.djo`, each with its output beside it.
//!
//! A program is the declarations of `core/`, a line `// ---`, and an agent face. Its output is what it prints, line by line, then its
//! answer (`=> 200 body`) or the error that ended it (`!! tipo: mensagem (arquivo:linha)`). `BLESS=1` writes the outputs.

#![allow(clippy::unwrap_used, clippy::print_stderr)]

mod common;
mod memory;

use std::{fmt::Write, fs, path::Path};

use djo_lang::Sources;
use djo_vm::host::Level;
use memory::{Site, body};

fn output(program: &str) -> String {
    let (core, face) = program.split_once("// ---\n").unwrap_or(("", program));
    let sources = Sources::default()
        .with("rotas.djo", "Route.get:\"/\":{\"agent\": \"agentes/a.djo\"}\n")
        .with("core/a.djo", core)
        .with("agentes/a.djo", face);
    let checked = djo_lang::check(&sources);
    if checked.program.is_none() {
        return djo_lang::diagnostic::render(&checked.files, &checked.diagnostics, false);
    }
    let mut site = Site::new(&sources);
    let answer = site.agent("/", &[("id", "7")], "a=1&b=dois+tr%C3%AAs&a=2&cursor=c9");
    let mut out = String::new();
    for (level, line) in &site.host.log {
        let mark = match level {
            Level::Print => "",
            Level::Info => "info ",
            Level::Warn => "warn ",
            Level::Error => "error ",
        };
        writeln!(out, "{mark}{line}").unwrap();
    }
    match answer {
        Ok(response) => {
            let headers: Vec<String> = response
                .headers
                .iter()
                .filter(|(name, _)| name != "content-type")
                .map(|(name, value)| format!("{name}: {value}"))
                .collect();
            for header in headers {
                writeln!(out, "{header}").unwrap();
            }
            if let Some(page) = &response.page {
                writeln!(out, "{page:?}").unwrap();
            }
            writeln!(out, "=> {} {}", response.status, body(&response)).unwrap();
        }
        Err(failure) => {
            writeln!(out, "!! {}: {} ({}:{})", failure.kind, failure.message, failure.file, failure.line).unwrap();
            if let Some(refusal) = &failure.refusal {
                writeln!(out, "   {}", String::from_utf8_lossy(refusal)).unwrap();
            }
        }
    }
    out
}

#[test]
fn every_program_puts_out_what_stands_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programas");
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "djo"));
    paths.sort();
    assert!(paths.len() > 10);
    let mut wrong = Vec::new();
    for path in paths {
        let got = output(&fs::read_to_string(&path).unwrap());
        let beside = path.with_extension("saida");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&beside, &got).unwrap();
        }
        let wanted = fs::read_to_string(&beside).unwrap_or_default();
        if got != wanted {
            wrong.push(format!("{}\n--- wanted\n{wanted}--- got\n{got}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
