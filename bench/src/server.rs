//! A server that is measured: started on a free port, waited for, stopped with its process group.

use std::net::{SocketAddr, TcpListener};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use djo_tests::client;

use crate::load::Request;

/// How long a server may take until it answers. Ten thousand sites take their time.
const PATIENCE: Duration = Duration::from_secs(180);

/// A running server.
pub(crate) struct Server {
    child: Child,
    /// Where it listens.
    pub(crate) addr: SocketAddr,
    /// From its start to its first answer.
    pub(crate) took: Duration,
}

impl Server {
    /// Starts a command that is told its address, and waits until it answers the request.
    ///
    /// # Errors
    /// When it does not start, or does not answer in time.
    pub(crate) fn start(command: impl FnOnce(SocketAddr) -> Command, probe: &Request) -> Result<Self> {
        let addr = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
        let mut command = command(addr);
        let started = Instant::now();
        let child =
            command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().with_context(|| format!("{command:?}"))?;
        let mut server = Self { child, addr, took: Duration::ZERO };
        loop {
            match ask(addr, probe) {
                // Any answer: what a case asks may be another path, and wrk counts the answers that are not meant.
                Ok(_) => break,
                Err(_) if started.elapsed() > PATIENCE => bail!("{command:?} does not answer"),
                Err(_) => std::thread::sleep(Duration::from_millis(5)),
            }
            if let Some(status) = server.child.try_wait()? {
                bail!("{command:?} ended: {status}");
            }
        }
        server.took = started.elapsed();
        Ok(server)
    }

    /// Asks every host of a request once.
    ///
    /// # Errors
    /// When one does not answer, or refuses.
    pub(crate) fn wake(&self, request: &Request) -> Result<()> {
        for host in &request.hosts {
            let answer = ask(self.addr, &request.clone().to([host]))?;
            ensure!(answer.status < 400, "{host}{} answers {}", request.path, answer.status);
        }
        Ok(())
    }

    /// Its resident memory, in KiB.
    ///
    /// # Errors
    /// When the system does not tell.
    pub(crate) fn resident_kib(&self) -> Result<u64> {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()))?;
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("VmRSS")?;
        Ok(line.trim().trim_end_matches(" kB").parse()?)
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Sends one request and reads the answer to its end.
///
/// # Errors
/// When nobody listens, or what comes is no HTTP.
pub(crate) fn ask(addr: SocketAddr, request: &Request) -> std::io::Result<client::Response> {
    client::send(addr, &plain(request))
}

/// A request to its first host, as it goes on the wire.
pub(crate) fn plain(request: &Request) -> client::Request {
    let mut sent = client::Request { method: request.method.into(), path: request.path.clone(), ..client::Request::default() };
    for (name, value) in &request.headers {
        sent = sent.header(name, value);
    }
    if let Some(host) = request.hosts.first() {
        sent = sent.header("Host", host);
    }
    sent.body = (!request.body.is_empty()).then(|| request.body.clone().into_bytes());
    sent
}
