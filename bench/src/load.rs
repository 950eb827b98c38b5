//! Load on a server: `wrk`, one thread, closed loop, its figures read back as JSON.

use std::fmt::Write as _;
use std::net::SocketAddr;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde::Deserialize;

/// A request, sent again and again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Request {
    /// `GET` unless there is a body.
    pub(crate) method: &'static str,
    /// Path and query.
    pub(crate) path: String,
    /// Its fields.
    pub(crate) headers: Vec<(&'static str, String)>,
    /// Its body.
    pub(crate) body: String,
    /// Hosts that are asked in turn; empty: the server's address alone.
    pub(crate) hosts: Vec<String>,
}

/// What a load came to.
#[derive(Clone, Copy, Debug, Deserialize)]
pub(crate) struct Load {
    /// Answers a second.
    pub(crate) rate: f64,
    /// Answers with another status than 2xx and 3xx, and connections that failed.
    pub(crate) errors: u64,
}

/// How hard to press.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pressure {
    /// Connections, each with one request at a time.
    pub(crate) connections: usize,
    /// For how long.
    pub(crate) seconds: u64,
    /// Out of the way of everything else on the machine: for load whose own pace is not measured.
    pub(crate) background: bool,
}

impl Pressure {
    /// The usual load of a case.
    pub(crate) const fn usual(seconds: u64) -> Self {
        Self { connections: 32, seconds, background: false }
    }
}

impl Request {
    /// A GET as an agent sends it.
    pub(crate) fn agent(path: &str) -> Self {
        Self { method: "GET", path: path.into(), headers: vec![("Accept", "application/json".into())], ..Self::default() }
    }

    /// A GET as a browser sends it.
    pub(crate) fn screen(path: &str) -> Self {
        Self { method: "GET", path: path.into(), headers: vec![("Accept", "text/html".into())], ..Self::default() }
    }

    /// A POST of JSON.
    pub(crate) fn post(path: &str, body: String) -> Self {
        Self { method: "POST", path: path.into(), headers: vec![("Content-Type", "application/json".into())], body, ..Self::default() }
    }

    /// The same request with one more field.
    pub(crate) fn with(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.headers.push((name, value.into()));
        self
    }

    /// The same request to a site, or to several in turn.
    pub(crate) fn to(mut self, hosts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.hosts = hosts.into_iter().map(Into::into).collect();
        self
    }

    /// The script that makes wrk send it. All requests are formed once, before the load.
    fn script(&self) -> String {
        let mut lua = format!("local headers = {{}}\nlocal body = {}\n", quoted(&self.body));
        for (name, value) in &self.headers {
            let _ = writeln!(lua, "headers[{}] = {}", quoted(name), quoted(value));
        }
        lua.push_str("local requests = {}\nlocal hosts = {");
        for host in &self.hosts {
            let _ = write!(lua, "{},", quoted(host));
        }
        let _ = write!(
            lua,
            "}}\nfunction init()\n  if #hosts == 0 then hosts = {{wrk.headers['Host'] or wrk.host}} end\n  \
             for i, host in ipairs(hosts) do headers['Host'] = host; requests[i] = wrk.format({}, {}, headers, body ~= '' and body or nil) end\nend\n",
            quoted(self.method),
            quoted(&self.path)
        );
        lua.push_str(
            "local at = 0\nfunction request()\n  at = at % #requests + 1\n  return requests[at]\nend\n\
             function done(summary)\n  local e = summary.errors\n  \
             io.write(string.format('\\n{\"rate\":%f,\"errors\":%d}\\n', summary.requests * 1e6 / summary.duration, \
             e.connect + e.read + e.write + e.status + e.timeout))\nend\n",
        );
        lua
    }
}

/// As a string of Lua.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' | 0..=31 | 127.. => {
                let _ = write!(out, "\\{byte:03}");
            }
            _ => out.push(byte as char),
        }
    }
    out.push('"');
    out
}

/// A command in the class that gives way to any other thread at once. Niceness is not enough: what is nice, but runs, may go on for
/// a slice while a page's request waits for the same processor.
fn out_of_the_way(program: &str) -> Command {
    let mut command = Command::new("chrt");
    command.args(["--idle", "0", program]);
    command
}

/// Presses a server with a request.
///
/// # Errors
/// When wrk is missing or fails.
pub(crate) fn press(addr: SocketAddr, request: &Request, pressure: Pressure) -> Result<Load> {
    let script = tempfile::Builder::new().suffix(".lua").tempfile()?;
    std::fs::write(script.path(), request.script())?;
    let mut command = if pressure.background { out_of_the_way("wrk") } else { Command::new("wrk") };
    let connections = pressure.connections.to_string();
    let seconds = format!("{}s", pressure.seconds);
    command.args(["-t1", "-c", &connections, "-d", &seconds, "--timeout", "15s", "-s"]).arg(script.path()).arg(format!("http://{addr}/"));
    let output = command.stderr(Stdio::inherit()).output().context("wrk, or chrt, is missing (Debian: apt-get install wrk util-linux)")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let line = text.lines().find(|line| line.starts_with('{')).with_context(|| format!("wrk said: {text}"))?;
    let load: Load = serde_json::from_str(line)?;
    ensure!(load.rate > 0.0, "no answer at all: {text}");
    Ok(load)
}
