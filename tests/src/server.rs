//! The real binary, serving on a free port with a data folder of its own.

use crate::{
    client::{self, Request, Response},
    workspace,
};
use std::{
    fs::{self, File},
    io,
    net::{Ipv4Addr, SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};
use tempfile::TempDir;

/// From start to the first answer, the compilation of a fresh data folder's sites included.
const READY_WITHIN: Duration = Duration::from_secs(60);

/// A running `djo-host serve`. Dropping it kills the process and removes its data.
#[derive(Debug)]
pub struct Server {
    child: Child,
    address: SocketAddr,
    folder: TempDir,
    environment: Vec<(String, String)>,
}

impl Server {
    /// Serves these folders, relative to the checkout's root, with the arguments given and, unless they set it, `-agent-rate 0`.
    ///
    /// # Errors
    /// When the binary is missing, exits, or does not answer in time; with what it wrote.
    pub fn start(sites: &[&str], arguments: &[&str]) -> Result<Self, String> {
        Self::start_in(&[], sites, arguments)
    }

    /// The same with variables of the environment that it sees besides, or in place of this process's.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn start_in(environment: &[(&str, &str)], sites: &[&str], arguments: &[&str]) -> Result<Self, String> {
        let environment: Vec<_> = environment.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        let mut taken = String::new();
        for _ in 0..3 {
            let folder = tempfile::tempdir().map_err(|error| format!("data folder: {error}"))?;
            let address = free_address().map_err(|error| format!("free port: {error}"))?;
            let child = spawn(sites, arguments, address, folder.path(), &environment)?;
            let mut server = Self { child, address, folder, environment: environment.clone() };
            match server.wait_until_ready() {
                Ok(()) => return Ok(server),
                // Another process was quicker to take the port that was free.
                Err(error) if error.contains("Address already in use") => taken = error,
                Err(error) => return Err(error),
            }
        }
        Err(taken)
    }

    /// Stops the process, however it ends, and starts it again on the same data.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn restart(&mut self, sites: &[&str], arguments: &[&str]) -> Result<(), String> {
        self.terminate()?;
        self.child = spawn(sites, arguments, self.address, self.folder.path(), &self.environment)?;
        self.wait_until_ready()
    }

    /// Ends the process as a failing machine would, with nothing said or finished, and starts it again on the same data.
    ///
    /// # Errors
    /// As [`Server::start`].
    pub fn crash_and_restart(&mut self, sites: &[&str], arguments: &[&str]) -> Result<(), String> {
        self.child.kill().and_then(|()| self.child.wait()).map_err(|error| format!("kill: {error}"))?;
        self.child = spawn(sites, arguments, self.address, self.folder.path(), &self.environment)?;
        self.wait_until_ready()
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its data folder.
    pub fn data(&self) -> PathBuf {
        self.folder.path().join("data")
    }

    /// Sends one request.
    pub fn send(&self, request: &Request) -> io::Result<Response> {
        client::send(self.address, request)
    }

    /// What it has written to both outputs so far.
    pub fn output(&self) -> String {
        let read = |name: &str| fs::read_to_string(self.folder.path().join(name)).unwrap_or_default();
        read("stdout") + &read("stderr")
    }

    /// Waits until the output holds a text, for at most five seconds.
    pub fn logs(&self, text: &str) -> bool {
        let start = Instant::now();
        while start.elapsed() < Duration::from_secs(5) {
            if self.output().contains(text) {
                return true;
            }
            thread::sleep(Duration::from_millis(20));
        }
        false
    }

    /// What all its threads have computed so far.
    ///
    /// # Errors
    /// Where the system has no `/proc`.
    #[cfg(target_os = "linux")]
    pub fn cpu_time(&self) -> Result<Duration, String> {
        let path = format!("/proc/{}/stat", self.child.id());
        let stat = fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
        // The name of the program, in parentheses, may hold anything. Linux counts here in hundredths of a second.
        let fields: Vec<&str> = stat.rsplit(')').next().unwrap_or_default().split_whitespace().collect();
        let hundredths = |index: usize| fields.get(index).and_then(|field| field.parse::<u64>().ok());
        let (user, system) = hundredths(11).zip(hundredths(12)).ok_or_else(|| format!("{path}: {stat}"))?;
        Ok(Duration::from_millis((user + system) * 10))
    }

    /// Sends SIGTERM without waiting.
    ///
    /// # Errors
    /// When the signal cannot be sent.
    pub fn signal_term(&self) -> Result<(), String> {
        let status = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status().map_err(|error| error.to_string())?;
        if status.success() { Ok(()) } else { Err(format!("kill: {status}")) }
    }

    /// Waits for the process to end.
    ///
    /// # Errors
    /// When it does not within `patience`.
    pub fn wait(&mut self, patience: Duration) -> Result<ExitStatus, String> {
        let start = Instant::now();
        while start.elapsed() < patience {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Ok(status);
            }
            thread::sleep(Duration::from_millis(10));
        }
        Err(format!("still running after {patience:?}; it wrote:\n{}", self.output()))
    }

    /// SIGTERM, then the exit status.
    ///
    /// # Errors
    /// When it does not end.
    pub fn terminate(&mut self) -> Result<ExitStatus, String> {
        self.signal_term()?;
        self.wait(Duration::from_secs(15))
    }

    fn said_where_it_listens(&self) -> bool {
        let output = self.output();
        ["http", "https"].iter().any(|scheme| output.contains(&format!(" {scheme}://{}\n", self.address)))
    }

    fn wait_until_ready(&mut self) -> Result<(), String> {
        let start = Instant::now();
        while start.elapsed() < READY_WITHIN {
            if let Some(status) = self.child.try_wait().map_err(|error| error.to_string())? {
                return Err(format!("djo-host ended with {status} before it answered; it wrote:\n{}", self.output()));
            }
            // That somebody answers is not enough: another process may have taken the port in between.
            if self.said_where_it_listens() && client::send(self.address, &Request::get("/")).is_ok() {
                return Ok(());
            }
            thread::sleep(Duration::from_millis(20));
        }
        Err(format!("djo-host did not answer within {READY_WITHIN:?}; it wrote:\n{}", self.output()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended already; either way there is nothing left to do about it.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn spawn(
    sites: &[&str],
    arguments: &[&str],
    address: SocketAddr,
    folder: &Path,
    environment: &[(String, String)],
) -> Result<Child, String> {
    let binary = workspace::djo_host()?;
    let output = |name: &str| File::options().create(true).append(true).open(folder.join(name)).map_err(|error| format!("{name}: {error}"));
    let data: PathBuf = folder.join("data");
    Command::new(&binary)
        .current_dir(workspace::root())
        .arg("serve")
        .args(sites)
        .args(["--addr", &address.to_string(), "--data"])
        .arg(data)
        .args(if arguments.contains(&"--agent-rate") { &[][..] } else { &["-agent-rate", "0"] })
        .args(arguments)
        .env("LANG", "C.UTF-8")
        .env_remove("RUST_LOG")
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .stdin(Stdio::null())
        .stdout(output("stdout")?)
        .stderr(output("stderr")?)
        .spawn()
        .map_err(|error| format!("{}: {error}", binary.display()))
}

/// A port that was free a moment ago. Nothing else on a test machine takes it in between.
///
/// # Errors
/// When the system gives none.
pub fn free_address() -> io::Result<SocketAddr> {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?.local_addr()
}
