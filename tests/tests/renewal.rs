//! Sites that change while `djo-host serve` runs: what is deployed is seen, however it is deployed, and what takes long holds nobody up.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![cfg(unix)]

use djo_tests::{
    client::Request,
    server::{self, Server},
    workspace,
};
use std::{
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Writes a site that answers `/` with this.
fn write_site(folder: &Path, answer: &str) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("a.djo"), format!("Http.json:\"{answer}\"\n")).unwrap();
    fs::write(folder.join("rotas.djo"), "Route.get:\"/\":{\"agent\": \"a.djo\"}\n").unwrap();
}

fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn answer(server: &Server, site: &str) -> String {
    let request = Request::get("/").header("Accept", "application/json").header("Host", &format!("{site}.localhost"));
    server.send(&request).unwrap().text()
}

/// A site answers so within what a person waits for: sooner than all places are looked at in any case.
fn becomes(server: &Server, site: &str, wanted: &str) {
    let start = Instant::now();
    let wanted = format!("\"{wanted}\"");
    while start.elapsed() < Duration::from_secs(8) {
        if answer(server, site) == wanted {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("{site} answers {}, not {wanted}:\n{}", answer(server, site), server.output());
}

/// Changes a link at once, as a deployment does.
fn relink(link: &Path, target: &Path) {
    let fresh = link.with_extension("novo");
    symlink(target, &fresh).unwrap();
    fs::rename(fresh, link).unwrap();
}

#[test]
fn deploys_through_links_and_swaps_of_folders_are_seen() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    write_site(&at("longe/elo"), "elo 1");
    write_site(&at("blog/releases/1"), "capa 1");
    write_site(&at("blog/releases/2"), "capa 2");
    write_site(&at("solto/releases/1"), "atual 1");
    write_site(&at("solto/releases/2"), "atual 2");
    write_site(&at("sites/pasta"), "pasta 1");
    symlink(at("longe/elo"), at("sites/elo")).unwrap();
    symlink("releases/1", at("blog/current")).unwrap();
    symlink(at("blog/current"), at("sites/capa")).unwrap();
    symlink("releases/1", at("solto/atual")).unwrap();
    let server = Server::start(&[&text(&at("sites")), &text(&at("solto/atual"))], &[]).unwrap();
    for site in ["elo", "capa", "atual", "pasta"] {
        assert_eq!(answer(&server, site), format!("\"{site} 1\""));
    }
    write_site(&at("longe/elo"), "elo 2");
    becomes(&server, "elo", "elo 2");
    relink(&at("blog/current"), Path::new("releases/2"));
    becomes(&server, "capa", "capa 2");
    write_site(&at("blog/releases/2"), "capa 3");
    becomes(&server, "capa", "capa 3");
    relink(&at("solto/atual"), Path::new("releases/2"));
    becomes(&server, "atual", "atual 2");
    // A site that is replaced by another folder, and all of them at once; what is saved in the new ones is seen, too.
    write_site(&at("nova"), "pasta 2");
    fs::rename(at("sites/pasta"), at("velha")).unwrap();
    fs::rename(at("nova"), at("sites/pasta")).unwrap();
    becomes(&server, "pasta", "pasta 2");
    write_site(&at("sites/pasta"), "pasta 3");
    becomes(&server, "pasta", "pasta 3");
    write_site(&at("sites.novo/pasta"), "pasta 4");
    write_site(&at("sites.novo/outra"), "outra 1");
    fs::rename(at("sites"), at("sites.velho")).unwrap();
    fs::rename(at("sites.novo"), at("sites")).unwrap();
    becomes(&server, "pasta", "pasta 4");
    becomes(&server, "outra", "outra 1");
    write_site(&at("sites/pasta"), "pasta 5");
    becomes(&server, "pasta", "pasta 5");
    // In a folder that came later.
    fs::create_dir_all(at("sites/pasta/core/mais")).unwrap();
    thread::sleep(Duration::from_millis(500));
    fs::write(at("sites/pasta/core/mais/b.djo"), "f seis\n    return \"pasta 6\"\n").unwrap();
    fs::write(at("sites/pasta/a.djo"), "Http.json:(seis:)\n").unwrap();
    becomes(&server, "pasta", "pasta 6");
}

#[test]
fn a_site_that_is_only_half_there_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let sites = folder.path().join("sites");
    write_site(&sites.join("loja"), "1");
    write_site(&sites.join("outra"), "1");
    let server = Server::start(&[&text(&sites)], &[]).unwrap();
    fs::remove_file(sites.join("loja/rotas.djo")).unwrap();
    assert!(server.logs("no site here"), "{}", server.output());
    assert_eq!(answer(&server, "loja"), "\"1\"");
    write_site(&sites.join("loja"), "2");
    becomes(&server, "loja", "2");
}

/// A site with very much that is wrong: so many files of half a megabyte.
fn write_endless(folder: &Path, files: usize) {
    let core = folder.join("core");
    fs::create_dir_all(&core).unwrap();
    for file in 0..files {
        let lines: String = (0..15_000).map(|line| format!("f f{file}x{line}\n    return nada{line}\n")).collect();
        fs::write(core.join(format!("a{file}.djo")), lines).unwrap();
    }
    fs::write(folder.join("rotas.djo"), "Route.get:\"/\":\"nada.djo.html\"\n").unwrap();
}

#[test]
fn what_is_wrong_with_a_site_is_told_within_bounds_and_once() {
    let folder = tempfile::tempdir().unwrap();
    let sites = folder.path().join("sites");
    write_site(&sites.join("bom"), "1");
    write_endless(&sites.join("mau"), 3);
    let forged = sites.join("mau/core/a\nerror: forjado\u{1b}[31m.djo");
    fs::write(forged, "f a\n    return nadinha\n").unwrap();
    let server = Server::start(&[&text(&sites)], &[]).unwrap();
    let output = server.output();
    assert!(output.len() < 64 << 10, "{} bytes", output.len());
    assert!(output.contains("… e mais ") && output.contains(" erros\n"), "{output}");
    assert!(!output.contains('\u{1b}') && !output.contains("\nerror: forjado"), "{output}");
    write_site(&sites.join("bom"), "2");
    becomes(&server, "bom", "2");
    assert_eq!(server.output().matches("mau: left out").count(), 1);
}

/// `djo-host serve`, without waiting for it to listen.
struct Starting(Child);

impl Starting {
    fn new(sites: &Path, data: PathBuf) -> Self {
        let address = server::free_address().unwrap().to_string();
        let mut command = Command::new(workspace::djo_host().unwrap());
        command.arg("serve").arg(sites).args(["--addr", &address, "--data"]).arg(data).stdout(Stdio::null()).stderr(Stdio::null());
        Self(command.spawn().unwrap())
    }

    fn terminate(&self) {
        assert!(Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap().success());
    }
}

impl Drop for Starting {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_signal_waits_neither_for_the_load_nor_for_a_renewal() {
    let folder = tempfile::tempdir().unwrap();
    let at = |path: &str| folder.path().join(path);
    write_endless(&at("sites/mau"), 32);
    write_site(&at("sites/bom"), "1");
    let mut starting = Starting::new(&at("sites"), at("data"));
    thread::sleep(Duration::from_millis(1500));
    let start = Instant::now();
    starting.terminate();
    assert!(starting.0.wait().unwrap().success());
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
    // Nor, of two that change at once, the small one for the large one.
    fs::remove_dir_all(at("sites/mau")).unwrap();
    let mut server = Server::start(&[&text(&at("sites"))], &[]).unwrap();
    write_endless(&at("mau"), 32);
    fs::rename(at("mau"), at("sites/mau")).unwrap();
    write_site(&at("sites/bom"), "2");
    becomes(&server, "bom", "2");
    let start = Instant::now();
    server.signal_term().unwrap();
    assert_eq!(server.wait(Duration::from_secs(8)).unwrap().code(), Some(0));
    assert!(start.elapsed() < Duration::from_secs(3), "{:?}", start.elapsed());
}
