//! Who takes part: djo-host with its sites, and the peers. Each server is started when it is first needed and stays up, idle, while
//! others are pressed: all of a case's figures come from the same minutes.

use std::cell::RefCell;
use std::collections::HashMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::rc::Rc;

use anyhow::{Context, Result, ensure};
use tempfile::TempDir;

use crate::load::Request;
use crate::server::{Server, ask};
use crate::sites;

/// A server that takes part.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Contestant {
    /// djo-host with `novo` (a fresh instance each time), `reuso` (instances kept), and the Rust components.
    Djo,
    /// djo-host with so many djo sites.
    DjoSites {
        /// How many.
        count: usize,
        /// Whether instances serve more than one request.
        reuse: bool,
    },
    /// djo-host with so many Rust components.
    DjoComponents(usize),
    /// `wasmtime serve` of a component: a fresh instance each time, or 128 requests to one.
    Wasmtime {
        /// `rust-ola`, `rust-posts`, `js`, `python`, `djo`
        component: &'static str,
        /// Whether instances serve more than one request.
        reuse: bool,
    },
    /// carmy, native, without a sandbox.
    Carmy,
    /// Bare hyper, with the bytes that djo-host answered to a request.
    Hyper(&'static str),
}

/// The machine, and what runs on it.
pub(crate) struct Field {
    host: PathBuf,
    peers: PathBuf,
    work: TempDir,
    running: RefCell<HashMap<Contestant, Rc<Server>>>,
}

/// What bare hyper is asked to imitate, by name.
pub(crate) fn imitated(name: &str) -> Request {
    let hit = Request::agent("/guardados").to(["reuso.localhost"]);
    match name {
        "cache" => hit,
        "304" => hit.with("If-None-Match", "*"),
        _ => Request::agent("/.well-known/ai-manifest.json").to(["reuso.localhost"]),
    }
}

impl Field {
    /// A field with nobody on it yet.
    ///
    /// # Errors
    /// When there is no binary to measure.
    pub(crate) fn new(host: &Path, peers: &Path) -> Result<Self> {
        let host = host.canonicalize().with_context(|| host.display().to_string())?;
        let peers = peers.canonicalize().unwrap_or_else(|_| peers.to_path_buf());
        Ok(Self { host, peers, work: tempfile::tempdir()?, running: RefCell::default() })
    }

    /// The server of a contestant, started if it is not up.
    ///
    /// # Errors
    /// When a peer is not built, or does not start.
    pub(crate) fn server(&self, contestant: &Contestant) -> Result<Rc<Server>> {
        if let Some(server) = self.running.borrow().get(contestant) {
            return Ok(Rc::clone(server));
        }
        let server = Rc::new(self.start(contestant)?);
        self.running.borrow_mut().insert(contestant.clone(), Rc::clone(&server));
        Ok(server)
    }

    /// Stops a contestant: one that takes much memory.
    pub(crate) fn stop(&self, contestant: &Contestant) {
        self.running.borrow_mut().remove(contestant);
    }

    fn start(&self, contestant: &Contestant) -> Result<Server> {
        let probe = Request::agent("/");
        match contestant {
            Contestant::Djo => {
                let folder = self.folder("djo")?;
                sites::djo(&folder, "novo", "isolation = \"request\"\n")?;
                sites::djo(&folder, "reuso", "isolation = \"reuse\"\n")?;
                sites::djo(&folder, "vizinho", "")?;
                for name in ["rust-ola", "rust-posts", "hostil"] {
                    let component = self.component(name);
                    if component.exists() {
                        std::fs::copy(component, folder.join(name).with_extension("wasm"))?;
                    }
                }
                self.djo(&folder, "novo", &probe)
            }
            Contestant::DjoSites { count, reuse } => {
                let isolation = if *reuse { "reuse" } else { "request" };
                let folder = self.folder(&format!("djo-{isolation}-{count}"))?;
                sites::many_djo(&folder, *count, &format!("isolation = \"{isolation}\"\n"))?;
                self.djo(&folder, "s0", &probe)
            }
            Contestant::DjoComponents(count) => {
                let folder = self.folder(&format!("rust-{count}"))?;
                sites::many_components(&folder, &self.component("rust-posts-hosted"), *count)?;
                self.djo(&folder, "r0", &probe)
            }
            Contestant::Wasmtime { component, reuse } => {
                let wasmtime = self.tool("bin/wasmtime")?;
                let component = self.component(component);
                ensure!(component.exists(), "{} is not there: run bench/peers.sh", component.display());
                let command = |addr: SocketAddr| {
                    let mut command = Command::new(wasmtime);
                    command.args(["serve", "-Scli", "--addr", &addr.to_string()]);
                    if *reuse {
                        command.args(["--max-instance-reuse-count", "128"]);
                    }
                    command.arg(component);
                    command
                };
                Server::start(command, &Request::agent("/posts"))
            }
            Contestant::Carmy => {
                let carmy = self.tool("bin/carmy-peer")?;
                let command = |addr: SocketAddr| {
                    let mut command = Command::new(carmy);
                    command.arg(addr.to_string());
                    command
                };
                Server::start(command, &Request::agent("/.well-known/agent"))
            }
            Contestant::Hyper(name) => {
                let request = imitated(name);
                let djo = self.server(&Contestant::Djo)?;
                // Once to fill the cache: what the peer takes is then answered from it.
                ask(djo.addr, &request)?;
                let peer = std::env::current_exe()?.with_file_name("hyper-peer");
                let mut headers: Vec<String> = request.hosts.iter().take(1).map(|host| format!("Host: {host}")).collect();
                headers.extend(request.headers.iter().map(|(name, value)| format!("{name}: {value}")));
                let command = |addr: SocketAddr| {
                    let mut command = Command::new(peer);
                    command.args([addr.to_string(), djo.addr.to_string(), request.path.clone()]).args(headers);
                    command
                };
                Server::start(command, &request)
            }
        }
    }

    fn djo(&self, folder: &Path, default: &str, probe: &Request) -> Result<Server> {
        let data = folder.with_extension("data");
        let command = |addr: SocketAddr| {
            let mut command = Command::new(&self.host);
            command
                .arg("serve")
                .arg(folder)
                .args(["--addr", &addr.to_string(), "--default", default, "--agent-rate", "0", "--data"])
                .arg(data);
            command.env("RUST_LOG", "off");
            command
        };
        Server::start(command, probe)
    }

    fn folder(&self, name: &str) -> Result<PathBuf> {
        let folder = self.work.path().join(name);
        std::fs::create_dir_all(&folder)?;
        Ok(folder)
    }

    fn component(&self, name: &str) -> PathBuf {
        self.peers.join(name).with_extension("wasm")
    }

    fn tool(&self, name: &str) -> Result<PathBuf> {
        let tool = self.peers.join(name);
        ensure!(tool.exists(), "{} is not there: run bench/peers.sh", tool.display());
        Ok(tool)
    }
}
